"""Names and other words that a source leaves in the target's letters, spelled as the source spells them."""

import re
from collections.abc import Callable
from difflib import SequenceMatcher

from recollect.text.names import LETTERS
from recollect.text.scripts import script_of

__all__ = ["as_written"]

_LIKE = 0.6  # similarity from which on a word is meant to be the other
_LIKE_BEGINNING = 0.5  # the same, for words that begin with the same letter
_SHORTEST = 2  # letters
_PARTS = re.compile(f"({LETTERS.pattern})")


def as_written(source: str, text: str, script: str, ordinary: Callable[[str], bool]) -> str:
    """Return a translation with the source's own spelling of words in `script`, where it has another.

    Only words with a capital that are not `ordinary` ones are taken for such a word, misspelled.

    >>> as_written("Brian和Carmela来了", "Brin and Karmala's here.", "LATIN", lambda word: word == "here")
    "Brian and Carmela's here."
    """
    given = _words(source, script)
    said = {word.casefold() for word in LETTERS.findall(text)} if given else set()
    wanted = [word for word in given if word.casefold() not in said]
    if not wanted:
        return text
    known = {word.casefold() for word in given}
    free = [
        word
        for word in dict.fromkeys(LETTERS.findall(text))
        if word[0].isupper() and len(word) >= _SHORTEST
        if word.casefold() not in known and not ordinary(word.lower())
    ]
    pairs = [(word, other) for word in wanted for other in free if _likeness(word, other)]
    spelled: dict[str, str] = {}
    for word, other in sorted(pairs, key=lambda pair: -_likeness(*pair)):
        if other not in spelled and word not in spelled.values():
            spelled[other] = word
    return "".join(_capital(spelled[part]) if part in spelled else part for part in _PARTS.split(text))


def _capital(word: str) -> str:
    return word[0].upper() + word[1:]


def _words(source: str, script: str) -> list[str]:
    """Return the words of a source that are in another script than it is, each once."""
    runs = (run for match in LETTERS.finditer(source) for run in _runs(match[0], script))
    return [word for word in dict.fromkeys(runs) if len(word) >= _SHORTEST]


def _runs(letters: str, script: str) -> list[str]:
    return "".join(each if script_of(each) == script else " " for each in letters).split()


def _likeness(word: str, other: str) -> float:
    """Return how like two words are, or 0 if one cannot be meant by the other."""
    one, two = word.casefold(), other.casefold()
    like = SequenceMatcher(None, one, two, autojunk=False).ratio()
    return like if like >= (_LIKE_BEGINNING if one[0] == two[0] else _LIKE) else 0.0
