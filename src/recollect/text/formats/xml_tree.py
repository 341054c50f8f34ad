"""XML that remembers where its elements stand in the file, so that some can be replaced and the rest kept."""

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from recollect.errors import DataError

__all__ = ["Element", "XmlFile", "attributes_of", "escaped", "read_xml", "with_attribute"]

_DEEPEST = 200
_BYTE_ORDER_MARKS = {  # the longer first: UTF-32's begins with UTF-16's
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_ENCODING = re.compile(rb"""<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:+-]{1,40})["']""")
_START_TAG = re.compile(rb"""<[^"'>]*+(?:"[^"]*+"[^"'>]*+|'[^']*+'[^"'>]*+)*+>""")
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ATTRIBUTE = re.compile(r"""(?<!\s)\s++([^\s=]++)\s*+=\s*("[^"]*"|'[^']*')""")
_XML = "http://www.w3.org/XML/1998/namespace"


@dataclass(slots=True, eq=False)
class Element:
    """An element, and the bytes at which its tags begin and end in the file as UTF-8."""

    name: str  # without a prefix where it is in the namespace of the root, else after its namespace in braces
    attributes: dict[str, str]  # named likewise, but xml:lang and its like as they are written
    line: int
    begin: int  # of its first tag
    inside: int  # behind that tag
    outside: int = 0  # of its last tag, or `end` where it has only one: <name/>
    end: int = 0
    content: list["str | Element"] = field(default_factory=list)

    def children(self, *names: str) -> Iterator["Element"]:
        """The elements directly inside that have one of the names."""
        return (child for child in self.content if isinstance(child, Element) and child.name in names)

    def child(self, name: str) -> "Element | None":
        """The first element directly inside that has the name."""
        return next(self.children(name), None)


@dataclass(frozen=True, slots=True, eq=False)
class XmlFile:
    """An XML file and its elements."""

    name: str
    root: Element
    original: bytes
    encoding: str
    byte_order_mark: bytes
    utf8: bytes  # what the elements' places count in

    def raw(self, begin: int, end: int) -> str:
        """A stretch of the file as it is written there."""
        return self.utf8[begin:end].decode()

    def indent(self, element: Element) -> str:
        """The line end and the white space before an element that begins its line; nothing for another."""
        begin = self.utf8.rfind(b"\n", 0, element.begin)
        if begin < 0 or self.utf8[begin : element.begin].strip():
            return ""
        return self.raw(begin - self.utf8.endswith(b"\r", 0, begin), element.begin)

    def replaced(self, parts: Iterable[tuple[int, int, str]]) -> bytes:
        """Return the file with the text at each `(begin, end)` replaced, or as it was if there is none."""
        kept, done = [], 0
        for begin, end, text in sorted(parts):
            kept += [self.utf8[done:begin], text.encode()]
            done = end
        if not kept:
            return self.original
        text = b"".join([*kept, self.utf8[done:]]).decode()
        return self.byte_order_mark + text.encode(self.encoding, "xmlcharrefreplace")


def escaped(text: str, where: str) -> str:
    """`text` as XML; `where` is for the complaint about characters that XML cannot hold."""
    if found := _NOT_IN_XML.search(text):
        raise DataError(f"{where} has the character U+{ord(found[0]):04X}, which XML cannot hold; remove it")
    for character, reference in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\r", "&#13;")):
        text = text.replace(character, reference)
    return text


def attributes_of(tag: str) -> dict[str, str]:
    """The attributes of a start tag, each as it is written, with the white space before it."""
    return {match[1]: match[0] for match in _ATTRIBUTE.finditer(tag)}


def with_attribute(tag: str, name: str, value: str | None) -> str:
    """Return a start tag whose attribute `name` is `value`; None takes it away.

    >>> with_attribute('<target id="1" state="new"/>', "state", "final")
    '<target id="1" state="final"/>'
    """
    written = f' {name}="{value}"' if value is not None else ""
    if name in attributes_of(tag):
        return _ATTRIBUTE.sub(lambda match: written if match[1] == name else match[0], tag)
    end = len(tag) - (2 if tag.endswith("/>") else 1)
    return tag[:end].rstrip() + written + tag[end:] if written else tag


def read_xml(data: bytes, name: str, *, doctype: bool = False) -> XmlFile:
    """Parse a file; with `doctype` it may name an external document type, which is never loaded."""
    encoding, mark = _encoding(data, name)
    try:
        text = data[len(mark) :].decode(encoding)
        utf8 = text.encode()
        faithful = text.encode(encoding) == data[len(mark) :]
    except UnicodeError as error:
        begin = error.start if isinstance(error, UnicodeDecodeError) else 0
        raise DataError(
            f"{name}, line {_line(data, begin + len(mark))}: is not valid {encoding}; "
            "correct the encoding in its first line, or convert the file to UTF-8"
        ) from None
    if not faithful:
        raise DataError(f"{name}: {encoding} cannot be written as it was read; convert the file to UTF-8")
    return XmlFile(name, _Builder(name, utf8, doctype).build(), data, encoding, mark, utf8)


def _line(data: bytes, place: int) -> int:
    return data.count(b"\n", 0, place) + 1


def _encoding(data: bytes, name: str) -> tuple[str, bytes]:
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if data.startswith(mark):
            return encoding, mark
    for start, encoding in ((b"<\0", "utf-16-le"), (b"\0<", "utf-16-be")):
        if data.startswith(start):
            return encoding, b""
    found = _ENCODING.match(data)
    encoding = found[1].decode("ascii") if found else "utf-8"
    try:
        usable = b"<?xml".decode(encoding) == "<?xml" and "<?xml".encode(encoding) == b"<?xml"
    except (LookupError, UnicodeError):
        usable = False
    if not usable:
        raise DataError(
            f"{name}, line 1: the encoding {encoding!r} cannot be read; convert the file to UTF-8"
        )
    return encoding, b""


class _Builder:
    """Makes elements of what the parser meets."""

    def __init__(self, name: str, utf8: bytes, doctype: bool) -> None:
        self._name, self._utf8, self._doctype = name, utf8, doctype
        self._open: list[Element] = []
        self._root: Element | None = None
        self._namespace = ""
        self._parser = parser = expat.ParserCreate("utf-8", namespace_separator=" ")
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._document_type
        parser.EntityDeclHandler = self._refuse_declaration
        parser.SkippedEntityHandler = self._unknown_entity
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text

    def build(self) -> Element:
        try:
            self._parser.Parse(self._utf8, True)
        except expat.ExpatError as error:
            reason = expat.errors.messages[error.code].removeprefix("not well-formed ").strip("()")
            raise DataError(
                f"{self._name}, line {error.lineno}: not well-formed XML ({reason}); is the file complete?"
            ) from None
        assert self._root is not None
        return self._root

    def _refuse(self, what: str) -> NoReturn:
        raise DataError(f"{self._name}, line {self._parser.CurrentLineNumber}: {what}")

    def _refuse_declaration(self, *declaration: object) -> NoReturn:
        self._refuse("document type and entity declarations are refused; remove the <!DOCTYPE ...> part")

    def _document_type(self, name: str, system: str | None, public: str | None, internal: int) -> None:
        if internal or not self._doctype:
            self._refuse_declaration()

    def _unknown_entity(self, name: str, *_: object) -> NoReturn:
        self._refuse(f"the entity &{name}; is unknown; write the character itself")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._open) == _DEEPEST:
            self._refuse(f"elements are nested more than {_DEEPEST} deep, which no translation file needs")
        if not self._open:
            self._namespace = name.rpartition(" ")[0]
        begin = self._parser.CurrentByteIndex
        tag = _START_TAG.match(self._utf8, begin)
        assert tag is not None, self._utf8[begin : begin + 80]
        element = Element(
            self._local(name, self._namespace),
            {self._local(key, ""): value for key, value in attributes.items()},
            self._parser.CurrentLineNumber,
            begin,
            tag.end(),
        )
        if self._open:
            self._open[-1].content.append(element)
        else:
            self._root = element
        self._open.append(element)

    def _end(self, name: str) -> None:
        element = self._open.pop()
        if self._utf8.endswith(b"/>", element.begin, element.inside):
            element.outside = element.end = element.inside
        else:
            element.outside = self._parser.CurrentByteIndex
            element.end = self._utf8.index(b">", element.outside) + 1

    def _text(self, text: str) -> None:
        self._open[-1].content.append(text)

    @staticmethod
    def _local(name: str, namespace: str) -> str:
        own, _, local = name.rpartition(" ")
        if own == namespace:
            return local
        return f"xml:{local}" if own == _XML else f"{{{own}}}{local}"
