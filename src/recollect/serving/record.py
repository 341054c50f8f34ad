"""A session's record: its text, its translation, what people have said about it, and the way back.

The record is all that is stored. The memory is not in it: that follows from it (see `replay`).
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from recollect.serving.reasons import Reason, reason_from
from recollect.serving.refusals import MissingError, WrongError
from recollect.serving.store import Change, Head, Kept
from recollect.text.glossary import Term

__all__ = [
    "CONFIRMED",
    "CORRECTED",
    "MACHINE",
    "WAITING",
    "Action",
    "Followed",
    "Forgotten",
    "Record",
    "Said",
    "Sentence",
    "Step",
]

MOST_STEPS = 1000  # that can be undone, the last ones: what is stored of a session has a bound

WAITING, MACHINE, CORRECTED, CONFIRMED = "waiting", "machine", "corrected", "confirmed"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and what it has become."""

    source: str
    text: str | None = None  # None: not translated yet
    state: str = WAITING
    tokens: tuple[int, ...] = ()  # of the model's own words
    aligned: tuple[int, ...] = ()  # the source token that each of them, and the end, looked at
    settled: int = 0  # the epoch in which a person settled it
    where: str = ""  # in its file, for people
    gap: str = ""  # the white space after it, in its text
    revision: int = 0  # of the session, when it was last changed
    changed: int = 0  # the epoch in which the machine last said something else than before
    before: str = ""  # what it said before that
    why: tuple[Reason, ...] = ()  # which remembered words it said so because of

    @property
    def human(self) -> bool:
        """Whether its translation is a person's word."""
        return self.state in (CORRECTED, CONFIRMED)

    def as_json(self) -> bytes:
        """Return what is stored of it."""
        return _json({name: value for name, value in asdict(self).items() if value or name == "text"})

    @classmethod
    def from_json(cls, data: bytes) -> Self:
        """Return what was stored."""
        fields = json.loads(data)
        for name in ("tokens", "aligned"):
            fields[name] = tuple(fields.get(name, ()))
        fields["why"] = tuple(reason_from(each) for each in fields.get("why", ()))
        return cls(**fields)


