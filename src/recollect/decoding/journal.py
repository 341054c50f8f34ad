"""Translating a text file so that nothing finished is ever lost: a journal beside the output."""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from recollect.decoding.translation import Finished, Translation
from recollect.decoding.translator import Translator
from recollect.errors import DataError, RunError
from recollect.files import whole_entries, whole_file
from recollect.progress import SilentProgress, TerminalProgress

__all__ = ["Journal", "PlainText", "translate_text"]


@dataclass(frozen=True, slots=True)
class PlainText:
    """Lines of a text; documents are runs of lines with something in them."""

    lines: list[str]
    documents: list[list[int]]  # line numbers

    @classmethod
    def parse(cls, data: bytes, name: str, starts: Sequence[int] = (1,)) -> "PlainText":
        """Split UTF-8 text into lines; a document ends at an empty line or before one of `starts`."""
        lines, first = [], set(starts)
        raw = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        if raw[-1] == b"":
            raw.pop()  # the last line ends in a newline
        for number, line in enumerate(raw, start=1):
            try:
                lines.append(line.decode("utf-8").strip())
            except UnicodeDecodeError:
                raise DataError(f"{name}, line {number}: this is not valid UTF-8 text") from None
        if starts[-1] > max(len(lines), 1):
            raise DataError(f"{name} has {len(lines)} lines, but a document is to start at line {starts[-1]}")
        documents: list[list[int]] = [[]]
        for number, text in enumerate(lines):
            if not text or number + 1 in first:
                documents.append([])
            if text:
                documents[-1].append(number)
        return cls(lines, [document for document in documents if document])

    @property
    def digest(self) -> str:
        """What tells this text, cut into these documents, from others."""
        return hashlib.sha256(json.dumps([self.lines, self.documents]).encode()).hexdigest()

    @property
    def sentences(self) -> list[list[str]]:
        """The sentences of each document."""
        return [[self.lines[number] for number in document] for document in self.documents]


def translate_text(
    translator: Translator,
    text: PlainText,
    output: Path | None,
    *,
    history: PlainText | None = None,
    signature: Sequence[str] = (),
    progress: SilentProgress | TerminalProgress,
) -> list[str]:
    """Return one line for every line of `text`; with `output`, write them there at the end.

    While it runs, finished sentences are in `<output>.journal`; the same call goes on from there. `signature`
    names what the result depends on besides the text: a journal of another translation is not continued.
    """
    if history is not None and history.documents != text.documents:
        raise DataError("the history must have a line for every line of the text, and the same empty ones")
    depends_on = [*signature, f"history={history.digest if history else None}"]
    journal = Journal.open(output, text.digest, depends_on) if output is not None else None
    done = journal.done if journal else {}
    translated = [""] * len(text.lines)
    for document, sentences in done.items():
        for number, sentence in zip(text.documents[document], sentences, strict=False):
            translated[number] = sentence.text
    count = sum(len(document) for document in text.documents)
    begun = sum(len(sentences) for sentences in done.values())
    if begun:
        progress.say(f"going on after {begun:,} sentences that are already translated")
    with progress.bar("translate", count, "sentences", done=begun) as advance:
        for item in translator.stream(
            text.sentences,
            done={number: [each.tokens for each in sentences] for number, sentences in done.items()},
            history=history.sentences if history is not None else None,
        ):
            translated[text.documents[item.document][item.sentence]] = item.translation.text
            if journal:
                journal.add(item)
            advance(1, "")
    if journal and output is not None:
        with whole_file(output) as draft:
            draft.write_text("".join(f"{line}\n" for line in translated), "utf-8", newline="\n")
        journal.remove()
    return translated


class Journal:
    """Finished sentences, one JSON line each, after a first line that says what they belong to."""

    def __init__(self, path: Path, header: dict[str, Any], entries: Sequence[Any]) -> None:
        self.path = path
        self.done: dict[int, list[Translation]] = {}
        for document, sentence, text, score, tokens, aligned in entries:
            sentences = self.done.setdefault(document, [])
            if sentence == len(sentences):
                sentences.append(Translation(text, score, tuple(tokens), tuple(aligned)))
        self._lines = [json.dumps(entry) + "\n" for entry in (header, *entries)]
        self._handle: IO[str] | None = None  # until there is something to note

    @staticmethod
    def beside(output: Path) -> Path:
        """Where the journal of an output is while it is under way."""
        return output.with_name(output.name + ".journal")

    @classmethod
    def open(cls, output: Path, digest: str, signature: Sequence[str]) -> "Journal":
        """Begin a journal of the text with this digest, or read an interrupted one."""
        path = cls.beside(output)
        header = {"journal": 2, "text": digest, "signature": list(signature)}
        entries = list(whole_entries(path))
        if entries and entries[0] != header:
            raise RunError(
                f"{path}: an interrupted translation of another text or with other options; "
                "delete this file to begin anew, or repeat the command that wrote it"
            )
        return cls(path, header, entries[1:])

    def add(self, item: Finished) -> None:
        """Note a sentence; it is safe once this returns."""
        if self._handle is None:
            with whole_file(self.path) as draft:  # without what was cut off when it was interrupted
                draft.write_text("".join(self._lines), "utf-8")
            self._handle = self.path.open("a", encoding="utf-8")
        found = item.translation
        entry = [item.document, item.sentence, found.text, found.score, found.tokens, found.aligned]
        self._handle.write(json.dumps(entry) + "\n")
        self._handle.flush()
        os.fsync(self._handle.fileno())

    def remove(self) -> None:
        """Drop the journal: the output has everything."""
        if self._handle is not None:
            self._handle.close()
        self.path.unlink(missing_ok=True)
