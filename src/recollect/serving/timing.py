"""Every request is counted and timed, up to where its answer begins."""

import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.serving.metrics import Metrics

__all__ = ["Timing"]

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})


class Timing:
    """Stands around the app; knows routes by their patterns, since ids are secrets and without number."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = time.monotonic()
        method = scope["method"] if scope["method"] in METHODS else "other"  # anybody can invent one

        answered = False

        def count(status: int) -> None:
            nonlocal answered
            answered = True
            route = getattr(scope.get("route"), "path", "none")
            self.metrics.requests.labels(method, route, status).inc()
            self.metrics.seconds.labels(method, route).observe(time.monotonic() - began)

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                count(message["status"])
            await send(message)

        try:
            await self.app(scope, receive, sent)
        except Exception:
            if not answered:  # that is done further out
                count(500)
            raise
