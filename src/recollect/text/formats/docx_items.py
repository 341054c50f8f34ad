"""What a paragraph of a Word document consists of: texts that look alike, links, and what is kept whole."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lxml import etree

from recollect.text.inline import Role

__all__ = [
    "WORD",
    "Atom",
    "Container",
    "Item",
    "Link",
    "Text",
    "is_visible",
    "main_look",
    "same_look",
    "with_fields",
]

WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FAR = 50  # bookmarks and spaces in a row, over which a look is not followed


@dataclass(slots=True)
class Text:
    """Text of a run."""

    text: str
    format: bytes  # the same for the same look
    element: etree._Element
    properties: etree._Element | None


@dataclass(slots=True)
class Atom:
    """What is kept whole: elements, each with the properties of the run that it stood in, or None."""

    elements: list[tuple[etree._Element, etree._Element | None]]
    format: bytes | None
    role: Role = "point"


@dataclass(slots=True)
class Container:
    """An element with runs in it: a link, an insertion, a content control."""

    element: etree._Element
    items: list["Item"]


@dataclass(slots=True)
class Link:
    """A field HYPERLINK: what comes before its text, and what after."""

    before: Atom
    items: list["Item"]
    after: Atom


Item = Text | Atom | Container | Link


def is_visible(item: Item) -> bool:
    """Return whether this is text that is more than white space."""
    return isinstance(item, Text) and bool(item.text.strip())


def same_look(items: Sequence[Item], at: int) -> int:
    """Return the end of the group that begins at `at`: texts of one look, and what stands between them."""
    first = items[at]
    if not isinstance(first, Text):
        return at + 1
    end = at + 1
    for index in range(at + 1, len(items)):
        item = items[index]
        if index - end > _FAR or isinstance(item, Container | Link):
            break
        if is_visible(item) and item.format != first.format:
            break
        if isinstance(item, Atom) and item.format not in (None, first.format):
            break
        if isinstance(item, Text) and item.format == first.format:
            end = index + 1
    return end


def main_look(items: Sequence[Item], otherwise: bytes) -> bytes:
    """Return the look of most characters."""
    lengths: Counter[bytes] = Counter()
    for text in _texts(items):
        lengths[text.format] += len(text.text.strip())
    return lengths.most_common(1)[0][0] if lengths.total() else otherwise


def _texts(items: Sequence[Item]) -> Iterator[Text]:
    for item in items:
        if isinstance(item, Text):
            yield item
        elif isinstance(item, Container | Link):
            yield from _texts(item.items)


def with_fields(items: Sequence[Item]) -> list[Item]:
    """Make one item of each field that begins and ends among `items`."""
    found: list[Item] = []
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


def _field(items: Sequence[Item]) -> Item:
    parted = next((i for i, item in enumerate(items) if _field_kind(item) == "separate"), None)
    code = "".join(
        element.text or ""
        for item in items[:parted]
        if isinstance(item, Atom)
        for element, _ in item.elements
        if element.tag == f"{WORD}instrText"
    )
    if parted is not None and code.split()[:1] == ["HYPERLINK"]:
        before, after = _atom(items[: parted + 1], "point"), _atom(items[-1:], "point")
        return Link(before, list(items[parted + 1 : -1]), after)
    return _atom(items, "word")


def _atom(items: Sequence[Item], role: Role) -> Atom:
    """Keep `items` whole, in the order in which they were."""
    elements: list[tuple[etree._Element, etree._Element | None]] = []
    for item in items:
        if isinstance(item, Atom):
            elements += item.elements
        elif isinstance(item, Container):
            elements.append((item.element, None))
        elif isinstance(item, Link):
            elements += [*item.before.elements, *_atom(item.items, role).elements, *item.after.elements]
        else:
            elements.append((item.element, item.properties))
    return Atom(elements, None, role)


def _field_kind(item: Item) -> str | None:
    if isinstance(item, Atom) and len(item.elements) == 1 and item.elements[0][0].tag == f"{WORD}fldChar":
        return str(item.elements[0][0].get(f"{WORD}fldCharType"))
    return None
