"""XLIFF 1.x and 2.x: what translation tools exchange; only targets and their states change."""

from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from recollect.errors import DataError
from recollect.text.formats.content import Content, Unit
from recollect.text.formats.xml_inline import read_inline, write_inline
from recollect.text.formats.xml_tree import Element, XmlFile, attributes_of, read_xml, with_attribute
from recollect.text.inline import Inline

__all__ = ["read_xliff"]

_AROUND = {"bin-unit", "body", "file", "group", "unit", "xliff"}
_HOLDS = {"", "final", "reviewed", "signed-off", "translated"}


@dataclass(frozen=True, slots=True)
class _Holder:
    """An element that has a source and may have a target: a trans-unit (1.x) or a segment (2.x)."""

    element: Element
    source: Element
    target: Element | None
    segments: tuple[Element, ...] = ()  # of a trans-unit's segmented source, if it is segmented
    units: dict[int, Element] = field(default_factory=dict)  # unit to the element with its text


def read_xliff(data: bytes, name: str, target: str | None = None) -> Content:
    """Read an XLIFF file: a unit for each trans-unit or segment whose source may be translated.

    Where the file does not say into what language, `target` is written there with the first translation.
    """
    file = read_xml(data, name)
    version = file.root.attributes.get("version", "")
    if file.root.name != "xliff" or not version.startswith(("1.", "2.")):
        raise DataError(
            f"{name}, line {file.root.line}: the file begins with <{file.root.name}> "
            f'and version="{version}"; <xliff version="1.2"> or <xliff version="2.0"> is expected'
        )
    return _Xliff(file, version, target)


