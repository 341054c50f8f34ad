"""`recollect serve`: a model, a store and an address become a running server."""

from pathlib import Path
from time import time

import uvicorn

from recollect.assemble import load, model_signature
from recollect.serving.app import build_app
from recollect.serving.engine import Engine
from recollect.serving.keyed_access import KeyedAccess
from recollect.serving.keys import KeyFile
from recollect.serving.ledger import Ledger, SqliteLedger
from recollect.serving.quotas import Quota, Quotas
from recollect.serving.settings import Settings, default_store
from recollect.serving.sqlite_store import SQLiteStore
from recollect.serving.store import Store

__all__ = ["open_store", "serve"]


def open_store(place: str) -> Store:
    """Return the store that a name stands for: a file, or the default one."""
    return SQLiteStore(Path(place) if place else default_store())


def open_ledger(place: str) -> Ledger:
    """Return the ledger that goes with a store."""
    path = Path(place) if place else default_store()
    path.parent.mkdir(parents=True, exist_ok=True)
    return SqliteLedger(path.with_name(f"{path.name}.ledger"))


def serve(settings: Settings, model: str) -> None:
    """Serve until a signal asks to stop; what is running is finished then."""
    ledger = open_ledger(settings.store)
    access = KeyedAccess(
        KeyFile(Path(settings.keys)) if settings.keys else None,
        Quotas(ledger, time),
        Quota(settings.requests, settings.daily),
    )
    store = open_store(settings.store)
    engine = Engine(load(model), lanes=settings.lanes, cache=settings.cache)
    app = build_app(settings, engine, store, access, model_signature(model), ledger)
    uvicorn.run(
        app,
        host=settings.host,
        port=settings.port,
        timeout_graceful_shutdown=int(settings.patience),
        log_level="info",
        access_log=False,
        server_header=False,
    )
