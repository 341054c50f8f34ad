"""Sentences with elements in them, as XLIFF and TMX write them: tags become marks, and marks tags again."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from recollect.text.formats.xml_tree import Element, XmlFile, escaped
from recollect.text.inline import Inline, Mark, Role

__all__ = ["read_inline", "write_inline"]

_AROUND_WORDS = {"g", "hi", "mrk", "pc"}
_OPENING = {"bpt": "pt", "bx": "x", "sc": "c", "sm": "m"}  # and what such a pair is called
_CLOSING = {"ept": "pt", "ex": "x", "ec": "c", "em": "m"}
_PARTNER = ("rid", "startRef", "i", "id")  # attributes that say which two belong together, the best first
_IDENTITY = ("id", "mid", "i", "x", "startRef", "rid")


@dataclass(frozen=True, slots=True)
class _Code:
    """A tag, or an element that is not looked into."""

    raw: str
    role: Role
    partner: tuple[str, str] = ("", "")  # what an opening and its closing code have in common
    identity: tuple[str, str, str] = ("", "", "")  # what it and its like in the translation have in common


def read_inline(file: XmlFile, element: Element, source: Element | None = None) -> Inline:
    """The content of an element; where `source` has the same marks, they are written as they are there."""
    known = {} if source is None else {code.identity: mark for code, mark in _marks(_pieces(file, source))}
    pieces = list(_pieces(file, element))
    marks = iter(_marks(pieces, len(known)))
    return Inline.joined(
        piece if isinstance(piece, str) else known.get(piece.identity, next(marks)[1]) for piece in pieces
    )


def write_inline(inline: Inline, where: str) -> str:
    """The XML of an element's content; `where` is for the complaint about characters it cannot hold."""
    return "".join(
        escaped(piece, where) if isinstance(piece, str) else piece.raw for piece in _nested(inline.pieces())
    )


def _pieces(file: XmlFile, element: Element) -> Iterator[str | _Code]:
    for part in element.content:
        if isinstance(part, str):
            yield part
            continue
        named = next((part.attributes[key] for key in _IDENTITY if key in part.attributes), None)
        if part.name in _AROUND_WORDS and part.inside < part.end and not _is_kept(part):
            opening, closing = file.raw(part.begin, part.inside), file.raw(part.outside, part.end)
            partner = (part.name, f"at {part.begin}")
            yield _Code(opening, "open", partner, (part.name, named or opening, "open"))
            yield from _pieces(file, part)
            yield _Code(closing, "close", partner, (part.name, named or opening, "close"))
        else:
            raw = file.raw(part.begin, part.end)
            kind = _OPENING.get(part.name) or _CLOSING.get(part.name) or ""
            shared = next((part.attributes[key] for key in _PARTNER if key in part.attributes), "")
            yield _Code(raw, _role(part), (kind, shared), (part.name, named or raw, ""))


def _is_kept(element: Element) -> bool:
    """Whether an element around words says that they are not to be translated."""
    return element.attributes.get("mtype") == "protected" or element.attributes.get("translate") == "no"


def _role(element: Element) -> Role:
    if element.name in _OPENING:
        return "open"
    if element.name in _CLOSING:
        return "close"
    if element.name in _AROUND_WORDS and element.content:
        return "word"
    # A placeholder stands for words, unless it is said to be a line break, an image or another format.
    kind = element.attributes.get("ctype") or element.attributes.get("type") or ""
    is_format = kind in ("lb", "pb", "fmt") or (element.name == "x" and kind)
    return "word" if element.name in ("ph", "x") and not is_format else "point"


def _marks(pieces: Iterable[str | _Code], before: int = 0) -> list[tuple[_Code, Mark]]:
    """Number the pairs from `before` on; what has no partner in the same text stands alone."""
    codes = [piece for piece in pieces if isinstance(piece, _Code)]
    opened, pairs = set(), dict[tuple[str, str], int]()
    for code in codes:
        if code.role == "open":
            opened.add(code.partner)
        elif code.role == "close" and code.partner in opened:
            pairs.setdefault(code.partner, before + len(pairs) + 1)
    marks = []
    for code in codes:
        pair = pairs.get(code.partner, 0)
        role: Role = "point" if code.role in ("open", "close") and not pair else code.role
        marks.append((code, Mark(0, code.raw, role, pair)))
    return marks


def _nested(pieces: list[str | Mark]) -> list[str | Mark]:
    """Move end tags so that every element ends inside the one in which it begins."""
    tags = {piece.pair for piece in pieces if isinstance(piece, Mark) and piece.raw.startswith("</")}
    found: list[str | Mark] = []
    inside: list[int] = []
    ends: dict[int, Mark] = {}  # end tags that had to wait, for inner ones or for their start tag
    for piece in pieces:
        if isinstance(piece, str) or piece.pair not in tags:
            found.append(piece)
            continue
        if piece.role == "open":
            found.append(piece)
            inside.append(piece.pair)
        else:
            ends[piece.pair] = piece
        while inside and inside[-1] in ends:
            found.append(ends.pop(inside.pop()))
    return found
