"""IWSLT's TED talks: evaluation sets in XML, and training files with tagged metadata between the lines."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.parsers import expat

from recollect.errors import DataError
from recollect.text.files import read_chunks
from recollect.text.formats.marked import Segments, Version

__all__ = ["read_ted", "without_metadata"]

_METADATA = re.compile(
    rb"\s*</?(?:doc|url|keywords|speaker|talkid|title|description|reviewer|translator)(?:\s[^>]*)?>",
    re.IGNORECASE,
)


def read_ted(path: Path) -> list[Version]:
    """Documents of a `<srcset>`, `<tstset>` or of one or several `<refset>`."""
    segments = Segments(path)
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def refuse(*declaration: object) -> None:
        raise DataError(
            f"{path}, line {parser.CurrentLineNumber}: document type and entity declarations are refused; "
            "remove the <!DOCTYPE ...> part"
        )

    def start(tag: str, attributes: dict[str, str]) -> None:
        segments.start(tag.lower(), {name.lower(): value for name, value in attributes.items()})

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: segments.end(tag.lower())
    parser.CharacterDataHandler = segments.text
    try:
        for chunk in read_chunks(path):
            parser.Parse(chunk, False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        reason = expat.errors.messages[error.code]
        raise DataError(f"{path}, line {error.lineno}: not well-formed XML ({reason})") from None
    return segments.finish()


def without_metadata(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Lines of a training file, its `<talkid>` and other metadata lines emptied: talks end there.

    A file is taken for a tagged one by its first line; any other file passes unchanged.
    """
    tagged = False
    for number, line in enumerate(lines):
        if number == 0:
            tagged = _METADATA.match(line) is not None
        yield b"" if tagged and _METADATA.match(line) else line
