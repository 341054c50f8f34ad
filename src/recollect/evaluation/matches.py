"""How alike a word and the remembered one it looked at are: the same phrase, the same word, a related one."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, get_args

from recollect.text.function_words import is_function_word
from recollect.text.stems import related

__all__ = ["KINDS", "MatchKind", "Shares", "is_content", "kind_of_match"]

MatchKind = Literal["phrase", "exact", "fuzzy", "none"]
"""phrase: the same word after the same word; exact: the same word; fuzzy: of one stem, or one a part of the
other; none: another word altogether."""
KINDS: tuple[MatchKind, ...] = get_args(MatchKind)


def kind_of_match(word: str, before: str, remembered: str, remembered_before: str) -> MatchKind:
    """Return how far a word and a remembered one agree, each with the word before it; ▁ and case are nothing.

    >>> kind_of_match("team", "Chinese", "team", "Chinese"), kind_of_match("team", "a", "▁team", "the")
    ('phrase', 'exact')
    >>> kind_of_match("training", "the", "trained", "the"), kind_of_match("chance", "a", "course", "a")
    ('fuzzy', 'none')
    """
    return _kind(*(_plain(each) for each in (word, before, remembered, remembered_before)))


@lru_cache(maxsize=1 << 16)
def _kind(word: str, before: str, remembered: str, remembered_before: str) -> MatchKind:
    if word == remembered:
        return "phrase" if before == remembered_before else "exact"
    return "fuzzy" if word.isalpha() and remembered.isalpha() and related(word, remembered) else "none"


def _plain(piece: str) -> str:
    return piece.removeprefix("▁").lower()


def is_content(piece: str) -> bool:
    """Whether a piece is a word, or a part of one, that carries more than grammar.

    >>> is_content("▁team"), is_content("▁the"), is_content(".")
    (True, False, False)
    """
    plain = _plain(piece)
    return len(plain) > 1 and plain.isalpha() and not is_function_word(plain)


class Shares:
    """How many words there were, and which part of them matched in which way."""

    def __init__(self) -> None:
        self.words = 0
        self.sums = dict.fromkeys(KINDS, 0.0)

    def add(self, kinds: Iterable[tuple[MatchKind, float]]) -> None:
        """Take note of one word: what it looked at, each with its share; shares add up to one."""
        self.words += 1
        for kind, share in kinds:
            self.sums[kind] += share

    def of(self, kind: MatchKind) -> float:
        """The share of one kind, of 100."""
        return 100 * self.sums[kind] / max(self.words, 1)
