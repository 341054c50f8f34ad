"""What is counted or noted of a client for a while: requests of a minute, its session."""

import sqlite3
from pathlib import Path
from typing import Any, Protocol

from recollect.errors import DataError
from recollect.serving.refusals import StoreError

__all__ = ["Ledger", "SqliteLedger", "begins"]

_TABLE = "CREATE TABLE IF NOT EXISTS ledger (name TEXT PRIMARY KEY, count INTEGER, note TEXT, until REAL)"
_TIDY_EVERY = 1000  # takes between two clearings of what is over


class Ledger(Protocol):
    """Counts and notes, each until a time of its own; times are seconds since 1970."""

    async def take(self, name: str, amount: int, most: int, now: float, until: float) -> int | None:
        """Count `amount` and return what is left of `most`; if that is too little, count nothing: None."""

    async def note(self, name: str, text: str, until: float) -> None:
        """Write something down, in place of what is written there."""

    async def noted(self, name: str, now: float) -> str | None:
        """Return what is written down, if its time is not over."""

    async def claim(self, name: str, before: str | None, text: str, now: float, until: float) -> bool:
        """Write something down if what is written there begins with `before`; return whether it does.

        None: if nothing is written there.
        """

    async def close(self) -> None:
        """Let go of the file or the connection."""


def begins(noted: str | None, before: str | None) -> bool:
    """Whether a note begins so; None: whether there is none."""
    return noted is None if before is None else noted is not None and noted.startswith(before)


class SqliteLedger:
    """A ledger in a file beside the sessions, or in memory without one; for one process."""

    def __init__(self, path: Path | None) -> None:
        try:
            if path is not None:
                path.touch(mode=0o600)  # ids of sessions, which may be secrets
            self._base = sqlite3.connect(path or ":memory:", isolation_level=None, check_same_thread=False)
            self._base.execute("PRAGMA journal_mode=WAL")
            # A crash of the machine may lose the last counts, which is no harm; one of the server does not.
            self._base.execute("PRAGMA synchronous=NORMAL")
            self._base.execute(_TABLE)
        except (sqlite3.Error, OSError) as error:
            raise DataError(f"{path}: cannot be used to count what clients ask for ({error})") from None
        self._takes = 0

    async def take(self, name: str, amount: int, most: int, now: float, until: float) -> int | None:
        """Count `amount` and return what is left of `most`, or None."""
        self._takes += 1
        if self._takes % _TIDY_EVERY == 0:
            self._do("DELETE FROM ledger WHERE until <= ?", now)
        row = self._do("SELECT count FROM ledger WHERE name = ? AND until > ?", name, now)
        used = int(row[0]) if row else 0
        if used + amount > most:
            return None
        self._do("REPLACE INTO ledger VALUES (?, ?, '', ?)", name, used + amount, until)
        return most - used - amount

    async def note(self, name: str, text: str, until: float) -> None:
        """Write something down."""
        self._do("REPLACE INTO ledger VALUES (?, 0, ?, ?)", name, text, until)

    async def noted(self, name: str, now: float) -> str | None:
        """Return what is written down, if its time is not over."""
        row = self._do("SELECT note FROM ledger WHERE name = ? AND until > ?", name, now)
        return None if row is None else str(row[0])

    async def claim(self, name: str, before: str | None, text: str, now: float, until: float) -> bool:
        """Write something down if what is written there begins with `before`; return whether it does.

        None: if nothing is written there.
        """
        if not begins(await self.noted(name, now), before):
            return False
        await self.note(name, text, until)  # nobody comes between: neither call waits for anything
        return True

    def _do(self, statement: str, *values: object) -> tuple[Any, ...] | None:
        try:
            found: tuple[Any, ...] | None = self._base.execute(statement, values).fetchone()
        except sqlite3.Error as error:
            raise StoreError(f"the store does not answer ({error})") from error
        return found

    async def close(self) -> None:
        """Close the file."""
        self._base.close()
