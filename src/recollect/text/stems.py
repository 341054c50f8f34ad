"""Words without their endings, so that a word and its plural are one."""

from collections.abc import Sequence
from functools import lru_cache

__all__ = ["related", "same_word", "stem", "without_genitive"]

_GENITIVES = ("'s", "’s", "'", "’")
_ENDINGS = ("ings", "ing", "ies", "ied", "ern", "ens", "es", "ed", "en", "em", "s", "e", "n", "y")
_SHORTEST = 4  # letters that must be left
_FAMILY = 5  # letters with which the words of a family begin


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return a word in lower case without its ending; short words have none.

    >>> stem("Planets"), stem("painted"), stem("this"), stem("Li's")
    ('planet', 'paint', 'this', 'li')
    """
    word = without_genitive(word.lower())
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            return word.removesuffix(ending)
    return word


def without_genitive(word: str) -> str:
    """Return a word without its 's."""
    for ending in _GENITIVES:
        if word.endswith(ending) and len(word) > len(ending):
            return word.removesuffix(ending)
    return word


def same_word(first: str, second: str) -> bool:
    """Whether two words differ in nothing but case and ending.

    >>> same_word("memory", "Memories"), same_word("Rose", "Ross"), same_word("Marina", "Marian")
    (True, False, False)
    """
    first, second = (without_genitive(word.lower()) for word in (first, second))
    if first == second or stem(first) == stem(second):
        return True
    shared = _shared(first, second)
    rests = first[shared:], second[shared:]
    return shared >= _SHORTEST and all(not rest or rest in _ENDINGS for rest in rests)


def related(first: str, second: str) -> bool:
    """Whether two words are of one family: forms of one, derived from one, or one a compound of the other.

    >>> related("marriage", "married"), related("Datei", "Konfigurationsdatei"), related("court", "judge")
    (True, True, False)
    """
    if same_word(first, second):
        return True
    first, second = first.lower(), second.lower()
    shared = _shared(first, second)
    if shared >= _FAMILY and shared >= 0.6 * min(len(first), len(second)):
        return True
    short, long = sorted((first, second), key=len)
    return len(short) >= _SHORTEST and long.endswith(short)


def _shared(first: Sequence[str], second: Sequence[str]) -> int:
    """How many letters two words begin with in common."""
    return next(
        (place for place, (one, other) in enumerate(zip(first, second, strict=False)) if one != other),
        min(len(first), len(second)),
    )
