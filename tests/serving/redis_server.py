"""A Redis server of our own, in memory, on a port of its own."""

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

REDIS = shutil.which("redis-server")


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def redis_server(folder: Path) -> Iterator[str]:
    """Run a server, and yield its address."""
    if REDIS is None:
        pytest.skip("there is no redis-server here: make system-packages installs it")
    port = free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    server = subprocess.Popen([REDIS, *options], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        for line in server.stdout:
            if "Ready to accept connections" in line:
                break
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        server.terminate()
        server.wait()
