"""Names and other words that a source leaves in the target's letters, spelled as the source spells them."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from recollect.text.names import LETTERS
from recollect.text.placing import Link
from recollect.text.scripts import script_of

__all__ = ["Written", "as_written", "words_in"]

_LIKE = 0.6  # similarity from which on a word is meant to be the other
_LIKE_BEGINNING = 0.5  # the same, for words that begin with the same letter
_SHORTEST, _SHORTEST_LOWER = 3, 4  # letters of a word with a capital, and without
_ENDINGS = {"", "s", "es", "n", "ns", "an", "ans", "ian", "ians", "ish", "day"}  # Sopranos, Canadian
_NOT = re.compile(r"['’]t\b")  # hadn in hadn't is no word


@dataclass(frozen=True, slots=True)
class Written:
    """A word of a source, and where it stands there."""

    word: str
    start: int
    end: int


def words_in(source: str, script: str) -> list[Written]:
    """Return the words of a source that are in a script, those of some letters.

    >>> [each.word for each in words_in("老Otto与ｋａｔｅ在LA", "LATIN")]
    ['Otto', 'kate']
    """
    # A mark that goes on a letter belongs to its word.
    inside = [unicodedata.combining(each) or _is_in(each, script) for each in source]
    found, start = [], 0
    for at in range(len(source) + 1):
        if at < len(source) and inside[at]:
            continue
        word = unicodedata.normalize("NFKC", source[start:at])
        if len(word) >= (_SHORTEST_LOWER if word.islower() else _SHORTEST):
            found.append(Written(word, start, at))
        start = at + 1
    return found


def _is_in(character: str, script: str) -> bool:
    return script_of(unicodedata.normalize("NFKC", character)[:1]) == script


def as_written(
    written: Sequence[Written], text: str, links: Iterable[Link], kept: Callable[[str], bool]
) -> str:
    """Return a translation with the source's own spelling of words that it only has misspelled.

    A word of the translation is taken for one of the source if it speaks of it (by `links`), looks like it,
    has a capital and is none of those to be `kept`.

    >>> written, links = words_in("Brian和Carmela来了", "LATIN"), [Link(0, 5, 0, 4), Link(6, 13, 9, 16)]
    >>> as_written(written, "Brin and Karmala's here.", links, lambda word: False)
    "Brian and Carmela's here."
    """
    said = LETTERS.findall(text.casefold())
    missing = [each for each in written if not any(_is_form(word, each.word.casefold()) for word in said)]
    if not missing:
        return text
    known = {each.word.casefold() for each in written}
    free = [
        match
        for match in LETTERS.finditer(text)
        if match[0][0].isupper() and match[0].casefold() not in known
        if not _NOT.match(text, match.end()) and not kept(match[0])
    ]
    linked = list(links)
    pairs = [
        (likeness, each.word, match)
        for each in missing
        for match in free
        if (likeness := _likeness(each.word, match[0])) and _speaks_of(match, each, linked)
    ]
    meant: dict[str, str] = {}  # a misspelled word -> the word of the source
    for _, word, match in sorted(pairs, key=lambda pair: -pair[0]):
        if match[0] not in meant and word not in meant.values():
            meant[match[0]] = word
    places = {match.start(): _capital(word) for _, word, match in pairs if meant.get(match[0]) == word}
    return LETTERS.sub(lambda match: places.get(match.start(), match[0]), text)


def _capital(word: str) -> str:
    """Return a word as a name; one with a capital anywhere is written as it is meant to be."""
    return word[0].upper() + word[1:] if word.islower() else word


def _is_form(said: str, word: str) -> bool:
    """Whether a word, both in lower case, is there: as it is, or with an ending of its own."""
    return said.startswith(word) and said[len(word) :] in _ENDINGS


def _speaks_of(said: re.Match[str], written: Written, links: Iterable[Link]) -> bool:
    return any(
        link.target_start < said.end()
        and said.start() < link.target_end
        and link.source_start < written.end
        and written.start < link.source_end
        for link in links
    )


def _likeness(word: str, other: str) -> float:
    """Return how like two words are, or 0 if one cannot be meant by the other."""
    one, two = word.casefold(), other.casefold()
    like = SequenceMatcher(None, one, two, autojunk=False).ratio()
    return like if like >= (_LIKE_BEGINNING if one[0] == two[0] else _LIKE) else 0.0
