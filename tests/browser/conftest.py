"""A real server and a real browser, once for all tests; nothing may go wrong behind their backs."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from desk import Desk
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from story import Story, find_story

from recollect.serving.keys import make_key

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

expect.set_options(timeout=60_000)  # the machine may be busy


@pytest.fixture(scope="session")
def story() -> Story:
    return find_story()


class Server:
    """`recollect serve` in a process of its own."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        self.log = folder / "log"
        self.keys: dict[str, str] = {}  # whose, if it asks for one
        command = [
            sys.executable,
            "-c",
            "from recollect.cli import main; main()",
            "serve",
            "--port",
            str(port),
        ]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [*command, "--store", str(folder / "sessions.db"), *arguments],
                env=os.environ | {"OMP_NUM_THREADS": "1"},
                stdout=log,
                stderr=log,
            )

    def wait(self) -> None:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{self.address}/ready", timeout=5).close()
            except OSError:
                assert self.process.poll() is None, self.log.read_text()
                time.sleep(0.1)
            else:
                return
        pytest.fail(f"the server does not start: {self.log.read_text()}")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(30)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("server"))
    running.wait()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def keyed_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("keyed")
    keys = {name: make_key(folder / "keys.json", name, "2024-01-01") for name in ("anna", "ben", "cleo")}
    running = Server(folder, "--keys", str(folder / "keys.json"))
    running.keys = keys
    running.wait()
    yield running
    running.stop()


# Not longer than a file of tests: Playwright's event loop would be in the way of others that have one.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def make_page(browser: Browser) -> Iterator["PageMaker"]:
    maker = PageMaker(browser)
    yield maker
    maker.close()


class PageMaker:
    """Opens pages, and tells afterwards what went wrong on them."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.contexts: list[BrowserContext] = []
        self.troubles: list[str] = []
        self.allowed: tuple[str, ...] = ()

    def __call__(self, address: str, **options: object) -> Desk:
        context = self.browser.new_context(**{"viewport": {"width": 1400, "height": 900}, **options})
        context.set_default_timeout(60_000)
        self.contexts.append(context)
        page = context.new_page()
        self._watch(page, address)
        page.goto(address)
        return Desk(page)

    def _watch(self, page: Page, address: str) -> None:
        note, site = self.troubles.append, address.split("#")[0]
        page.on("pageerror", lambda error: note(f"error: {error}"))
        page.on("console", lambda said: note(f"console: {said.text}") if said.type != "log" else None)
        page.on(
            "request",
            lambda request: (
                None if request.url.startswith((site, "blob:")) else note(f"request: {request.url}")
            ),
        )

    def close(self) -> None:
        for context in self.contexts:
            context.close()
        troubles = [each for each in self.troubles if not any(part in each for part in self.allowed)]
        assert troubles == []


@pytest.fixture
def desk(make_page: PageMaker, server: Server) -> Desk:
    """The page as it opens."""
    return make_page(server.address)
