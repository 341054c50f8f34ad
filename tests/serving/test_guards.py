"""Every request passes the guards, and every answer has its headers."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from recollect.serving.guards import LOOPBACK, BodyLimit, SafeHeaders, SameSite
from recollect.serving.metrics import Metrics
from recollect.serving.timing import Timing


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Tell how long the body was."""
    await JSONResponse({"length": len(await Request(scope, receive).body())})(scope, receive, send)


def limited(**options: object) -> BodyLimit:
    given = {"most": 10, "larger": {"/files": 100}, "seconds": 5} | options
    return BodyLimit(echo, **given)


def ask(app: object, method: str, path: str = "/", **options: object) -> httpx.Response:
    async def asked() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost:5050") as client:
            return await client.request(method, path, **options)

    return asyncio.run(asked())


def test_a_fault_is_counted() -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError("a mishap")

    metrics = Metrics()
    with pytest.raises(RuntimeError, match="a mishap"):
        ask(Timing(broken, metrics), "GET")
    assert b'recollect_requests_total{method="GET",route="none",status="500"} 1.0' in metrics.text()


def test_a_body_is_taken_whole_or_refused() -> None:
    assert ask(limited(), "POST", content=b"x" * 10).json() == {"length": 10}
    for path, size, most in (("/", 11, 10), ("/files", 101, 100)):
        answer = ask(limited(), "POST", path, content=b"x" * size)
        assert answer.status_code == 413
        assert answer.json() == {"error": f"the request is too large: at most {most} bytes are taken here"}
    assert ask(limited(), "POST", "/files", content=b"x" * 100).json() == {"length": 100}


def test_a_body_without_a_length_is_counted_as_it_comes() -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"x" * (1 << 20)

    assert ask(limited(), "POST", content=endless()).status_code == 413


def test_a_body_that_does_not_come_is_not_waited_for() -> None:
    async def stuck() -> AsyncIterator[bytes]:
        yield b"x"
        await asyncio.sleep(60)

    answer = ask(limited(seconds=0.05), "POST", content=stuck())
    assert (answer.status_code, answer.json()["error"]) == (
        408,
        "the request did not arrive within 0.05 seconds",
    )


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("localhost:5050", True),
        ("LOCALHOST", True),
        ("127.0.0.1:80", True),
        ("[::1]:5050", True),
        ("evil.example", False),
        ("localhost.evil.example:5050", False),
        ("", False),
    ],
)
def test_only_for_names_of_its_own(host: str, known: bool) -> None:
    answer = ask(SameSite(echo, LOOPBACK), "GET", headers={"host": host})
    assert answer.status_code == (200 if known else 403)


@pytest.mark.parametrize(
    ("origin", "welcome"),
    [
        ("http://localhost:5050", True),
        ("https://friend.example", True),
        ("http://localhost:8080", False),
        ("https://evil.example", False),
        ("null", False),
        ("http://[", False),
    ],
)
def test_pages_of_other_sites_send_nothing(origin: str, welcome: bool) -> None:
    app = SameSite(echo, None, {"https://friend.example"})
    assert ask(app, "POST", headers={"origin": origin}).status_code == (200 if welcome else 403)
    assert ask(app, "GET", headers={"origin": origin}).status_code == 200  # which it may not read


def test_every_answer_is_safe_in_a_browser() -> None:
    app = SafeHeaders(SameSite(echo, {"localhost"}))
    for host in ("localhost", "evil.example"):
        headers = ask(app, "GET", headers={"host": host}).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in headers
