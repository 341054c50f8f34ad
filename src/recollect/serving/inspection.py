"""Looking into a session: what it remembers, why it says what it says, and where it is of two minds."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from recollect.decoding.linking import link_by_attention
from recollect.decoding.translation import Translation
from recollect.decoding.translator import Translator
from recollect.serving.access import Owner
from recollect.serving.desk import Desk
from recollect.serving.explaining import Slot, Spoken, explain_spoken, slots_of
from recollect.serving.flags import Flag, flag_terms
from recollect.serving.open_sessions import Live
from recollect.serving.record import Sentence
from recollect.serving.refusals import WrongError
from recollect.serving.replay import Past
from recollect.text.placing import Link

__all__ = ["Explanation", "Remembered", "explain", "find_flags", "find_links", "inspect_memory"]

MOST_FLAGGED = 1_000  # sentences: longer documents are not looked through for flags


@dataclass(frozen=True, slots=True)
class Remembered:
    """A session's memory as it is now."""

    on: bool
    size: int  # slots
    used: int
    words: Sequence[Slot]


@dataclass(frozen=True, slots=True)
class Explanation:
    """A sentence, what it would be without memory, and what led to each piece of it."""

    sentence: Sentence
    alone: str
    words: Sequence[Spoken]


async def inspect_memory(desk: Desk, owner: Owner, session: str) -> Remembered:
    """Return what a session remembers after the sentences that are up to date."""
    record = await desk.look(owner, session)
    memory = desk.engine.translator.memory
    words = await desk.engine.look(Past.of(record, record.pending), partial(slots_of, desk.engine.translator))
    size = 0 if memory is None else memory.size
    return Remembered(record.memory and size > 0, size, sum(each.pieces for each in words), words)


async def explain(desk: Desk, owner: Owner, session: str, number: int) -> Explanation:
    """Return what led to every word of a sentence."""
    live = await desk.open(owner, session)
    sentence = live.record.sentence(number)
    if sentence.text is None:
        raise WrongError(f"sentence {number} is not translated yet: there is nothing to explain")
    past = Past.of(live.record, number - 1)
    words, alone = await asyncio.gather(
        desk.engine.look(past, partial(explain_spoken, desk.engine.translator, sentence)),
        _alone(desk, live, sentence.source),
    )
    return Explanation(sentence, alone, words)


async def _alone(desk: Desk, live: Live, source: str) -> str:
    if source not in live.alone:
        live.alone[source] = (await desk.engine.alone(source)).text
    return live.alone[source]


async def find_flags(desk: Desk, live: Live) -> list[Flag]:
    """Return terms that came out in more than one way; nothing while the machine is at work."""
    record, revision, sentences = live.record, live.record.revision, list(live.record.sentences)
    if record.waiting or len(sentences) > MOST_FLAGGED:
        return []
    if live.flags is None or live.flags[0] != revision:
        links = await find_links(desk, sentences)
        sources, targets = [each.source for each in sentences], [each.text or "" for each in sentences]
        found = await asyncio.to_thread(flag_terms, sources, targets, links)
        live.flags = revision, found
    return live.flags[1]


async def find_links(desk: Desk, sentences: Sequence[Sentence]) -> list[list[Link]]:
    """Return which stretches of each sentence and its translation belong together."""
    translator = desk.engine.translator
    unknown = [number for number, each in enumerate(sentences) if each.text and not each.tokens]
    sources = [sentences[number].source for number in unknown]
    targets = [sentences[number].text or "" for number in unknown]
    found = [
        links
        for start in range(0, len(unknown), AT_ONCE)
        for links in await desk.engine.call(
            partial(
                link_by_attention,
                translator,
                sources[start : start + AT_ONCE],
                targets[start : start + AT_ONCE],
            )
        )
    ]
    by_number = dict(zip(unknown, found, strict=True))
    return [
        by_number[number] if number in by_number else _links(translator, each)
        for number, each in enumerate(sentences)
    ]


AT_ONCE = 16  # sentences whose links are asked of the model, before others have their turn


def _links(translator: Translator, sentence: Sentence) -> list[Link]:
    said = Translation(sentence.text or "", 0.0, sentence.tokens, sentence.aligned)
    return translator.links(sentence.source, said) if sentence.text else []
