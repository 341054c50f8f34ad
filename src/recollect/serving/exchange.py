"""A session as a file of its own, to be kept or taken to another server."""

from base64 import b64decode, b64encode
from binascii import Error as NoBase64Error
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from recollect.serving.files import safe_name
from recollect.serving.record import CONFIRMED, CORRECTED, WAITING, Forgotten, Record, Sentence
from recollect.serving.refusals import WrongError
from recollect.text.glossary import Term

__all__ = ["Export", "exported", "fill"]

Text = Annotated[str, Field(max_length=100_000)]
Word = Annotated[str, Field(min_length=1, max_length=200)]
When = Annotated[int, Field(ge=0, le=2**40, description="When a person did it: the greater, the later.")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ExportedSentence(_Strict):
    """A sentence, what it became, and whose word that is."""

    source: Text
    text: Text | None = None
    state: Literal["waiting", "machine", "corrected", "confirmed"] = "waiting"
    where: Annotated[str, Field(max_length=500)] = ""
    gap: Annotated[str, Field(max_length=10, pattern=r"^\s*$")] = ""
    settled: When = 1

    @model_validator(mode="after")
    def _waits_or_not(self) -> Self:
        if (self.state == WAITING) != (self.text is None):
            raise ValueError("a sentence has a text unless it is waiting")
        return self


class ExportedTerm(_Strict):
    """A term and how it is to be said."""

    source: Annotated[str, Field(min_length=1, max_length=500)]
    target: Annotated[str, Field(min_length=1, max_length=500)]


class ExportedForgotten(_Strict):
    """A word that the memory does not keep, unless a person said it later."""

    word: Word
    epoch: When = 1


class Export(_Strict):
    """A whole session, but for the way back: what was undone or could be undone is not in it."""

    kind: Literal["recollect-session-1"] = "recollect-session-1"
    name: Annotated[str, Field(max_length=200)] = ""
    languages: tuple[str, str]
    memory: bool = True
    format: Annotated[str, Field(max_length=40)] | None = None
    file: Annotated[str, Field(max_length=200)] | None = None
    column: Annotated[str, Field(max_length=200)] | None = None
    data: Annotated[str, Field(description="The file it came in, in base64.")] | None = None
    glossary: list[ExportedTerm] = []
    pins: Annotated[list[Word], Field(max_length=1000)] = []
    forgotten: Annotated[list[ExportedForgotten], Field(max_length=1000)] = []
    sentences: list[ExportedSentence] = []


def exported(record: Record, file: bytes | None) -> Export:
    """Return a record to take away."""
    return Export(
        name=record.name,
        languages=record.languages,
        memory=record.memory,
        format=record.format,
        file=record.file,
        column=record.column,
        data=None if file is None else b64encode(file).decode(),
        glossary=[ExportedTerm(source=term.source, target=term.target) for term in record.glossary],
        pins=list(record.pins),
        forgotten=[ExportedForgotten(word=each.word, epoch=each.epoch) for each in record.forgotten],
        sentences=[
            ExportedSentence.model_validate(
                {
                    "source": each.source,
                    "text": each.text,
                    "state": each.state,
                    "where": each.where,
                    "gap": each.gap,
                    "settled": each.settled,
                }
            )
            for each in record.sentences
        ],
    )


def fill(record: Record, given: Export) -> bytes | None:
    """Take a session into a blank record; return the file it came in.

    What the machine had said stays as it is; the first sentence that is still waiting is translated next.
    """
    if given.languages != record.languages:
        theirs, ours = (" to ".join(pair) for pair in (given.languages, record.languages))
        raise WrongError(f"this session is from {theirs}; this server translates from {ours}")
    record.name, record.memory = given.name, given.memory
    record.glossary = tuple(Term(term.source, term.target) for term in given.glossary)
    record.pins = tuple(dict.fromkeys(given.pins))
    forgotten = {each.word: each.epoch for each in given.forgotten if each.word not in given.pins}
    record.forgotten = tuple(Forgotten(word, epoch) for word, epoch in forgotten.items())
    record.append(map(_sentence, given.sentences))
    record.epoch = max([record.epoch, *forgotten.values(), *(each.settled for each in record.sentences)])
    waiting = [place for place, each in enumerate(record.sentences) if each.state == WAITING]
    record.pending = min(waiting, default=len(record.sentences))
    if given.data is None or given.file is None or given.format is None:
        return None
    try:
        data = b64decode(given.data, validate=True)
    except (NoBase64Error, ValueError):
        raise WrongError("data: not base64") from None
    record.format, record.file, record.column = given.format, safe_name(given.file), given.column
    return data


def _sentence(given: ExportedSentence) -> Sentence:
    human = given.state in (CORRECTED, CONFIRMED)
    return Sentence(
        given.source,
        given.text,
        given.state,
        settled=given.settled if human else 0,
        where=given.where,
        gap=given.gap,
    )
