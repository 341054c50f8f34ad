"""The messages of a gettext catalogue, and the lines on which their parts stand."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from polib import unescape

from recollect.errors import DataError

__all__ = ["Field", "Message", "charset_of", "flags_of", "lines_of", "messages_of"]

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BLANK = " \t\r\n\v\f"
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_LINE = re.compile(rf"(msgctxt|msgid_plural|msgid|msgstr|)(?:\[([0-9])\])?[ \t]*+((?:{_STRING}[ \t]*+)*+)")
_STRINGS = re.compile(_STRING)
_CHARSET = re.compile(rb"Content-Type:[^\\\n]{0,80}?charset=([\w.:+-]{1,40})", re.IGNORECASE)
_MAY_FOLLOW = {
    "msgctxt": ("",),
    "msgid": ("", "msgctxt"),
    "msgid_plural": ("msgid",),
    "msgstr": ("msgid",),
    "msgstr[]": ("msgid_plural", "msgstr[]"),
}


@dataclass(slots=True)
class Field:
    """A keyword and its strings, from line `begin` to before line `end`; the first line is 0."""

    begin: int
    end: int
    parts: list[str] = field(default_factory=list)  # as they are written, without the quotes

    @property
    def text(self) -> str:
        """What the strings say together."""
        return unescape("".join(self.parts))


@dataclass(slots=True)
class Message:
    """A message that is in use."""

    last: str = ""  # the keyword read last
    fields: dict[str, Field] = field(default_factory=dict)  # msgctxt, msgid, msgid_plural
    forms: list[Field] = field(default_factory=list)  # its translation, or one for each plural form
    flags: list[int] = field(default_factory=list)  # lines with #,
    previous: list[int] = field(default_factory=list)  # lines with #|
    fuzzy: bool = False

    @property
    def begin(self) -> int:
        """The line of its first keyword."""
        return min(place.begin for place in self.fields.values())

    @property
    def is_header(self) -> bool:
        """Whether it is the message without a text, whose translation describes the catalogue."""
        return "msgctxt" not in self.fields and not any(self.fields["msgid"].parts)


def lines_of(data: bytes) -> list[bytes]:
    """The lines with their ends; only a line feed ends a line, as it does for gettext."""
    return re.findall(rb"[^\n]*\n|[^\n]+", data)


def flags_of(line: str) -> list[str]:
    """The flags of a line such as `#, fuzzy, c-format`."""
    return [flag.strip() for flag in line.removeprefix("#,").split(",")]


def charset_of(data: bytes, name: str) -> str:
    """What the header says; it is looked for before the second message, for its bytes are not yet text."""
    messages = re.finditer(rb"^msgid\b", data, re.MULTILINE)
    next(messages, None)
    second = next(messages, None)
    found = _CHARSET.search(data, 0, second.start() if second else len(data))
    charset = found[1].decode("ascii") if found else "UTF-8"
    if charset == "CHARSET":  # what a template says until somebody fills it in
        return "UTF-8"
    letters = "".join(map(chr, range(32, 127)))
    try:
        usable = letters.encode(charset) == letters.encode("ascii")
        usable = usable and letters.encode("ascii").decode(charset) == letters
    except (LookupError, UnicodeError):
        usable = False
    if not usable:
        raise DataError(
            f"{name}: the charset {charset!r} of its header cannot be read; convert the catalogue to UTF-8"
        )
    return charset


def messages_of(lines: Sequence[bytes], charset: str, name: str) -> Iterator[Message]:
    """The messages in use, in order; obsolete ones (#~) are comments."""
    message = Message()
    for number, raw in enumerate(lines):
        line = _decoded(raw, charset, number, name)
        if line.startswith("#"):
            if message.last:
                yield _finished(message, number, name)
                message = Message()
            if line.startswith("#~"):
                message = Message()  # the flags before it were those of an obsolete message
            elif line.startswith("#,"):
                message.flags.append(number)
                message.fuzzy |= "fuzzy" in flags_of(line)
            elif line.startswith("#|"):
                message.previous.append(number)
        elif line:
            keyword, index, strings = _parsed(line, f"{name}, line {number + 1}")
            if keyword in ("msgctxt", "msgid") and message.forms:
                yield _finished(message, number, name)
                message = Message()
            place = _field(message, keyword, index, number, f"{name}, line {number + 1}")
            place.parts += [string[1:-1] for string in strings]
            place.end = number + 1
    if message.last:
        yield _finished(message, len(lines) - 1, name)


def _decoded(raw: bytes, charset: str, number: int, name: str) -> str:
    if b"\0" in raw:
        raise DataError(f"{name}, line {number + 1}: has a NUL character; a catalogue is text, best in UTF-8")
    try:
        return (raw.removeprefix(_BYTE_ORDER_MARK) if number == 0 else raw).decode(charset).strip(_BLANK)
    except UnicodeError:
        raise DataError(
            f"{name}, line {number + 1}: is not valid {charset}; "
            "convert the catalogue, or correct the charset in its header"
        ) from None


def _parsed(line: str, where: str) -> tuple[str, str | None, list[str]]:
    """The keyword, the index and the strings of a line, each of which may be missing."""
    match = _LINE.fullmatch(line)
    if match and (match[1] or not match[2]):
        return match[1], match[2], _STRINGS.findall(match[3])
    if line.startswith(("msg", '"')):
        raise DataError(f'{where}: strings stand between double quotes, with \\" for a quote inside of them')
    raise DataError(
        f"{where}: {line[:40]!r} is neither a part of a message nor a comment, which begins with #"
    )


def _field(message: Message, keyword: str, index: str | None, number: int, where: str) -> Field:
    """The field that a line begins or carries on with."""
    if keyword:
        kind = "msgstr[]" if index else keyword
        if message.last not in _MAY_FOLLOW.get(kind, ()) or (index and keyword != "msgstr"):
            raise DataError(
                f"{where}: {keyword} cannot stand here; a message is msgctxt (if any), msgid, "
                "msgid_plural (if any) and msgstr, or msgstr[0] and so on for a plural"
            )
        if index and int(index) != len(message.forms):
            raise DataError(f"{where}: msgstr[{index}] stands where msgstr[{len(message.forms)}] should")
        message.last = kind
        if keyword == "msgstr":
            message.forms.append(Field(number, number + 1))
        else:
            message.fields[keyword] = Field(number, number + 1)
    elif not message.last:
        raise DataError(f"{where}: a string that belongs to no message; put msgid or msgstr before it")
    return message.forms[-1] if message.forms else message.fields[message.last]


def _finished(message: Message, number: int, name: str) -> Message:
    fields = [*message.fields.values(), *message.forms]
    if message.forms and all(place.parts for place in fields):
        return message
    lacking = "has a keyword without a string" if message.forms else "has no msgstr"
    raise DataError(
        f"{name}, line {number + 1}: the message of line {fields[0].begin + 1} {lacking}; "
        "is the file complete?"
    )
