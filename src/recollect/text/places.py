"""Places in a text: its lines, and new words at the places of old ones."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

__all__ = ["Line", "Span", "breaks", "lines", "splice"]

_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")


@dataclass(frozen=True, slots=True)
class Span:
    """The characters from `start` up to, but without, `end`."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The words that stand there."""
        return text[self.start : self.end]

    def stripped(self, text: str) -> "Span":
        """Without white space at either end.

        >>> Span(0, 5).stripped("  a  ")
        Span(start=2, end=3)
        """
        found = self.of(text)
        start = self.start + len(found) - len(found.lstrip())
        return Span(start, start + len(found.strip()))


@dataclass(frozen=True, slots=True)
class Line:
    """One line: where it stands, without what ends it."""

    number: int  # from 1
    span: Span
    ending: str


def lines(text: str) -> Iterator[Line]:
    r"""Every line, whether it ends in \n, \r\n, \r or with the text.

    >>> [(line.span.of("a\r\nb"), line.ending) for line in lines("a\r\nb")]
    [('a', '\r\n'), ('b', '')]
    """
    start = number = 0
    while start < len(text):
        found = _LINE.match(text, start)
        assert found
        number += 1
        yield Line(number, Span(start, found.end(1)), found.group(2))
        start = found.end()


def breaks(text: str) -> int:
    r"""How many lines end in a text.

    >>> breaks("one\r\ntwo\rthree\nfour")
    3
    """
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def splice(text: str, changes: Iterable[tuple[Span, str]]) -> str:
    """Put new words at places that do not overlap; all else stays as it is.

    >>> splice("one two", [(Span(4, 7), "2"), (Span(0, 3), "1")])
    '1 2'
    """
    parts, done = [], 0
    for span, new in sorted(changes, key=lambda change: change[0].start):
        assert done <= span.start <= span.end <= len(text), (done, span)
        parts += [text[done : span.start], new]
        done = span.end
    return "".join([*parts, text[done:]])
