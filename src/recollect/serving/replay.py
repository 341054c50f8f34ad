"""The memory of a session follows from its record: written along with it, and anew where that changes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recollect.decoding.hypothesis import Hypothesis
from recollect.decoding.remembered import remembered_words
from recollect.decoding.translator import Translator
from recollect.memory.memory import Note
from recollect.memory.policies import first_in_first_out
from recollect.memory.slots import CORRECTION, EMPTY, GLOSSARY, OWN, Flags, Slots
from recollect.serving.record import Forgotten, Record, Sentence
from recollect.text.glossary import Term

__all__ = ["Past", "Recollection", "Rules", "most_glossary"]

SNAPSHOTS = 8
SPACING = 4  # sentences between snapshots at first
NOTES, NOTED = 1024, 32 << 20  # sentences, and their bytes, that can be remembered again without the model
OF_A_PIN = 4  # times that a pinned word is kept: the last ones it was said


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
        return cls(record.id, _rules(record), record.sentences[:count])

    def holds(self, record: Record) -> bool:
        """Whether this is still the past of a record."""
        count = len(self.sentences)
        if self.rules != _rules(record) or len(record.sentences) < count:
            return False
        pairs = zip(self.sentences, record.sentences, strict=False)
        return not self.rules.memory or all(mine is theirs for mine, theirs in pairs)


def _rules(record: Record) -> Rules:
    return Rules(record.memory, record.glossary, record.pins, record.forgotten)


def most_glossary(size: int) -> int:
    """Return how many words of a glossary a memory of `size` slots may hold: there are pins, too."""
    return size * 2 // 5


class Recollection:
    """A session's memory as it was after some of its sentences, and snapshots of it on the way there."""

    def __init__(self, translator: Translator) -> None:
        self.translator = translator
        self.slots: Slots | None = None  # None: the model has no memory
        self._rules: Rules | None = None
        self._told: list[Sentence] = []
        self._snapshots: dict[int, Slots] = {}  # sentences remembered -> the memory then
        self._spacing = SPACING
        self._notes: dict[tuple[str, str | tuple[int, ...]], Note] = {}
        self._noted = 0  # bytes of them

    @property
    def size(self) -> int:
        """Bytes of it."""
        if self.slots is None:
            return 0
        return self.slots.bytes * (1 + len(self._snapshots)) + self._noted

    @property
    def count(self) -> int:
        """How many sentences are remembered."""
        return len(self._told)

    def is_after(self, past: Past) -> bool:
        """Whether this is the memory after a past, now."""
        return past.rules == self._rules and self._common(past.sentences) == self.count == len(past.sentences)

    def approach(self, past: Past, most: int) -> int:
        """Remember what is missing of a past, `most` sentences at a time; return how many are left then."""
        if past.rules != self._rules:
            self._begin(past.rules)
        self._go_back(past.sentences)
        if not self._remembers:
            self._told = list(past.sentences)
            return 0
        if not self._told:
            self._skip(past.sentences)
        missing = past.sentences[len(self._told) : len(self._told) + most]
        for sentence, note in zip(missing, self._learn(missing), strict=True):
            self._write(sentence, note)
        return len(past.sentences) - len(self._told)

    def remember(self, sentence: Sentence, hypothesis: Hypothesis | None) -> None:
        """Remember the next sentence, of which a hypothesis is known; None: it has no words."""
        note = None
        if self._remembers and hypothesis is not None:
            note = self._keep_note(sentence, hypothesis)
            self._drop_notes()
        self._write(sentence, note)

    def _write(self, sentence: Sentence, note: Note | None) -> None:
        self._told.append(sentence)
        if not self._remembers:
            return
        memory, slots = self.translator.memory, self.slots
        assert memory is not None
        assert slots is not None
        clock = int(slots.clock[0])
        if note is None:
            memory.skip(slots)
        else:
            memory.take(slots, note, CORRECTION if sentence.human else OWN)
        self._tidy(sentence, clock)
        count = len(self._told)
        if count % self._spacing == 0:
            self._snapshots[count] = _copy(slots)
            if len(self._snapshots) > SNAPSHOTS:
                self._spacing *= 2
                kept = self._snapshots.items()
                self._snapshots = {at: then for at, then in kept if at % self._spacing == 0}

    def as_of(self, past: Past) -> "Recollection":
        """Return another one, near a past, that can approach it while this one stays where it is."""
        twin = Recollection(self.translator)
        if past.rules == self._rules and self.slots is not None:
            count = self._common(past.sentences)
            start = max(at for at in self._snapshots if at <= count)
            whole = count == len(self._told) == len(past.sentences)
            twin._rules, twin._snapshots = self._rules, {0: self._snapshots[0]}
            twin._notes, twin._noted = self._notes.copy(), self._noted
            twin._told = self._told[: count if whole else start]
            twin.slots = _copy(self.slots if whole else self._snapshots[start])
        return twin

    @property
    def _remembers(self) -> bool:
        return self.slots is not None and self._rules is not None and self._rules.memory

    def _begin(self, rules: Rules) -> None:
        memory = self.translator.memory
        self._rules, self._told, self._snapshots, self._spacing = rules, [], {}, SPACING
        self.slots = None if memory is None else memory.empty(1, self.translator.model.device)
        if self.slots is None:
            return
        if rules.memory and rules.glossary:
            sources, targets = zip(*((term.source, term.target) for term in rules.glossary), strict=True)
            for each in self.translator.force(sources, targets):
                self.translator.remember(self.slots, {0: each}, GLOSSARY)
            # The document begins after it.
            self.slots.sentences[:] = 0
            self.slots.written[:] = 0
            self.slots.sentence[:] = EMPTY
            self.slots.pin(0, self.slots.used[0] != EMPTY)
        self._snapshots[0] = _copy(self.slots)

    def _common(self, sentences: Sequence[Sentence]) -> int:
        """Return how many sentences were told as they are here."""
        same = 0
        for mine, theirs in zip(self._told, sentences, strict=False):
            if mine is not theirs:
                if not _alike(mine, theirs):
                    break
                self._told[same] = theirs
            same += 1
        return same

    def _go_back(self, sentences: Sequence[Sentence]) -> None:
        """Go back to where the past and what was told of it are one."""
        same = self._common(sentences)
        if same == len(self._told):
            return
        if not self._remembers:
            del self._told[same:]
            return
        self._snapshots = {at: kept for at, kept in self._snapshots.items() if at <= same}
        start = max(self._snapshots)
        self.slots = _copy(self._snapshots[start])
        del self._told[start:]

    def _skip(self, sentences: Sequence[Sentence]) -> None:
        """Pass over sentences at the beginning that would have left the memory again by the end."""
        memory, rules = self.translator.memory, self._rules
        assert memory is not None
        assert self.slots is not None
        assert rules is not None
        if memory.policy is not first_in_first_out or rules.pins or rules.forgotten:
            return
        end = int(self.translator.store_end)
        words, place = 0, len(sentences)
        while place and words < memory.size:
            place -= 1
            words += len(self._tokens(sentences[place])) + end
        self._told = list(sentences[:place])
        self.slots.sentences[0] += place
        self.slots.clock[0] += sum(len(self._tokens(each)) + end for each in self._told)

    def _tokens(self, sentence: Sentence) -> list[int]:
        return list(sentence.tokens) or self.translator.target_vocabulary.encode(sentence.text or "")

    def _learn(self, sentences: Sequence[Sentence]) -> list[Note | None]:
        """Return what is to be written of sentences; None: they have no words.

        Translations of which there is no note yet are force-decoded: that needs no memory, so all at once.
        """
        unknown = [each for each in sentences if _key(each) not in self._notes]
        sources = self.translator.source_vocabulary.encode_many([each.source for each in unknown])
        targets = [self._tokens(each) for each in unknown]
        real = [n for n in range(len(unknown)) if sources[n] and targets[n]]
        found = self.translator.force_ids([sources[n] for n in real], [targets[n] for n in real])
        for number, hypothesis in zip(real, found, strict=True):
            self._keep_note(unknown[number], hypothesis)
        notes = [self._notes.get(_key(each)) for each in sentences]
        self._drop_notes()
        return notes

    def _keep_note(self, sentence: Sentence, hypothesis: Hypothesis) -> Note:
        key, note = _key(sentence), self.translator.note(hypothesis)
        before = self._notes.get(key)
        self._noted += note.size - (0 if before is None else before.size)
        self._notes[key] = note
        return note

    def _drop_notes(self) -> None:
        """Keep notes of the sentences that came last: they may have to be remembered after another past."""
        while len(self._notes) > NOTES or (self._noted > NOTED and len(self._notes) > 1):
            self._noted -= self._notes.pop(next(iter(self._notes))).size

    def _tidy(self, sentence: Sentence, clock: int) -> None:
        """Remove what is to be forgotten of the last sentence, and pin what is to be kept."""
        slots, rules, vocabulary = self.slots, self._rules, self.translator.target_vocabulary
        assert slots is not None
        assert rules is not None
        if not rules.pins and not rules.forgotten:
            return
        barred = {
            each.word for each in rules.forgotten if not (sentence.human and sentence.settled > each.epoch)
        }
        said = remembered_words(slots, vocabulary, since=clock)
        gone = [place for each in said if each.word in barred for place in each.places]
        if gone:
            slots.forget(0, _flags(gone, slots.size))
        if any(each.word in rules.pins for each in said):
            self._pin(slots, rules.pins)

    def _pin(self, slots: Slots, pins: Sequence[str]) -> None:
        room = slots.size // 10
        chosen = (slots.origin[0] == GLOSSARY).numpy(force=True) & slots.pinned[0]
        times = dict.fromkeys(pins, OF_A_PIN)
        for each in reversed(remembered_words(slots, self.translator.target_vocabulary)):
            if times.get(each.word, 0) and len(each.places) <= room and each.origin != "glossary":
                times[each.word] -= 1
                room -= len(each.places)
                chosen[list(each.places)] = True
        slots.pin(0, chosen)


def _flags(places: Sequence[int], size: int) -> Flags:
    found = np.zeros(size, np.bool_)
    found[list(places)] = True
    return found


def _alike(mine: Sentence, theirs: Sentence) -> bool:
    """Whether two sentences leave the same in a memory."""
    if mine.source != theirs.source or mine.human != theirs.human or mine.settled != theirs.settled:
        return False
    by_text = mine.human or not mine.tokens or not theirs.tokens
    return mine.text == theirs.text if by_text else mine.tokens == theirs.tokens


def _key(sentence: Sentence) -> tuple[str, str | tuple[int, ...]]:
    """Return what tells apart what is remembered of sentences."""
    return sentence.source, (not sentence.human and sentence.tokens) or sentence.text or ""


def _copy(slots: Slots) -> Slots:
    return slots.select(np.array([0]))
