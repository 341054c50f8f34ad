"""Markdown: prose with its markup as marks; code, HTML, link targets and front matter stay untouched."""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from recollect.errors import DataError
from recollect.text.formats.content import Content, Unit
from recollect.text.formats.markdown_inline import Image, Style, understood, written
from recollect.text.formats.markdown_syntax import TooTangledError, allow, parser
from recollect.text.inline import Inline
from recollect.text.wrapping import width

__all__ = ["read_markdown"]

_BOM = "\ufeff"
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_FRONT_MATTER = re.compile(
    r"""
    (?: ---[ \t]*[\r\n] (?:.*?[\r\n])?? (?:---|\.\.\.)   # YAML
      | \+\+\+[ \t]*[\r\n] (?:.*?[\r\n])?? \+\+\+ )      # TOML
    [ \t]*(?:\r\n|\r|\n|\Z)""",
    re.DOTALL | re.VERBOSE,
)
_TASK = re.compile(r"\[[ xX]\][ \t]+")
_ALERT = re.compile(r"\[!\w+\]\s*")
_CLOSED_HEADING = re.compile(r"[ \t]+#+[ \t]*\Z")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a unit stands, how it is written, and its images' places in the list of units."""

    begin: int
    end: int
    style: Style
    images: dict[int, tuple[int, str]] = field(default_factory=dict)


