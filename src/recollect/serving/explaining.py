"""What the memory has to do with a sentence: for every word of it, or for those that are new."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.analysis.explain import Word, explain_words
from recollect.decoding.hypothesis import Hypothesis
from recollect.decoding.remembered import remembered_words
from recollect.decoding.translator import Translator
from recollect.memory.slots import Slots
from recollect.serving.reasons import Looked, Reason, changed_words
from recollect.serving.record import Sentence
from recollect.text.segment import Span
from recollect.text.spans import piece_spans

__all__ = ["Slot", "Spoken", "explain_spoken", "find_reasons", "slots_of"]

LOOKS = 3  # remembered words told of each new word


@dataclass(frozen=True, slots=True)
class Spoken:
    """A piece of a translation, where it stands, and what led to it."""

    piece: str
    start: int  # in characters of the translation
    end: int
    gate: float
    alone: (
        str  # what the sentence model by itself would have said here, a space before it where a word begins
    )
    probability: float
    probability_alone: float
    looks: tuple[Looked, ...]


@dataclass(frozen=True, slots=True)
class Slot:
    """A word that is remembered."""

    id: str
    word: str
    pieces: int  # slots that it takes
    sentence: int  # where it was said, counted from 1; 0: before the document
    age: int  # words written since
    origin: str
    pinned: bool


def explain_spoken(translator: Translator, sentence: Sentence, slots: Slots | None) -> list[Spoken]:
    """Go along a sentence as it has been translated, with the memory as it was then."""
    ids = translator.source_vocabulary.encode(sentence.source)
    text = sentence.text or ""
    tokens = list(sentence.tokens) or translator.target_vocabulary.encode(text)
    if not ids or not tokens:
        return []
    [hypothesis] = translator.force_ids([ids], [tokens])
    words = explain_words(translator, hypothesis, slots)
    return [
        Spoken(
            text[slice(*span)],
            *span,
            round(word.gate, 4),
            word.alone.replace("▁", " "),
            round(word.probability, 4),
            round(word.probability_alone, 4),
            tuple(Looked(look.word, look.sentence + 1, look.share, look.origin) for look in word.looks),
        )
        for word, span in zip(words, _spans(translator, text, tokens), strict=True)
    ]


def slots_of(translator: Translator, slots: Slots | None) -> list[Slot]:
    """Return what is remembered, the latest first."""
    if slots is None:
        return []
    clock = int(slots.clock[0])
    return [
        Slot(
            str(each.clock),
            each.word,
            len(each.places),
            each.sentence + 1,
            clock - 1 - each.clock,
            each.origin,
            each.pinned,
        )
        for each in reversed(remembered_words(slots, translator.target_vocabulary))
    ]


def find_reasons(
    translator: Translator, hypothesis: Hypothesis, text: str, before: str, slots: Slots | None
) -> tuple[Reason, ...]:
    """Return what each new word of a translation looked at."""
    spans = changed_words(before, text)
    if not spans:
        return ()
    words = explain_words(translator, hypothesis, slots)
    pieces = _spans(translator, text, hypothesis.tokens)
    return tuple(
        _reason(text, span, [word for word, place in zip(words, pieces, strict=True) if _meet(place, span)])
        for span in spans
    )


def _spans(translator: Translator, text: str, tokens: Sequence[int]) -> list[Span]:
    return piece_spans(text, [translator.target_vocabulary.piece(token) for token in tokens])


def _meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _reason(text: str, span: Span, words: Sequence[Word]) -> Reason:
    """Gather what the pieces of a word looked at."""
    shares: dict[tuple[str, int, str], float] = {}
    for word in words:
        for look in word.looks:
            key = (look.word, look.sentence + 1, look.origin)
            shares[key] = shares.get(key, 0.0) + look.share / len(words)
    best = sorted(shares.items(), key=lambda item: -item[1])[:LOOKS]
    looks = tuple(Looked(word, sentence, round(share, 4), origin) for (word, sentence, origin), share in best)
    gate = max((word.gate for word in words), default=0.0)
    return Reason(text[slice(*span)], *span, round(gate, 4), looks)
