"""Prose with marks in it: tags, placeholders and code that must survive a translation, at their places."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

__all__ = ["Inline", "Mark", "Role", "plain"]

Role = Literal["open", "close", "point", "word"]
"""open and close: a pair around words (bold, a link), with the same `pair`; point: something without words
that stands between them (a line break, a footnote's sign); word: what stands for words (%s, a URL, code)."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Something untranslatable before character `at` of the text."""

    at: int
    raw: str  # how it is written in the file, or whatever its format knows it by
    role: Role = "word"
    pair: int = 0  # what an open and its close have in common


@dataclass(frozen=True, slots=True)
class Inline:
    """Text without its marks, and the marks in the order in which they stand in it."""

    text: str
    marks: tuple[Mark, ...] = ()

    def __post_init__(self) -> None:
        places = [mark.at for mark in self.marks]
        assert places == sorted(places), places
        assert not places or (places[0] >= 0 and places[-1] <= len(self.text)), (places, self.text)

    def __str__(self) -> str:
        """The text with every mark as it is written.

        >>> str(Inline("Hello, !", (Mark(7, "{name}"),)))
        'Hello, {name}!'
        """
        parts, done = [], 0
        for mark in self.marks:
            parts += [self.text[done : mark.at], mark.raw]
            done = mark.at
        return "".join([*parts, self.text[done:]])

    def pieces(self) -> list["str | Mark"]:
        """Stretches of text and marks, in order.

        >>> Inline("ab", (Mark(1, "<b>", "open"),)).pieces()
        ['a', Mark(at=1, raw='<b>', role='open', pair=0), 'b']
        """
        found: list[str | Mark] = []
        done = 0
        for mark in self.marks:
            found += [self.text[done : mark.at], mark] if mark.at > done else [mark]
            done = mark.at
        return [*found, self.text[done:]] if done < len(self.text) else found

    @classmethod
    def joined(cls, pieces: Iterable["str | Mark"]) -> "Inline":
        """Put `pieces` together again; where their marks say they stood does not matter."""
        text, marks, length = [], [], 0
        for piece in pieces:
            if isinstance(piece, str):
                text.append(piece)
                length += len(piece)
            else:
                marks.append(replace(piece, at=length))
        return cls("".join(text), tuple(marks))

    def cut(self, ends: Sequence[int]) -> list["Inline"]:
        """Cut the text at the given characters; a mark at a cut goes where its role wants it.

        A closing mark belongs to what it closes and stays before the cut; any other goes after it.

        >>> [str(part) for part in Inline("a.b", (Mark(2, "</i>", "close"), Mark(2, "<b>", "open"))).cut([2])]
        ['a.</i>', '<b>b']
        """
        parts, begin, marks = [], 0, list(self.marks)
        for end in (*ends, len(self.text)):
            last = end == len(self.text)
            own = []
            while marks and (marks[0].at < end or last or (marks[0].at == end and marks[0].role == "close")):
                mark = marks.pop(0)
                own.append(replace(mark, at=mark.at - begin))
            parts.append(Inline(self.text[begin:end], tuple(own)))
            begin = end
        return parts


def plain(text: str) -> Inline:
    """Text without marks."""
    return Inline(text)
