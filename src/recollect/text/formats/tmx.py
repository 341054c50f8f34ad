"""TMX: translation memories, read as documents whose gaps can be filled, and written from pairs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from xml.sax.saxutils import quoteattr

from recollect.errors import DataError
from recollect.text.formats.content import Content, Unit
from recollect.text.formats.xml_inline import read_inline, write_inline
from recollect.text.formats.xml_tree import Element, XmlFile, attributes_of, escaped, read_xml
from recollect.text.inline import Inline

__all__ = ["read_tmx", "write_tmx"]


def read_tmx(data: bytes, name: str, source: str | None = None, target: str | None = None) -> Content:
    """Read a memory: a unit for each <tu> that has the source language; its target may be there already.

    Without `source` the header says which language that is; without `target` it is the only other one.
    """
    file = read_xml(data, name, doctype=True)
    body, header = file.root.child("body"), file.root.child("header")
    if file.root.name != "tmx" or body is None:
        raise DataError(
            f"{name}, line {file.root.line}: <{file.root.name}> is not a translation memory; "
            "<tmx> with a <body> in it is expected"
        )
    units = list(body.children("tu"))
    languages = list(dict.fromkeys(_language(tuv) for tu in units for tuv in tu.children("tuv")))
    listed = ", ".join(languages) or "none"
    source = source or (header.attributes.get("srclang", "") if header else "")
    if source in ("", "*all*"):
        raise DataError(f"{name}: its header names no source language; name one of those it has ({listed})")
    others = [language for language in languages if not _closeness(source, language)]
    if len(others) == len(languages) > 0:
        raise DataError(f"{name}: has nothing in {source!r}; name one of those it has ({listed})")
    if target is None and len(others) != 1 and languages:
        raise DataError(
            f"{name}: the target language is not clear; name one"
            + (f" (besides {source!r} it has {', '.join(others)})" if others else f" (it has only {listed})")
        )
    return _Memory(file, units, source, target or (others or [""])[0], languages)


def write_tmx(pairs: Iterable[tuple[str, str]], source: str, target: str) -> bytes:
    """Make a TMX 1.4 file of sentences and their translations."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<tmx version="1.4">',
        f'  <header creationtool="recollect" creationtoolversion="{version("recollect")}" segtype="sentence"'
        f' o-tmf="plain text" adminlang="en" srclang={quoteattr(source)} datatype="plaintext"/>',
        "  <body>",
    ]
    for number, pair in enumerate(pairs, start=1):
        lines.append("    <tu>")
        for language, text in zip((source, target), pair, strict=True):
            written = escaped(text, f"pair {number} of the translation memory")
            lines.append(f"      <tuv xml:lang={quoteattr(language)}><seg>{written}</seg></tuv>")
        lines.append("    </tu>")
    return "\n".join([*lines, "  </body>", "</tmx>", ""]).encode()


@dataclass(frozen=True, slots=True)
class _Entry:
    """The elements of a <tu> that matter."""

    tuv: Element  # of the source language
    last: Element  # the last <tuv>, whatever its language
    segment: Element | None  # of the target language


class _Memory:
    def __init__(
        self, file: XmlFile, units: Iterable[Element], source: str, target: str, languages: Sequence[str]
    ) -> None:
        self._file = file
        # A language that is there already is written as it is there.
        self._target = max(languages, key=lambda language: _closeness(target, language), default=target)
        if not _closeness(target, self._target):
            self._target = target
        self._entries: list[_Entry] = []
        self._units: list[Unit] = []
        for element in units:
            self._add(element, source, target)

    @property
    def units(self) -> Sequence[Unit]:
        """Segments of the source language, in the order of the file."""
        return self._units

    def _add(self, element: Element, source: str, target: str) -> None:
        tuvs = list(element.children("tuv"))
        own = _best(tuvs, source)
        segment = own.child("seg") if own else None
        if own is None or segment is None:
            return
        text = read_inline(self._file, segment)
        if not text.text:
            return
        other = _best([tuv for tuv in tuvs if tuv is not own], target)
        there = other.child("seg") if other else None
        known = read_inline(self._file, there, segment) if there else None
        name = element.attributes.get("tuid")
        where = f"line {element.line}" + (f" (unit {name!r})" if name else "")
        self._units.append(Unit(text, where, known if known and str(known).strip() else None))
        self._entries.append(_Entry(own, tuvs[-1], there))

    def render(self, targets: Sequence[Inline | None]) -> bytes:
        """Return the memory with `targets` in it; what is there already is not written anew."""
        return self._file.replaced(
            self._change(entry, write_inline(target, f"{self._file.name}, {unit.where}: its translation"))
            for entry, unit, target in zip(self._entries, self._units, targets, strict=True)
            if target is not None and target != unit.target
        )

    def _change(self, entry: _Entry, text: str) -> tuple[int, int, str]:
        if entry.segment:
            tag = self._file.raw(entry.segment.begin, entry.segment.inside)
            tag = tag.removesuffix("/>").removesuffix(">") + ">"
            return entry.segment.begin, entry.segment.end, f"{tag}{text}</seg>"
        indent = self._file.indent(entry.tuv)
        own = attributes_of(self._file.raw(entry.tuv.begin, entry.tuv.inside))
        attribute = "xml:lang" if "xml:lang" in own else "lang"
        tuv = f"<tuv {attribute}={quoteattr(self._target)}><seg>{text}</seg></tuv>"
        return entry.last.end, entry.last.end, indent + tuv


def _language(tuv: Element) -> str:
    return tuv.attributes.get("xml:lang") or tuv.attributes.get("lang") or ""


def _closeness(wanted: str, language: str) -> int:
    """How well a language is the one that is wanted: en is en-US as well, but en-GB is not."""
    first, second = (code.replace("_", "-").lower() for code in (wanted, language))
    if first == second:
        return 3
    return 2 if second.startswith(f"{first}-") else int(bool(second) and first.startswith(f"{second}-"))


def _best(tuvs: Sequence[Element], language: str) -> Element | None:
    found = max(tuvs, key=lambda tuv: _closeness(language, _language(tuv)), default=None)
    return found if found and _closeness(language, _language(found)) else None
