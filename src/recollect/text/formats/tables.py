"""Tables as CSV or TSV: the cells of one column are units, written back there or into another column."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recollect.errors import DataError
from recollect.text.encodings import Decoded, decode
from recollect.text.formats.content import Content, Unit
from recollect.text.inline import Inline, plain
from recollect.text.places import Span, breaks, splice

__all__ = ["read_table"]

_QUOTED = re.compile(r'"([^"]*+(?:""[^"]*+)*+)"')
_MOST_COLUMNS = 16_384  # as many as a spreadsheet has


@dataclass(frozen=True, slots=True)
class _Cell:
    span: Span  # with its quotes
    value: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class _Row:
    line: int  # where it begins
    cells: list[_Cell]


@dataclass(frozen=True, slots=True)
class _Syntax:
    """How cells are told apart."""

    delimiter: str
    quotes: bool = True  # False: a quotation mark is a character like any other

    def spell(self, value: str, quoted: bool) -> str:
        """Write a cell's value, in quotes if the cell it stands for had them or where it needs them."""
        if not self.quotes:
            return re.sub(r"[\t\r\n]+", " ", value)
        if quoted or value.startswith('"') or any(sign in value for sign in (self.delimiter, "\n", "\r")):
            return '"' + value.replace('"', '""') + '"'
        return value


_LITERAL = _Syntax("\t", quotes=False)  # many a file with tabs


def read_table(data: bytes, name: str, column: str, target: str | None = None) -> Content:
    """Read a table with a line of column names; the units are the cells of `column`.

    Translations go into the column `target`, which is added at the end where there is none of that name; what
    stands in it already is the translation of its row. Without `target` they go where their sources were.
    """
    decoded = decode(data, name)
    syntax = _syntax(decoded.text, name, column)
    try:
        return _read(decoded, name, syntax, column, target or column)
    except DataError as error:
        if syntax != _Syntax("\t"):
            raise
        try:
            return _read(decoded, name, _LITERAL, column, target or column)
        except DataError:
            raise error from None


def _syntax(text: str, name: str, column: str) -> _Syntax:
    """How the cells must be told apart for `column` to be among the names."""
    headers, damage = list[list[str]](), list[DataError]()
    for syntax in (_Syntax(","), _Syntax(";"), _Syntax("\t"), _LITERAL):
        try:
            headers.append(_header(next(_rows(text, name, syntax), None)))
        except DataError as error:
            damage.append(error)
            continue
        if not headers[-1] or column in headers[-1]:
            return syntax
    likely = max(headers, key=len)
    raise damage[0] if damage and len(likely) == 1 else _no_column(name, column, likely)


def _no_column(name: str, column: str, header: Sequence[str]) -> DataError:
    names = ", ".join(repr(each[:40]) for each in header[:20])
    return DataError(f"{name}, line 1: there is no column {column!r}; the columns are {names}")


def _header(row: _Row | None) -> list[str]:
    return [cell.value.strip() for cell in row.cells] if row else []


def _rows(text: str, name: str, syntax: _Syntax) -> Iterator[_Row]:
    """Rows of cells; a line without any character is none."""
    unquoted = re.compile(f"[^{syntax.delimiter}\r\n]*")
    at, line, cells = 0, 1, list[_Cell]()
    while at < len(text) or cells:
        if syntax.quotes and text.startswith('"', at):
            cell = _quoted(text, at, f"{name}, line {line}")
        else:
            found = unquoted.match(text, at)
            assert found
            cell = _Cell(Span(at, found.end()), found.group(), False)
        cells.append(cell)
        at = cell.span.end
        if len(cells) > _MOST_COLUMNS:
            raise DataError(
                f"{name}, line {line}: more than {_MOST_COLUMNS:,} cells in a row; end rows with line breaks"
            )
        if text.startswith(syntax.delimiter, at):
            at += 1
            continue
        if at < len(text) and text[at] not in "\r\n":
            raise DataError(
                f"{name}, line {line}: characters after a cell's closing quotation mark; "
                "a quotation mark inside of a quoted cell is written twice"
            )
        if len(cells) > 1 or cell.value or cell.quoted:
            yield _Row(line, cells)
        line += 1 + sum(breaks(cell.value) for cell in cells if cell.quoted)
        at += 2 if text.startswith("\r\n", at) else 1
        cells = []


