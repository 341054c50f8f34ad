"""`recollect serve`: a model, a store and an address become a running server."""

import asyncio
import logging
from pathlib import Path
from types import FrameType

import uvicorn

from recollect.assemble import load, model_signature
from recollect.serving.access import Access, OpenAccess
from recollect.serving.app import build_app
from recollect.serving.desk import Desk
from recollect.serving.engine import Engine
from recollect.serving.settings import Settings, default_store
from recollect.serving.sqlite_store import SQLiteStore
from recollect.serving.store import Store

__all__ = ["open_store", "serve"]


def open_store(settings: Settings) -> Store:
    """Return the store that is asked for: a Redis server, a file, or the default file."""
    if settings.store.startswith(("redis://", "rediss://", "unix://")):
        from recollect.serving.redis_store import RedisStore

        return RedisStore(settings.store, settings.expiry)
    return SQLiteStore(Path(settings.store) if settings.store else default_store())


def serve(settings: Settings, model: str, access: Access | None = None) -> None:
    """Serve until a signal asks to stop; what is running is finished then."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    engine = Engine(load(model), lanes=settings.lanes, cache=settings.cache)
    app = build_app(settings, engine, open_store(settings), access or OpenAccess(), model_signature(model))
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        timeout_graceful_shutdown=int(settings.patience),
        log_config=None,
        access_log=False,  # the ids of sessions are secrets
        server_header=False,
    )
    _Server(config, app.state.desk).run()


class _Server(uvicorn.Server):
    """Streams of events would go on for ever: they are told that the end has come."""

    def __init__(self, config: uvicorn.Config, desk: Desk) -> None:
        super().__init__(config)
        self._desk = desk
        self._loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, *arguments: object, **options: object) -> None:
        self._loop = asyncio.get_running_loop()
        await super().startup(*arguments, **options)  # type: ignore[arg-type]

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._desk.dismiss)
