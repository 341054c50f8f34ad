"""The sessions that are open: what people do is stored first, then the machine follows it."""

import asyncio
import logging
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from recollect.serving.access import Owner
from recollect.serving.engine import Engine
from recollect.serving.following import Changed, Follower, Followup
from recollect.serving.record import Record, Sentence, Step
from recollect.serving.refusals import BusyError, MissingError, TooLargeError
from recollect.serving.replay import Past
from recollect.serving.settings import Settings
from recollect.serving.store import Head, Store
from recollect.text.glossary import Term

__all__ = ["Desk", "Live"]

Answer = TypeVar("Answer")
TRIES = 8  # to change a session that others are changing too
LEASE = 30.0  # seconds for which one replica translates a session

log = logging.getLogger("recollect.serving")


@dataclass(slots=True)
class Pursuit:
    """What a person did, which is being followed through: what was said before."""

    because: int | None
    what: str
    before: dict[int, str] = field(default_factory=dict)


@dataclass(slots=True)
class Live:
    """A session at hand."""

    record: Record
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    followers: set[Follower] = field(default_factory=set)
    work: "asyncio.Task[None] | None" = None
    pursuit: Pursuit | None = None
    idle: asyncio.Event = field(default_factory=asyncio.Event)


class Desk:
    """Opens sessions, changes them, and lets the machine follow."""

    def __init__(self, settings: Settings, engine: Engine, store: Store, model: str) -> None:
        self.settings, self.engine, self.store, self.model = settings, engine, store, model
        self._open: OrderedDict[str, Live] = OrderedDict()
        self._clock: Callable[[], float] = time.time

    # -- what there is

    async def heads(self, owner: Owner) -> list[Head]:
        """Return an owner's sessions; nobody who is nameless gets a list."""
        return await self.store.heads(owner.id) if owner.named else []

    async def look(self, owner: Owner, session: str) -> Record:
        """Return a session's record as it is now, to be read and not changed."""
        live = await self._live(owner, session)
        self._keep_on(live)
        return live.record

    # -- what people do

    async def create(
        self,
        owner: Owner,
        sentences: Sequence[Sentence],
        *,
        name: str = "",
        memory: bool = True,
        glossary: Sequence[Term] = (),
    ) -> Record:
        """Begin a session; it is translated in the background."""
        if await self.store.count(owner.id) >= self.settings.sessions and owner.named:
            raise TooLargeError(f"there are {self.settings.sessions:,} sessions already: delete some")
        now = self._clock()
        record = Record(
            id=secrets.token_urlsafe(18),
            owner=owner.id,
            name=name,
            created=now,
            changed=now,
            languages=self.engine.translator.languages,
            model=self.model,
            memory=memory,
            glossary=tuple(glossary),
        )
        self._check_room(record, sentences)
        record.append(sentences)
        await self._store(record)
        live = Live(record)
        self._add(live)
        self._keep_on(live)
        return record

    async def delete(self, owner: Owner, session: str) -> None:
        """Remove a session for good."""
        live = await self._live(owner, session)
        await self.store.remove(session)
        self._drop(live)

    async def append(self, owner: Owner, session: str, sentences: Sequence[Sentence]) -> range:
        """Add sentences at the end; return their places."""

        def add(record: Record) -> range:
            self._check_room(record, sentences)
            return record.append(sentences)

        return await self.act(owner, session, add)

    async def act(
        self, owner: Owner, session: str, action: Callable[[Record], Answer], because: int | None = None
    ) -> Answer:
        """Change a session; the change is stored when this returns, and the machine follows it.

        The action is done on the newest record, and done again if somebody else was quicker.
        """
        for _ in range(TRIES):
            live = await self._live(owner, session)
            async with live.lock:
                if self._open.get(session) is not live:
                    continue
                record, steps, epoch = live.record, len(live.record.steps), live.record.epoch
                said = {place: each.text for place, each in enumerate(record.sentences) if each.text}
                touched = record.revision
                answer = action(record)
                if not await self._commit(live):
                    continue
                changed = [n for n, each in enumerate(record.sentences) if each.revision > touched]
                self._tell(live, changed)
                if record.epoch != epoch:
                    what = record.steps[-1].what if len(record.steps) > steps else _undone(answer)
                    self._pursue(live, because, what, said)
                self._keep_on(live)
                return answer
        raise BusyError("others are changing this session at the same time; try again")

    # -- those who follow

    async def follow(self, owner: Owner, session: str, after: int) -> tuple[Live, Follower]:
        """Begin to follow a session, from what came after a revision on."""
        live = await self._live(owner, session)
        follower = Follower()
        follower.tell([n for n, each in enumerate(live.record.sentences) if each.revision > after])
        live.followers.add(follower)
        self._keep_on(live)
        if live.work is None:
            follower.tell(done=True)
        return live, follower

    def leave(self, live: Live, follower: Follower) -> None:
        """Follow no longer."""
        live.followers.discard(follower)

    async def wait(self, owner: Owner, session: str, timeout: float) -> Record:
        """Return a session's record when nothing is waiting in it, or after some seconds."""
        live = await self._live(owner, session)
        self._keep_on(live)
        if live.work is not None:
            await asyncio.wait([live.work], timeout=timeout)
        return (await self._live(owner, session)).record

    # -- the machine

    def _keep_on(self, live: Live) -> None:
        """See to it that somebody translates what is waiting."""
        if live.work is None and live.record.pending < len(live.record.sentences):
            live.work = asyncio.create_task(self._translate(live))

    async def _translate(self, live: Live) -> None:
        """Translate until nothing is waiting; what people do meanwhile comes first."""
        try:
            while (place := live.record.next_to_translate()) is not None:
                record, epoch = live.record, live.record.epoch
                past = Past.of(record, place)
                said = await self.engine.translate(past, record.sentences[place])
                async with live.lock:
                    if live.record is not record or record.epoch != epoch:
                        continue
                    before = record.sentences[place].text
                    news = record.translated(place, said.text, said.tokens, said.aligned)
                    if news and not await self._commit(live):
                        return
                    if news:
                        self._tell(live, [place], before)
            async with live.lock:
                live.record.rest_is_human()
                if not await self._commit(live):
                    return
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("session %s: the translation has stopped", live.record.id)
        finally:
            live.work = None
        self._finish(live)

    def _pursue(self, live: Live, because: int | None, what: str, said: dict[int, str]) -> None:
        before = said if live.pursuit is None else said | live.pursuit.before
        live.pursuit = Pursuit(because, what, before)

    def _finish(self, live: Live) -> None:
        """Tell what has come of what a person did, and that nothing is waiting."""
        report, pursuit = None, live.pursuit
        if pursuit is not None:
            report = Followup(
                pursuit.because,
                pursuit.what,
                tuple(
                    Changed(place + 1, before, live.record.sentences[place].text or "")
                    for place, before in sorted(pursuit.before.items())
                    if live.record.sentences[place].text != before and place + 1 != pursuit.because
                ),
            )
            live.pursuit = None
        for follower in live.followers:
            follower.tell(report=report, done=True)

    def _tell(self, live: Live, places: list[int], before: str | None = None) -> None:
        for follower in live.followers:
            follower.tell(places)

    # -- records and the store

    def check_length(self, text: str) -> None:
        """Refuse text that is too long for one sentence."""
        if len(text) > self.settings.characters:
            raise TooLargeError(f"a sentence has at most {self.settings.characters:,} characters")

    def _check_room(self, record: Record, sentences: Sequence[Sentence]) -> None:
        limit = self.settings.sentences
        if len(record.sentences) + len(sentences) > limit:
            raise TooLargeError(f"a session has at most {limit:,} sentences")
        for each in sentences:
            self.check_length(each.source)

    async def _live(self, owner: Owner, session: str) -> Live:
        """Return a session that is at hand and as new as the store."""
        live = self._open.get(session)
        if live is not None:
            async with live.lock:
                revision = await self.store.revision(session)
                if revision == live.record.revision:
                    self._open.move_to_end(session)
                    return _of(live, owner, session)
            self._drop(live)
        kept = await self.store.read(session)
        if kept is None:
            raise MissingError(f"there is no session '{session}'")
        known = self._open.get(session)
        if known is not None and known.record.revision >= kept.revision:
            return _of(known, owner, session)
        fresh = Live(Record.of(kept, self.model))
        _of(fresh, owner, session)
        self._add(fresh)
        return fresh

    async def _commit(self, live: Live) -> bool:
        """Store what has changed; if that cannot be, let go of the session: the store knows better."""
        try:
            if await self._store(live.record):
                return True
        except BaseException:
            self._drop(live)
            raise
        self._drop(live)
        return False

    async def _store(self, record: Record) -> bool:
        expected = record.revision
        change = record.change(self._clock())
        done = await self.store.write(record.id, expected, change)
        if done:
            record.revision = expected + 1
        return done

    def _add(self, live: Live) -> None:
        self._open[live.record.id] = live
        for session, each in list(self._open.items()):
            if len(self._open) <= self.settings.open_sessions:
                break
            if each is not live and each.work is None and not each.followers and not each.lock.locked():
                del self._open[session]

    def _drop(self, live: Live) -> None:
        """Let go of a session whose record is not what the store has."""
        if self._open.get(live.record.id) is live:
            del self._open[live.record.id]
        if live.work is not None:
            live.work.cancel()
            live.work = None
        for follower in live.followers:
            follower.tell(gone=True)

    async def close(self) -> None:
        """Give up what is under way; everything that was said is stored."""
        running = [live.work for live in self._open.values() if live.work is not None]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


def _of(live: Live, owner: Owner, session: str) -> Live:
    if live.record.owner != owner.id:
        raise MissingError(f"there is no session '{session}'")
    return live


def _undone(answer: object) -> str:
    return f"undoing the {answer.what}" if isinstance(answer, Step) else "a change"
