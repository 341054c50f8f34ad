"""What goes over the wire: requests as they may be, and answers as they are."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from recollect.serving.flags import Flag
from recollect.serving.inspection import Explanation, Remembered
from recollect.serving.record import Record, Sentence
from recollect.serving.store import Head

__all__ = [
    "Appended",
    "AppendedAnswer",
    "ChangedAnswer",
    "Correction",
    "CorrectionAnswer",
    "ExplanationAnswer",
    "Failure",
    "GlossaryOf",
    "MemoryAnswer",
    "MemorySwitch",
    "NewSession",
    "SentenceAnswer",
    "SessionAnswer",
    "SessionHead",
    "TermOf",
    "UndoAnswer",
    "WordOf",
    "WordsAnswer",
]

Line = Annotated[str, Field(max_length=100_000)]
State = Literal["waiting", "machine", "corrected", "confirmed"]
Origin = Literal["own", "correction", "glossary", "earlier"]


class Request(BaseModel):
    """A request; a field that nobody knows is refused rather than passed over."""

    model_config = ConfigDict(extra="forbid")


class Failure(BaseModel):
    """Why something was not done."""

    error: str = Field(description="One sentence for people.")


# -- requests


class TermOf(Request):
    """A term and how it is to be said."""

    source: str = Field(min_length=1, max_length=500)
    target: str = Field(min_length=1, max_length=500)


class Texts(Request):
    """Text, or sentences that have been split already: one of them."""

    text: str | None = Field(None, description="Text, which is split into sentences.")
    sentences: list[Line] | None = Field(None, description="Sentences as they are.")

    @model_validator(mode="after")
    def _not_both(self) -> Self:
        if self.text is not None and self.sentences is not None:
            raise ValueError("give text or sentences, not both")
        return self


class NewSession(Texts):
    """A session to begin."""

    name: str = Field("", max_length=200)
    memory: bool = True
    glossary: list[TermOf] = Field([], max_length=10_000)


class Appended(Texts):
    """Text to add at the end."""


class Correction(Request):
    """What a sentence should have been."""

    text: str


class GlossaryOf(Request):
    """Terms that the session's memory holds from the start."""

    terms: list[TermOf] = Field(max_length=10_000)


class WordOf(Request):
    """A word of the memory, as the list of slots has it."""

    word: str = Field(min_length=1, max_length=200)


class MemorySwitch(Request):
    """Whether to remember."""

    on: bool


# -- answers


class LookAnswer(BaseModel):
    """A remembered word that was looked at."""

    word: str
    sentence: int = Field(description="Where it was said, counted from 1; 0: before the document.")
    share: float = Field(description="Of all that was looked at.")
    origin: Origin


class ReasonAnswer(BaseModel):
    """A word that was not there before, and what it looked at in the memory."""

    word: str
    start: int = Field(description="In characters of the translation.")
    end: int
    gate: float = Field(description="How far the memory was heard, from 0 to 1.")
    looks: list[LookAnswer]


class SentenceAnswer(BaseModel):
    """A sentence and what it has become."""

    number: int = Field(description="Counted from 1.")
    source: str
    text: str | None = Field(description="Its translation; null: not yet.")
    state: State
    current: bool = Field(description="False while the machine has still to say it, or to say it anew.")
    alone: str | None = Field(description="What the model says without its memory, where asked for.")
    where: str = Field(description="Where it stands in its file.")
    revision: int = Field(description="The session's revision when it was last changed.")

    @classmethod
    def of(cls, record: Record, place: int, alone: Mapping[str, str] | None = None) -> Self:
        """Return a sentence of a record as it is told."""
        sentence = record.sentences[place]
        state: Any = sentence.state
        return cls(
            number=place + 1,
            source=sentence.source,
            text=sentence.text,
            state=state,
            current=sentence.human or place < record.pending,
            alone=None if alone is None or not record.memory else alone.get(sentence.source),
            where=sentence.where,
            revision=sentence.revision,
        )


class ChangedSentence(BaseModel):
    """A sentence that came out otherwise."""

    number: int
    before: str
    after: str
    words_changed: list[ReasonAnswer]

    @classmethod
    def of(cls, place: int, sentence: Sentence) -> Self:
        """Return a sentence of a record."""
        reasons = [ReasonAnswer.model_validate(asdict(each)) for each in sentence.why]
        return cls(number=place + 1, before=sentence.before, after=sentence.text or "", words_changed=reasons)


class ChangedAnswer(BaseModel):
    """What came of what a person did last."""

    because: int | None = Field(description="The sentence that was corrected; null: it was something else.")
    what: str
    sentences: list[ChangedSentence]
    revision: int

    @classmethod
    def of(cls, record: Record) -> Self | None:
        """Return what came of the last action; None: it is not followed through, or there was none."""
        followed = record.followed()
        if followed is None:
            return None
        return cls(
            because=followed.because,
            what=followed.what,
            sentences=[ChangedSentence.of(place, record.sentences[place]) for place in followed.places],
            revision=record.action.followed,
        )


