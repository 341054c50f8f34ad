"""Sentence splitting and its inverse: cut apart, every text can be put together again to the letter."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from sentencex import segment

from recollect.text.inline import Inline, Mark
from recollect.text.scripts import is_dense
from recollect.text.wrapping import width

__all__ = ["Span", "join_sentences", "split_lines", "split_sentences"]

Span = tuple[int, int]
"""Where a sentence begins and ends in a text, white space around it not counted."""

_BREAKS = (
    re.compile(r"[；;：:。！？](?=\s|[^\W\d_])"),  # between clauses
    re.compile(r"[，,、—)）](?=\s|[^\W\d_])"),
    re.compile(r"\S(?=\s)"),  # between words
)
_WRAPPED = 50  # columns; prose is wrapped at 70 or more, and loses its placeholders before it comes here
_FINAL = frozenset(".!?…:;。！？：；")
_CLOSING = "\"'”’»)]}」』）】》 "
_COLUMNS = re.compile(r"\S(?: {3}|\t)")


def split_lines(text: str) -> list[int]:
    """Return where a text is cut because a line ends there: after every line break but those within prose.

    Prose that is wrapped goes on over the break: the line is of 50 columns or more and ends in no final sign
    or colon; the next begins with a small letter, or with one of a script that has no other, and is not set
    in columns.

    >>> split_lines("Usage: tea\\n  -h  show help\\n")
    [11]
    >>> split_lines("Leaves that have been in the water for longer than\\nfive minutes are bitter.")
    []
    """
    ends, end = [], 0
    for line, following in pairwise(text.splitlines(keepends=True)):
        end += len(line)
        if not _goes_on(line.rstrip(), following.strip()):
            ends.append(end)
    return ends


def _goes_on(line: str, following: str) -> bool:
    first = following[:1]
    return (
        (first.islower() or (is_dense(first) and first.isalpha()))
        and width(line) >= _WRAPPED
        and line.rstrip(_CLOSING)[-1:] not in _FINAL
        and not _COLUMNS.search(following)
    )


def split_sentences(
    text: str, language: str, longest: int = 400, length: Callable[[str], int] = len
) -> list[Span]:
    """Cut a text into sentences that `length` finds no longer than `longest`, none over the end of a line.

    Longer ones are cut between clauses, or else between words, or else in the middle.

    >>> split_sentences("Mr. Li came. He left.", "en")
    [(0, 12), (13, 21)]
    """
    found: list[Span] = []
    start = 0
    for begin, end in pairwise([0, *split_lines(text), len(text)]):
        for sentence in segment(language, text[begin:end]):
            found += _bounded(text, start, start + len(sentence), longest, length)
            start += len(sentence)
    return found


def _bounded(text: str, start: int, end: int, longest: int, length: Callable[[str], int]) -> list[Span]:
    words = text[start:end]
    start += len(words) - len(words.lstrip())
    words = words.strip()
    end = start + len(words)
    if not words:
        return []
    if len(words) < 2 or length(words) <= longest:
        return [(start, end)]
    middle = start + _best_break(words)
    return [
        *_bounded(text, start, middle, longest, length),
        *_bounded(text, middle, end, longest, length),
    ]


def _best_break(words: str) -> int:
    """Return where to cut in two: at the strongest sign in the middle half, the nearest to the middle."""
    middle, quarter = len(words) // 2, len(words) // 4
    for signs in _BREAKS:
        places = [found.end() for found in signs.finditer(words, quarter, len(words) - quarter)]
        if places:
            return min(places, key=lambda place: abs(place - middle))
    return max(1, middle)


def join_sentences(text: str, spans: Sequence[Span], translations: Sequence[Inline]) -> Inline:
    """Put translations where the sentences of `text` were, with white space as their own script wants it.

    >>> str(join_sentences("你好。再见。", [(0, 3), (3, 6)], [Inline("Hello."), Inline("Goodbye.")]))
    'Hello. Goodbye.'
    """
    pieces: list[str | Mark] = []
    done = 0
    for number, ((start, end), translation) in enumerate(zip(spans, translations, strict=True)):
        gap = text[done:start]
        if number:
            begin, before = spans[number - 1][0], translations[number - 1].text
            if translation.text != text[start:end] or before != text[begin:done]:
                gap = _gap(before, gap, translation.text)
        pieces += [gap, *translation.pieces()]
        done = end
    return Inline.joined([*pieces, text[done:]])


def _gap(before: str, gap: str, after: str) -> str:
    """Return the white space between two translations, `gap` being what was between their sources."""
    if not before or not after:
        return gap
    dense = is_dense(before[-1]) or is_dense(after[0])
    if gap == "" and not dense:
        return " "
    return "" if gap == " " and dense else gap
