"""Plain text as people write it: every line that is not blank is a unit, all around it stays."""

import re

from recollect.text.encodings import decode
from recollect.text.formats.content import Content, Unit
from recollect.text.formats.spliced import Place, Spliced
from recollect.text.inline import plain
from recollect.text.places import lines

__all__ = ["read_prose"]

_BREAKS = re.compile(r"[\r\n]+")


def read_prose(data: bytes, name: str) -> Content:
    """Read a text file; indentation, and white space and breaks at the ends of lines, are no prose."""
    decoded = decode(data, name)
    places = []
    for line in lines(decoded.text):
        span = line.span.stripped(decoded.text)
        if span.start < span.end:
            unit = Unit(plain(span.of(decoded.text)), f"line {line.number}")
            places.append(Place(unit, span, _one_line))
    return Spliced(decoded, places)


def _one_line(text: str) -> str:
    return _BREAKS.sub(" ", text.strip())
