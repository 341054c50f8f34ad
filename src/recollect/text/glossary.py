"""Terms and how they are to be translated: read from a table or TBX, found in sentences, and checked."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from recollect.errors import DataError
from recollect.text.encodings import decode
from recollect.text.files import read_chunks
from recollect.text.formats.xml_tree import Element, read_xml
from recollect.text.inline import Inline, Mark
from recollect.text.scripts import bounded
from recollect.text.stems import same_word

__all__ = ["Term", "hold_terms", "is_honoured", "read_glossary", "read_untranslatables", "terms_in"]


@dataclass(frozen=True, slots=True)
class Term:
    """What is said in the source, and how it is to be said in the translation."""

    source: str
    target: str


def read_glossary(path: Path, languages: tuple[str, str]) -> list[Term]:
    """Read a table of two columns (source and target; tab, comma or semicolon) or a TBX file."""
    data = b"".join(read_chunks(path))
    if path.suffix.lower() in (".tbx", ".xml"):
        found = list(_tbx_terms(read_xml(data, str(path), doctype=True).root, languages, path))
    else:
        found = list(_table_terms(decode(data, str(path)).text, path))
    if not found:
        raise DataError(f"{path}: there is no term in this glossary")
    return list(dict.fromkeys(found))


def read_untranslatables(path: Path) -> list[Term]:
    """Read what is never translated, one a line; what begins with # is a remark."""
    text = decode(b"".join(read_chunks(path)), str(path)).text
    words = [line.strip() for line in text.splitlines()]
    return [Term(word, word) for word in dict.fromkeys(words) if word and not word.startswith("#")]


def _table_terms(text: str, path: Path) -> Iterator[Term]:
    # Names may have commas (Smith, John): tabs in every line are meant.
    tabbed = all("\t" in line for line in text.splitlines() if line.strip())
    delimiter = "\t" if tabbed else max("\t,;", key=lambda sign: text[:2000].count(sign))
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise DataError(f"{path}: not a table that can be read ({error})") from None
    for number, row in enumerate(rows, 1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (number == 1 and cells[0].lower() in ("source", "term", "src")):
            continue
        if len(cells) < 2 or not cells[0] or not cells[1]:
            raise DataError(f"{path}, line {number}: a term and its translation are needed, two cells")
        yield Term(cells[0], cells[1])


def _tbx_terms(root: Element, languages: tuple[str, str], path: Path) -> Iterator[Term]:
    if not all(languages):
        raise DataError(f"{path}: a TBX file needs a model that knows its languages; give a table instead")
    for entry in _below(root, "termEntry", "conceptEntry"):
        by_language: dict[str, list[str]] = {}
        for part in _below(entry, "langSet", "langSec"):
            code = part.attributes.get("xml:lang", "").lower().replace("_", "-").split("-")[0]
            words = ["".join(each for each in term.content if isinstance(each, str)).strip()
                     for term in _below(part, "term")]  # fmt: skip
            by_language.setdefault(code, []).extend(word for word in words if word)
        ours, theirs = (by_language.get(language.lower(), []) for language in languages)
        if theirs:
            yield from (Term(word, theirs[0]) for word in ours)


def _below(element: Element, *names: str) -> Iterator[Element]:
    for child in element.content:
        if isinstance(child, Element):
            if child.name in names:
                yield child
            else:
                yield from _below(child, *names)


@dataclass(frozen=True, slots=True)
class _Finder:
    """Finds any of some terms, the longest first, as whole words where words are parted by spaces."""

    terms: tuple[Term, ...]
    pattern: re.Pattern[str]  # a group for each

    def __call__(self, text: str) -> Iterator[tuple[int, int, Term]]:
        """Yield where terms begin and end in a text, and which they are."""
        for found in self.pattern.finditer(text):
            assert found.lastindex is not None
            yield found.start(), found.end(), self.terms[found.lastindex - 1]


@lru_cache(maxsize=8)
def _finder(terms: tuple[Term, ...]) -> _Finder:
    different = {term.source.lower(): term for term in reversed(terms)}.values()
    longest = tuple(sorted(different, key=lambda term: len(term.source), reverse=True))
    return _Finder(longest, re.compile("|".join(bounded(term.source) for term in longest), re.IGNORECASE))


def terms_in(text: str, terms: Sequence[Term]) -> list[Term]:
    """Return the terms that occur in a text, in its order.

    >>> terms_in("The Memory is a memory bank", [Term("memory", "Speicher"), Term("bank", "Bank")])[0].target
    'Speicher'
    """
    return [term for _, _, term in _finder(tuple(terms))(text)] if terms else []


def hold_terms(inline: Inline, terms: Sequence[Term]) -> Inline:
    """Return the same with its terms as marks that stand for their translations.

    >>> hold_terms(Inline("use Recollect now"), [Term("Recollect", "Recollect")]).marks
    (Mark(at=4, raw='Recollect', role='word', pair=0),)
    """
    if not terms:
        return inline
    pieces: list[str | Mark] = []
    for piece in inline.pieces():
        if isinstance(piece, Mark):
            pieces.append(piece)
            continue
        done = 0
        for begin, end, term in _finder(tuple(terms))(piece):
            pieces += [piece[done:begin], Mark(0, term.target)]
            done = end
        pieces.append(piece[done:])
    return Inline.joined(pieces)


def is_honoured(term: Term, translation: str) -> bool:
    """Whether a translation has the term's, in any case and with any ending.

    >>> is_honoured(Term("x", "memory bank"), "Two Memory Banks"), is_honoured(Term("x", "bank"), "a bench")
    (True, False)
    """
    if term.target.lower() in translation.lower():
        return True
    wanted, words = re.findall(r"\w+", term.target), re.findall(r"\w+", translation)
    return any(
        all(same_word(one, other) for one, other in zip(wanted, words[at:], strict=False))
        for at in range(len(words) - len(wanted) + 1)
        if wanted
    )
