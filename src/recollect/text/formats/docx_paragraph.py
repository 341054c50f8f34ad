"""A paragraph of a Word document as text with marks, and its runs made anew from a translation."""

import copy
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lxml import etree

from recollect.text.formats.docx_items import (
    WORD,
    Atom,
    Container,
    Item,
    Link,
    Text,
    is_visible,
    main_look,
    same_look,
    with_fields,
)
from recollect.text.inline import Inline, Mark
from recollect.text.scripts import glue

__all__ = ["Paragraph"]

_MATHS = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_CONTAINERS = {
    f"{WORD}{name}" for name in ("hyperlink", "ins", "moveTo", "smartTag", "customXml", "dir", "bdo", "sdt")
}
_DROPPED = {f"{WORD}{name}" for name in ("proofErr", "lastRenderedPageBreak", "softHyphen")}
_WORDS = {f"{WORD}fldSimple", f"{_MATHS}oMath", f"{_MATHS}oMathPara"}
_SPACES = {f"{WORD}tab", f"{WORD}ptab", f"{WORD}br", f"{WORD}cr"}
_NO_FORMATTING = {f"{WORD}{name}" for name in ("lang", "noProof", "rPrChange", "webHidden")}
_PROPERTIES = {f"{WORD}{name}" for name in ("sdtPr", "sdtEndPr", "smartTagPr", "customXmlPr")}
_NOT_XML = re.compile("[^\t\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NO_BREAK_HYPHEN = "\u2011"


@dataclass(slots=True)
class _Known:
    """What the marks with one number stand for."""

    format: bytes | None = None  # of the text between them
    container: etree._Element | None = None
    opening: Atom | None = None
    closing: Atom | None = None
    spaced: bool = False  # a space stands after it in the unit's text that is not in the file

    def parts_words(self) -> bool:
        """Return whether this is a tab or a line break."""
        return self.opening is not None and any(
            element.tag in _SPACES for element, _ in self.opening.elements
        )


class Paragraph:
    """Its text with marks, and what these stand for."""

    def __init__(self, element: etree._Element) -> None:
        self._element = element
        self._properties: dict[bytes, etree._Element | None] = {b"": None}
        self._known: dict[int, _Known] = {}
        items = self._items(element)
        self._base = main_look(items, b"")
        self.source = self._parted(self._pieces(items, self._base))

    def write(self, target: Inline) -> None:
        """Replace the content of the paragraph; its properties and everything that marks stand for stay."""
        for child in list(self._element):
            if child.tag != f"{WORD}pPr":
                self._element.remove(child)
        _Writer(self._element, self._known, self._properties, self._base).write(target)

    def _items(self, parent: etree._Element) -> list[Item]:
        """Content of a paragraph or of a container within it, complete fields as one item."""
        found: list[Item] = []
        for child in parent:
            if child.tag == f"{WORD}r":
                found += self._run(child)
            elif child.tag in _CONTAINERS:
                inner = child.find(f"{WORD}sdtContent") if child.tag == f"{WORD}sdt" else child
                if inner is not None:
                    found.append(Container(child, self._items(inner)))
            elif child.tag not in (*_DROPPED, *_PROPERTIES, f"{WORD}pPr"):
                found.append(Atom([(child, None)], None, "word" if child.tag in _WORDS else "point"))
        return with_fields(found)

    def _run(self, run: etree._Element) -> Iterator[Item]:
        properties = run.find(f"{WORD}rPr")
        format = self._format(properties)
        for child in run:
            if child.tag == f"{WORD}t":
                yield Text(child.text or "", format, child, properties)
            elif child.tag == f"{WORD}noBreakHyphen":
                yield Text(_NO_BREAK_HYPHEN, format, child, properties)
            elif child.tag not in (*_DROPPED, f"{WORD}rPr"):
                yield Atom([(child, properties)], format)

    def _format(self, properties: etree._Element | None) -> bytes:
        """Return the same bytes for the same look."""
        if properties is None:
            return b""
        looks = sorted(
            etree.tostring(child, method="c14n") for child in properties if child.tag not in _NO_FORMATTING
        )
        format = b"".join(looks)
        self._properties.setdefault(format, properties)
        return format

    def _number(self, known: _Known) -> int:
        number = len(self._known) + 1
        self._known[number] = known
        return number

    def _pieces(self, items: Sequence[Item], base: bytes) -> Iterator[str | Mark]:
        """Text and marks; a pair of marks around neighbours of one look that is not `base`."""
        at = 0
        while at < len(items):
            item = items[at]
            if isinstance(item, Container | Link):
                yield from self._around(item, base)
                at += 1
                continue
            end = same_look(items, at)
            group = items[at:end]
            look = item.format if isinstance(item, Text) else None
            number = 0
            if look is not None and look != base and any(is_visible(one) for one in group):
                number = self._number(_Known(format=look))
                yield Mark(0, f"<{number}>", "open", number)
            for one in group:
                if isinstance(one, Text):
                    yield one.text
                elif isinstance(one, Atom):
                    own = self._number(_Known(opening=one))
                    yield Mark(0, f"<{own}/>", one.role, own)
            if number:
                yield Mark(0, f"</{number}>", "close", number)
            at = end

    def _around(self, item: Container | Link, base: bytes) -> Iterator[str | Mark]:
        known = _Known(format=main_look(item.items, base))
        if isinstance(item, Container):
            known.container = item.element
        else:
            known.opening, known.closing = item.before, item.after
        number = self._number(known)
        yield Mark(0, f"<{number}>", "open", number)
        yield from self._pieces(item.items, known.format or b"")
        yield Mark(0, f"</{number}>", "close", number)

    def _parted(self, pieces: Iterable[str | Mark]) -> Inline:
        """Put `pieces` together; a tab or a line break between two words is a space in the text."""
        found: list[str | Mark] = []
        before, parting = "", None
        for piece in pieces:
            if isinstance(piece, Mark):
                known = self._known[piece.pair]
                if piece.role == "point" and known.parts_words():
                    parting = known
                elif piece.role == "word":
                    before, parting = "", None
            elif piece:
                if parting is not None and glue(before, piece):
                    found.append(" ")
                    parting.spaced = True
                before, parting = piece, None
            found.append(piece)
        return Inline.joined(found)


class _Writer:
    """Appends text and what marks stand for to a paragraph."""

    def __init__(
        self,
        paragraph: etree._Element,
        known: Mapping[int, _Known],
        properties: Mapping[bytes, etree._Element | None],
        base: bytes,
    ) -> None:
        self._known, self._properties = known, properties
        self._within: list[tuple[int, etree._Element]] = [(0, paragraph)]
        self._formats: list[tuple[int, bytes]] = [(0, base)]

    def write(self, target: Inline) -> None:
        spaced = False
        for piece in target.pieces():
            if isinstance(piece, str):
                self._text(piece.removeprefix(" ") if spaced else piece)
                spaced = False
            elif piece.pair in self._known:
                known = self._known[piece.pair]
                if piece.role == "open":
                    self._open(piece.pair, known)
                elif piece.role == "close":
                    self._close(piece.pair, known)
                elif known.opening is not None:
                    self._keep(known.opening)
                    spaced = spaced or known.spaced

    def _text(self, text: str) -> None:
        text = _NOT_XML.sub(" ", text)
        if text:
            element = etree.Element(f"{WORD}t")
            element.text = text
            if text != text.strip():
                element.set(_SPACE, "preserve")
            self._run(element, self._properties[self._formats[-1][1]])

    def _run(self, content: etree._Element, properties: etree._Element | None) -> None:
        run = etree.SubElement(self._within[-1][1], f"{WORD}r")
        if properties is not None:
            run.append(copy.deepcopy(properties))
        content.tail = None
        run.append(content)

    def _keep(self, atom: Atom) -> None:
        for element, properties in atom.elements:
            if element.getparent() is None or element.getparent().tag != f"{WORD}r":
                self._within[-1][1].append(element)
            else:
                self._run(element, properties)

    def _open(self, number: int, known: _Known) -> None:
        if known.format is not None:
            self._formats.append((number, known.format))
        if known.container is not None:
            self._enter(number, known.container)
        elif known.opening is not None:
            self._keep(known.opening)

    def _enter(self, number: int, container: etree._Element) -> None:
        copied = etree.SubElement(self._within[-1][1], container.tag, container.attrib, container.nsmap)
        for child in container:
            if child.tag in _PROPERTIES:
                copied.append(copy.deepcopy(child))
        if container.tag == f"{WORD}sdt":
            copied = etree.SubElement(copied, f"{WORD}sdtContent")
        self._within.append((number, copied))

    def _close(self, number: int, known: _Known) -> None:
        self._formats = [entry for entry in self._formats if entry[0] != number]
        if known.closing is not None:
            self._keep(known.closing)
        if number in [entry[0] for entry in self._within]:
            crossed = []
            while (top := self._within.pop()[0]) != number:
                crossed.append(top)
            for other in reversed(crossed):
                self._enter(other, self._known[other].container)
