"""What goes over the wire: requests as they may be, and answers as they are."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from recollect.serving.record import Record, Sentence
from recollect.serving.store import Head

__all__ = [
    "Appended",
    "AppendedTo",
    "Correction",
    "CorrectionAnswer",
    "Failure",
    "GlossaryOf",
    "NewSession",
    "SentenceAnswer",
    "SessionAnswer",
    "SessionHead",
    "TermOf",
    "UndoAnswer",
]

Line = Annotated[str, Field(max_length=100_000)]


class Request(BaseModel):
    """A request; a field that nobody knows is refused rather than passed over."""

    model_config = ConfigDict(extra="forbid")


class Failure(BaseModel):
    """Why something was not done."""

    error: str = Field(description="One sentence for people.")


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


class SentenceAnswer(BaseModel):
    """A sentence and what it has become."""

    number: int = Field(description="Counted from 1.")
    source: str
    text: str | None = Field(description="Its translation; null: not yet.")
    state: Literal["waiting", "machine", "corrected", "confirmed"]
    alone: str | None = Field(None, description="What the model says without its memory, where asked for.")
    where: str = Field("", description="Where it stands in its file.")
    revision: int = Field(description="The session's revision when it was last changed.")

    @classmethod
    def of(cls, place: int, sentence: Sentence, alone: str | None = None) -> Self:
        """Return a sentence of a record as it is told."""
        state: Any = sentence.state
        return cls(
            number=place + 1,
            source=sentence.source,
            text=sentence.text,
            state=state,
            alone=alone,
            where=sentence.where,
            revision=sentence.revision,
        )


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
    file: str | None
    created: float
    changed: float
    waiting: int = Field(description="Sentences that the machine has still to say, or to say anew.")
    sentences: list[SentenceAnswer]
    glossary: list[TermOf]
    pins: list[str]
    forgotten: list[str]
    can_undo: bool
    undo: str | None = Field(description="What would be undone.")

    @classmethod
    def of(cls, record: Record) -> Self:
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
            waiting=sum(not each.human for each in record.sentences[record.pending :]),
            sentences=[SentenceAnswer.of(place, each) for place, each in enumerate(record.sentences)],
            glossary=[TermOf(source=term.source, target=term.target) for term in record.glossary],
            pins=list(record.pins),
            forgotten=[each.word for each in record.forgotten],
            can_undo=bool(record.steps),
            undo=record.steps[-1].what if record.steps else None,
        )


class AppendedTo(BaseModel):
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