class _Xliff:
    def __init__(self, file: XmlFile, version: str, language: str | None) -> None:
        self._file = file
        self._language = language
        self._first = version.startswith("1.")
        self._units: list[Unit] = []
        self._holders: list[_Holder] = []
        for element, where in _found(file.root, "trans-unit" if self._first else "segment", True, ""):
            self._add(element, where)

    @property
    def units(self) -> Sequence[Unit]:
        """Sources that may be translated, in the order of the file."""
        return self._units

    def render(self, targets: Sequence[Inline | None]) -> bytes:
        """Return the file with `targets` in it; what is there already is not written anew."""
        fresh = [
            None if target is None or target == unit.target else write_inline(target, self._where(unit))
            for unit, target in zip(self._units, targets, strict=True)
        ]
        changed = [
            holder for holder in self._holders if any(fresh[unit] is not None for unit in holder.units)
        ]
        parts = [part for holder in changed for part in self._changes(holder, fresh)]
        return self._file.replaced([*parts, *self._languages(changed)])

    def _languages(self, changed: Sequence[_Holder]) -> Iterator[tuple[int, int, str]]:
        """What to replace to name the target language around changed holders: each <file> (1.x), or all."""
        name = "target-language" if self._first else "trgLang"
        begins = [holder.element.begin for holder in changed]
        for element in self._file.root.children("file") if self._first else [self._file.root]:
            within = bisect(begins, element.begin) < bisect(begins, element.end)
            if self._language and within and name not in element.attributes:
                tag = self._file.raw(element.begin, element.inside)
                yield element.begin, element.inside, with_attribute(tag, name, self._language)

    def _where(self, unit: Unit) -> str:
        return f"{self._file.name}, {unit.where}: its translation"

    def _add(self, element: Element, where: str) -> None:
        source, target = element.child("source"), element.child("target")
        if source is None:
            return
        state = (target if self._first else element).attributes.get("state", "") if target else ""
        holds = target is not None and state in _HOLDS
        segments = _segments(element.child("seg-source"))
        holder = _Holder(element, source, target, segments)
        translated = _by_mid(_segments(target)) if segments else {}
        for part in segments or (source,):
            text = read_inline(self._file, part)
            if not text.text:
                continue
            holder.units[len(self._units)] = part
            there = translated.get(part.attributes.get("mid", "")) if segments else target
            known = read_inline(self._file, there, part) if holds and there else None
            self._units.append(Unit(text, where, known if known and str(known) else None))
        if holder.units:
            self._holders.append(holder)

    def _changes(self, holder: _Holder, fresh: list[str | None]) -> Iterator[tuple[int, int, str]]:
        """What to replace to give a holder its new target."""
        content, state = next(fresh[unit] or "" for unit in holder.units), "translated"
        if holder.segments:
            content, complete = self._segmented(holder, fresh)
            state = "translated" if complete else "needs-translation"
        place = holder.target
        if place is None:
            before = holder.element.child("seg-source") or holder.source
            tag = self._new_tag(holder.source)
            begin, end, indent = before.end, before.end, self._file.indent(holder.source)
        else:
            tag = self._file.raw(place.begin, place.inside)
            begin, end, indent = place.begin, place.end, ""
        if self._first:
            tag = with_attribute(with_attribute(tag, "state-qualifier", None), "state", state)
        else:
            opening = self._file.raw(holder.element.begin, holder.element.inside)
            opening = with_attribute(with_attribute(opening, "subState", None), "state", state)
            yield holder.element.begin, holder.element.inside, opening
        tag = tag.removesuffix("/>").removesuffix(">") + ">"
        yield begin, end, f"{indent}{tag}{content}</{_name(tag)}>"

    def _segmented(self, holder: _Holder, fresh: list[str | None]) -> tuple[str, bool]:
        """The target of a segmented source: the same segments, and what stands between them."""
        whole = holder.element.child("seg-source")
        assert whole is not None
        number = {id(part): unit for unit, part in holder.units.items()}
        translated = _by_mid(_segments(holder.target))
        parts, done, complete = [], whole.inside, True
        for segment in holder.segments:
            if id(segment) not in number:
                continue  # without words, it stays as it is
            text = fresh[number[id(segment)]]
            if text is None:
                there = translated.get(segment.attributes.get("mid", ""))
                text = self._file.raw(there.inside, there.outside) if there else ""
                complete &= bool(text)
            parts += [self._file.raw(done, segment.inside), text]
            done = segment.outside
        return "".join([*parts, self._file.raw(done, whole.outside)]), complete

    def _new_tag(self, source: Element) -> str:
        """The start tag of a target that comes behind `source`."""
        tag = self._file.raw(source.begin, source.inside)
        kept = [
            written
            for name, written in attributes_of(tag).items()
            if name == "xml:space" or name.startswith("xmlns")
        ]
        return f"<{_name(tag).removesuffix('source')}target{''.join(kept)}>"


def _found(element: Element, name: str, translate: bool, unit: str) -> Iterator[tuple[Element, str]]:
    """Elements with that name that may be translated, and where they are."""
    translate = element.attributes.get("translate", "yes" if translate else "no") != "no"
    unit = element.attributes.get("id", "") if element.name in ("trans-unit", "unit") else unit
    if element.name == name and translate:
        yield element, f"line {element.line}" + (f" (unit {unit!r})" if unit else "")
    if element.name in _AROUND:
        for child in element.children(*_AROUND, name):
            yield from _found(child, name, translate, unit)


def _segments(element: Element | None) -> tuple[Element, ...]:
    """The segments of a source or target, if they stand directly in it."""
    segments = tuple(child for child in element.children("mrk") if _is_segment(child)) if element else ()
    nested = element is not None and any(_has_segment(child) for child in element.children("g", "mrk"))
    return () if nested else segments


def _is_segment(element: Element) -> bool:
    return element.name == "mrk" and element.attributes.get("mtype") == "seg"


def _has_segment(element: Element) -> bool:
    return any(_is_segment(child) or _has_segment(child) for child in element.children("g", "mrk"))


def _by_mid(segments: Iterable[Element]) -> dict[str, Element]:
    return {segment.attributes.get("mid", ""): segment for segment in segments}


def _name(tag: str) -> str:
    """The name in a start tag, with its prefix."""
    return tag[1:].rstrip("/>").split(maxsplit=1)[0]
