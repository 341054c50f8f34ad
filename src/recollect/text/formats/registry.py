"""Which format a file has, by the end of its name or by what its owner says."""

from importlib import import_module
from pathlib import Path, PurePath

from recollect.errors import DataError
from recollect.text.files import read_chunks
from recollect.text.formats.content import Content

__all__ = ["FORMATS", "SUFFIXES", "content_of", "format_named", "format_of", "read_content"]

MOST_BYTES = 512 << 20  # a larger file is no document


# Each reader, and with it the library behind it, is imported when its format is met.
FORMATS = {
    "docx": "docx.read_docx",
    "html": "html.read_html",
    "json": "catalogues.read_json",
    "markdown": "markdown.read_markdown",
    "po": "gettext.read_po",
    "subtitles": "subtitles.read_subtitles",
    "table": "tables.read_table",
    "text": "prose.read_prose",
    "tmx": "tmx.read_tmx",
    "xliff": "xliff.read_xliff",
    "yaml": "catalogues.read_yaml",
}

SUFFIXES = {
    ".ass": "subtitles",
    ".csv": "table",
    ".docx": "docx",
    ".htm": "html",
    ".html": "html",
    ".json": "json",
    ".markdown": "markdown",
    ".md": "markdown",
    ".po": "po",
    ".pot": "po",
    ".srt": "subtitles",
    ".ssa": "subtitles",
    ".tmx": "tmx",
    ".tsv": "table",
    ".txt": "text",
    ".vtt": "subtitles",
    ".xhtml": "html",
    ".xlf": "xliff",
    ".xliff": "xliff",
    ".yaml": "yaml",
    ".yml": "yaml",
}


def format_of(path: PurePath) -> str | None:
    """Return the format that a file's name tells, or None where it tells nothing.

    >>> format_of(Path("film.zh.srt")), format_of(Path("corpus.zh"))
    ('subtitles', None)
    """
    return SUFFIXES.get(path.suffix.lower())


def format_named(name: str) -> str:
    """Return the format that a person means: its own name, or that of its files.

    >>> format_named("srt"), format_named("po")
    ('subtitles', 'po')
    """
    kind = SUFFIXES.get(f".{name.lower()}", name.lower())
    if kind not in FORMATS:
        raise DataError(f"there is no format '{name}'; choose one of {', '.join(FORMATS)}")
    return kind


def read_content(path: Path, kind: str, **options: str | bool | None) -> Content:
    """Read a file of the format `kind`; tables and translation memories have options of their own."""
    return content_of(_read(path), str(path), kind, **options)


def content_of(data: bytes, name: str, kind: str, **options: str | bool | None) -> Content:
    """Read a file's bytes; `name` is for people, in errors."""
    module, _, reader = FORMATS[kind].partition(".")
    read = getattr(import_module(f"recollect.text.formats.{module}"), reader)
    content: Content = read(data, name, **options)
    return content


def _read(path: Path) -> bytes:
    parts, total = [], 0
    for chunk in read_chunks(path):
        total += len(chunk)
        if total > MOST_BYTES:
            raise DataError(f"{path}: larger than {MOST_BYTES >> 20} MB; split it")
        parts.append(chunk)
    return b"".join(parts)
