"""Where a remembered word came from: a snippet of its sentence and of what that was translated from."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.decoding.translation import Translation
from recollect.decoding.translator import Translator
from recollect.text.scripts import is_dense
from recollect.text.spans import piece_spans

__all__ = ["Origin", "cut_out", "where_from"]

_AROUND, _AROUND_DENSE = 22, 8  # characters on each side


@dataclass(frozen=True, slots=True)
class Origin:
    """Snippets of a sentence and its translation around a word, which stands between two stars each."""

    source: str
    target: str


def where_from(
    translator: Translator,
    sentences: Sequence[str],
    translations: Sequence[Translation],
    number: int,
    piece: str,
) -> Origin:
    """Return the snippets around a piece of what was said of sentence `number`, at its last place there."""
    source, said = sentences[number], translations[number]
    pieces = [translator.target_vocabulary.piece(token) for token in said.tokens]
    if piece not in pieces:  # it was a person's word, or has since been corrected
        return Origin(source, said.text)
    start, end = piece_spans(said.text, pieces)[len(pieces) - 1 - pieces[::-1].index(piece)]
    linked = [
        (link.source_start, link.source_end)
        for link in translator.links(source, said)
        if (link.target_start, link.target_end) == (start, end)
    ]
    given = cut_out(source, *linked[0]) if linked else source
    return Origin(given, cut_out(said.text, start, end))


def cut_out(text: str, start: int, end: int) -> str:
    """Return what stands around a stretch of text, whole words of it, and the stretch between stars.

    >>> cut_out("after listening to all training courses we felt better than ever", 23, 31)
    '… listening to all **training** courses we felt …'
    """
    around = _AROUND_DENSE if is_dense(text[start : start + 1]) else _AROUND
    first, last = max(0, start - around), min(len(text), end + around)
    while 0 < first < start and not _is_cut(text, first):
        first += 1
    while end < last < len(text) and not _is_cut(text, last):
        last -= 1
    before, after = text[first:start].lstrip(), text[end:last].rstrip()
    return f"{'… ' if first else ''}{before}**{text[start:end]}**{after}{' …' if last < len(text) else ''}"


def _is_cut(text: str, place: int) -> bool:
    """Whether a text may be cut before a character."""
    return text[place].isspace() or text[place - 1].isspace() or is_dense(text[place])
