"""NIST SGML evaluation sets: unquoted attributes, tags in any case, several references in one file."""

import codecs
from html.parser import HTMLParser
from pathlib import Path

from recollect.errors import DataError
from recollect.text.files import read_chunks
from recollect.text.formats.marked import Segments, Version

__all__ = ["read_sgml"]


def read_sgml(path: Path) -> list[Version]:
    """One version for each `sysid`, in order of appearance."""
    parser = _Parser(Segments(path))
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    try:
        for chunk in read_chunks(path):
            parser.feed(decoder.decode(chunk))
        parser.feed(decoder.decode(b"", final=True))
    except UnicodeDecodeError:
        line = parser.getpos()[0]
        raise DataError(f"{path}: not UTF-8 somewhere after line {line}; convert the file") from None
    parser.close()
    return parser.segments.finish()


class _Parser(HTMLParser):
    # NIST SGML is not well-formed XML; this parser lowers the case of tags and resolves entities.

    def __init__(self, segments: Segments) -> None:
        super().__init__(convert_charrefs=True)
        self.segments = segments

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.segments.start(tag, dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        self.segments.end(tag)

    def handle_data(self, data: str) -> None:
        self.segments.text(data)
