"""gettext catalogues (.po, .pot): the messages of a program, of which only the translations change."""

import re
import textwrap
from collections.abc import Sequence

from polib import escape

from recollect.errors import DataError
from recollect.text.formats.content import Content, Unit
from recollect.text.formats.gettext_messages import (
    Field,
    Message,
    charset_of,
    flags_of,
    lines_of,
    messages_of,
)
from recollect.text.inline import Inline, plain

__all__ = ["read_po"]

_COLUMNS = 78  # of a line with keyword, quotes and text, where lines are wrapped
_MOST_FORMS = 9  # Arabic has six; programs that read msgstr[9] and what follows are rare
_FORMS = re.compile(r"^Plural-Forms:.*?nplurals\s*=\s*([0-9]+)", re.IGNORECASE | re.MULTILINE)


def read_po(data: bytes, name: str, *, mark_fuzzy: bool = False) -> Content:
    """Read a catalogue: a unit for each message, two for one that has a plural.

    With `mark_fuzzy` every message that gets another translation is flagged for review.
    """
    charset = charset_of(data, name)
    lines = lines_of(data)
    return _Catalogue(name, lines, charset, list(messages_of(lines, charset, name)), mark_fuzzy)


class _Catalogue:
    """The lines of a catalogue, some of which are replaced when it is rendered."""

    def __init__(
        self, name: str, lines: list[bytes], charset: str, messages: list[Message], mark_fuzzy: bool
    ) -> None:
        self._name = name
        self._lines = lines
        self._charset = charset
        self._mark_fuzzy = mark_fuzzy
        self._line_end = "\r\n" if lines and lines[0].endswith(b"\r\n") else "\n"
        self._form_count = self._announced_forms(next((m for m in messages if m.is_header), None))
        messages = [message for message in messages if not message.is_header]
        self._wraps = _wraps(messages)
        self._units: list[Unit] = []
        self._messages: list[tuple[Message, range]] = []  # and their units
        for message in messages:
            begin = len(self._units)
            self._units += self._units_of(message)
            self._messages.append((message, range(begin, len(self._units))))

    @property
    def units(self) -> Sequence[Unit]:
        """The messages, and their plurals, in the order of the file."""
        return self._units

    def render(self, targets: Sequence[Inline | None]) -> bytes:
        """Return the catalogue with `targets` as translations; what is there already is not written anew."""
        lines = list(self._lines)
        fresh = [
            None if target is None or target == unit.target else str(target)
            for unit, target in zip(self._units, targets, strict=True)
        ]
        for message, units in self._messages:
            texts = [fresh[unit] for unit in units]
            if any(text is not None for text in texts):
                self._translate(lines, message, texts, units)
        return b"".join(lines)

    def _announced_forms(self, header: Message | None) -> int | None:
        found = _FORMS.search(header.forms[0].text) if header else None
        if found and found[1] not in map(str, range(1, _MOST_FORMS + 1)):
            raise DataError(
                f"{self._name}: its header says nplurals={found[1][:20]}; "
                f"from 1 to {_MOST_FORMS} plural forms are possible"
            )
        return int(found[1]) if found else None

    def _count(self, message: Message) -> int:
        """How many plural forms the message is to have."""
        return self._form_count or len(message.forms)

    def _sources(self, message: Message) -> list[Field]:
        """Return what is translated; where one form serves all numbers, it is that for many."""
        sources = [message.fields[key] for key in ("msgid", "msgid_plural") if key in message.fields]
        return sources[-1:] if self._count(message) == 1 else sources

    def _units_of(self, message: Message) -> list[Unit]:
        sources = self._sources(message)
        cores = [_edges(source.text)[1] for source in sources]
        if not all(cores):
            return []
        forms = [_edges(form.text)[1] for form in message.forms]
        others = forms[1:]
        targets = [forms[0], others[0] if others and all(others) else ""]
        return [
            Unit(
                plain(core),
                f"line {source.begin + 1} ({_short(core)!r})",
                plain(target) if target and not message.fuzzy else None,
            )
            for source, core, target in zip(sources, cores, targets, strict=False)
        ]

    def _translate(self, lines: list[bytes], message: Message, texts: list[str | None], units: range) -> None:
        """Replace the translations of one message by those of `texts` that are not None."""
        plural, sources = "msgid_plural" in message.fields, self._sources(message)
        stale = False  # whether an earlier translation stays
        written: list[bytes] = []
        for form in range(self._count(message) if plural else 1):
            which = min(form, len(sources) - 1)
            old = message.forms[form] if form < len(message.forms) else Field(0, 0)
            text, unit = texts[which], self._units[units[which]]
            # Of plural forms only some of which are there, these were written by a person.
            stands = unit.target is None and not message.fuzzy and _edges(old.text)[1]
            if (text is None and old.parts) or stands:
                written += self._lines[old.begin : old.end]
                stale |= any(old.parts)
                continue
            before, _, after = _edges(sources[which].text)
            whole = before + _edges(text)[1] + after if text else ""
            keyword = f"msgstr[{form}]" if plural else "msgstr"
            written += self._encoded(_written(keyword, whole, self._wraps), unit.where)
        if not lines[message.forms[-1].end - 1].endswith(b"\n"):
            written[-1] = written[-1].rstrip(b"\r\n")
        for place in message.forms:
            lines[place.begin : place.end] = [b""] * (place.end - place.begin)
        lines[message.forms[0].begin] = b"".join(written)
        self._flag(lines, message, stale)

    def _flag(self, lines: list[bytes], message: Message, stale: bool) -> None:
        """Say whether the message's new translation needs review; `stale` if a part of it is not new."""
        fuzzy = self._mark_fuzzy or (message.fuzzy and stale)
        if message.fuzzy and not stale:
            for number in message.previous:
                lines[number] = b""
        if fuzzy == message.fuzzy:
            return
        if fuzzy and not message.flags:
            begin = min([message.begin, *message.previous])
            lines[begin] = f"#, fuzzy{self._line_end}".encode(self._charset) + lines[begin]
        for place, number in enumerate(message.flags):
            flags = [flag for flag in flags_of(lines[number].decode(self._charset)) if flag != "fuzzy"]
            flags = ["fuzzy", *flags] if fuzzy and place == 0 else flags
            line = f"#, {', '.join(flags)}{self._line_end}" if flags else ""
            lines[number] = line.encode(self._charset)

    def _encoded(self, lines: list[str], where: str) -> list[bytes]:
        try:
            if any("\0" in line for line in lines):
                raise DataError(f"{self._name}, {where}: its translation has a NUL character; remove it")
            return [f"{line}{self._line_end}".encode(self._charset) for line in lines]
        except UnicodeEncodeError as error:
            raise DataError(
                f"{self._name}, {where}: its translation has {error.object[error.start]!r}, "
                f"which {self._charset} cannot hold; convert the catalogue to UTF-8 first"
            ) from None