def _quoted(text: str, start: int, where: str) -> _Cell:
    found = _QUOTED.match(text, start)
    if not found:
        raise DataError(
            f"{where}: a quoted cell begins in this row and never ends; "
            "close it with a quotation mark, or fetch the file again if it was cut short"
        )
    return _Cell(Span(start, found.end()), found.group(1).replace('""', '"'), True)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a row's translation goes, if there is something to translate in it."""

    unit: Unit | None
    cell: _Cell  # to be replaced, or to stand behind
    around: tuple[str, str] = ("", "")  # white space on either side of the unit


@dataclass(frozen=True, slots=True)
class _Table:
    """A table that has been read."""

    decoded: Decoded
    syntax: _Syntax
    places: Sequence[_Place]
    added: _Cell | None  # the last cell of the header, if a column is to be added after it
    target: str

    @property
    def units(self) -> Sequence[Unit]:
        """The cells of the column, from the top."""
        return [place.unit for place in self.places if place.unit]

    def render(self, targets: Sequence[Inline | None]) -> bytes:
        """Return the table with the translations in their column."""
        if all(target is None for target in targets):
            return self.decoded.encode(self.decoded.text)
        changes = []
        if self.added:
            changes.append(self._behind(self.added, self.target))
        remaining = iter(targets)
        for place in self.places:
            target = next(remaining) if place.unit else None
            if self.added:
                changes.append(self._behind(place.cell, "" if target is None else str(target)))
            elif target is not None and str(target) != place.cell.value.strip():
                value = place.around[0] + str(target) + place.around[1]
                changes.append((place.cell.span, self.syntax.spell(value, place.cell.quoted)))
        return self.decoded.encode(splice(self.decoded.text, changes))

    def _behind(self, cell: _Cell, value: str) -> tuple[Span, str]:
        spelled = self.syntax.spell(value, cell.quoted and bool(value))
        return Span(cell.span.end, cell.span.end), self.syntax.delimiter + spelled


def _read(decoded: Decoded, name: str, syntax: _Syntax, column: str, target: str) -> _Table:
    rows = _rows(decoded.text, name, syntax)
    first = next(rows, None)
    if first is None:
        return _Table(decoded, syntax, [], None, target)
    header = _header(first)
    if column not in header:
        raise _no_column(name, column, header)
    for wanted in (column, target):
        if header.count(wanted) > 1:
            raise DataError(
                f"{name}, line {first.line}: {header.count(wanted)} columns are called {wanted!r}; "
                "give each its own name"
            )
    source, into = header.index(column), header.index(target) if target in header else -1
    places = []
    for row in rows:
        if len(row.cells) != len(header):
            raise DataError(
                f"{name}, line {row.line}: {len(row.cells)} cells where the header has {len(header)}; "
                "put cells with a delimiter in them in quotation marks"
            )
        places.append(_place(row, source, into))
    return _Table(decoded, syntax, places, None if target in header else first.cells[-1], target)


def _place(row: _Row, source: int, into: int) -> _Place:
    value, cell = row.cells[source].value, row.cells[into]
    text = value.strip()
    if into == source:
        lead = value[: len(value) - len(value.lstrip())]
        around = lead, value[len(lead) + len(text) :]
        return _Place(Unit(plain(text), f"line {row.line}") if text else None, cell, around)
    held = cell.value.strip() if into >= 0 else ""
    unit = Unit(plain(text), f"line {row.line}", plain(held) if held else None)
    return _Place(unit if text else None, cell)
