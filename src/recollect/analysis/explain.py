"""Why every word was chosen: what it looked at in the memory, and how far that was heard."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from recollect.analysis.replay import Said, going_along, replay
from recollect.decoding.hypothesis import Hypothesis
from recollect.decoding.remembered import remembered_words
from recollect.decoding.translation import Translation
from recollect.decoding.translator import Translator
from recollect.memory.read import Recall
from recollect.memory.slots import ORIGINS, Slots
from recollect.text.vocabulary import EOS, Vocabulary

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
    before = 0 if earlier is None else int(earlier.sentences[0])
    words = {
        said.number: _words(translator, said, before)
        for said in replay(translator, sentences, translations, settled=settled, earlier=earlier)
    }
    return [
        Explained(source, translation.text, words.get(number, ()))
        for number, (source, translation) in enumerate(zip(sentences, translations, strict=True))
    ]


@torch.inference_mode()
def explain_words(
    translator: Translator, hypothesis: Hypothesis, slots: Slots | None, before: int = 0
) -> tuple[Word, ...]:
    """Go along one sentence, with the memory as it was then; that had `before` sentences of no document."""
    return _words(translator, going_along(translator, 0, hypothesis, slots), before)


def _words(translator: Translator, said: Said, before: int) -> tuple[Word, ...]:
    model, memory, vocabulary = translator.searched, translator.memory, translator.target_vocabulary
    step, tokens, recall = said.step, said.tokens, said.recall
    alone = model.predict(step)[0]
    best = alone.argmax(-1).tolist()
    chosen = torch.tensor([*tokens, EOS], device=alone.device).unsqueeze(1)
    likely_alone = alone.gather(1, chosen).exp().squeeze(1).tolist()
    if memory is None or recall is None or said.slots is None:
        return tuple(
            Word(_said(vocabulary, token), 0.0, _said(vocabulary, best[time]), likely_alone[time],
                 likely_alone[time], ())
            for time, token in enumerate(tokens)
        )  # fmt: skip
    scores = memory.fuse(step, recall, model)[0]
    likely = scores.gather(1, chosen).exp().squeeze(1).tolist()
    gates = memory.fusion.openness(step, recall, alone.unsqueeze(0))[0].tolist()
    wholes = {place: each.word for each in remembered_words(said.slots, vocabulary) for place in each.places}
    return tuple(
        Word(
            _said(vocabulary, token),
            gates[time] if bool(recall.found[0, time]) else 0.0,
            _said(vocabulary, best[time]),
            likely[time],
            likely_alone[time],
            _looks(said.slots, recall, time, before, wholes),
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
