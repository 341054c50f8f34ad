"""`recollect serve`: a model, a store and an address become a running server."""

from pathlib import Path

import uvicorn

from recollect.assemble import load, model_signature
from recollect.serving.access import Access, OpenAccess
from recollect.serving.app import build_app
from recollect.serving.engine import Engine
from recollect.serving.settings import Settings, default_store
from recollect.serving.sqlite_store import SQLiteStore
from recollect.serving.store import Store

__all__ = ["open_store", "serve"]


def open_store(place: str) -> Store:
    """Return the store that a name stands for: a file, or the default one."""
    return SQLiteStore(Path(place) if place else default_store())


def serve(settings: Settings, model: str, access: Access | None = None) -> None:
    """Serve until a signal asks to stop; what is running is finished then."""
    engine = Engine(load(model), lanes=settings.lanes, cache=settings.cache)
    app = build_app(
        settings, engine, open_store(settings.store), access or OpenAccess(), model_signature(model)
    )
    uvicorn.run(
        app,
        host=settings.host,
        port=settings.port,
        timeout_graceful_shutdown=int(settings.patience),
        log_level="info",
        access_log=False,
    )
