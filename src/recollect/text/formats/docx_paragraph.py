"""A paragraph of a Word document as text with marks, and its runs made anew from a translation."""

import copy
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lxml import etree

from recollect.text.formats.wrapping import glue
from recollect.text.inline import Inline, Mark, Role

__all__ = ["Paragraph", "W"]

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MATHS = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_CONTAINERS = {
    f"{W}{name}" for name in ("hyperlink", "ins", "moveTo", "smartTag", "customXml", "dir", "bdo", "sdt")
}
_DROPPED = {f"{W}{name}" for name in ("proofErr", "lastRenderedPageBreak", "softHyphen")}
_WORDS = {f"{W}fldSimple", f"{_MATHS}oMath", f"{_MATHS}oMathPara"}
_SPACES = {f"{W}tab", f"{W}ptab", f"{W}br", f"{W}cr"}
_NO_FORMATTING = {f"{W}{name}" for name in ("lang", "noProof", "rPrChange", "webHidden")}
_PROPERTIES = {f"{W}{name}" for name in ("sdtPr", "sdtEndPr", "smartTagPr", "customXmlPr")}
_NOT_XML = re.compile("[^\t\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FAR = 50  # bookmarks and spaces in a row, over which a look is not followed
_NO_BREAK_HYPHEN = "\u2011"


@dataclass(slots=True)
class _Text:
    text: str
    format: bytes
    element: etree._Element
    properties: etree._Element | None


@dataclass(slots=True)
class _Atom:
    """What is kept whole: elements, each with the properties of the run that it stood in, or None."""

    elements: list[tuple[etree._Element, etree._Element | None]]
    format: bytes | None
    role: Role = "point"


@dataclass(slots=True)
class _Container:
    element: etree._Element
    items: list["_Item"]


@dataclass(slots=True)
class _Link:
    """A field HYPERLINK: what comes before its text, and what after."""

    before: _Atom
    items: list["_Item"]
    after: _Atom


_Item = _Text | _Atom | _Container | _Link


@dataclass(slots=True)
class _Known:
    """What the marks with one number stand for."""

    format: bytes | None = None  # of the text between them
    container: etree._Element | None = None
    opening: _Atom | None = None
    closing: _Atom | None = None
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
        self._base = _main_look(items, b"")
        self.source = self._parted(self._pieces(items, self._base))

    def write(self, target: Inline) -> None:
        """Replace the content of the paragraph; its properties and everything that marks stand for stay."""
        for child in list(self._element):
            if child.tag != f"{W}pPr":
                self._element.remove(child)
        _Writer(self._element, self._known, self._properties, self._base).write(target)

    def _items(self, parent: etree._Element) -> list[_Item]:
        """Content of a paragraph or of a container within it, complete fields as one item."""
        found: list[_Item] = []
        for child in parent:
            if child.tag == f"{W}r":
                found += self._run(child)
            elif child.tag in _CONTAINERS:
                inner = child.find(f"{W}sdtContent") if child.tag == f"{W}sdt" else child
                if inner is not None:
                    found.append(_Container(child, self._items(inner)))
            elif child.tag not in (*_DROPPED, *_PROPERTIES, f"{W}pPr"):
                found.append(_Atom([(child, None)], None, "word" if child.tag in _WORDS else "point"))
        return _with_fields(found)

    def _run(self, run: etree._Element) -> Iterator[_Item]:
        properties = run.find(f"{W}rPr")
        format = self._format(properties)
        for child in run:
            if child.tag == f"{W}t":
                yield _Text(child.text or "", format, child, properties)
            elif child.tag == f"{W}noBreakHyphen":
                yield _Text(_NO_BREAK_HYPHEN, format, child, properties)
            elif child.tag not in (*_DROPPED, f"{W}rPr"):
                yield _Atom([(child, properties)], format)

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

    def _pieces(self, items: Sequence[_Item], base: bytes) -> Iterator[str | Mark]:
        """Text and marks; a pair of marks around neighbours of one look that is not `base`."""
        at = 0
        while at < len(items):
            item = items[at]
            if isinstance(item, _Container | _Link):
                yield from self._around(item, base)
                at += 1
                continue
            end = _same_look(items, at)
            group = items[at:end]
            look = item.format if isinstance(item, _Text) else None
            number = 0
            if look is not None and look != base and any(_is_visible(one) for one in group):
                number = self._number(_Known(format=look))
                yield Mark(0, f"<{number}>", "open", number)
            for one in group:
                if isinstance(one, _Text):
                    yield one.text
                elif isinstance(one, _Atom):
                    own = self._number(_Known(opening=one))
                    yield Mark(0, f"<{own}/>", one.role, own)
            if number:
                yield Mark(0, f"</{number}>", "close", number)
            at = end

    def _around(self, item: _Container | _Link, base: bytes) -> Iterator[str | Mark]:
        known = _Known(format=_main_look(item.items, base))
        if isinstance(item, _Container):
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
            element = etree.Element(f"{W}t")
            element.text = text
            if text != text.strip():
                element.set(_SPACE, "preserve")
            self._run(element, self._properties[self._formats[-1][1]])

    def _run(self, content: etree._Element, properties: etree._Element | None) -> None:
        run = etree.SubElement(self._within[-1][1], f"{W}r")
        if properties is not None:
            run.append(copy.deepcopy(properties))
        content.tail = None
        run.append(content)

    def _keep(self, atom: _Atom) -> None:
        for element, properties in atom.elements:
            if element.getparent() is None or element.getparent().tag != f"{W}r":
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
        if container.tag == f"{W}sdt":
            copied = etree.SubElement(copied, f"{W}sdtContent")
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


def _is_visible(item: _Item) -> bool:
    return isinstance(item, _Text) and bool(item.text.strip())


def _same_look(items: Sequence[_Item], at: int) -> int:
    """Return the end of the group that begins at `at`: texts of one look, and what stands between them."""
    first = items[at]
    if not isinstance(first, _Text):
        return at + 1
    end = at + 1
    for index in range(at + 1, len(items)):
        item = items[index]
        if index - end > _FAR or isinstance(item, _Container | _Link):
            break
        if _is_visible(item) and item.format != first.format:
            break
        if isinstance(item, _Atom) and item.format not in (None, first.format):
            break
        if isinstance(item, _Text) and item.format == first.format:
            end = index + 1
    return end


def _main_look(items: Sequence[_Item], otherwise: bytes) -> bytes:
    """Return the look of most characters."""
    lengths: Counter[bytes] = Counter()
    for text in _texts(items):
        lengths[text.format] += len(text.text.strip())
    return lengths.most_common(1)[0][0] if lengths.total() else otherwise


def _texts(items: Sequence[_Item]) -> Iterator[_Text]:
    for item in items:
        if isinstance(item, _Text):
            yield item
        elif isinstance(item, _Container | _Link):
            yield from _texts(item.items)


def _with_fields(items: Sequence[_Item]) -> list[_Item]:
    """Make one item of each field that begins and ends among `items`."""
    found: list[_Item] = []
    begins: list[int] = []  # where in `found` a field began
    for item in items:
        kind = _field_kind(item)
        if kind == "begin":
            begins.append(len(found))
        found.append(item)
        if kind == "end" and begins:
            begin = begins.pop()
            found[begin:] = [_field(found[begin:])]
    return found


def _field(items: Sequence[_Item]) -> _Item:
    parted = next((i for i, item in enumerate(items) if _field_kind(item) == "separate"), None)
    code = "".join(
        element.text or ""
        for item in items[:parted]
        if isinstance(item, _Atom)
        for element, _ in item.elements
        if element.tag == f"{W}instrText"
    )
    if parted is not None and code.split()[:1] == ["HYPERLINK"]:
        before, after = _atom(items[: parted + 1], "point"), _atom(items[-1:], "point")
        return _Link(before, list(items[parted + 1 : -1]), after)
    return _atom(items, "word")


def _atom(items: Sequence[_Item], role: Role) -> _Atom:
    """Keep `items` whole, in the order in which they were."""
    elements: list[tuple[etree._Element, etree._Element | None]] = []
    for item in items:
        if isinstance(item, _Atom):
            elements += item.elements
        elif isinstance(item, _Container):
            elements.append((item.element, None))
        elif isinstance(item, _Link):
            elements += [*item.before.elements, *_atom(item.items, role).elements, *item.after.elements]
        else:
            elements.append((item.element, item.properties))
    return _Atom(elements, None, role)


def _field_kind(item: _Item) -> str | None:
    if isinstance(item, _Atom) and len(item.elements) == 1 and item.elements[0][0].tag == f"{W}fldChar":
        return str(item.elements[0][0].get(f"{W}fldCharType"))
    return None
