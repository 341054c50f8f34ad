"""Contrasts: a sentence as it is, and with a word that the document has had before replaced by another.

Whoever remembers the document should find the first one likelier. Sets of such pairs for pronouns and tenses
are made by people (Bawden et al. 2018, Müller et al. 2018); these come out of any document by themselves, and
so are about repeated words and names alone.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.text.function_words import is_function_word
from recollect.text.names import WORD, names_in
from recollect.text.stems import same_word

__all__ = ["Repeated", "another_word", "repeated_words", "with_other_word"]

_SHORTEST = 2  # letters; single ones are what is left of contractions, or grammar


@dataclass(frozen=True, slots=True)
class Repeated:
    """A word that was said before in its document, and where it stands now."""

    sentence: int
    start: int  # in characters
    end: int
    word: str
    name: bool
    said: tuple[str, ...]  # other words that had been said, as they were first written


def repeated_words(document: Sequence[str]) -> list[Repeated]:
    """Return the words of a document that it has had before, once for each sentence; grammar does not count.

    >>> [(each.sentence, each.word, each.said) for each in repeated_words(["Ada sang.", "So did Ada!"])]
    [(1, 'Ada', ('sang',))]
    """
    heard: dict[str, str] = {}  # in lower case -> as first written
    found = []
    for number, line in enumerate(document):
        own = [match for match in WORD.finditer(line) if _counts(match.group())]
        here = {match.group().lower() for match in own}
        names = names_in(line)
        others = tuple(
            written for word, written in heard.items() if not any(same_word(word, each) for each in here)
        )
        seen: set[str] = set()
        for match in own:
            word = match.group()
            if word.lower() in heard and word.lower() not in seen:
                seen.add(word.lower())
                found.append(Repeated(number, *match.span(), word, word in names, others))
        for match in own:
            heard.setdefault(match.group().lower(), match.group())
    return found


def another_word(repeated: Repeated, chance: random.Random) -> str | None:
    """Return another word that the document has had: a memory of anything at all would like it as well.

    It is written with a capital if the repeated one is a name, where there is such a word.
    """
    alike = [word for word in repeated.said if word[0].isupper() == repeated.name]
    return chance.choice(alike or repeated.said) if repeated.said else None


def with_other_word(line: str, repeated: Repeated, other: str) -> str:
    """Return the sentence with another word in this place, with a capital where the word had one.

    >>> with_other_word("So did Ada!", repeated_words(["Ada sang.", "So did Ada!"])[0], "bob")
    'So did Bob!'
    """
    if repeated.word[0].isupper():
        other = other[0].upper() + other[1:]
    elif other.istitle():
        other = other.lower()
    return line[: repeated.start] + other + line[repeated.end :]


def _counts(word: str) -> bool:
    return len(word) >= _SHORTEST and not is_function_word(word.split("'")[0].split("’")[0])
