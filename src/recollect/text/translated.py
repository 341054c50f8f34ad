"""Texts beside their translations: from two files of the same shape, or from one that holds both."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from recollect.errors import DataError
from recollect.text.files import base_name, read_chunks
from recollect.text.formats.content import Content, Unit
from recollect.text.formats.registry import format_of, read_content
from recollect.text.inline import Inline, plain

__all__ = ["Translated", "beside", "open_content", "translated"]


@dataclass(frozen=True, slots=True)
class Translated:
    """A stretch of prose and its translation."""

    source: Inline
    target: Inline
    where: str


def translated(content: Content, name: str) -> list[Translated]:
    """Return the units of a file for two languages that have a translation."""
    found = [Translated(unit.source, unit.target, unit.where) for unit in content.units if unit.target]
    if content.units and not found:
        raise DataError(
            f"{name}: none of its {len(content.units):,} texts has a translation; "
            "give the translated file too: SOURCE TRANSLATION"
        )
    return found


def beside(source: Content, target: Content, names: tuple[str, str]) -> list[Translated]:
    """Return the units of two files, each of which is the translation of its counterpart.

    Of a target that is a file for two languages the translations count, and not its sources.
    """
    ours, theirs = source.units, target.units
    if len(ours) != len(theirs):
        raise DataError(
            f"{names[0]} has {len(ours):,} texts and {names[1]} has {len(theirs):,}; "
            "they must be the same, one by one"
        )
    return [
        Translated(one.source, other.target or other.source, one.where)
        for one, other in zip(ours, theirs, strict=True)
        if str(one.source).strip() or str(other.source).strip()
    ]


class _Lines:
    """Plain text, in which every line is a unit."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self._units = units

    @property
    def units(self) -> Sequence[Unit]:
        return self._units

    def render(self, targets: Sequence[Inline | None]) -> bytes:
        lines = [str(target or unit.source) for unit, target in zip(self._units, targets, strict=True)]
        return "".join(f"{line}\n" for line in lines).encode()


def _read_text(data: bytes, name: str) -> Content:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(f"{name}, line {line}: is not UTF-8; convert the file") from None
    lines = text.removesuffix("\n").split("\n") if text else []
    return _Lines([Unit(plain(line.strip()), f"line {number}") for number, line in enumerate(lines, 1)])


def open_content(path: Path, column: str | None = None) -> Content:
    """Read a file of any format that is known by its name; everything else is text, line by line.

    Subtitles are read cue by cue: in another language a sentence may be spread over them otherwise.
    """
    kind = format_of(Path(base_name(path)))
    if kind is None:
        return _read_text(b"".join(read_chunks(path)), str(path))
    if kind == "table":
        if column is None:
            raise DataError(f"{path}: which column is to be read? give --column NAME")
        return read_content(path, kind, column=column)
    return read_content(path, kind, apart=True) if kind == "subtitles" else read_content(path, kind)
