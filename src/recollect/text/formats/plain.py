"""Plain text: one sentence a line, documents parted by an empty line or by a file of line numbers."""

from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from pathlib import Path

from recollect.errors import DataError
from recollect.text.document import Document
from recollect.text.files import read_lines
from recollect.text.formats.ted import without_metadata

__all__ = ["cut_at_blanks", "cut_at_starts", "read_sentences", "read_starts"]


def read_sentences(path: Path) -> list[str]:
    """Every line, empty ones too, without white space around it."""
    return [_decode(line, path, number) for number, line in enumerate(without_metadata(read_lines(path)), 1)]


def read_starts(path: Path) -> list[int]:
    """Line numbers, from 1, of each document's first sentence."""
    starts: list[int] = []
    for number, line in enumerate(read_lines(path), 1):
        text = line.strip()
        if not text.isdigit() or int(text) <= (starts[-1] if starts else 0):
            shown = text.decode(errors="replace")
            raise DataError(f"{path}, line {number}: expected a higher line number, found '{shown}'")
        starts.append(int(text))
    if starts[:1] != [1]:
        raise DataError(f"{path}: the first document must start at line 1")
    return starts


def cut_at_blanks(name: str, sentences: Iterable[str]) -> list[Document]:
    """Documents between empty lines; further empty lines in a row make no empty documents."""
    runs = [tuple(run) for filled, run in groupby(sentences, key=bool) if filled]
    return _named(name, runs)


def cut_at_starts(name: str, sentences: Sequence[str], starts: Sequence[int]) -> list[Document]:
    """Documents that begin at the given lines; an empty line is an empty sentence."""
    if starts[-1] > len(sentences):
        raise DataError(f"{name} has {len(sentences)} lines, but a document starts at line {starts[-1]}")
    bounds = [*(start - 1 for start in starts), len(sentences)]
    return _named(name, [tuple(sentences[begin:end]) for begin, end in pairwise(bounds)])


def _named(name: str, runs: Sequence[tuple[str, ...]]) -> list[Document]:
    if len(runs) == 1:
        return [Document(name, runs[0])]
    return [Document(f"{name}:{number}", run) for number, run in enumerate(runs, 1)]


def _decode(line: bytes, path: Path, number: int) -> str:
    try:
        return line.decode("utf-8").strip()
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}, line {number}: byte {error.start + 1} is not UTF-8; convert the file"
        ) from None