class _Markdown:
    """A file: its text, its units and where they stand."""

    def __init__(self, text: str, name: str) -> None:
        self._text, self._name = text, name
        self._markdown: MarkdownIt = parser()
        self._env: dict[str, Any] = {}
        self._places: list[_Place] = []
        self.units: list[Unit] = []
        self._lines = [found.span() for found in _LINE.finditer(text)]
        self._read()

    def render(self, targets: Sequence[Inline | None]) -> bytes:
        """Return the file with `targets` written at their places, all else as it was."""
        changed = {
            index: target
            for index, (unit, target) in enumerate(zip(self.units, targets, strict=True))
            if target is not None and target != unit.source
        }
        parts, at = [], 0
        for index in changed:
            place = self._places[index]
            if place.begin >= at:  # else an image in a paragraph that has been written
                parts += [self._text[at : place.begin], self._written(index, changed)]
                at = place.end
        return "".join([*parts, self._text[at:]]).encode()

    def _written(self, index: int, changed: Mapping[int, Inline]) -> str:
        place = self._places[index]
        alternatives = {
            number: f"![{self._written(other, changed)}{closing}"
            for number, (other, closing) in place.images.items()
            if other in changed
        }
        return written(changed[index], place.style, alternatives, self._markdown, self._env)

    def _read(self) -> None:
        start = len(_BOM) if self._text.startswith(_BOM) else 0
        front = _FRONT_MATTER.match(self._text, start)
        prose_from = front.end() if front else start
        source = "\n".join(
            self._line(number) if begin >= prose_from else "" if front else self._line(number)[start:]
            for number, (begin, _) in enumerate(self._lines)
        )
        try:
            allow(self._markdown, len(source))
            tokens = self._markdown.parse(source, self._env)
        except (TooTangledError, RecursionError):
            raise DataError(f"{self._name}: its blocks are nested too deep; use fewer levels") from None
        cursor = (0, 0)  # the line of the last table cell, and where in it the cell ended
        for index, token in enumerate(tokens):
            if token.type != "inline" or token.map is None:
                continue
            try:
                if tokens[index - 1].type in ("th_open", "td_open"):
                    cursor = self._cell(token, cursor)
                else:
                    self._paragraph(token, tokens[max(0, index - 2) : index])
            except (TooTangledError, RecursionError):
                raise DataError(
                    f"{self._name}, line {token.map[0] + 1}: the brackets of this paragraph are too tangled; "
                    "escape those that are no markup (\\[)"
                ) from None

    def _line(self, number: int) -> str:
        begin, end = self._lines[number]
        return self._text[begin:end].rstrip("\r\n")

    def _cell(self, token: Token, cursor: tuple[int, int]) -> tuple[int, int]:
        assert token.map is not None
        number = token.map[0]
        raw = token.content.replace("|", "\\|")
        at = self._line(number).find(raw, cursor[1] if cursor[0] == number else 0)
        if at < 0 or not _has_letters(raw):
            return cursor
        begin = self._lines[number][0] + at
        starts = [(0, begin)] if raw == token.content else []
        self._unit(token.content, begin, begin + len(raw), starts, Style(cell=True))
        return number, at + len(raw)

    def _paragraph(self, token: Token, around: Sequence[Token]) -> None:
        assert token.map is not None
        heading = around[-1].type == "heading_open" and around[-1].markup.startswith("#")
        rows: list[tuple[int, str]] = []  # where a line's text begins in the file, and the text
        prefix = ""
        for number, content in enumerate(token.content.split("\n"), token.map[0]):
            line, text = self._line(number), content.strip()
            end = len(line.rstrip())
            if heading and (closed := _CLOSED_HEADING.search(line)) and line[: closed.start()].endswith(text):
                end = closed.start()
            if not line[:end].endswith(text):
                return  # expanded by the parser in a way that cannot be undone: it stays as it is
            begin = end - len(text)
            prefix = line[:begin] if len(rows) == 1 else prefix
            rows.append((self._lines[number][0] + begin, line[begin:]))
        container = around[0].type
        if container == "list_item_open" and (task := _TASK.match(rows[0][1])):
            rows[0] = (rows[0][0] + task.end(), rows[0][1][task.end() :])
        if container == "blockquote_open" and len(rows) > 1 and _ALERT.fullmatch(rows[0][1]):
            rows = rows[1:]
        if heading:
            rows = [(rows[0][0], token.content.strip())]
        rows[-1] = (rows[-1][0], rows[-1][1].rstrip())
        starts, length = [], 0
        for begin, text in rows:
            starts.append((length, begin))
            length += len(text) + 1
        # A line break that is meant does not make a paragraph one that is wrapped.
        soft = [text for _, text in rows[:-1] if not text.endswith(("  ", "\\"))]
        columns = max(width(text.rstrip()) for _, text in rows) if soft else 0
        newline = self._text[slice(*self._lines[token.map[0]])][len(self._line(token.map[0])) :] + prefix
        style = Style(columns=columns, newline=newline, heading=heading)
        content = "\n".join(text for _, text in rows)
        self._unit(content, rows[0][0], rows[-1][0] + len(rows[-1][1]), starts, style)

    def _unit(
        self, content: str, begin: int, end: int, starts: Sequence[tuple[int, int]], style: Style
    ) -> None:
        """Add a unit and its images'; `starts` are pairs of a place in `content` and the same in the file."""
        prose = understood(content, self._markdown, self._env)
        place = _Place(begin, end, style)
        if _has_letters(prose.inline.text):
            self._add(place, prose.inline)
        for number, image in prose.images.items() if starts else ():
            alternative = understood(content[image.begin : image.end], self._markdown, self._env)
            if _has_letters(alternative.inline.text):
                place.images[number] = (len(self.units), image.closing)
                self._add(_image_place(image, starts, replace(style, within=True)), alternative.inline)

    def _add(self, place: _Place, source: Inline) -> None:
        number = bisect_right(self._lines, place.begin, key=lambda line: line[0])
        self._places.append(place)
        self.units.append(Unit(source, f"line {number}"))


def _image_place(image: Image, starts: Sequence[tuple[int, int]], style: Style) -> _Place:
    def in_file(place: int) -> int:
        at, begin = max(start for start in starts if start[0] <= place)
        return begin + place - at

    return _Place(in_file(image.begin), in_file(image.end), style)


def _has_letters(text: str) -> bool:
    return any(char.isalpha() for char in text)


def read_markdown(data: bytes, name: str) -> Content:
    """Read a Markdown file in UTF-8."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{name}, line {line}: byte {error.start + 1} is not UTF-8; convert the file to UTF-8"
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise DataError(f"{name}, line {line}: a NUL character is no text; convert the file to UTF-8")
    return _Markdown(text, name)
