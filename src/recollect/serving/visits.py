"""Requests that name no session: those of one client that come close together share one."""

import asyncio
import hashlib
import json
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial

from recollect.decoding.translation import Translation
from recollect.memory.slots import Slots
from recollect.serving.access import Client, Owner
from recollect.serving.desk import Desk
from recollect.serving.ledger import Ledger
from recollect.serving.record import Record, Sentence
from recollect.serving.refusals import MissingError, UnreadyError
from recollect.serving.replay import Past, Rules
from recollect.text.glossary import Term

__all__ = ["Visits"]

HOUR, MONTH = 3_600.0, 30 * 86_400.0
_ALONE = Rules(memory=False, glossary=(), pins=(), forgotten=())


class Visits:
    """Finds a client's session, adds to it, and waits for what the machine says."""

    def __init__(
        self, desk: Desk, ledger: Ledger, window: float, patience: float, clock: Callable[[], float]
    ) -> None:
        """`window` seconds without a request end a visit; `patience` is how long a translation may take.

        Without a window every request is a visit of its own, of which nothing is kept.
        """
        self._desk, self._ledger, self._window = desk, ledger, window
        self._patience, self._clock = patience, clock
        self._beginning = asyncio.Lock()
        self._rooms: dict[str, list[int]] = {}  # sessions, and the room of each request that is at them
        self._over: set[str] = set()  # sessions of visits that have ended, while requests are at them

    @property
    def remembered(self) -> bool:
        """Whether one request knows of another."""
        return self._window > 0

    @asynccontextmanager
    async def session(self, client: Client, terms: Sequence[Term] = (), room: int = 0) -> AsyncIterator[str]:
        """Yield the session of a client's visit, which has room for so many sentences."""
        self._desk.check_count(room)
        if not self.remembered:
            record = await self._desk.create(client.owner, [], glossary=terms)
            try:
                yield record.id
            finally:
                await self._desk.delete(client.owner, record.id)
            return
        session = await self._session(client, terms, room)
        self._rooms.setdefault(session, []).append(room)
        try:
            now = self._clock()
            # Unless another server has begun a new visit meanwhile.
            await self._ledger.claim(_name(client, terms), session, f"{session} {now}", now, now + MONTH)
            yield session
        finally:
            self._rooms[session].remove(room)
            if not self._rooms[session]:
                del self._rooms[session]
                if session in self._over:
                    self._over.remove(session)
                    await self._end(client.owner, session)

    async def _session(self, client: Client, terms: Sequence[Term], room: int) -> str:
        found = await self._current(client, terms, room)
        if found is None:
            async with self._beginning:
                # Another server of this site may begin one, too: the first to note it is right.
                while found is None:
                    found = await self._current(client, terms, room) or await self._begin(client, terms)
        return found

    async def _current(self, client: Client, terms: Sequence[Term], room: int) -> str | None:
        noted = await self._ledger.noted(_name(client, terms), self._clock())
        session, _, last = (noted or "").partition(" ")
        if not session or self._clock() - float(last) > self._window:
            return None
        try:
            record = await self._desk.look(client.owner, session)
        except MissingError:
            return None
        # What others are adding may be there already: then the next session begins a little early.
        count = len(record.sentences) + sum(self._rooms.get(session, ())) + room
        return session if count <= self._desk.settings.sentences else None

    async def _begin(self, client: Client, terms: Sequence[Term]) -> str | None:
        """Begin a session in place of the one of an earlier visit, which nobody has asked for by its id.

        None: somebody else has just begun one.
        """
        name, now = _name(client, terms), self._clock()
        noted = await self._ledger.noted(name, now)
        before = None if noted is None else noted.partition(" ")[0]
        record = self._desk.blank(client.owner, "LibreTranslate")
        record.glossary = tuple(terms)
        # One session more than there may be, where one is about to end.
        await self._desk.begin(client.owner, record, spare=0 if before is None else 1)
        if not await self._ledger.claim(name, before, f"{record.id} {now}", now, now + MONTH):
            await self._desk.delete(client.owner, record.id)
            return None
        if before is not None:
            await self._end(client.owner, before)
        return record.id

    async def _end(self, owner: Owner, session: str) -> None:
        """Delete a session, now or when the last request that is at it has its answer."""
        if session in self._rooms:
            self._over.add(session)
        else:
            with suppress(MissingError):
                await self._desk.delete(owner, session)

    async def translate(
        self, owner: Owner, session: str, sentences: Sequence[str], alternatives: int = 0
    ) -> list[Translation]:
        """Add sentences to a session and return what they become."""
        if not sentences:
            return []
        added = [Sentence(each, gap="\n") for each in sentences]
        places = await self._desk.append(owner, session, added)
        record = await self._desk.wait(owner, session, places, self._patience)
        said = record.sentences[places.start : places.stop]
        if any(each.text is None for each in said):
            raise self._too_slow()
        pasts = [Past.of(record, place) for place in places] if alternatives else []
        return await self._with_others(said, pasts, alternatives)

    async def translate_alone(self, sentences: Sequence[str], alternatives: int = 0) -> list[Translation]:
        """Translate sentences each by itself; nothing of them is kept."""
        engine, past = self._desk.engine, Past("", _ALONE, ())
        try:
            async with asyncio.timeout(self._patience):
                found = await asyncio.gather(*(engine.alone(each) for each in sentences))
        except TimeoutError:
            raise self._too_slow() from None
        said = [
            Sentence(source, each.text, tokens=each.tokens, aligned=each.aligned)
            for source, each in zip(sentences, found, strict=True)
        ]
        return await self._with_others(said, [past] * len(said), alternatives)

    async def _with_others(
        self, said: Sequence[Sentence], pasts: Sequence[Past], count: int
    ) -> list[Translation]:
        """Return translations, each with others if some are wanted.

        Those take a search of their own: the one that translates stops as soon as it knows enough.
        """
        best = [Translation(each.text or "", 0.0, each.tokens, each.aligned) for each in said]
        if not count:
            return best
        engine = self._desk.engine
        beam, many = engine.translator.beam, count + 1
        wide = engine.translator.replaced(beam=replace(beam, n_best=many, size=max(beam.size, many)))

        def search(source: str, before: Sequence[str], slots: Slots | None) -> Translation:
            return wide.express(source, wide.search([source], slots, [before])[0])

        others = []
        for each, past in zip(said, pasts, strict=True):
            earlier = [sentence.source for sentence in past.sentences]
            before = wide.sentences_before(earlier, len(earlier))
            found = await engine.look(past, partial(search, each.source, before))
            others.append((found, *found.alternatives))
        return [replace(one, alternatives=some) for one, some in zip(best, others, strict=True)]

    # -- files that are fetched by an address that nobody can guess

    async def finished(self, owner: Owner, session: str) -> Record:
        """Return a record whose sentences are all translated, or not yet, when patience is over."""
        places = range(len((await self._desk.look(owner, session)).sentences))
        return await self._desk.wait(owner, session, places, self._patience)

    async def offer(self, owner: Owner, session: str) -> str:
        """Return a word by which anybody can fetch a session's file for a while."""
        word = secrets.token_urlsafe(18)
        offer = json.dumps([session, owner.id, owner.named])
        await self._ledger.note(f"file:{word}", offer, self._clock() + HOUR)
        return word

    async def offered(self, word: str) -> tuple[Owner, str]:
        """Return whose file and which session a word stands for."""
        offer = await self._ledger.noted(f"file:{word}", self._clock())
        if offer is None:
            raise MissingError("there is no such file, or no longer: it is kept for an hour")
        session, owner, named = json.loads(offer)
        return Owner(owner, named), session

    def _too_slow(self) -> UnreadyError:
        return UnreadyError(
            f"not translated within {self._patience:g} seconds; send less at once, "
            "or use /v1/sessions, which answers at once"
        )


def _name(client: Client, terms: Sequence[Term]) -> str:
    """Return where a client's session is noted: with other terms it is another one."""
    said = json.dumps(sorted((term.source, term.target) for term in terms))
    return f"{client.name}:visit:{hashlib.sha256(said.encode()).hexdigest()[:16] if terms else ''}"
