"""Words said before: how often a word that the document has had already comes out the same way again."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = [
    "NameAgain",
    "Repeats",
    "has_word",
    "names_again",
    "names_in",
    "put_words",
    "repeated_names",
    "repeats",
]

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_BETWEEN, _ENDS = " \"'“”‘’([-—", ".!?:…"
_TITLES = ("Mr.", "Mrs.", "Ms.", "Dr.")  # their full stop ends no sentence
_NO_NAMES = {"I", "I'm", "I'll", "I've", "I'd", "Mr", "Mrs", "Ms", "Dr", "God", "OK", "TV"}
COMMON = 150  # the most frequent words of the references carry grammar, and are no terms


@dataclass(frozen=True, slots=True)
class Repeats:
    """Words of references that the document has had before, and how many of them an output has too."""

    right: int
    total: int

    @property
    def accuracy(self) -> float:
        """Their share, of 100."""
        return 100 * self.right / max(self.total, 1)

    def __str__(self) -> str:
        return f"repeated words {self.accuracy:.1f}% ({self.right:,} of {self.total:,})"


@dataclass(frozen=True, slots=True)
class NameAgain:
    """A name of a document and the sentences in which it comes first and next."""

    name: str
    first: int
    again: int


def repeats(outputs: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> Repeats:
    """Count, sentence by sentence of each document, the words of its reference that were said before.

    Before means in the references of earlier sentences; very common words do not count.
    """
    frequent = Counter(word for document in references for line in document for word in _words(line))
    common = {word for word, _ in frequent.most_common(COMMON)}
    right = total = 0
    for output, reference in zip(outputs, references, strict=True):
        heard: set[str] = set()
        for said, wanted in zip(output, reference, strict=True):
            due = {word for word in _words(wanted) if word in heard and word not in common}
            right += len(due & set(_words(said)))
            total += len(due)
            heard.update(_words(wanted))
    return Repeats(right, total)


def repeated_names(outputs: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> Repeats:
    """Count the names of references, in text with capitals, that the document has had before.

    A name is a word with a capital that does not open a sentence; where it was said before, it may have.
    """
    right = total = 0
    for output, reference in zip(outputs, references, strict=True):
        heard: set[str] = set()
        for said, wanted in zip(output, reference, strict=True):
            due = names_in(wanted) & heard
            right += len(due & set(_WORD.findall(said)))
            total += len(due)
            heard.update(_WORD.findall(wanted))
    return Repeats(right, total)


def names_again(reference: Sequence[str]) -> list[NameAgain]:
    """Return each name of a document that comes in more than one sentence, with the first two of them.

    >>> names_again(["I met Mr. Blackwood.", "Who?", "Blackwood. He saw Ann."])
    [NameAgain(name='Blackwood', first=0, again=2)]
    """
    first: dict[str, int] = {}
    found: dict[str, NameAgain] = {}
    for number, line in enumerate(reference):
        for word in dict.fromkeys(_WORD.findall(line)):
            if word in first and word not in found:
                found[word] = NameAgain(word, first[word], number)
        for name in sorted(names_in(line)):
            first.setdefault(name, number)
    return sorted(found.values(), key=lambda each: (each.again, each.name))


def has_word(text: str, word: str) -> bool:
    """Whether a word stands in a text, as it is written."""
    return word in _WORD.findall(text)


def put_words(text: str, others: Mapping[str, str]) -> str:
    """Return a text with others in the place of some words.

    >>> put_words("Ann, is that Ann's? Annabel!", {"Ann": "Zoe"})
    "Zoe, is that Ann's? Annabel!"
    """
    return _WORD.sub(lambda match: others.get(match.group(), match.group()), text)


def names_in(line: str) -> set[str]:
    """Return the words with a capital that do not open a sentence."""
    found = set()
    for match in _WORD.finditer(line):
        before = line[: match.start()].rstrip(_BETWEEN)
        opens = not before or (before[-1] in _ENDS and not before.endswith(_TITLES))
        if match.group()[0].isupper() and not opens and match.group() not in _NO_NAMES:
            found.add(match.group())
    return found


def _words(line: str) -> list[str]:
    return _WORD.findall(line.replace("&apos;", "'").lower())
