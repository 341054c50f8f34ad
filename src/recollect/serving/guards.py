"""What every request passes first (its host, its origin, its size), and what every answer says."""

import asyncio
from collections.abc import Collection, Mapping
from contextlib import suppress

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.serving.settings import Settings

__all__ = ["LOOPBACK", "BodyLimit", "SafeHeaders", "SameSite", "add_guards"]

FORM, SENTENCES = 64 << 10, 8 << 20  # bytes around a file: of a form, of a session
_PASSED, _PASSING = 64 << 20, 5.0  # bytes and seconds of what is too large that are let pass by
LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]", "::1"})

# The page needs nothing but its own script, style and requests; nothing else is granted to anyone.
_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",  # text is never made markup
    ]
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def add_guards(app: FastAPI, settings: Settings) -> None:
    """Put the guards before an app; the last is the first that a request meets."""
    app.add_middleware(
        BodyLimit,
        most=settings.body,
        larger={
            "/v1/files": settings.upload + FORM,
            "/translate_file": settings.upload + FORM,
            "/v1/sessions/import": 4 * settings.upload // 3 + SENTENCES,  # a file in base64
        },
        seconds=settings.arrival,
    )
    if settings.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.origins,
            allow_methods=["*"],
            allow_headers=["Authorization", "Content-Type"],
            expose_headers=["Retry-After", "X-Recollect-Session"],
        )
    hosts = LOOPBACK.union(settings.sites) if settings.sites or settings.host in LOOPBACK else None
    app.add_middleware(SameSite, hosts=hosts, origins=settings.origins)
    app.add_middleware(SafeHeaders, shared=bool(settings.origins))


class SafeHeaders:
    """Adds to every answer what keeps a browser from running, framing or keeping more than is meant."""

    def __init__(self, app: ASGIApp, shared: bool = False) -> None:
        """`shared`: pages of other sites are meant to read the answers."""
        self._app = app
        self._headers = _HEADERS | ({"Cross-Origin-Resource-Policy": "cross-origin"} if shared else {})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and its answer back with the headers."""

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
                if "etag" not in headers:  # files that are the same for all may be kept
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, receive, send_safely if scope["type"] == "http" else send)


class SameSite:
    """Refuses what a page of another site makes a browser send, and names that are not ours."""

    def __init__(
        self, app: ASGIApp, hosts: Collection[str] | None = None, origins: Collection[str] = ()
    ) -> None:
        """`hosts` are the names this server answers to (None: any); `origins` may send from elsewhere."""
        self._app, self._hosts, self._origins = app, hosts, origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is not refused."""
        problem = self._problem(scope) if scope["type"] == "http" else None
        if problem is None:
            await self._app(scope, receive, send)
        else:
            await JSONResponse({"error": problem}, 403)(scope, receive, send)

    def _problem(self, scope: Scope) -> str | None:
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        # Otherwise any site could point a name of its own at this address and read all that is here.
        if self._hosts is not None and _without_port(host) not in self._hosts:
            return f"this server is not '{host[:100]}'; started with --site NAME it answers to that name"
        if origin is None or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            return None
        if "*" in self._origins or origin in self._origins or (host and origin.partition("://")[2] == host):
            return None
        return "pages of other sites may not send requests here; --allow-origin would let them"


def _without_port(host: str) -> str:
    name, _, port = host.rpartition(":")
    return name.lower() if name and port.isdigit() else host.lower()


class BodyLimit:
    """Takes in a request's body whole, if it is not too large and does not come too slowly."""

    def __init__(self, app: ASGIApp, *, most: int, larger: Mapping[str, int], seconds: float) -> None:
        """`most` bytes, or what `larger` says of a path that takes files; `seconds` for all of it."""
        self._app, self._most, self._larger, self._seconds = app, most, larger, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take in the body, then pass the request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = self._larger.get(scope["path"], self._most)
        declared = Headers(scope=scope).get("content-length", "0")
        parts: list[bytes] = []
        size, arrived = int(declared) if declared.isdigit() else 0, 0
        try:
            async with asyncio.timeout(self._seconds):
                while size <= most:
                    message = await receive()
                    if message["type"] != "http.request":
                        return
                    parts.append(message.get("body", b""))
                    arrived += len(parts[-1])
                    size = max(size, arrived)
                    if not message.get("more_body", False):
                        break
        except TimeoutError:
            slow = f"the request did not arrive within {self._seconds:g} seconds"
            await JSONResponse({"error": slow}, 408, {"Connection": "close"})(scope, receive, send)
            return
        if size > most:
            await _let_pass(receive)
            large = f"the request is too large: at most {most:,} bytes are taken here"
            await JSONResponse({"error": large}, 413, {"Connection": "close"})(scope, receive, send)
            return
        body = b"".join(parts)
        given = False

        async def receive_whole() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(scope, receive_whole, send)


async def _let_pass(receive: Receive) -> None:
    """Take in what is left of a body, within reason: whoever is still sending does not hear an answer."""
    passed = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(_PASSING):
            while passed < _PASSED:
                message = await receive()
                passed += len(message.get("body", b""))
                if not message.get("more_body", False):
                    return