def _edges(text: str) -> tuple[str, str, str]:
    """Line ends before a text, the text, and line ends behind it: gettext wants them translated alike."""
    without = text.lstrip("\r\n")
    core = without.rstrip("\r\n")
    return text[: len(text) - len(without)], core, without[len(core) :]


def _short(text: str) -> str:
    line = " ".join(text[:200].split())
    return line if len(line) <= 40 else line[:39] + "…"


def _wraps(messages: Sequence[Message]) -> bool:
    """Whether long lines are wrapped in this catalogue: one is, or none is long."""
    fields = [place for message in messages for place in (*message.fields.values(), *message.forms)]
    wrapped = any(part and not part.endswith("\\n") for place in fields for part in place.parts[:-1])
    long = any(len(part) > _COLUMNS and " " in part for place in fields for part in place.parts)
    return wrapped or not long


def _written(keyword: str, text: str, wrap: bool) -> list[str]:
    """The lines of a field, in the way of gettext."""
    parts = [escape(part) for part in re.findall(r"[^\n]*\n|[^\n]+", text)] or [""]
    if len(parts) == 1 and (not wrap or len(f'{keyword} "{parts[0]}"') <= _COLUMNS):
        return [f'{keyword} "{parts[0]}"']
    if wrap:
        width = _COLUMNS - len('""')
        wrapper = textwrap.TextWrapper(width, drop_whitespace=False, break_long_words=False)
        parts = [line for part in parts for line in wrapper.wrap(part)]
    return [f'{keyword} ""', *(f'"{part}"' for part in parts)]
