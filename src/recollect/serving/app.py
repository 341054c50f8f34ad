"""The server, put together from its parts."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from recollect.errors import RecollectError
from recollect.serving import routes_page, routes_service, routes_sessions
from recollect.serving.access import Access
from recollect.serving.desk import Desk
from recollect.serving.engine import Engine
from recollect.serving.refusals import RefusalError
from recollect.serving.settings import Settings
from recollect.serving.store import Store

__all__ = ["build_app"]


def build_app(settings: Settings, engine: Engine, store: Store, access: Access, model: str = "") -> FastAPI:
    """Return the app; `model` is the signature of the engine's model."""
    desk = Desk(settings, engine, store, model)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        engine.start()
        yield
        await desk.close()
        await engine.stop()
        await store.close()

    app = FastAPI(
        title="Recollect",
        description="Machine translation that remembers: corrections are followed at once.",
        lifespan=lifespan,
    )
    app.state.settings, app.state.desk, app.state.access = settings, desk, access
    app.add_exception_handler(RecollectError, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _no_such_page)
    app.include_router(routes_sessions.router)
    app.include_router(routes_service.router)
    app.include_router(routes_page.router)
    return app


async def _refused(request: Request, error: Exception) -> JSONResponse:
    status = error.status if isinstance(error, RefusalError) else 400
    return JSONResponse({"error": str(error)}, status)


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"] if part != "body")
    said = first["msg"].removeprefix("Value error, ")
    return JSONResponse({"error": f"{place}: {said}" if place else said}, 422)


async def _no_such_page(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": str(error.detail)}, error.status_code, error.headers)
