"""A document said again, sentence by sentence: every step as it was, and what the memory answered it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch

from recollect.decoding.hypothesis import Hypothesis
from recollect.decoding.translation import Translation
from recollect.decoding.translator import Translator
from recollect.errors import DataError, ModelError
from recollect.memory.read import Recall
from recollect.memory.slots import CORRECTION, OWN, Slots
from recollect.models.interface import Step
from recollect.text.document import ParallelDocument
from recollect.text.vocabulary import BOS

__all__ = ["Said", "as_said", "going_along", "replay", "replay_all", "spoken", "with_memory"]

AT_ONCE = 64  # sentences whose steps are computed together


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence with words on both sides, just before the memory takes note of it."""

    number: int  # in the document
    tokens: list[int]
    step: Step  # [1, time, ...], the end included
    slots: Slots | None  # what is remembered; it changes as the replay goes on
    recall: Recall | None  # [1, time, ...]


def as_said(translator: Translator, texts: Sequence[str]) -> list[Translation]:
    """Return somebody's translations as if they were the translator's own."""
    return [
        Translation(text, 0.0, tuple(ids))
        for text, ids in zip(texts, translator.target_vocabulary.encode_many(list(texts)), strict=True)
    ]


def going_along(translator: Translator, number: int, hypothesis: Hypothesis, slots: Slots | None) -> Said:
    """Go along one sentence of a document, with what was remembered then."""
    step = translator.searched.rebuild(
        hypothesis.states.unsqueeze(0),
        hypothesis.contexts.unsqueeze(0),
        torch.tensor([[BOS, *hypothesis.tokens]], device=translator.model.device),
    )
    recall = None
    if translator.memory is not None and slots is not None:
        recall = translator.memory.recall(slots, step, translator.searched)
    return Said(number, hypothesis.tokens, step, slots, recall)


@torch.inference_mode()
def replay(
    translator: Translator,
    sentences: Sequence[str],
    translations: Sequence[Translation],
    *,
    settled: Sequence[int] = (),
    earlier: Slots | None = None,
) -> Iterator[Said]:
    """Go along what was said and remember it; `settled` are the sentences that a person said.

    `earlier` is what was remembered at first.
    """
    memory = translator.memory
    slots = None if memory is None else memory.empty(1, translator.model.device)
    if slots is not None and earlier is not None:
        slots.put(0, earlier)
    human = set(settled)
    for start in range(0, len(sentences), AT_ONCE):
        numbers = range(start, min(start + AT_ONCE, len(sentences)))
        ids = translator.source_vocabulary.encode_many([sentences[number] for number in numbers])
        real = [number for number in numbers if ids[number - start] and translations[number].tokens]
        forced = translator.force_ids(
            [ids[number - start] for number in real],
            [translations[number].tokens for number in real],
            [translator.sentences_before(sentences, number) for number in real],
        )
        found = dict(zip(real, forced, strict=True))
        for number in numbers:
            hypothesis = found.get(number)
            if hypothesis is not None:
                yield going_along(translator, number, hypothesis, slots)
            if slots is not None:
                translator.remember(slots, {0: hypothesis}, CORRECTION if number in human else OWN)


def spoken(
    translator: Translator, documents: Sequence[ParallelDocument], *, forced: bool = False
) -> list[list[Translation]]:
    """Return what a translator says of documents, or what their first references say, if `forced`."""
    if not forced:
        # Every document is replayed by itself, whatever was remembered before it.
        alone = translator.replaced(carry=False)
        return alone.translate_documents([document.source for document in documents])
    if any(not document.references for document in documents):
        raise DataError("going along a reference needs one: give the reference translation, too")
    return [as_said(translator, document.references[0]) for document in documents]


def replay_all(
    translator: Translator,
    documents: Sequence[ParallelDocument],
    translations: Sequence[Sequence[Translation]],
    *,
    forced: bool = False,
) -> Iterator[Said]:
    """Replay documents one after the other, each with a memory of its own; see `spoken`."""
    for document, said in zip(documents, translations, strict=True):
        settled = range(len(said)) if forced else ()
        yield from replay(translator, document.source, said, settled=settled)


def with_memory(translators: Mapping[str, Translator]) -> dict[str, Translator]:
    """Return those translators that have a memory to look into."""
    found = {name: each for name, each in translators.items() if each.memory is not None}
    if not found:
        raise ModelError(f"there is no memory to look into: {', '.join(translators)} has none")
    return found
