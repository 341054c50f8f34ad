"""Sessions in one SQLite file: what is acknowledged is on the disk."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from recollect.errors import DataError
from recollect.serving.refusals import StoreError
from recollect.serving.store import Change, Head, Kept

__all__ = ["SQLiteStore"]

Answer = TypeVar("Answer")
Work = tuple[Callable[[sqlite3.Connection], Any], "Future[Any]"]

FORMAT = 1
TOGETHER = 64  # pieces of work that share one commit, where so many are waiting

_TABLES = """
CREATE TABLE IF NOT EXISTS session (
    id TEXT PRIMARY KEY, owner TEXT NOT NULL, name TEXT NOT NULL, sentences INTEGER NOT NULL,
    created REAL NOT NULL, changed REAL NOT NULL, revision INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS session_owner ON session (owner, changed);
CREATE INDEX IF NOT EXISTS session_changed ON session (changed);
CREATE TABLE IF NOT EXISTS item (
    session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE, name TEXT NOT NULL, value BLOB NOT NULL,
    PRIMARY KEY (session, name)
) WITHOUT ROWID;
"""


class SQLiteStore:
    """One thread has the file; whatever waits for it shares a commit, and with it the wait for the disk."""

    shared = False

    def __init__(self, path: Path) -> None:
        self.path = path
        self._waiting: SimpleQueue[Work | None] = SimpleQueue()
        self._closed = False
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)  # people's texts are in it: nobody else on this machine reads them
            self._connection = self._open()
        except (sqlite3.Error, OSError) as error:
            raise DataError(f"{path}: cannot be used as a store of sessions ({error})") from None
        self._thread = threading.Thread(target=self._run, name="store", daemon=True)
        self._thread.start()

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False, timeout=10)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")  # an acknowledged correction survives a power cut
        connection.execute("PRAGMA foreign_keys=ON")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version not in (0, FORMAT):
            raise DataError(f"{self.path}: sessions of format {version}; this version keeps {FORMAT}")
        connection.executescript(_TABLES)
        connection.execute(f"PRAGMA user_version={FORMAT}")
        return connection

    async def revision(self, session: str) -> int | None:
        """Return a session's revision; None: there is no such session."""
        return await self._do(partial(_revision, session=session))

    async def read(self, session: str) -> Kept | None:
        """Return a whole session."""
        return await self._do(partial(_read, session=session))

    async def item(self, session: str, name: str) -> bytes | None:
        """Return one item of a session; None: there is none."""
        statement = "SELECT value FROM item WHERE session = ? AND name = ?"
        row = await self._do(lambda base: base.execute(statement, (session, name)).fetchone())
        return None if row is None else bytes(row[0])

    async def write(self, session: str, expected: int, change: Change) -> bool:
        """Change a session whose revision is `expected`; see `Store`."""
        return await self._do(partial(_write, session=session, expected=expected, change=change))

    async def remove(self, session: str) -> bool:
        """Remove a session; False: there was none."""
        statement = "DELETE FROM session WHERE id = ?"
        return await self._do(lambda base: base.execute(statement, (session,)).rowcount > 0)

    async def heads(self, owner: str) -> list[Head]:
        """Return the sessions of an owner, the last changed first."""
        statement = (
            "SELECT id, owner, name, sentences, created, changed FROM session "
            "WHERE owner = ? ORDER BY changed DESC"
        )
        return await self._do(lambda base: [Head(*row) for row in base.execute(statement, (owner,))])

    async def count(self, owner: str) -> int:
        """Return how many sessions an owner has."""
        statement = "SELECT count(*) FROM session WHERE owner = ?"
        return await self._do(lambda base: int(base.execute(statement, (owner,)).fetchone()[0]))

    async def expire(self, before: float) -> int:
        """Remove sessions that were last changed before a time; return how many."""
        statement = "DELETE FROM session WHERE changed < ?"
        return await self._do(lambda base: base.execute(statement, (before,)).rowcount)

    async def claim(self, session: str, seconds: float) -> bool:
        """Nobody else is there."""
        return True

    async def release(self, session: str) -> None:
        """Nobody else is there."""

    async def check(self) -> None:
        """Do nothing, if the store answers."""
        await self._do(lambda base: base.execute("SELECT 1").fetchone())

    async def close(self) -> None:
        """Finish what is waiting, and close the file."""
        self._closed = True
        self._waiting.put(None)
        await asyncio.to_thread(self._thread.join)

    async def _do(self, work: Callable[[sqlite3.Connection], Answer]) -> Answer:
        if self._closed:
            raise StoreError("the store is closed")
        answer: Future[Answer] = Future()
        self._waiting.put((work, answer))
        try:
            return await asyncio.wrap_future(answer)
        except sqlite3.Error as error:
            raise StoreError(f"the store does not answer ({error})") from error

    def _run(self) -> None:
        while (first := self._waiting.get()) is not None:
            together = [first]
            last = False
            while len(together) < TOGETHER:
                try:
                    following = self._waiting.get_nowait()
                except Empty:
                    break
                if following is None:
                    last = True
                    break
                together.append(following)
            self._commit(together)
            if last:
                break
        self._connection.close()

    def _commit(self, together: list[Work]) -> None:
        """Do pieces of work in one transaction; if one of them cannot be done, each in its own."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            answers = [work(self._connection) for work, _ in together]
            self._connection.execute("COMMIT")
        except Exception as error:  # whatever it is, it belongs to whoever asked
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            if len(together) == 1:
                _answer(together[0][1], error=error)
            else:
                for each in together:
                    self._commit([each])
            return
        for (_, future), answer in zip(together, answers, strict=True):
            _answer(future, answer)


def _answer(future: "Future[Any]", answer: Any = None, error: Exception | None = None) -> None:
    """Answer whoever asked, unless they have gone."""
    if not future.set_running_or_notify_cancel():
        return
    if error is None:
        future.set_result(answer)
    else:
        future.set_exception(error)


def _revision(base: sqlite3.Connection, session: str) -> int | None:
    row = base.execute("SELECT revision FROM session WHERE id = ?", (session,)).fetchone()
    return None if row is None else int(row[0])


def _read(base: sqlite3.Connection, session: str) -> Kept | None:
    revision = _revision(base, session)
    if revision is None:
        return None
    rows = base.execute("SELECT name, value FROM item WHERE session = ? AND name <> 'file'", (session,))
    return Kept(revision, dict(rows.fetchall()))


def _write(base: sqlite3.Connection, session: str, expected: int, change: Change) -> bool:
    if (_revision(base, session) or 0) != expected:
        return False
    head = change.head
    base.execute(
        "INSERT INTO session (id, owner, name, sentences, created, changed, revision) VALUES "
        "(?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name, "
        "sentences = excluded.sentences, changed = excluded.changed, revision = excluded.revision",
        (session, head.owner, head.name, head.sentences, head.created, head.changed, expected + 1),
    )
    base.executemany(
        "DELETE FROM item WHERE session = ? AND name = ?", [(session, name) for name in change.removed]
    )
    base.executemany(
        "INSERT INTO item (session, name, value) VALUES (?, ?, ?) "
        "ON CONFLICT (session, name) DO UPDATE SET value = excluded.value",
        [(session, name, value) for name, value in change.put.items()],
    )
    return True
