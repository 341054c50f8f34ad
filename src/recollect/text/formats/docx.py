"""Word documents (.docx): paragraphs of the body, headers, footers and notes, formatting as marks."""

import copy
import io
import re
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lxml import etree

from recollect.errors import DataError
from recollect.text.formats.content import Content, Unit
from recollect.text.formats.docx_items import WORD
from recollect.text.formats.docx_paragraph import Paragraph
from recollect.text.inline import Inline

__all__ = ["read_docx"]

_MAIN = "word/document.xml"
_TRANSLATED = re.compile(r"word/(?:document|(header|footer)(\d*)|footnotes|endnotes)\.xml")
_ORDER = ["document", "header", "footer", "footnotes", "endnotes"]
_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MOST = 200_000_000  # bytes of all parts together
_MOST_PACKED = 200  # times smaller than it is may a part be packed
_SMALL = 1_000_000  # bytes, below which a part may be packed as well as it likes


@dataclass(frozen=True, slots=True)
class _Part:
    """An XML part with prose in it, and how many units it has."""

    name: str
    data: bytes
    units: int


class _Package:
    """A document as it is in its file: the zip archive, and which of its parts have units."""

    def __init__(self, data: bytes, name: str) -> None:
        self._data, self._name = data, name
        self._parts: list[_Part] = []
        self.units: list[Unit] = []
        with _archive(data, name) as archive:
            for part in sorted(filter(_TRANSLATED.fullmatch, archive.namelist()), key=_place):
                content = _unpacked(archive, part, name)
                paragraphs = [one for one, _ in _paragraphs(_parsed(content, part, name))]
                label = "" if part == _MAIN else f"{part.removeprefix('word/').removesuffix('.xml')}, "
                found = [
                    Unit(paragraph.source, f"{label}paragraph {number}")
                    for number, paragraph in enumerate(paragraphs, 1)
                    if _has_letters(paragraph)
                ]
                self._parts.append(_Part(part, content, len(found)))
                self.units += found

    def render(self, targets: Sequence[Inline | None]) -> bytes:
        """Return the file with the parts rewritten that have a changed unit."""
        rewritten: dict[str, bytes] = {}
        pairs = list(zip(self.units, targets, strict=True))
        for part in self._parts:
            own, pairs = pairs[: part.units], pairs[part.units :]
            changes = [None if target == unit.source else target for unit, target in own]
            if any(change is not None for change in changes):
                rewritten[part.name] = self._rewritten(part, changes)
        return _repacked(self._data, self._name, rewritten) if rewritten else self._data

    def _rewritten(self, part: _Part, changes: Sequence[Inline | None]) -> bytes:
        root = _parsed(part.data, part.name, self._name)
        # All paragraphs are understood before the first is changed: one may stand in a text box of another.
        found = [(one, twin) for one, twin in _paragraphs(root) if _has_letters(one)]
        for (paragraph, twin), target in zip(found, changes, strict=True):
            if target is not None:
                paragraph.write(target)
                if twin is not None and twin.source == paragraph.source:
                    twin.write(target)
        tree = root.getroottree()
        return bytes(etree.tostring(tree, xml_declaration=True, encoding="UTF-8", standalone=True))


def read_docx(data: bytes, name: str) -> Content:
    """Read a Word document; what its parts unpack to is bounded before anything is unpacked."""
    return _Package(data, name)


def _archive(data: bytes, name: str) -> zipfile.ZipFile:
    if data.startswith(_OLE):
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise DataError(f"{name}: the document is encrypted; save it without a password")
        raise DataError(f"{name}: this is an old .doc; save it as .docx")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        raise DataError(f"{name}: not a .docx, or only a part of one; save the document again") from None
    parts = archive.infolist()
    if any(part.flag_bits & 1 for part in parts):
        raise DataError(f"{name}: the document is encrypted; save it without a password")
    if sum(part.file_size for part in parts) > _MOST or any(
        part.file_size > _SMALL and part.file_size > _MOST_PACKED * part.compress_size for part in parts
    ):
        raise DataError(f"{name}: its parts unpack to too much; expected {_MOST // 1_000_000} MB at most")
    if len({part.filename for part in parts}) < len(parts):
        raise DataError(f"{name}: two parts have the same name; save the document again")
    if _MAIN not in archive.namelist():
        raise DataError(f"{name}: there is no {_MAIN} in it, so it is no Word document; expected a .docx")
    return archive


def _unpacked(archive: zipfile.ZipFile, part: str, name: str) -> bytes:
    try:
        with archive.open(part) as file:
            return file.read(archive.getinfo(part).file_size + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError):
        raise DataError(f"{name}: its part {part} is damaged; save the document again") from None


def _parsed(data: bytes, part: str, name: str) -> etree._Element:
    if b"<!DOCTYPE" in data.replace(b"\0", b""):  # in UTF-16, too
        raise DataError(
            f"{name}: {part} declares a document type or entities; expected plain XML without them"
        )
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        raise DataError(
            f"{name}: {part}, line {line}, is broken XML or nested too deep; save the document again"
        ) from None


def _place(part: str) -> tuple[int, int]:
    """Where a part is in reading order."""
    found = re.fullmatch(r"word/([a-z]+)(\d*)\.xml", part)
    assert found is not None
    return _ORDER.index(found.group(1)), int(found.group(2) or 0)


def _paragraphs(root: etree._Element) -> list[tuple[Paragraph, Paragraph | None]]:
    """Paragraphs in order, each with its twin for older readers, if it is in a text box that has one."""
    twins: dict[etree._Element, etree._Element] = {}
    hidden: set[etree._Element] = set()
    for choice in root.iter(f"{_COMPATIBILITY}AlternateContent"):
        shown = list(choice.iterfind(f"{_COMPATIBILITY}Choice//{WORD}p"))
        older = list(choice.iterfind(f"{_COMPATIBILITY}Fallback//{WORD}p"))
        hidden.update(older)
        if len(shown) == len(older):
            twins.update(zip(shown, older, strict=True))
    return [
        (Paragraph(element), Paragraph(twins[element]) if element in twins else None)
        for element in root.iter(f"{WORD}p")
        if element not in hidden
    ]


def _has_letters(paragraph: Paragraph) -> bool:
    return any(char.isalpha() for char in paragraph.source.text)


def _repacked(data: bytes, name: str, rewritten: Mapping[str, bytes]) -> bytes:
    """Return the archive with some parts exchanged; order, names, times and kinds of packing stay."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(packed, "w") as new:
        new.comment = old.comment
        for part in old.infolist():
            content = rewritten.get(part.filename)
            if content is None:
                content = _unpacked(old, part.filename, name)
            new.writestr(copy.copy(part), content)
    return packed.getvalue()
