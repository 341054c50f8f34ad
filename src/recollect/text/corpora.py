"""Documents and evaluation sets from files, the format told by the name or the first bytes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path

from recollect.errors import DataError
from recollect.text.document import Document, ParallelDocument
from recollect.text.files import base_name, read_chunks
from recollect.text.formats.marked import Version
from recollect.text.formats.plain import cut_at_blanks, cut_at_starts, read_sentences, read_starts
from recollect.text.formats.sgml import read_sgml
from recollect.text.formats.ted import read_ted

__all__ = ["read_documents", "read_parallel", "read_versions"]

_Reader = Callable[[Path], list[Version]]
_BY_SUFFIX: dict[str, _Reader] = {".sgm": read_sgml, ".sgml": read_sgml, ".xml": read_ted}
_BY_OPENING: dict[bytes, _Reader] = {
    b"<?xml": read_ted,
    b"<mteval": read_ted,
    b"<!doctype": read_sgml,
    b"<srcset": read_sgml,
    b"<refset": read_sgml,
    b"<tstset": read_sgml,
}


@dataclass(frozen=True, slots=True)
class _Side:
    """One text of the whole set, cut into documents."""

    path: Path
    documents: list[Document]
    named: bool  # by the file itself, not by us

    @property
    def size(self) -> int:
        return sum(len(document.sentences) for document in self.documents)


def read_documents(path: Path, starts: Path | None = None) -> list[Document]:
    """Documents of one text; `starts` lists the first line of each document of a plain file."""
    reader = _marked_reader(path)
    if reader is None:
        return _cut_plain(path, read_sentences(path), starts, outline=None)
    if starts is not None:
        raise DataError(f"{path} marks its own documents: leave out {starts}")
    return _single(path, reader(path)).documents


def read_versions(path: Path) -> list[list[str]]:
    """Every sentence of a file, once for each version it holds: a marked file may hold several references."""
    reader = _marked_reader(path)
    if reader is None:
        return [read_sentences(path)]
    return [
        [text for document in version.documents for text in document.sentences] for version in reader(path)
    ]


def read_parallel(
    source: Path, references: Sequence[Path], starts: Path | None = None
) -> list[ParallelDocument]:
    """An evaluation set: a source and its references, document by document; nothing is skipped.

    A plain file without documents of its own takes those of the files that mark theirs.
    """
    if not references:
        raise DataError(f"{source}: an evaluation set needs at least one reference file")
    marked = {path: reader(path) for path in (source, *references) if (reader := _marked_reader(path))}
    if starts is not None and len(marked) == 1 + len(references):
        raise DataError(f"{source} and its references mark their own documents: leave out {starts}")
    outline = next(iter(marked.values()))[0].documents if marked else None

    def sides_of(path: Path) -> list[_Side]:
        if path in marked:
            return [_Side(path, version.documents, named=True) for version in marked[path]]
        return [_Side(path, _cut_plain(path, read_sentences(path), starts, outline), named=False)]

    if source in marked:
        _single(source, marked[source])
    source_side = sides_of(source)[0]
    reference_sides = [side for path in references for side in sides_of(path)]
    for side in reference_sides:
        _compare(source_side, side)
    return [
        ParallelDocument(
            name=(outline or source_side.documents)[number].name,
            source=document.sentences,
            references=tuple(side.documents[number].sentences for side in reference_sides),
        )
        for number, document in enumerate(source_side.documents)
    ]


def _marked_reader(path: Path) -> _Reader | None:
    suffix = Path(base_name(path)).suffix.lower()
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    start = next(read_chunks(path), b"").removeprefix(b"\xef\xbb\xbf").lstrip()[:16].lower()
    return next((reader for opening, reader in _BY_OPENING.items() if start.startswith(opening)), None)


def _cut_plain(
    path: Path, sentences: list[str], starts: Path | None, outline: list[Document] | None
) -> list[Document]:
    name = base_name(path)
    if starts is not None:
        return cut_at_starts(name, sentences, read_starts(starts))
    lengths = [len(document.sentences) for document in outline or ()]
    if outline and sum(lengths) == len(sentences):
        # As many lines as marked segments: an empty line is an empty sentence here.
        bounds = accumulate(lengths, initial=0)
        cuts = zip(outline, pairwise(bounds), strict=True)
        return [Document(marked.name, tuple(sentences[begin:end])) for marked, (begin, end) in cuts]
    return cut_at_blanks(name, sentences)


def _single(path: Path, versions: list[Version]) -> Version:
    if len(versions) > 1:
        systems = ", ".join(version.system for version in versions)
        raise DataError(f"{path}: holds {len(versions)} texts ({systems}); a source has only one")
    return versions[0]


def _compare(source: _Side, reference: _Side) -> None:
    pairs = list(zip(source.documents, reference.documents, strict=False))
    for number, (ours, theirs) in enumerate(pairs, 1):
        if source.named and reference.named and ours.name != theirs.name:
            raise DataError(
                f"document {number} is {ours.name} in {source.path} and {theirs.name} in {reference.path}; "
                "put the documents in the same order"
            )
        if len(ours.sentences) != len(theirs.sentences):
            raise DataError(
                f"{source.path} has {source.size} sentences and {reference.path} has {reference.size}; "
                f"document {number} ({theirs.name}) is the first to differ, "
                f"with {len(ours.sentences)} and {len(theirs.sentences)}"
            )
    if len(source.documents) != len(reference.documents):
        raise DataError(
            f"{source.path} has {source.size} sentences in {len(source.documents)} documents and "
            f"{reference.path} has {reference.size} in {len(reference.documents)}; mark the same ones in both"
        )
