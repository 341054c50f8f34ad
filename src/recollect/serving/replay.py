"""The memory of a session follows from its record: written along with it, and anew where that changes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recollect.decoding.hypothesis import Hypothesis
from recollect.decoding.translator import Translator
from recollect.memory.slots import CORRECTION, GLOSSARY, OWN, Slots
from recollect.serving.record import Forgotten, Record, Sentence
from recollect.text.glossary import Term

__all__ = ["Past", "Recollection", "Rules"]

SNAPSHOTS = 8
SPACING = 4  # sentences between snapshots at first


@dataclass(frozen=True, slots=True)
class Rules:
    """What a session's memory is to keep and what not, besides its sentences."""

    memory: bool
    glossary: tuple[Term, ...]
    pins: tuple[str, ...]
    forgotten: tuple[Forgotten, ...]


@dataclass(frozen=True, slots=True)
class Past:
    """A record up to some sentence: all that its memory there depends on."""

    session: str
    rules: Rules
    sentences: Sequence[Sentence]

    @classmethod
    def of(cls, record: Record, count: int) -> "Past":
        """Return the first `count` sentences of a record; they do not change with it."""
        rules = Rules(record.memory, record.glossary, record.pins, record.forgotten)
        return cls(record.id, rules, record.sentences[:count])


class Recollection:
    """A session's memory as it was after some of its sentences, and snapshots of it on the way there."""

    def __init__(self, translator: Translator) -> None:
        self.translator = translator
        self._rules: Rules | None = None
        self._told: list[Sentence] = []
        self._slots: Slots | None = None
        self._snapshots: dict[int, Slots] = {}  # sentences remembered -> the memory then
        self._spacing = SPACING

    @property
    def size(self) -> int:
        """Bytes of it, about."""
        kept = [*self._snapshots.values(), *([] if self._slots is None else [self._slots])]
        return sum(getattr(slots, name).nbytes for slots in kept for name in slots.__slots__)

    def approach(self, past: Past, most: int) -> int:
        """Remember what is missing of a past, `most` sentences at a time; return how many are left then."""
        if past.rules != self._rules:
            self._rules = past.rules
            self._begin()
        self._go_back(past.sentences)
        missing = past.sentences[len(self._told) : len(self._told) + most]
        if missing and self._slots is not None:
            forced = self._force(missing)
            for sentence, hypothesis in zip(missing, forced, strict=True):
                self._remember(sentence, hypothesis)
        else:
            self._told += missing
        return len(past.sentences) - len(self._told)

    def slots(self) -> Slots | None:
        """Return the memory as it is now; None: there is none."""
        return self._slots

    def said(self, sentence: Sentence, hypothesis: Hypothesis | None) -> None:
        """Remember a sentence that has just been translated."""
        self._remember(sentence, hypothesis)

    def _begin(self) -> None:
        memory, rules = self.translator.memory, self._rules
        self._told, self._snapshots, self._spacing = [], {}, SPACING
        self._slots = None
        if memory is None or rules is None:
            return
        self._slots = memory.empty(1, self.translator.model.device)
        if rules.memory and rules.glossary:
            terms = rules.glossary
            forced = self.translator.force([term.source for term in terms], [term.target for term in terms])
            for each in forced:
                self.translator.remember(self._slots, {0: each}, GLOSSARY)
            self._slots.sentences[:] = 0
        self._snapshots[0] = _copy(self._slots)

    def _go_back(self, sentences: Sequence[Sentence]) -> None:
        """Go back to where the past and what was told of it are one."""
        same = 0
        for mine, theirs in zip(self._told, sentences, strict=False):
            if mine is not theirs:
                if not _alike(mine, theirs):
                    break
                self._told[same] = theirs
            same += 1
        if same == len(self._told):
            return
        if self._slots is None:
            del self._told[same:]
            return
        self._snapshots = {at: kept for at, kept in self._snapshots.items() if at <= same}
        start = max(self._snapshots)
        self._slots = _copy(self._snapshots[start])
        del self._told[start:]

    def _force(self, sentences: Sequence[Sentence]) -> list[Hypothesis | None]:
        """Return given translations as hypotheses; None where there are no words."""
        translator = self.translator
        sources = translator.source_vocabulary.encode_many([each.source for each in sentences])
        encode = translator.target_vocabulary.encode
        targets = [list(each.tokens) or encode(each.text or "") for each in sentences]
        real = [n for n in range(len(sentences)) if sources[n] and targets[n]]
        found = iter(translator.force_ids([sources[n] for n in real], [targets[n] for n in real]))
        return [next(found) if n in set(real) else None for n in range(len(sentences))]

    def _remember(self, sentence: Sentence, hypothesis: Hypothesis | None) -> None:
        self._told.append(sentence)
        if self._slots is None or self._rules is None or not self._rules.memory:
            return
        origin = CORRECTION if sentence.human else OWN
        self.translator.remember(self._slots, {0: hypothesis}, origin)
        count = len(self._told)
        if count % self._spacing:
            return
        self._snapshots[count] = _copy(self._slots)
        if len(self._snapshots) > SNAPSHOTS:
            self._spacing *= 2
            self._snapshots = {at: kept for at, kept in self._snapshots.items() if at % self._spacing == 0}


def _alike(mine: Sentence, theirs: Sentence) -> bool:
    """Whether two sentences leave the same in a memory."""
    if mine.source != theirs.source or mine.human != theirs.human or mine.settled != theirs.settled:
        return False
    return mine.text == theirs.text if mine.human else mine.tokens == theirs.tokens


def _copy(slots: Slots) -> Slots:
    return slots.select(np.array([0]))
