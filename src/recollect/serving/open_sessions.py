"""The sessions at hand: as new as the store, changed together with it, and let go when there are too many."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from recollect.serving.flags import Flag
from recollect.serving.following import Follower
from recollect.serving.metrics import Metrics
from recollect.serving.record import Record, Said
from recollect.serving.refusals import MissingError
from recollect.serving.replay import Past
from recollect.serving.store import Store

__all__ = ["Asked", "Live", "OpenSessions"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A sentence that the machine has been asked for, and the past that it was asked after."""

    place: int
    past: Past
    answer: "asyncio.Task[Said]"


@dataclass(slots=True, eq=False)
class Live:
    """A session at hand."""

    record: Record
    told: int  # the revision that followers know of
    spoilt: bool = False  # the record has what the store may not have
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    followers: set[Follower] = field(default_factory=set)
    work: "asyncio.Task[None] | None" = None  # that translates what is waiting
    asked: "list[Asked]" = field(default_factory=list)  # the sentences it is at
    failures: int = 0  # of the machine, in a row
    resume: float = 0.0  # when it may try again, in the loop's time
    contrast: "asyncio.Task[None] | None" = None  # that translates everything alone
    alone: dict[str, str] = field(default_factory=dict)  # sources, and what is said of them without memory
    flags: tuple[int, list[Flag]] | None = None  # of a revision

    @property
    def resting(self) -> bool:
        """Whether nobody has anything to do with it."""
        busy = self.work is not None or self.contrast is not None or self.followers
        return not busy and not self.lock.locked()

    def tell(self, *places: int, report: bool = False, done: bool = False, gone: bool = False) -> None:
        """Tell all who follow."""
        for follower in self.followers:
            follower.tell(places, report=report, done=done, gone=gone)


class OpenSessions:
    """Finds sessions, and stores what is changed in them."""

    def __init__(
        self,
        store: Store,
        model: str,
        most: int,
        metrics: Metrics,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.store, self.model, self.most, self.metrics, self.clock = store, model, most, metrics, clock
        self._open: OrderedDict[str, Live] = OrderedDict()

    def all(self) -> list[Live]:
        """Return all that are at hand."""
        return list(self._open.values())

    async def begin(self, record: Record, file: bytes | None = None) -> Live:
        """Store a new session, with the file it came in."""
        change = record.change(self.clock())
        if file is not None:
            change = replace(change, put={**change.put, "file": file})
        stored = await self.store.write(record.id, 0, change)
        assert stored, "nobody else can have thought of this id"
        record.revision = 1
        return self._add(record)

    async def find(self, session: str) -> Live:
        """Return a session, as new as the store."""
        live = self._open.get(session)
        if live is None:
            kept = await self.store.read(session)
            live = self._open.get(session)  # somebody may have been quicker
            if live is None and kept is not None:
                return self._add(Record.of(kept, self.model))
            if live is None:
                raise MissingError(f"there is no session '{session}'")
        self._open.move_to_end(session)
        self._trim(live)
        async with live.lock:
            await self.refresh(live)
        return live

    async def refresh(self, live: Live) -> None:
        """Take over what others have changed; the caller has the lock."""
        record = live.record
        revision = await self.store.revision(record.id)
        if revision == record.revision and not live.spoilt:
            return
        kept = None if revision is None else await self.store.read(record.id)
        if kept is None:
            self.let_go(live)
            raise MissingError(f"there is no session '{record.id}'")
        live.record, live.spoilt = Record.of(kept, self.model), False
        self._announce(live)

    async def commit(self, live: Live) -> bool:
        """Store what has changed in a record; False: others were quicker, and the record is theirs now.

        The caller has the lock.
        """
        if live.spoilt:
            await self.refresh(live)
            return False
        record, expected = live.record, live.record.revision
        change = record.change(self.clock())
        live.spoilt = True  # until it is known what became of it
        if await self.store.write(record.id, expected, change):
            record.revision, live.spoilt = expected + 1, False
            self._announce(live)
            return True
        self.metrics.conflicts.inc()
        await self.refresh(live)
        return False

    async def remove(self, live: Live) -> None:
        """Remove a session for good."""
        await self.store.remove(live.record.id)
        self.let_go(live)

    def let_go(self, live: Live) -> None:
        """Have a session no longer at hand."""
        if self._open.get(live.record.id) is live:
            del self._open[live.record.id]
        for task in (live.work, live.contrast):
            if task is not None and task is not asyncio.current_task():
                task.cancel()
        live.tell(gone=True)
        self.metrics.open.set(len(self._open))

    def _announce(self, live: Live) -> None:
        """Tell all who follow what has changed since they were told last."""
        record, before = live.record, live.told
        live.told = record.revision
        if live.followers:
            places = [n for n, each in enumerate(record.sentences) if each.revision > before]
            live.tell(*places, report=record.action.followed > before, done=record.is_done)

    def _add(self, record: Record) -> Live:
        live = self._open[record.id] = Live(record, record.revision)
        self._trim(live)
        return live

    def _trim(self, wanted: Live) -> None:
        """Let go of sessions that nobody has anything to do with, if there are too many."""
        if len(self._open) > self.most:
            resting = [each for each in self._open.values() if each.resting and each is not wanted]
            for each in resting[: len(self._open) - self.most]:
                del self._open[each.record.id]
        self.metrics.open.set(len(self._open))
