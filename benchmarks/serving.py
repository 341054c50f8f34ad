"""Measure the server under load; a line of JSON says what was seen.

Each client has a session and asks for one sentence after the other, as somebody who types would; the time is
from asking to having it. Corrections are made in the second of a hundred sentences. At the end memory is
watched over many requests of all kinds.
"""

import argparse
import asyncio
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil
from run import machine

from recollect.text.formats.registry import read_content

HERE = Path(__file__).parent
SAMPLE = HERE.parent / "src" / "recollect" / "samples" / "episode.zh.srt"


def main() -> None:
    """Start a server, ask it, and write down what was seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", default="1,8,32", help="how many at once, separated by commas")
    parser.add_argument("--sentences", type=int, default=40, help="of each client")
    parser.add_argument("--requests", type=int, default=10_000, help="over which memory is watched")
    given = parser.parse_args()
    results: dict[str, Any] = {"commit": machine()["commit"], "load": [], "load_average": os.getloadavg()}
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        try:
            texts = [unit.source.text for unit in read_content(SAMPLE, "subtitles").units]
            for clients in map(int, given.clients.split(",")):
                results["load"].append(asyncio.run(load(server, texts, clients, given.sentences)))
                print(results["load"][-1], file=sys.stderr)
            results["correction"] = asyncio.run(correction(server, texts))
            print(results["correction"], file=sys.stderr)
            results["growth"] = asyncio.run(growth(server, texts, given.requests))
        finally:
            server.process.terminate()
            server.process.wait()
    print(json.dumps(results))


class Server:
    """`recollect serve` in a process of its own."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        program = "from recollect.cli import main; main()"
        options = ["serve", "--port", str(port), "--store", str(folder / "sessions.db")]
        self.process = subprocess.Popen([sys.executable, "-c", program, *options], stderr=subprocess.DEVNULL)
        while True:
            try:
                httpx.get(f"{self.address}/ready", timeout=60).raise_for_status()
                return
            except httpx.TransportError:
                time.sleep(0.1)

    @property
    def megabytes(self) -> float:
        """What it holds in memory."""
        return psutil.Process(self.process.pid).memory_info().rss / 2**20


@asynccontextmanager
async def client(server: Server) -> AsyncIterator[httpx.AsyncClient]:
    """Open connections of one client."""
    async with httpx.AsyncClient(base_url=f"{server.address}/v1", timeout=120) as own:
        yield own


async def events(own: httpx.AsyncClient, session: str, after: int = 0) -> AsyncIterator[tuple[str, Any]]:
    """Yield what a session tells."""
    path, kind = f"/sessions/{session}/events", ""
    async with own.stream("GET", path, params={"after": after}) as stream:
        async for line in stream.aiter_lines():
            if line.startswith("event: "):
                kind = line.removeprefix("event: ")
            elif line.startswith("data: "):
                yield kind, json.loads(line.removeprefix("data: "))


async def typed(server: Server, texts: list[str], sentences: int, seed: int) -> list[float]:
    """Ask for one sentence after the other; return the seconds that each took."""
    chance = random.Random(seed)
    async with client(server) as own:
        session = (await own.post("/sessions", json={"sentences": []})).json()["id"]
        news, found = events(own, session), []
        for number in range(1, sentences + 1):
            start = time.perf_counter()
            await own.post(f"/sessions/{session}/sentences", json={"sentences": [chance.choice(texts)]})
            async for kind, event in news:
                if kind == "sentence" and event["number"] == number and event["text"] is not None:
                    break
            found.append(time.perf_counter() - start)
        await news.aclose()
        await own.delete(f"/sessions/{session}")
        return found


async def load(server: Server, texts: list[str], clients: int, sentences: int) -> dict[str, Any]:
    """Let so many clients type at once."""
    await typed(server, texts, 3, 0)
    start = time.perf_counter()
    found = await asyncio.gather(*(typed(server, texts, sentences, seed) for seed in range(clients)))
    seconds = time.perf_counter() - start
    times = sorted(each for some in found for each in some)
    return {
        "clients": clients,
        "sentences": len(times),
        "sentences_per_second": round(len(times) / seconds, 2),
        **quantiles(times),
    }


