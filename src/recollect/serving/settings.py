"""What `recollect serve` can be told."""

import os
from dataclasses import dataclass
from pathlib import Path

__all__ = ["DEFAULT_WINDOW", "Settings", "default_store"]

DAY = 86_400.0
DEFAULT_WINDOW = 900.0


@dataclass(frozen=True, slots=True)
class Settings:
    """Addresses, limits and times; every one of them has a default that is safe on a shared machine."""

    host: str = "127.0.0.1"
    port: int = 5050
    store: str = ""  # a SQLite file, or redis://...; empty: in the user's data folder
    lanes: int = 32  # sentences of different sessions that are searched side by side
    sentences: int = 10_000  # a session may have
    characters: int = 5_000  # a sentence, a correction or a name may have
    sessions: int = 1_000  # a key may have
    site_sessions: int = 100_000  # there may be of those who have no key
    upload: int = 10 << 20  # bytes of a request
    expiry: float = 30 * DAY  # seconds after which an untouched session is removed; 0: never
    cache: int = 256 << 20  # bytes of memories that are kept at hand
    open_sessions: int = 256  # records that are kept at hand
    patience: float = 10.0  # seconds to finish what is running when the server is asked to stop
    ping: float = 15.0  # seconds between signs of life in a stream of events
    keys: str = ""  # a file of keys; empty: none is asked for
    requests: int | None = None  # a minute, of one key or address
    daily: int | None = None  # characters a day, of one key or address
    body: int = 1 << 20  # bytes of a request without a file
    arrival: float = 30.0  # seconds in which a request must have arrived
    answer: float = 120.0  # seconds in which a text must be translated, where the answer is the translation
    window: float = DEFAULT_WINDOW  # seconds between requests without a session that still belong together
    sites: tuple[
        str, ...
    ] = ()  # names of this server; empty: any, or only this machine's where it listens there
    origins: tuple[str, ...] = ()  # other sites whose pages may use this server


def default_store() -> Path:
    """Return where sessions are kept if nothing is said: the user's data folder."""
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "recollect" / "recollect.db"
