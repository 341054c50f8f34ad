"""A file's prose as sentences to translate, and the file again from their translations."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from recollect.text.formats.content import Content, Unit
from recollect.text.glossary import Term, hold_terms
from recollect.text.inline import Inline, Mark
from recollect.text.placeholders import hold_placeholders
from recollect.text.placing import Link, place_marks
from recollect.text.scripts import has_letters
from recollect.text.segment import Span, join_sentences, split_lines, split_sentences

__all__ = ["Passages", "Spoken"]

LONGEST = 60  # tokens of a sentence; models are trained on sentences not much longer


@dataclass(frozen=True, slots=True)
class Spoken:
    """A sentence's translation, and which of its words speak of which words of the source."""

    text: str
    links: Sequence[Link] = ()


@dataclass(frozen=True, slots=True)
class _Line:
    """What stands before a line break that is kept, and where its sentences are."""

    held: Inline
    spans: Sequence[Span]

    @property
    def sentences(self) -> list[str]:
        return [self.held.text[start:end] for start, end in self.spans]


@dataclass(frozen=True, slots=True)
class _Passage:
    """A unit cut into sentences, which are `first`, `first + 1`, ... of the file."""

    unit: Unit
    lines: Sequence[_Line]
    first: int
    kept: bool  # it has a translation already


class Passages:
    """The sentences of a file in reading order; `settled` ones have been translated already, by a person."""

    def __init__(
        self,
        content: Content,
        language: str,
        length: Callable[[str], int] = len,
        longest: int = LONGEST,
        held: Sequence[Term] = (),
    ) -> None:
        """`held` terms are not left to the translator: they stand in the translation as their own says."""
        self.content, self._terms = content, held
        self.sentences: list[str] = []
        self.settled: dict[int, str] = {}
        self._passages = [self._cut(unit, language, length, longest) for unit in content.units]

    def _cut(self, unit: Unit, language: str, length: Callable[[str], int], longest: int) -> _Passage:
        held, first = hold_terms(hold_placeholders(unit.source), self._terms), len(self.sentences)
        lines = []
        for line in _lines(held):
            spans = split_sentences(line.text, language, longest, length) if has_letters(line.text) else []
            lines.append(_Line(line, _with_words(spans, line)))
        sentences = [sentence for line in lines for sentence in line.sentences]
        if unit.target is None:
            self.sentences += sentences
            return _Passage(unit, lines, first, kept=False)
        translated = hold_placeholders(unit.target).text
        theirs = split_sentences(translated, "", longest, length)
        pairs = [
            (source, translated[begin:stop]) for source, (begin, stop) in zip(sentences, theirs, strict=False)
        ]
        if len(sentences) != len(theirs):
            pairs = [(held.text, translated)] if sentences else []
        for source, target in pairs:
            self.settled[len(self.sentences)] = target
            self.sentences.append(source)
        return _Passage(unit, (), first, kept=True)

    def where(self, sentence: int) -> str:
        """Return where in the file a sentence stands, for people."""
        found = [each for each in self._passages if each.first <= sentence]
        return found[-1].unit.where if found else ""

    def wheres(self) -> list[str]:
        """Return where in the file each of the sentences stands, for people."""
        ends = [each.first for each in self._passages[1:]] + [len(self.sentences)]
        return [
            each.unit.where
            for each, end in zip(self._passages, ends, strict=False)
            for _ in range(each.first, end)
        ]

    def render(self, spoken: Sequence[Spoken]) -> bytes:
        """Return the file with a translation for every sentence."""
        return self.content.render([self._target(each, spoken) for each in self._passages])

    def _target(self, passage: _Passage, spoken: Sequence[Spoken]) -> Inline | None:
        if passage.kept:
            return None
        pieces: list[str | Mark] = []
        first = passage.first
        for line in passage.lines:
            said = spoken[first : first + len(line.spans)]
            pieces += _translated(line, said).pieces()
            first += len(said)
        return _restored(Inline.joined(pieces), passage.unit.source)


def _lines(held: Inline) -> list[Inline]:
    """Cut a text with its marks where lines end; a mark alone in its line is a line, the last one too."""
    text = f"{held.text}\n"
    *lines, last = Inline(text, held.marks).cut(split_lines(text))
    return [*lines, Inline(last.text[:-1], last.marks)]


def _translated(line: _Line, said: Sequence[Spoken]) -> Inline:
    if line.sentences == [each.text for each in said]:
        return line.held
    pairs = zip(_sentences(line.held, line.spans), said, strict=True)
    placed = [place_marks(source, each.text, each.links) for source, each in pairs]
    return join_sentences(line.held.text, line.spans, placed)


def _with_words(spans: Sequence[Span], held: Inline) -> list[Span]:
    """Return sentences with the white space between them and the marks around them that stand for words."""
    words = [mark.at for mark in held.marks if mark.role == "word"]
    found = []
    for number, (start, end) in enumerate(spans):
        last = number + 1 == len(spans)
        own = [at for at in words if (number == 0 or at >= start) and (last or at < spans[number + 1][0])]
        found.append((min([start, *own]), max([end, *own])))
    return found


def _sentences(held: Inline, spans: Sequence[Span]) -> list[Inline]:
    """Cut a text with its marks; those in the white space between sentences go with the one before."""
    begins = [start for start, _ in spans[1:]]
    found = []
    for part, (start, end), begin in zip(held.cut(begins), spans, [0, *begins], strict=True):
        places = [min(max(mark.at - start + begin, 0), end - start) for mark in part.marks]
        marks = [replace(mark, at=at) for mark, at in zip(part.marks, places, strict=True)]
        found.append(Inline(held.text[start:end], tuple(marks)))
    return found


def _restored(target: Inline, source: Inline) -> Inline:
    """Return placeholders as text again: only the marks of the source itself are marks."""
    own = {(mark.raw, mark.role, mark.pair) for mark in source.marks}
    return Inline.joined(
        piece if isinstance(piece, str) or (piece.raw, piece.role, piece.pair) in own else piece.raw
        for piece in target.pieces()
    )
