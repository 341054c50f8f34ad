"""Requests that name no session: those of one client that come close together share one."""

import asyncio
import hashlib
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from recollect.decoding.translation import Translation
from recollect.serving.access import Client, Owner
from recollect.serving.desk import Desk
from recollect.serving.ledger import Ledger
from recollect.serving.record import Record, Sentence
from recollect.serving.refusals import MissingError, UnreadyError
from recollect.serving.replay import Past, Recollection, Rules
from recollect.text.glossary import Term

__all__ = ["Visits"]

_RECENT = 64  # sentences that are remembered where alternatives are searched for: more than a memory holds
MONTH = 30 * 86_400.0
_ALONE = Rules(memory=False, glossary=(), pins=(), forgotten=())


class Visits:
    """Finds a client's session, adds to it, and waits for what the machine says."""

    def __init__(
        self, desk: Desk, ledger: Ledger, window: float, patience: float, clock: Callable[[], float]
    ) -> None:
        """`window` seconds without a request end a visit; `patience` is how long a translation may take."""
        self._desk, self._ledger, self._window = desk, ledger, window
        self._patience, self._clock = patience, clock
        self._beginning = asyncio.Lock()

    async def session(self, client: Client, terms: Sequence[Term] = (), room: int = 0) -> str:
        """Return the session of a client's visit, which has room for so many sentences; or begin one."""
        found = await self._current(client, terms, room)
        if found is None:
            async with self._beginning:
                found = await self._current(client, terms, room)
                if found is None:
                    found = await self._begin(client, terms)
        now = self._clock()
        await self._ledger.note(_name(client, terms), f"{found} {now}", now + MONTH)
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
        return session if len(record.sentences) + room <= self._desk.settings.sentences else None

    async def _begin(self, client: Client, terms: Sequence[Term]) -> str:
        """Begin a session in place of the one of an earlier visit, which nobody has asked for by its id."""
        before = await self._ledger.noted(_name(client, terms), self._clock())
        if before is not None:
            with suppress(MissingError):
                await self._desk.delete(client.owner, before.partition(" ")[0])
        record = await self._desk.create(client.owner, [], name="LibreTranslate", glossary=terms)
        return record.id

    async def translate(
        self, owner: Owner, session: str, sentences: Sequence[str], alternatives: int = 0
    ) -> list[Translation]:
        """Add sentences to a session and return what they become."""
        if not sentences:
            return []
        live, follower = await self._desk.follow(owner, session, 0)
        try:
            places = await self._desk.append(owner, session, [Sentence(each) for each in sentences])
            async with asyncio.timeout(self._patience):
                while not _is_said(live.record, places):
                    news = await follower.news(self._desk.settings.ping)
                    if news is not None and news.gone:  # the store knows of something newer
                        self._desk.leave(live, follower)
                        live, follower = await self._desk.follow(owner, session, 0)
        except TimeoutError:
            raise self._too_slow() from None
        finally:
            self._desk.leave(live, follower)
        said = [_translation(each) for each in live.record.sentences[places.start : places.stop]]
        return await self._others(Past.of(live.record, places.stop), said, alternatives)

    async def translate_alone(self, sentences: Sequence[str], alternatives: int = 0) -> list[Translation]:
        """Translate sentences each by itself; nothing of them is kept."""
        engine, past = self._desk.engine, Past("", _ALONE, ())
        try:
            async with asyncio.timeout(self._patience):
                said = await asyncio.gather(*(engine.translate(past, Sentence(each)) for each in sentences))
        except TimeoutError:
            raise self._too_slow() from None
        spoken = [Sentence(source, each.text) for source, each in zip(sentences, said, strict=True)]
        return await self._others(Past("", _ALONE, spoken), said, alternatives)

    async def _others(self, past: Past, said: Sequence[Translation], count: int) -> list[Translation]:
        """Return the last sentences of a past with other translations of each.

        They take a search of their own: the one that translates stops as soon as it knows the best.
        """
        if not count:
            return list(said)
        engine = self._desk.engine
        beam, best = engine.translator.beam, count + 1
        wide = engine.translator.replaced(beam=replace(beam, n_best=best, size=max(beam.size, best)))
        memory = Recollection(engine.translator)
        first = len(past.sentences) - len(said)
        begin = max(0, first - _RECENT)

        def search(number: int) -> Translation:
            before = past.sentences[begin : first + number]
            memory.approach(replace(past, sentences=before), len(before))
            text = past.sentences[first + number].source
            earlier = wide.sentences_before([each.source for each in before], len(before))
            found = wide.express(text, wide.search([text], memory.slots(), [earlier])[0])
            return replace(said[number], alternatives=(found, *found.alternatives))

        return [await engine.call(partial(search, number)) for number in range(len(said))]

    def _too_slow(self) -> UnreadyError:
        return UnreadyError(
            f"not translated within {self._patience:g} seconds; send less at once, "
            "or use /v1/sessions, which answers at once"
        )


def _name(client: Client, terms: Sequence[Term]) -> str:
    """Return where a client's session is noted: with other terms it is another one."""
    said = json.dumps(sorted((term.source, term.target) for term in terms))
    return f"{client.name}:visit:{hashlib.sha256(said.encode()).hexdigest()[:16] if terms else ''}"


def _is_said(record: Record, places: range) -> bool:
    return all(record.sentences[place].text is not None for place in places)


def _translation(sentence: Sentence) -> Translation:
    return Translation(sentence.text or "", 0.0, sentence.tokens, sentence.aligned)
