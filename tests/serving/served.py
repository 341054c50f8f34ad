"""`recollect serve` in a process of its own: started, asked, killed."""

import json
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import httpx
from redis_server import free_port

# A process that has imported everything already, and forks: servers start at once, and die like any other.
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["recollect.serving.serve", "recollect.serving.redis_store", "torch._dynamo"])
_NUMBERS = count()


class Served:
    """A server and a client of it."""

    def __init__(self, folder: Path, store: str, *options: str) -> None:
        port = free_port()
        self.address = f"http://127.0.0.1:{port}"
        self.log = folder / f"server-{next(_NUMBERS)}.log"
        arguments = ("serve", "--port", str(port), "--store", store, *options)
        self.process = _FORKS.Process(target=_run, args=(folder, arguments, self.log))
        self.process.start()
        self.client = httpx.Client(base_url=f"{self.address}/v1", timeout=60)
        self._wait()

    def _wait(self) -> None:
        while True:
            assert self.process.is_alive(), self.log.read_text("utf-8")
            try:
                if httpx.get(f"{self.address}/ready", timeout=60).status_code == 200:
                    return
            except httpx.TransportError:
                time.sleep(0.05)

    def kill(self) -> None:
        """SIGKILL: nothing can be caught, tidied up or finished."""
        self.process.kill()
        self.process.join()

    def stop(self) -> None:
        """Ask it to end, which it must do well."""
        os.kill(self.process.pid or 0, signal.SIGTERM)
        self.process.join(60)
        assert self.process.exitcode == 0, self.log.read_text("utf-8")

    def end(self) -> None:
        self.client.close()
        if self.process.is_alive():
            self.kill()

    # -- what clients do

    def create(self, **fields: Any) -> dict[str, Any]:
        return self.ask("POST", "/sessions", json=fields, status=201)

    def show(self, session: str) -> dict[str, Any]:
        return self.ask("GET", f"/sessions/{session}")

    def correct(self, session: str, number: int, text: str) -> dict[str, Any]:
        return self.ask("PUT", f"/sessions/{session}/sentences/{number}", json={"text": text})

    def ask(self, method: str, path: str, status: int = 200, **options: Any) -> dict[str, Any]:
        answer = self.client.request(method, path, **options)
        assert answer.status_code == status, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def done(self, session: str, after: int = 0) -> list[tuple[str, dict[str, Any]]]:
        """Follow a session until nothing is waiting; return what was told."""
        found = []
        with self.follow(session, after) as events:
            for event in events:
                found.append(event)
                if event[0] == "done":
                    break
        return found

    @contextmanager
    def follow(self, session: str, after: int = 0) -> Iterator[Iterator[tuple[str, dict[str, Any]]]]:
        with self.client.stream("GET", f"/sessions/{session}/events", params={"after": after}) as stream:
            assert stream.status_code == 200
            yield _events(stream)


def _events(stream: httpx.Response) -> Iterator[tuple[str, dict[str, Any]]]:
    kind = ""
    for line in stream.iter_lines():
        if line.startswith("event: "):
            kind = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield kind, json.loads(line.removeprefix("data: "))


def texts(session: dict[str, Any]) -> list[str | None]:
    return [each["text"] for each in session["sentences"]]


def _run(folder: Path, arguments: tuple[str, ...], log: Path) -> None:
    os.chdir(folder)
    handle = os.open(log, os.O_WRONLY | os.O_CREAT)
    for number in (1, 2):
        os.dup2(handle, number)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8") for number in (1, 2))
    sys.argv = ["recollect", *arguments]
    from recollect.cli import main

    main()
