"""Words said before: how often a word that the document has had already comes out the same way again."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.text.names import WORD, names_in

__all__ = [
    "NameAgain",
    "Repeats",
    "has_word",
    "names_again",
    "repeated_names",
    "repeats",
]

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
            right += len(due & set(WORD.findall(said)))
            total += len(due)
            heard.update(WORD.findall(wanted))
    return Repeats(right, total)


def names_again(reference: Sequence[str]) -> list[NameAgain]:
    """Return each name of a document that comes in more than one sentence, with the first two of them.

    >>> names_again(["I met Mr. Blackwood.", "Who?", "Blackwood. He saw Ann."])
    [NameAgain(name='Blackwood', first=0, again=2)]
    """
    first: dict[str, int] = {}
    found: dict[str, NameAgain] = {}
    for number, line in enumerate(reference):
        for word in dict.fromkeys(WORD.findall(line)):
            if word in first and word not in found:
                found[word] = NameAgain(word, first[word], number)
        for name in sorted(names_in(line)):
            first.setdefault(name, number)
    return sorted(found.values(), key=lambda each: (each.again, each.name))


def has_word(text: str, word: str) -> bool:
    """Whether a word stands in a text, as it is written."""
    return word in WORD.findall(text)


def _words(line: str) -> list[str]:
    return WORD.findall(line.replace("&apos;", "'").lower())