@dataclass(frozen=True, slots=True)
class Said:
    """What the machine says of a sentence."""

    text: str
    tokens: tuple[int, ...] = ()
    aligned: tuple[int, ...] = ()
    why: tuple[Reason, ...] = ()  # where that is not what it said before


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A word that the memory does not keep, unless a person says it later than this epoch."""

    word: str
    epoch: int


@dataclass(frozen=True, slots=True)
class Step:
    """Something a person has done, and what was there before."""

    what: str  # for people: "correction of sentence 2"
    start: int  # the place of the first sentence that it may have changed
    sentence: tuple[int, Sentence] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> bytes:
        """Return what is stored of it."""
        before = None
        if self.sentence is not None:
            before = [self.sentence[0], json.loads(self.sentence[1].as_json())]
        return _json({"what": self.what, "start": self.start, "sentence": before, "facts": dict(self.facts)})

    @classmethod
    def from_json(cls, data: bytes) -> Self:
        """Return what was stored."""
        fields = json.loads(data)
        before = fields["sentence"]
        sentence = None if before is None else (before[0], Sentence.from_json(_json(before[1])))
        return cls(fields["what"], fields["start"], sentence, fields["facts"])


@dataclass(frozen=True, slots=True)
class Action:
    """What a person did last, and the epochs in which that is followed."""

    what: str = ""
    because: int | None = None  # the sentence that was corrected; None: it was something else
    since: int = 0  # the first epoch that has not been followed through before
    followed: int = 0  # the revision in which all was followed through; 0: not yet


@dataclass(frozen=True, slots=True)
class Followed:
    """What came of something a person did: sentences that the machine now says in another way."""

    what: str
    because: int | None
    places: tuple[int, ...]


@dataclass(slots=True)
class Record:
    """A document under way. Sentences before `pending` are as the rest of the record wants them to be.

    An epoch begins with everything that may change translations that are there already.
    """

    id: str
    owner: str
    name: str
    created: float
    changed: float
    languages: tuple[str, str]
    model: str  # the signature of the model whose tokens these are
    memory: bool = True
    format: str | None = None
    file: str | None = None  # the name of the file it came in, for people
    column: str | None = None  # of a table, that is translated
    glossary: tuple[Term, ...] = ()
    pins: tuple[str, ...] = ()
    forgotten: tuple[Forgotten, ...] = ()
    pending: int = 0
    epoch: int = 1
    action: Action = field(default_factory=Action)
    sentences: list[Sentence] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    past_steps: int = 0  # before those, that cannot be undone any more
    revision: int = 0
    _touched: set[str] = field(default_factory=lambda: {"rules"})
    _removed: set[str] = field(default_factory=set)

    # -- what is there

    def sentence(self, number: int) -> Sentence:
        """Return a sentence, counted from 1 as people do."""
        if not 1 <= number <= len(self.sentences):
            there = f"sentences 1 to {len(self.sentences)}" if self.sentences else "no sentence"
            raise MissingError(f"there is no sentence {number}: the session has {there}")
        return self.sentences[number - 1]

    def next_to_translate(self) -> int | None:
        """Return the place of the next sentence that the machine has to say something about."""
        return next(self._due(), None)

    @property
    def waiting(self) -> int:
        """How many sentences the machine has still to say, or to say anew."""
        return sum(1 for _ in self._due())

    @property
    def is_done(self) -> bool:
        """Whether the machine has nothing to do, and what people did has been followed through."""
        return self.pending >= len(self.sentences) and (not self.action.since or self.action.followed > 0)

    def _due(self) -> Iterator[int]:
        places = range(self.pending, len(self.sentences))
        return (place for place in places if not self.sentences[place].human)

    def first_said(self, word: str) -> int:
        """Return the place of the first sentence whose translation has a word, or the end."""
        saying = (place for place, each in enumerate(self.sentences) if each.text and word in each.text)
        return next(saying, len(self.sentences))

    def followed(self) -> Followed | None:
        """Return what came of what a person did last, once all of it is followed."""
        action = self.action
        if not action.followed:
            return None
        places = [
            place
            for place, each in enumerate(self.sentences)
            if each.changed >= action.since and not each.human and each.text != each.before
        ]
        return Followed(action.what, action.because, tuple(places))

    # -- what people do

    def append(self, sentences: Iterable[Sentence]) -> range:
        """Add sentences at the end; return their places."""
        first = len(self.sentences)
        for sentence in sentences:
            self._put(len(self.sentences), sentence)
        return range(first, len(self.sentences))

    def correct(self, number: int, text: str) -> None:
        """Replace a translation by a person's."""
        self._settle(number, text, CORRECTED, f"correction of sentence {number}")

    def confirm(self, number: int) -> None:
        """Take a translation as it is for a person's."""
        sentence = self.sentence(number)
        if sentence.text is None:
            raise WrongError(f"sentence {number} is not translated yet: there is nothing to confirm")
        if not sentence.human:
            self._settle(number, sentence.text, CONFIRMED, f"confirmation of sentence {number}")

    def _settle(self, number: int, text: str, state: str, what: str) -> None:
        before, place = self.sentence(number), number - 1
        self._begin_epoch(Step(what, place, (place, before)), because=number)
        said = replace(before, text=text, state=state, settled=self.epoch, tokens=(), aligned=(), why=())
        self._put(place, said)

    def set_terms(self, terms: Sequence[Term]) -> None:
        """Replace the glossary."""
        if tuple(terms) != self.glossary:
            before = {"glossary": [asdict(term) for term in self.glossary]}
            self._begin_epoch(Step("change of the glossary", 0, facts=before))
            self.glossary = tuple(terms)
            self._touched.add("rules")

    def pin(self, word: str) -> None:
        """Keep a word in the memory whatever comes."""
        if word not in self.pins:
            self._must_be_said(word)
            self._change_words(f"pinning of '{word}'", word)
            self.pins = (*self.pins, word)
            self.forgotten = tuple(each for each in self.forgotten if each.word != word)

    def unpin(self, word: str) -> None:
        """Keep a word no longer than others."""
        if word not in self.pins:
            raise WrongError(f"'{word}' is not pinned")
        self._change_words(f"unpinning of '{word}'", word)
        self.pins = tuple(each for each in self.pins if each != word)

    def forget(self, word: str) -> None:
        """Remove a word from the memory, for good unless a person says it later."""
        self._must_be_said(word)
        self._change_words(f"forgetting of '{word}'", word)
        self.pins = tuple(each for each in self.pins if each != word)
        others = tuple(each for each in self.forgotten if each.word != word)
        self.forgotten = (*others, Forgotten(word, self.epoch))

    def _must_be_said(self, word: str) -> None:
        if self.first_said(word) == len(self.sentences):
            raise WrongError(f"no translation in this session says '{word}'")

    def _change_words(self, what: str, word: str) -> None:
        start = min(self.first_said(word) + 1, len(self.sentences))
        self._begin_epoch(Step(what, start, facts=self._words()))
        self._touched.add("rules")

    def _words(self) -> dict[str, Any]:
        return {"pins": list(self.pins), "forgotten": [asdict(each) for each in self.forgotten]}

    def switch_memory(self, on: bool) -> None:
        """Remember, or translate each sentence alone; everything the machine has said is said anew."""
        if on != self.memory:
            self.memory = on
            self._open_epoch(0, f"switching the memory {'on' if on else 'off'}")

    def undo(self) -> Step:
        """Take back what a person has done last; return that."""
        if not self.steps:
            raise WrongError("there is nothing to undo")
        step = self.steps.pop()
        self._removed.add(f"u{self.past_steps + len(self.steps)}")
        self._open_epoch(step.start, f"undoing the {step.what}")
        if step.sentence is not None:
            self._put(*step.sentence)
        if step.facts:
            self._restore(step.facts)
            self._touched.add("rules")
        return step

    def _begin_epoch(self, step: Step, because: int | None = None) -> None:
        self._touched.add(f"u{self.past_steps + len(self.steps)}")
        self.steps.append(step)
        if len(self.steps) > MOST_STEPS:
            del self.steps[0]
            self._removed.add(f"u{self.past_steps}")
            self.past_steps += 1
        self._open_epoch(step.start, step.what, because)

    def _open_epoch(self, start: int, what: str, because: int | None = None) -> None:
        self.epoch += 1
        self.pending = min(self.pending, start)
        new = self.action.followed or not self.action.since
        self.action = Action(what, because, self.epoch if new else self.action.since)

    # -- what the machine does

    def translated(self, place: int, said: Said) -> bool:
        """Note what the machine says of a sentence; return whether that is news."""
        before = self.sentences[place]
        self.pending = place + 1
        if before.state == MACHINE and before.text == said.text:
            if before.tokens != said.tokens:
                self._put(place, replace(before, tokens=said.tokens, aligned=said.aligned))
            return False
        now = replace(before, text=said.text, state=MACHINE, tokens=said.tokens, aligned=said.aligned)
        if before.text is not None:
            # What was said before all that is being followed now, however often it has changed since.
            first = before.before if before.changed >= self.action.since > 0 else before.text
            now = replace(now, changed=self.epoch, before=first, why=said.why)
        self._put(place, now)
        return True

    def rest_is_done(self) -> bool:
        """Note it, if there is nothing left for the machine; return whether that is news."""
        if self.is_done or self.next_to_translate() is not None:
            return False
        self.pending = len(self.sentences)
        if self.action.since and not self.action.followed:
            self.action = replace(self.action, followed=self.revision + 1)
        return True

    # -- in a store

    @property
    def head(self) -> Head:
        """What a list of sessions tells of it."""
        return Head(self.id, self.owner, self.name, len(self.sentences), self.created, self.changed)

    def change(self, now: float) -> Change:
        """Return what has changed since the last time, to be stored as the next revision."""
        self.changed = now
        put = {"head": self._facts()}
        for name in sorted(self._touched):
            if name == "rules":
                put[name] = _json({"glossary": [asdict(term) for term in self.glossary], **self._words()})
            elif name.startswith("s"):
                place = int(name[1:])
                self.sentences[place] = replace(self.sentences[place], revision=self.revision + 1)
                put[name] = self.sentences[place].as_json()
            elif 0 <= (number := int(name[1:]) - self.past_steps) < len(self.steps):
                put[name] = self.steps[number].as_json()
        removed = sorted(self._removed - put.keys())
        self._touched.clear()
        self._removed.clear()
        return Change(self.head, put, removed)

    def _facts(self) -> bytes:
        return _json(
            {
                "id": self.id,
                "owner": self.owner,
                "name": self.name,
                "created": self.created,
                "changed": self.changed,
                "languages": self.languages,
                "model": self.model,
                "memory": self.memory,
                "format": self.format,
                "file": self.file,
                "column": self.column,
                "pending": self.pending,
                "epoch": self.epoch,
                "action": asdict(self.action),
                "sentences": len(self.sentences),
                "steps": len(self.steps),
                "past_steps": self.past_steps,
            }
        )

    @classmethod
    def of(cls, kept: Kept, model: str) -> Self:
        """Return a stored record, for the model of this signature."""
        facts = json.loads(kept.items["head"])
        sentences, steps = facts.pop("sentences"), facts.pop("steps")
        facts["languages"] = tuple(facts["languages"])
        facts["action"] = Action(**facts["action"])
        record = cls(**facts, revision=kept.revision, _touched=set())
        record._restore(json.loads(kept.items["rules"]))
        record.sentences = [Sentence.from_json(kept.items[f"s{number}"]) for number in range(sentences)]
        numbers = range(record.past_steps, record.past_steps + steps)
        record.steps = [Step.from_json(kept.items[f"u{number}"]) for number in numbers]
        if record.model != model:  # tokens of another model mean nothing here: texts do
            record.model = model
            record.sentences = [replace(each, tokens=(), aligned=()) for each in record.sentences]
        return record

    def _restore(self, facts: Mapping[str, Any]) -> None:
        if "glossary" in facts:
            self.glossary = tuple(Term(**term) for term in facts["glossary"])
        if "pins" in facts:
            self.pins = tuple(facts["pins"])
        if "forgotten" in facts:
            self.forgotten = tuple(Forgotten(**each) for each in facts["forgotten"])

    def _put(self, place: int, sentence: Sentence) -> None:
        self._touched.add(f"s{place}")
        if place == len(self.sentences):
            self.sentences.append(sentence)
        else:
            self.sentences[place] = sentence


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
