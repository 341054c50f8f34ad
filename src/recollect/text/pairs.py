"""Training pairs as a stream: two files read line by line in step, with document ends between the pairs."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from recollect.errors import DataError
from recollect.text.files import read_lines
from recollect.text.formats.plain import read_starts
from recollect.text.formats.ted import without_metadata
from recollect.text.problems import Kind, Problems

__all__ = ["DocumentEnd", "Pair", "stream_pairs"]

# More one-sided empty lines than this, and the files have probably slipped against each other.
_TOLERATED_COUNT = 20
_TOLERATED_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence and its translation, both with something in them."""

    source: str
    target: str
    line: int  # from 1, the same in both files


@dataclass(frozen=True, slots=True)
class DocumentEnd:
    """The pairs before this one and those after it belong to different documents."""


def stream_pairs(
    source: Path, target: Path, starts: Path | None, problems: Problems
) -> Iterator[Pair | DocumentEnd]:
    """Usable pairs in order; unusable ones are reported and skipped, untrustworthy files are refused.

    Two empty lines end a document, unless `starts` lists each document's first line.
    """
    first_lines = set(read_starts(starts)) if starts is not None else None
    sides = zip_longest(without_metadata(read_lines(source)), without_metadata(read_lines(target)))
    one_sided = total = number = 0
    for number, (source_line, target_line) in enumerate(sides, 1):
        if source_line is None or target_line is None:
            raise _uneven(source, target, number, sides, source_ended=source_line is None)
        if first_lines is not None and number > 1 and number in first_lines:
            yield DocumentEnd()
        source_text, target_text = _decode(source_line), _decode(target_line)
        if source_text is None:
            problems.report(Kind.INVALID_UTF8, source, number, repr(source_line[:80]))
        elif target_text is None:
            problems.report(Kind.INVALID_UTF8, target, number, repr(target_line[:80]))
        elif source_text and target_text:
            total += 1
            yield Pair(source_text, target_text, number)
        elif source_text or target_text:
            total += 1
            one_sided += 1
            empty = target if source_text else source
            problems.report(Kind.ONE_SIDE_EMPTY, empty, number, source_text or target_text)
        elif first_lines is None:
            yield DocumentEnd()
        else:
            problems.report(Kind.BOTH_SIDES_EMPTY, source, number, "")
    if first_lines is not None and max(first_lines) > number:
        raise DataError(
            f"{starts}: line {max(first_lines)} starts a document, but {source} has {number} lines"
        )
    if one_sided > max(_TOLERATED_COUNT, _TOLERATED_SHARE * total):
        raise DataError(
            f"{source} and {target}: {one_sided:,} of {total:,} pairs are empty on one side only; "
            "the files look misaligned, line n of one must translate line n of the other"
        )
    yield DocumentEnd()


def _decode(line: bytes) -> str | None:
    try:
        return line.decode("utf-8").strip()
    except UnicodeDecodeError:
        return None


def _uneven(
    source: Path, target: Path, number: int, rest: Iterator[object], *, source_ended: bool
) -> DataError:
    shorter, longer = number - 1, number + sum(1 for _ in rest)
    counts = (shorter, longer) if source_ended else (longer, shorter)
    return DataError(
        f"{source} has {counts[0]:,} lines and {target} has {counts[1]:,}; "
        "line n of one must translate line n of the other"
    )