def quantiles(seconds: list[float]) -> dict[str, float]:
    """Return what matters of some times, in milliseconds."""
    cuts = statistics.quantiles(seconds, n=100, method="inclusive")
    return {"p50_ms": round(1000 * cuts[49], 1), "p95_ms": round(1000 * cuts[94], 1)}


async def correction(server: Server, texts: list[str], times: int = 8) -> dict[str, Any]:
    """Correct the second of a hundred sentences; see when that is stored, and when the first one follows."""
    async with client(server) as own:
        # A name that comes again and again, now and then at the end.
        sentences = [f"{text} 王小明" if n % 9 == 1 else text for n, text in enumerate((texts * 9)[:100])]
        session = (await own.post("/sessions", json={"sentences": sentences})).json()["id"]
        stored, followed, through = [], [], []
        revision = await until_done(own, session)
        for number in range(times):
            news = events(own, session, revision)
            await anext(news)  # nothing is waiting
            start = time.perf_counter()
            text = {"text": f"I'm fine, just a bit tired, {('Bright', 'Xiaoming')[number % 2]}."}
            await own.put(f"/sessions/{session}/sentences/2", json=text)
            stored.append(time.perf_counter() - start)
            async for kind, event in news:
                if kind == "sentence" and event["number"] > 2 and len(followed) <= number:
                    followed.append(time.perf_counter() - start)
                if kind == "done":
                    revision = event["revision"]
                    through.append(time.perf_counter() - start)
                    break
            await news.aclose()
        return {
            "sentences": 100,
            "stored": quantiles(stored),
            "first_change": quantiles(followed) if len(followed) > 1 else None,
            "followed_through": quantiles(through),
        }


async def until_done(own: httpx.AsyncClient, session: str) -> int:
    """Wait until nothing is waiting; return the revision then."""
    news = events(own, session)
    async for kind, event in news:
        if kind == "done":
            await news.aclose()
            return int(event["revision"])
    raise RuntimeError("the stream has ended")


async def growth(server: Server, texts: list[str], requests: int) -> dict[str, Any]:
    """Send requests of all kinds; return the server's memory on the way."""
    chance, count = random.Random(3), 0
    found = [await held(server, 0)]
    async with client(server) as own:
        while count < requests:
            session = (await own.post("/sessions", json={"sentences": chance.choices(texts, k=4)})).json()[
                "id"
            ]
            path = f"/sessions/{session}"
            await until_done(own, session)
            count += 2
            for _ in range(30):
                what = chance.choice(["show", "show", "memory", "explain", "correct", "undo", "confirm"])
                number = chance.randint(1, 4)
                if what == "show":
                    await own.get(path)
                elif what == "memory":
                    await own.get(f"{path}/memory")
                elif what == "explain":
                    await own.get(f"{path}/sentences/{number}/explain")
                elif what == "correct":
                    await own.put(f"{path}/sentences/{number}", json={"text": f"Correction {count}."})
                else:
                    await own.post(f"{path}/undo" if what == "undo" else f"{path}/sentences/{number}/confirm")
                count += 1
            if chance.random() < 0.5:
                await own.delete(path)
            if count // 500 > found[-1]["requests"] // 500:
                found.append(await held(server, count))
                print(found[-1], file=sys.stderr)
    return {"samples": found}


async def held(server: Server, requests: int) -> dict[str, float]:
    """Return what the server holds in memory after some requests, and how much of that are memories."""
    async with httpx.AsyncClient(timeout=120) as own:
        figures = (await own.get(f"{server.address}/metrics")).text
    line = next(each for each in figures.splitlines() if each.startswith("recollect_memory_bytes "))
    memories = float(line.split()[1]) / 2**20
    return {
        "requests": requests,
        "megabytes": round(server.megabytes, 1),
        "memories_megabytes": round(memories, 1),
    }


if __name__ == "__main__":
    main()
