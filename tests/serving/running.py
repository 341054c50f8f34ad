"""Servers to ask: in a process of their own as people start them, or in a thread, with any settings."""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep, time

import httpx
import uvicorn

from recollect.decoding.translator import Translator
from recollect.serving.app import build_app
from recollect.serving.engine import Engine
from recollect.serving.keyed_access import KeyedAccess
from recollect.serving.keys import KeyFile
from recollect.serving.ledger import SqliteLedger
from recollect.serving.quotas import Quota, Quotas
from recollect.serving.settings import Settings
from recollect.serving.sqlite_store import SQLiteStore

RECOLLECT = Path(sys.executable).with_name("recollect")


@contextmanager
def process(folder: Path, *options: str) -> Iterator[str]:
    """Run `recollect serve` in a folder, and yield its address; it must end well when it is asked to."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [RECOLLECT, "serve", "--port", str(port), "--store", "sessions.db", *options]
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            command, cwd=folder, env=os.environ | {"OMP_NUM_THREADS": "1"}, stdout=log, stderr=log
        )
    address = f"http://127.0.0.1:{port}"
    try:
        while True:
            assert server.poll() is None, (folder / "server.log").read_text("utf-8")
            try:
                httpx.get(f"{address}/health", timeout=1)
                break
            except httpx.TransportError:
                sleep(0.1)
        yield address
        server.send_signal(signal.SIGTERM)
        # Uvicorn ends by the same signal, when all is done.
        assert server.wait(30) in (0, -signal.SIGTERM), (folder / "server.log").read_text("utf-8")
    finally:
        server.kill()
        server.wait()


@contextmanager
def thread(translator: Translator, folder: Path, settings: Settings) -> Iterator[str]:
    """Run a server in a thread, on a port of its own, and yield its address."""
    ledger = SqliteLedger(folder / "ledger.db")
    keys = KeyFile(Path(settings.keys)) if settings.keys else None
    access = KeyedAccess(keys, Quotas(ledger, time), Quota(settings.requests, settings.daily))
    store = SQLiteStore(folder / "sessions.db")
    app = build_app(settings, Engine(translator), store, access, "a model", ledger)
    door = socket.socket()
    door.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    running = threading.Thread(target=server.run, kwargs={"sockets": [door]})
    running.start()
    try:
        while not server.started:
            assert running.is_alive()
            sleep(0.01)
        yield f"http://127.0.0.1:{door.getsockname()[1]}"
    finally:
        server.should_exit = True
        running.join()
        door.close()
