"""Everything that can be done with sessions: what people do is stored first, then the machine follows it."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from recollect.serving.access import Owner
from recollect.serving.engine import Engine
from recollect.serving.following import Follower
from recollect.serving.open_sessions import Live, OpenSessions
from recollect.serving.record import Record, Sentence
from recollect.serving.refusals import BusyError, MissingError, RefusalError, StoppingError, TooLargeError
from recollect.serving.replay import most_glossary
from recollect.serving.settings import Settings
from recollect.serving.store import Head, Store
from recollect.serving.typist import Typist
from recollect.text.glossary import Term

__all__ = ["Desk"]

Answer = TypeVar("Answer")
TRIES = 8  # to change a session that others are changing too
GLANCE = 0.25  # seconds between looks at what other servers have changed
SWEEP = 600.0  # seconds between looks for sessions that have expired


class Desk:
    """Opens sessions for their owners, changes them, and lets the machine follow."""

    def __init__(self, settings: Settings, engine: Engine, store: Store, model: str = "") -> None:
        self.settings, self.engine, self.store, self.model = settings, engine, store, model
        self.sessions = OpenSessions(store, model, settings.open_sessions, engine.metrics)
        self.typist = Typist(engine, self.sessions)
        self._chores: list[asyncio.Task[None]] = []
        self._end: float | None = None  # when patience is over, in the loop's time

    # -- what there is

    async def heads(self, owner: Owner) -> list[Head]:
        """Return an owner's sessions; whoever has no name gets no list."""
        return await self.store.heads(owner.id) if owner.named else []

    async def open(self, owner: Owner, session: str) -> Live:
        """Return a session of an owner, and see to it that what is waiting in it is translated."""
        live = await self.sessions.find(session)
        if live.record.owner != owner.id:
            raise MissingError(f"there is no session '{session}'")
        self.typist.keep_on(live)
        return live

    async def look(self, owner: Owner, session: str) -> Record:
        """Return a session's record as it is now, to be read and not changed."""
        return (await self.open(owner, session)).record

    async def wait(self, owner: Owner, session: str, places: Sequence[int], timeout: float) -> Record:
        """Return a session's record once some sentences are up to date, or after some seconds."""
        try:
            async with asyncio.timeout(timeout):
                while True:
                    live = await self.open(owner, session)
                    if all(_is_ready(live.record, place) for place in places):
                        return live.record
                    if self._end is not None and asyncio.get_running_loop().time() > self._end:
                        raise StoppingError("the server is stopping; ask again in a moment")
                    await self._change_of(live)
        except TimeoutError:
            return await self.look(owner, session)

    async def _change_of(self, live: Live) -> None:
        """Wait until something is new in a session, or for a moment."""
        follower = Follower()
        live.followers.add(follower)
        self.typist.keep_on(live)  # also when the server is about to end: somebody waits for it
        try:
            await follower.news(GLANCE)
        finally:
            live.followers.discard(follower)

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
        record = self.blank(owner, name)
        record.memory, record.glossary = memory, tuple(glossary)
        record.append(sentences)
        return await self.begin(owner, record)

    def blank(self, owner: Owner, name: str = "") -> Record:
        """Return a record with nothing in it, which is stored nowhere yet."""
        now = self.sessions.clock()
        return Record(
            id=secrets.token_urlsafe(18),
            owner=owner.id,
            name=name,
            created=now,
            changed=now,
            languages=self.engine.translator.languages,
            model=self.model,
        )

    async def begin(
        self, owner: Owner, record: Record, file: bytes | None = None, *, spare: int = 0
    ) -> Record:
        """Store a new record, with the file it came in; it is translated in the background.

        There may be `spare` sessions more than otherwise.
        """
        await self.check_room(owner, spare)
        self.check_sentences(record.sentences)
        self.check_terms(record.glossary)
        live = await self.sessions.begin(record, file)
        self.typist.keep_on(live)
        return live.record

    async def delete(self, owner: Owner, session: str) -> None:
        """Remove a session for good, and what was remembered of it."""
        await self.sessions.remove(await self.open(owner, session))
        await self.engine.forget(session)

    async def append(self, owner: Owner, session: str, sentences: Sequence[Sentence]) -> range:
        """Add sentences at the end; return their places."""

        def add(record: Record) -> range:
            self.check_sentences([*record.sentences, *sentences])
            return record.append(sentences)

        return await self.act(owner, session, add)

    async def act(self, owner: Owner, session: str, action: Callable[[Record], Answer]) -> Answer:
        """Change a session; the change is stored when this returns, and the machine follows it.

        The action is done on the newest record, and done again if somebody else was quicker.
        """
        for _ in range(TRIES):
            live = await self.open(owner, session)
            async with live.lock:
                await self.sessions.refresh(live)
                answer = action(live.record)
                done = await self.sessions.commit(live)
            if done:
                self.engine.metrics.actions.inc()
                self.typist.keep_on(live)
                return answer
        raise BusyError("others are changing this session at the same time; try again")

    # -- limits

    async def check_room(self, owner: Owner, spare: int = 0) -> None:
        """Refuse one more session if an owner has as many as there may be."""
        most = self.settings.sessions if owner.named else self.settings.site_sessions
        if await self.store.count(owner.id) >= most + spare:
            raise TooLargeError(f"there are {most:,} sessions already: delete some")

    def check_length(self, text: str) -> None:
        """Refuse text that is too long for one sentence."""
        if len(text) > self.settings.characters:
            raise TooLargeError(f"a sentence has at most {self.settings.characters:,} characters")

    def check_count(self, sentences: int) -> None:
        """Refuse more sentences than one session may have."""
        if sentences > self.settings.sentences:
            raise TooLargeError(f"a session has at most {self.settings.sentences:,} sentences")

    def check_sentences(self, sentences: Sequence[Sentence]) -> None:
        """Refuse a text that is too long for one session."""
        self.check_texts([each.source for each in sentences])

    def check_texts(self, texts: Sequence[str]) -> None:
        """The same, of sentences that are text alone."""
        self.check_count(len(texts))
        for text in texts:
            self.check_length(text)

    def check_file(self, data: bytes) -> None:
        """Refuse a file that is too large."""
        if len(data) > self.settings.upload:
            raise TooLargeError(f"a file has at most {self.settings.upload:,} bytes")

    def check_terms(self, terms: Sequence[Term]) -> None:
        """Refuse a glossary that would leave no room for anything else in the memory."""
        memory, vocabulary = self.engine.translator.memory, self.engine.translator.target_vocabulary
        if memory is None or not terms:
            return
        words = sum(len(each) for each in vocabulary.encode_many([term.target for term in terms]))
        if words > most_glossary(memory.size):
            raise TooLargeError(
                f"the glossary has {words:,} words or pieces of words; this model's memory has room for "
                f"{most_glossary(memory.size):,} of them"
            )

    # -- those who follow

    async def follow(self, owner: Owner, session: str, after: int) -> tuple[Live, Follower]:
        """Begin to follow a session, from what came after a revision on."""
        live = await self.open(owner, session)
        record, follower = live.record, Follower()
        places = [n for n, each in enumerate(record.sentences) if each.revision > after]
        follower.tell(places, report=record.action.followed > after, done=record.is_done)
        live.followers.add(follower)
        self.engine.metrics.followers.inc()
        return live, follower

    def leave(self, live: Live, follower: Follower) -> None:
        """Follow no longer."""
        live.followers.discard(follower)
        self.engine.metrics.followers.dec()

    # -- from the beginning to the end

    def start(self) -> None:
        """Begin with what has to be done now and then."""
        self._chores = [asyncio.create_task(self._sweep_often())]
        if self.store.shared:
            self._chores.append(asyncio.create_task(self._glance()))

    async def sweep(self) -> int:
        """Remove sessions that nobody has touched for long; return how many."""
        count = await self.store.expire(self.sessions.clock() - self.settings.expiry)
        self.engine.metrics.expired.inc(count)
        return count

    async def _sweep_often(self) -> None:
        while self.settings.expiry:
            await _quietly(self.sweep())
            await asyncio.sleep(SWEEP)

    async def _glance(self) -> None:
        """See what other servers have changed in the sessions that somebody follows here."""
        while True:
            await asyncio.sleep(GLANCE)
            for live in self.sessions.all():
                if live.followers:
                    await _quietly(self.sessions.find(live.record.id))
                    self.typist.keep_on(live)

    def dismiss(self) -> None:
        """Tell all who follow that the server is about to end."""
        self.typist.closing = True
        if self._end is None:
            self._end = asyncio.get_running_loop().time() + self.settings.patience
        for live in self.sessions.all():
            live.tell(gone=True)

    async def close(self) -> None:
        """Finish the sentences under way; what is still waiting then is stored as waiting."""
        self.dismiss()
        for chore in self._chores:
            chore.cancel()
        await self.typist.close(self.settings.patience)


def _is_ready(record: Record, place: int) -> bool:
    sentence = record.sentences[place]
    return sentence.human or (place < record.pending and sentence.text is not None)


async def _quietly(doing: Awaitable[Answer]) -> Answer | None:
    """Do something that may fail for a while, since the store does not answer or a session is gone."""
    try:
        return await doing
    except RefusalError:
        return None
