"""`recollect serve`: a model, a store and an address become a running server."""

import asyncio
import logging
import socket
from pathlib import Path
from signal import SIGINT
from time import time
from types import FrameType

import uvicorn

from recollect.assemble import load, model_signature
from recollect.errors import RecollectError
from recollect.serving.app import build_app
from recollect.serving.desk import Desk
from recollect.serving.engine import Engine
from recollect.serving.guards import LOOPBACK
from recollect.serving.keyed_access import KeyedAccess
from recollect.serving.keys import KeyFile
from recollect.serving.ledger import Ledger, SqliteLedger
from recollect.serving.quotas import Quota, Quotas
from recollect.serving.settings import Settings, default_store
from recollect.serving.sqlite_store import SQLiteStore
from recollect.serving.store import Store

__all__ = ["open_store", "serve", "warn_if_open"]

log = logging.getLogger("recollect.serving")

REDIS = ("redis://", "rediss://", "unix://")


def open_store(settings: Settings) -> Store:
    """Return the store that is asked for: a Redis server, a file, or the default file."""
    if settings.store.startswith(REDIS):
        from recollect.serving.redis_store import RedisStore

        return RedisStore(settings.store, settings.expiry)
    return SQLiteStore(Path(settings.store) if settings.store else default_store())


def open_ledger(settings: Settings) -> Ledger:
    """Return the ledger that goes with a store."""
    if settings.store.startswith(REDIS):
        from recollect.serving.redis_ledger import RedisLedger

        return RedisLedger(settings.store)
    path = Path(settings.store) if settings.store else default_store()
    return SqliteLedger(path.with_name(f"{path.name}.ledger"))


def serve(settings: Settings, model: str) -> None:
    """Serve until a signal asks to stop; what is running is finished then."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    door = _door(settings.host, settings.port)
    keys = KeyFile(Path(settings.keys)) if settings.keys else None
    store, ledger = open_store(settings), open_ledger(settings)
    access = KeyedAccess(keys, Quotas(ledger, time), Quota(settings.requests, settings.daily))
    engine = Engine(load(model), lanes=settings.lanes, cache=settings.cache)
    app = build_app(settings, engine, store, access, model_signature(model), ledger)
    config = uvicorn.Config(
        app,
        timeout_graceful_shutdown=int(settings.patience) + 1,  # requests give up by themselves before that
        log_config=None,
        access_log=False,  # the ids of sessions are secrets
        server_header=False,
    )
    log.info("listening at http://%s:%d", settings.host, door.getsockname()[1])
    warn_if_open(settings)
    _Server(config, app.state.desk).run([door])


def warn_if_open(settings: Settings) -> None:
    """Say so if strangers may use the server: it may be meant, or it may not."""
    if settings.host not in LOOPBACK and not settings.keys:
        log.warning("whoever reaches this address may use it; --keys FILE asks for keys")


def _door(host: str, port: int) -> socket.socket:
    """Return a socket that listens: whoever comes before the model is loaded waits there."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        why = str(error.strerror).partition(" (while")[0]
        raise RecollectError(
            f"cannot listen at {host}, port {port} ({why}); choose another --host or --port"
        ) from None


class _Server(uvicorn.Server):
    """Ends well when it is asked to: streams of events, which would go on for ever, are told so."""

    def __init__(self, config: uvicorn.Config, desk: Desk) -> None:
        super().__init__(config)
        self._desk = desk
        self._loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, *arguments: object, **options: object) -> None:
        self._loop = asyncio.get_running_loop()
        await super().startup(*arguments, **options)  # type: ignore[arg-type]

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.force_exit = self.should_exit and sig == SIGINT  # asked twice by an impatient person
        self.should_exit = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._desk.dismiss)
