"""Why every word was chosen: what it looked at in the memory, and how far that was heard."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from recollect.decoding.hypothesis import Hypothesis
from recollect.decoding.remembered import remembered_words
from recollect.decoding.translation import Translation
from recollect.decoding.translator import Translator
from recollect.memory.read import Recall
from recollect.memory.slots import CORRECTION, ORIGINS, OWN, Slots
from recollect.text.vocabulary import BOS, EOS, Vocabulary

__all__ = ["Explained", "Look", "Word", "explain", "explain_words"]

LOOKS = 5  # remembered words told of each word


@dataclass(frozen=True, slots=True)
class Look:
    """A remembered word that was looked at."""

    word: str
    sentence: int  # where it was said, in the document; -1: before it
    share: float  # of all that was looked at
    origin: str  # whose word it is


@dataclass(frozen=True, slots=True)
class Word:
    """A piece of a translation and what led to it."""

    piece: str  # `▁` stands for a space before it
    gate: float  # how far the memory was heard, from 0 to 1
    alone: str  # what the sentence model by itself would have said here
    probability: float  # of the piece, with memory
    probability_alone: float
    looks: tuple[Look, ...]


@dataclass(frozen=True, slots=True)
class Explained:
    """A sentence, its translation, and its words."""

    source: str
    text: str
    words: tuple[Word, ...]


@torch.inference_mode()
def explain(
    translator: Translator,
    sentences: Sequence[str],
    translations: Sequence[Translation],
    *,
    settled: Sequence[int] = (),
    earlier: Slots | None = None,
) -> list[Explained]:
    """Go through a document again, along what was said; `settled` are the sentences that a person said."""
    memory = translator.memory
    slots = None if memory is None else memory.empty(1, translator.model.device)
    if slots is not None and earlier is not None:
        slots.put(0, earlier)
    before = 0 if slots is None else int(slots.sentences[0])
    found = []
    human = set(settled)
    for number, (source, translation) in enumerate(zip(sentences, translations, strict=True)):
        words: tuple[Word, ...] = ()
        ids = translator.source_vocabulary.encode(source)
        tokens = list(translation.tokens)
        if ids and tokens:
            [hypothesis] = translator.force_ids([ids], [tokens])
            words = explain_words(translator, hypothesis, slots, before)
            if slots is not None:
                origin = CORRECTION if number in human else OWN
                translator.remember(slots, {0: hypothesis}, origin)
        elif slots is not None and memory is not None:
            memory.skip(slots)
        found.append(Explained(source, translation.text, words))
    return found


@torch.inference_mode()
def explain_words(
    translator: Translator, hypothesis: Hypothesis, slots: Slots | None, before: int = 0
) -> tuple[Word, ...]:
    """Go along one sentence, with the memory as it was then; that had `before` sentences of no document."""
    tokens = hypothesis.tokens
    step = translator.searched.rebuild(
        hypothesis.states.unsqueeze(0),
        hypothesis.contexts.unsqueeze(0),
        torch.tensor([[BOS, *tokens]], device=translator.model.device),
    )
    model, memory, vocabulary = translator.searched, translator.memory, translator.target_vocabulary
    alone = model.predict(step)[0]
    best = alone.argmax(-1).tolist()
    chosen = torch.tensor([*tokens, EOS], device=alone.device).unsqueeze(1)
    likely_alone = alone.gather(1, chosen).exp().squeeze(1).tolist()
    if memory is None or slots is None:
        return tuple(
            Word(_said(vocabulary, token), 0.0, _said(vocabulary, best[time]), likely_alone[time],
                 likely_alone[time], ())
            for time, token in enumerate(tokens)
        )  # fmt: skip
    recall = memory.recall(slots, step, model)
    scores = memory.fuse(step, recall, model)[0]
    likely = scores.gather(1, chosen).exp().squeeze(1).tolist()
    gates = memory.fusion.openness(step, recall, alone.unsqueeze(0))[0].tolist()
    wholes = {place: each.word for each in remembered_words(slots, vocabulary) for place in each.places}
    return tuple(
        Word(
            _said(vocabulary, token),
            gates[time] if bool(recall.found[0, time]) else 0.0,
            _said(vocabulary, best[time]),
            likely[time],
            likely_alone[time],
            _looks(slots, recall, time, before, wholes),
        )
        for time, token in enumerate(tokens)
    )


def _said(vocabulary: Vocabulary, token: int) -> str:
    """Return a piece, `▁` before it where a word begins; the end is nothing."""
    if token == EOS:
        return ""
    piece = vocabulary.piece(token).removeprefix("▁")
    return f"▁{piece}" if vocabulary.starts_word(token) else piece


def _looks(slots: Slots, recall: Recall, time: int, before: int, wholes: dict[int, str]) -> tuple[Look, ...]:
    """Return the words that were looked at most; slots of the same word and sentence count together."""
    shares: dict[tuple[str, int, int], float] = {}
    match, places = (each[0, time].tolist() for each in (recall.match, recall.places))
    for share, place in zip(match, places, strict=True):
        if share > 0:
            key = (wholes[place], int(slots.sentence[0, place]), int(slots.origin[0, place]))
            shares[key] = shares.get(key, 0.0) + share
    best = sorted(shares.items(), key=lambda item: -item[1])[:LOOKS]
    return tuple(
        Look(word, max(sentence - before, -1), round(share, 4), ORIGINS[origin])
        for (word, sentence, origin), share in best
        if share >= 0.01
    )
