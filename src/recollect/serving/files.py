"""Files in and out: a document becomes a session, and comes back translated in its own format."""

import re
from collections.abc import Sequence
from itertools import chain
from pathlib import PurePosixPath, PureWindowsPath
from urllib.parse import quote

from recollect.decoding.translator import Translator
from recollect.documents import output_of
from recollect.errors import DataError
from recollect.serving.record import CONFIRMED, Record, Sentence
from recollect.serving.refusals import WrongError
from recollect.serving.splitting import token_length
from recollect.text.formats.registry import FORMATS, content_of, format_named, format_of
from recollect.text.passages import Passages, Spoken
from recollect.text.placing import Link
from recollect.text.scripts import glue

__all__ = ["Document", "disposition", "media_type", "output_name", "plain_text", "read_document", "safe_name"]

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_TYPES = {
    ".csv": "text/csv",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".json": "application/json",
    ".md": "text/markdown",
    ".srt": "application/x-subrip",
    ".txt": "text/plain",
    ".vtt": "text/vtt",
    ".xlf": "application/xliff+xml",
}


class Document:
    """A file that has been read: its sentences, and the way back."""

    def __init__(self, format_name: str, passages: Passages) -> None:
        self.format, self.passages = format_name, passages

    @property
    def sentences(self) -> list[Sentence]:
        """What a session begins with; what was translated already is a person's word."""
        wheres = self.passages.wheres()
        return [
            Sentence(
                source,
                self.passages.settled.get(place),
                CONFIRMED if place in self.passages.settled else "waiting",
                settled=1 if place in self.passages.settled else 0,
                where=wheres[place],
            )
            for place, source in enumerate(self.passages.sentences)
        ]

    def render(self, sentences: Sequence[Sentence], links: Sequence[Sequence[Link]]) -> bytes:
        """Return the file with the translations of its sentences."""
        if [each.source for each in sentences] != self.passages.sentences:
            raise WrongError("another model cuts this file into other sentences; upload it again")
        return self.passages.render(
            [Spoken(each.text or "", some) for each, some in zip(sentences, links, strict=True)]
        )


def read_document(
    translator: Translator, data: bytes, name: str, format_name: str | None = None, column: str | None = None
) -> Document:
    """Read a file; its name is a label, and nothing is looked for under it."""
    kind = format_of(PurePosixPath(name)) if format_name is None else format_named(format_name)
    if kind is None:
        raise WrongError(
            f"'{name}': its name does not tell its format; say it as format, one of {', '.join(FORMATS)}"
        )
    options: dict[str, str | bool | None] = {}
    if kind == "table":
        if column is None:
            raise WrongError(f"'{name}': which column is to be translated? say it as column")
        options["column"] = column
    if kind == "tmx":
        options["source"], options["target"] = (language or None for language in translator.languages)
    if kind == "xliff":
        options["target"] = translator.languages[1] or None
    content = content_of(data, name or "the file", kind, **options)
    passages = Passages(content, translator.languages[0], token_length(translator))
    if not passages.sentences:
        raise DataError(f"'{name}': there is nothing to translate in it")
    return Document(kind, passages)


def safe_name(name: str) -> str:
    """Return the last part of a name, without what could be taken for a path or a command.

    >>> safe_name("../../etc/passwd"), safe_name("C:\\\\temp\\\\film.srt"), safe_name("..")
    ('passwd', 'film.srt', 'document')
    """
    last = PureWindowsPath(_CONTROL.sub("", name).replace("/", "\\")).name.strip(". ")
    suffix = PurePosixPath(last).suffix[:20]
    stem = last.removesuffix(suffix)[: 200 - len(suffix)]
    return stem + suffix or "document"


def output_name(record: Record) -> str:
    """Return what a session's translation is called as a file."""
    name = record.file or f"{safe_name(record.name or 'text')}.txt"
    return output_of(PurePosixPath(name), record.languages)


def disposition(name: str) -> str:
    """Return a header that offers a file under this name, whatever characters it has."""
    plain = re.sub(r"[^A-Za-z0-9._ -]", "_", name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def media_type(name: str) -> str:
    """Return what a file is to be sent as; a page is never sent as one that a browser would run."""
    return _TYPES.get(PurePosixPath(name).suffix.lower(), "application/octet-stream")


def plain_text(record: Record) -> bytes:
    """Return the translation of a session that came as text."""
    texts = [each.source if each.text is None else each.text for each in record.sentences]
    gaps = [
        each.gap if "\n" in each.gap else glue(before, after)
        for each, before, after in zip(record.sentences, texts, [*texts[1:], ""], strict=True)
    ]
    return "".join(chain(*zip(texts, gaps, strict=True))).rstrip().encode() + b"\n"
