"""The server, put together from its parts."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import time

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from recollect.errors import RecollectError
from recollect.serving import (
    routes_docs,
    routes_events,
    routes_files,
    routes_libre,
    routes_memory,
    routes_page,
    routes_service,
    routes_sessions,
)
from recollect.serving.access import Access
from recollect.serving.desk import Desk
from recollect.serving.engine import Engine
from recollect.serving.guards import add_guards
from recollect.serving.ledger import Ledger, SqliteLedger
from recollect.serving.refusals import RefusalError, TooManyError
from recollect.serving.settings import Settings
from recollect.serving.store import Store
from recollect.serving.timing import Timing
from recollect.serving.visits import Visits

__all__ = ["build_app"]

ROUTERS = (
    routes_sessions,
    routes_events,
    routes_memory,
    routes_files,
    routes_libre,
    routes_service,
    routes_docs,
    routes_page,
)

log = logging.getLogger("recollect.serving")


def build_app(
    settings: Settings,
    engine: Engine,
    store: Store,
    access: Access,
    model: str = "",
    ledger: Ledger | None = None,
) -> FastAPI:
    """Return the app; `model` is the signature of the engine's model."""
    desk = Desk(settings, engine, store, model)
    ledger = ledger or SqliteLedger(None)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        engine.start()
        desk.start()
        yield
        await desk.close()
        await engine.stop()
        await store.close()
        await ledger.close()

    app = FastAPI(
        title="Recollect",
        description="Machine translation that remembers: a correction is followed at once.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.state.settings, app.state.desk, app.state.access = settings, desk, access
    app.state.visits = Visits(desk, ledger, settings.window, settings.answer, time)
    app.add_exception_handler(RecollectError, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _no_such_page)
    app.add_exception_handler(Exception, _broken)
    app.add_middleware(Timing, metrics=engine.metrics)
    for each in ROUTERS:
        app.include_router(each.router)
    add_guards(app, settings)
    return app


async def _refused(request: Request, error: Exception) -> JSONResponse:
    status = error.status if isinstance(error, RefusalError) else 400
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    if isinstance(error, TooManyError) and error.wait is not None:
        headers["Retry-After"] = str(error.wait)
    return JSONResponse({"error": str(error)}, status, headers)


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"] if part != "body")
    said = first["msg"].removeprefix("Value error, ")
    return JSONResponse({"error": f"{place}: {said}" if place else said}, 422)


async def _no_such_page(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": str(error.detail)}, error.status_code, error.headers)


async def _broken(request: Request, error: Exception) -> JSONResponse:
    log.error("a request has failed", exc_info=error)
    return JSONResponse({"error": "something went wrong here; the server's log says what"}, 500)