class WayAnswer(BaseModel):
    """One way in which a term came out, and where."""

    text: str
    sentences: list[int]


class FlagAnswer(BaseModel):
    """A repeated term that came out in several ways."""

    term: str
    sentences: list[int]
    renderings: list[WayAnswer]


class SessionHead(BaseModel):
    """A session in a list."""

    id: str
    name: str
    sentences: int
    created: float = Field(description="Seconds since 1970.")
    changed: float

    @classmethod
    def of(cls, head: Head) -> Self:
        """Return a head as it is told."""
        return cls(
            id=head.id, name=head.name, sentences=head.sentences, created=head.created, changed=head.changed
        )


class SessionAnswer(BaseModel):
    """A whole session."""

    id: str
    name: str
    revision: int
    languages: list[str] = Field(description="Source and target.")
    memory: bool
    format: str | None
    file: str | None = Field(description="The name of the file it came in.")
    created: float
    changed: float
    waiting: int = Field(description="Sentences that the machine has still to say, or to say anew.")
    sentences: list[SentenceAnswer]
    glossary: list[TermOf]
    pins: list[str]
    forgotten: list[str]
    can_undo: bool
    undo: str | None = Field(description="What would be undone.")
    report: ChangedAnswer | None = Field(description="What came of what a person did last.")
    flags: list[FlagAnswer]

    @classmethod
    def of(cls, record: Record, flags: Sequence[Flag] = (), alone: Mapping[str, str] | None = None) -> Self:
        """Return a record as it is told."""
        return cls(
            id=record.id,
            name=record.name,
            revision=record.revision,
            languages=list(record.languages),
            memory=record.memory,
            format=record.format,
            file=record.file,
            created=record.created,
            changed=record.changed,
            waiting=record.waiting,
            sentences=[SentenceAnswer.of(record, place, alone) for place in range(len(record.sentences))],
            glossary=[TermOf(source=term.source, target=term.target) for term in record.glossary],
            pins=list(record.pins),
            forgotten=[each.word for each in record.forgotten],
            can_undo=bool(record.steps),
            undo=record.steps[-1].what if record.steps else None,
            report=ChangedAnswer.of(record),
            flags=[FlagAnswer.model_validate(asdict(each)) for each in flags],
        )


class AppendedAnswer(BaseModel):
    """The sentences that were added."""

    revision: int
    sentences: list[SentenceAnswer]


class CorrectionAnswer(BaseModel):
    """A correction that is stored; what follows it comes as events."""

    revision: int
    sentence: SentenceAnswer


class UndoAnswer(BaseModel):
    """What was undone."""

    revision: int
    undone: str


class SlotAnswer(BaseModel):
    """A word that is remembered."""

    id: str
    word: str
    pieces: int = Field(description="Slots that it takes.")
    sentence: int = Field(description="Where it was said, counted from 1; 0: before the document.")
    age: int = Field(description="Words written since.")
    origin: Origin
    pinned: bool


class MemoryAnswer(BaseModel):
    """What a session remembers, the latest first."""

    on: bool
    size: int = Field(description="Slots that there are.")
    used: int
    slots: list[SlotAnswer]
    pins: list[str]
    forgotten: list[str]

    @classmethod
    def of(cls, found: Remembered, record: Record) -> Self:
        """Return a memory as it is told."""
        return cls(
            on=found.on,
            size=found.size,
            used=found.used,
            slots=[SlotAnswer.model_validate(asdict(each)) for each in found.words],
            pins=list(record.pins),
            forgotten=[each.word for each in record.forgotten],
        )


class WordsAnswer(BaseModel):
    """What the memory is to keep and not to keep; what follows from that comes as events."""

    revision: int
    pins: list[str]
    forgotten: list[str]


class PieceAnswer(BaseModel):
    """A piece of a translation and what led to it."""

    piece: str
    start: int = Field(description="In characters of the translation.")
    end: int
    gate: float = Field(description="How far the memory was heard, from 0 to 1.")
    alone: str = Field(description="What the sentence model by itself would have said here.")
    probability: float
    probability_alone: float
    looks: list[LookAnswer]


class ExplanationAnswer(BaseModel):
    """A sentence and what the memory had to do with every word of it."""

    number: int
    source: str
    text: str
    alone: str = Field(description="Its translation with nothing remembered.")
    words: list[PieceAnswer]

    @classmethod
    def of(cls, number: int, found: Explanation) -> Self:
        """Return an explanation as it is told."""
        return cls(
            number=number,
            source=found.sentence.source,
            text=found.sentence.text or "",
            alone=found.alone,
            words=[PieceAnswer.model_validate(asdict(each)) for each in found.words],
        )
