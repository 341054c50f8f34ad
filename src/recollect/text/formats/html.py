"""HTML and XHTML: the text of blocks with inline elements as marks, and the attributes that people read."""

import codecs
import html
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from recollect.errors import DataError
from recollect.text.formats.content import Content, Unit
from recollect.text.formats.html_tokens import Attribute, Token, tokens
from recollect.text.inline import Inline, Mark, Role
from recollect.text.scripts import glue

__all__ = ["read_html"]

_BLOCK_NAMES = """
address article aside audio base blockquote body button canvas caption center col colgroup dd details
dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header
hgroup hr html iframe legend li link main menu meta nav noembed noframes noscript object ol optgroup
option p pre script search section select source style summary table tbody td template textarea tfoot th
thead title tr track ul video xmp
"""
_VOID_NAMES = "area base br col embed frame hr img input link meta param source track wbr"
_UNTOUCHED_NAMES = "code kbd math pre samp script style svg textarea var xmp iframe noembed noframes"
_BLOCKS, _VOID, _UNTOUCHED = (set(names.split()) for names in (_BLOCK_NAMES, _VOID_NAMES, _UNTOUCHED_NAMES))
_READ_BY_PEOPLE = {"alt", "title", "placeholder", "aria-label"}
_SEEN = {"embed", "img", "input"}  # white space on both sides of these shows
_PARAGRAPH_LIKE = {"p"}
_ENDS = {  # an element that ends where the next of its kind begins
    "li": {"li", "p"}, "dt": {"dt", "dd", "p"}, "dd": {"dt", "dd", "p"}, "option": {"option"},
    "tr": {"tr", "td", "th"}, "td": {"td", "th"}, "th": {"td", "th"},
}  # fmt: skip
_WHITE = " \t\n\r\f"
_SPACE = re.compile(rf"[{_WHITE}]+")
_CHARSET = re.compile(
    rb"""<meta\s[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]+)|<\?xml\s[^>]{0,100}?encoding\s*=\s*["']([\w.:-]+)""",
    re.IGNORECASE,
)
_BOMS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_MEANT = {"gb2312": "gbk", "shift_jis": "cp932", "utf-16": "utf-8"}  # what browsers make of these names


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a unit stands, and where its marks do."""

    begin: int
    end: int
    attribute: Attribute | None = None
    marks: Mapping[tuple[int, Role], tuple[int, int]] = field(default_factory=dict)


class _Page:
    """A page: its text, its units and their places, sorted by where they begin."""

    def __init__(self, text: str, charset: str, bom: bytes, found: Sequence[tuple[_Place, Inline]]) -> None:
        self._text, self._charset, self._bom = text, charset, bom
        found = sorted(found, key=lambda pair: pair[0].begin)
        self._places = [place for place, _ in found]
        self._begins = [place.begin for place in self._places]
        lines = [match.start() for match in re.finditer("\n", text)]
        self.units = [Unit(source, f"line {bisect_left(lines, place.begin) + 1}") for place, source in found]

    def render(self, targets: Sequence[Inline | None]) -> bytes:
        """Return the page with `targets` written at their places, all else as it was."""
        changed = {
            index: target
            for index, (unit, target) in enumerate(zip(self.units, targets, strict=True))
            if target is not None and target != unit.source
        }
        text = self._spliced(0, len(self._text), changed)
        return self._bom + text.encode(self._charset, errors="xmlcharrefreplace")

    def _spliced(self, begin: int, end: int, changed: Mapping[int, Inline]) -> str:
        parts, at = [], begin
        for index in range(bisect_left(self._begins, begin), bisect_left(self._begins, end)):
            place = self._places[index]
            if index in changed and place.begin >= at and place.end <= end:
                parts += [self._text[at : place.begin], self._written(place, changed[index], changed)]
                at = place.end
        return "".join([*parts, self._text[at:end]])

    def _written(self, place: _Place, target: Inline, changed: Mapping[int, Inline]) -> str:
        named_spaces = "&nbsp;" in self._text[place.begin : place.end]

        def escaped(text: str) -> str:
            text = html.escape(text, quote=False)
            return text.replace("\xa0", "&nbsp;") if named_spaces else text

        if place.attribute:
            quote = place.attribute.quote or '"'
            value = escaped(target.text).replace(quote, "&quot;" if quote == '"' else "&#39;")
            return value if place.attribute.quote else f'"{value}"'
        parts: list[str] = []
        after_break = False
        for piece in target.pieces():
            if isinstance(piece, str):
                parts.append(escaped(piece.lstrip(" ") if after_break else piece))
            else:
                span = place.marks.get((piece.pair, piece.role))
                parts.append(self._spliced(*span, changed) if span else "")
            after_break = not isinstance(piece, str) and _is_break(piece)
        return "".join(parts)


def read_html(data: bytes, name: str) -> Content:
    """Read a page in the charset that it says it is in, else UTF-8."""
    bom = next((bom for bom in _BOMS if data.startswith(bom)), b"")
    declared = _CHARSET.search(data, 0, 4096)
    label = next(group for group in declared.groups() if group).decode().lower() if declared else "utf-8"
    charset = _BOMS[bom] if bom else _MEANT.get(label, label)
    try:
        text = data[len(bom) :].decode(charset)
    except LookupError:
        raise DataError(f"{name}: the charset '{charset}' is not known; save the page as UTF-8") from None
    except UnicodeError as error:
        place = f"byte {error.start + len(bom) + 1}" if isinstance(error, UnicodeDecodeError) else "something"
        raise DataError(
            f"{name}: {place} is not {charset}; save the page as UTF-8, or name its charset in <meta charset>"
        ) from None
    if "\0" in text:
        raise DataError(f"{name}: there are NUL characters in it, so it is no HTML; save the page as UTF-8")
    if bom + text.encode(charset, errors="xmlcharrefreplace") != data:
        raise DataError(f"{name}: its {charset} cannot be kept exactly; save the page as UTF-8")
    return _Page(text, charset, bom, _Reader(text).read())


@dataclass(slots=True)
class _Element:
    name: str
    begin: int
    untouched: bool


@dataclass(slots=True)
class _Piece:
    """Text, or something that will be a mark."""

    begin: int
    end: int
    role: Role | None  # None: text
    name: str = ""
    pair: int = 0


class _Reader:
    """Walks the tokens with a stack of open elements, and makes a unit of what stands between two blocks."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: list[tuple[_Place, Inline]] = []
        self._run: list[_Piece] = []
        self._stack: list[_Element] = []
        self._open: Counter[str] = Counter()
        self._untouched = 0  # how many elements of the stack keep their content

    def read(self) -> list[tuple[_Place, Inline]]:
        for token in tokens(self._text):
            if token.kind == "open":
                self._opened(token)
            elif token.kind == "close":
                self._closed(token)
            elif not self._untouched and token.kind != "raw":
                self._run.append(_Piece(token.begin, token.end, "point" if token.kind == "aside" else None))
        while self._stack:
            self._pop(len(self._text))
        self._flush()
        return self._found

    def _opened(self, token: Token) -> None:
        name = token.name
        if self._stack and name in _BLOCKS and self._stack[-1].name in _ENDS.get(name, _PARAGRAPH_LIKE):
            self._pop(token.begin)
        untouched = name in _UNTOUCHED or self._is_marked_untouched(token)
        if not self._untouched and not untouched:
            self._attributes(token)
        alone = name in _VOID or token.empty
        if not self._untouched:
            if name in _BLOCKS:
                self._flush()
            elif alone or not untouched:
                self._run.append(_Piece(token.begin, token.end, "point" if alone else "open", name))
        if not alone:
            self._stack.append(_Element(name, token.begin, untouched))
            self._open[name] += 1
            self._untouched += untouched

    def _closed(self, token: Token) -> None:
        name, within = token.name, bool(self._untouched)
        if self._open[name]:
            while self._stack[-1].name != name:
                self._pop(token.begin)
            within = bool(self._untouched)
            self._pop(token.end)
        if name in _BLOCKS and not self._untouched:
            self._flush()
        elif not within:
            self._run.append(_Piece(token.begin, token.end, "close", name))

    def _pop(self, end: int) -> None:
        element = self._stack.pop()
        self._open[element.name] -= 1
        self._untouched -= element.untouched
        if element.untouched and not self._untouched and element.name not in _BLOCKS:
            self._run.append(_Piece(element.begin, end, "word", element.name))

    def _is_marked_untouched(self, token: Token) -> bool:
        values = {a.name: self._text[a.begin : a.end].lower() for a in token.attributes}
        return values.get("translate") == "no" or "notranslate" in values.get("class", "").split()

    def _attributes(self, token: Token) -> None:
        values = {a.name: self._text[a.begin : a.end].lower() for a in token.attributes}
        described = token.name == "meta" and values.get("name") == "description"
        for attribute in token.attributes:
            if attribute.name in _READ_BY_PEOPLE or (described and attribute.name == "content"):
                text = _SPACE.sub(" ", html.unescape(self._text[attribute.begin : attribute.end])).strip(" ")
                if _has_letters(text):
                    self._found.append((_Place(attribute.begin, attribute.end, attribute), Inline(text)))

    def _flush(self) -> None:
        """Make a unit of the pieces since the last block, without the white space and points around it."""
        run, self._run = self._run, []
        _pair(run)
        first, last = 0, len(run)
        while first < last and self._is_margin(run[first]):
            first += 1
        while first < last and self._is_margin(run[last - 1]):
            last -= 1
        run = run[first:last]
        source = self._inline(run)
        if not _has_letters(source.text):
            return
        begin, end = run[0].begin, run[-1].end
        if run[0].role is None:
            begin = run[0].end - len(self._text[begin : run[0].end].lstrip(_WHITE))
        if run[-1].role is None:
            end = run[-1].begin + len(self._text[run[-1].begin : end].rstrip(_WHITE))
        marks = {(piece.pair, piece.role): (piece.begin, piece.end) for piece in run if piece.role}
        self._found.append((_Place(begin, end, marks=marks), source))

    def _is_margin(self, piece: _Piece) -> bool:
        if piece.role is None:
            return not self._text[piece.begin : piece.end].strip(_WHITE)
        return piece.role == "point"

    def _inline(self, run: Sequence[_Piece]) -> Inline:
        parts: list[str | Mark] = []
        before, broken = "", False  # what ends the text so far, and whether a line break came after it
        for piece in run:
            raw = self._text[piece.begin : piece.end]
            if piece.role:
                mark = Mark(0, raw, piece.role, piece.pair)
                parts.append(mark)
                broken = broken or _is_break(mark)
                before = "x" if piece.role == "word" or piece.name in _SEEN else before
                continue
            text = _SPACE.sub(" ", html.unescape(raw))
            text = text[1:] if text.startswith(" ") and before in ("", " ") else text
            if text:
                parts.append(glue(before, text) + text if broken else text)
                before, broken = text[-1], False
        while parts and isinstance(parts[-1], str) and not parts[-1].strip(" "):
            parts.pop()
        whole = Inline.joined(parts)
        text = whole.text.rstrip(" ")
        return Inline(text, tuple(Mark(min(m.at, len(text)), m.raw, m.role, m.pair) for m in whole.marks))


def _pair(run: Sequence[_Piece]) -> None:
    """Number the marks, an opening tag and its closing tag alike; one without the other is a point."""
    waiting: list[_Piece] = []
    names: Counter[str] = Counter()
    for number, piece in enumerate(run, 1):
        piece.pair = number
        if piece.role == "open":
            waiting.append(piece)
            names[piece.name] += 1
        elif piece.role == "close":
            if not names[piece.name]:
                piece.role = "point"
                continue
            while (last := waiting.pop()).name != piece.name:
                last.role = "point"
                names[last.name] -= 1
            names[piece.name] -= 1
            piece.pair = last.pair
    for piece in waiting:
        piece.role = "point"


def _is_break(mark: Mark) -> bool:
    return mark.role == "point" and mark.raw[:3].lower() == "<br"


def _has_letters(text: str) -> bool:
    return any(char.isalpha() for char in text)
