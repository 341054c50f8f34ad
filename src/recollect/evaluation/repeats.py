"""Words said before: how often a word that the document has had already comes out the same way again."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Repeats", "repeats"]

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
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


def repeats(
    outputs: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    history: Sequence[Sequence[str]] | None = None,
) -> Repeats:
    """Count, sentence by sentence of each document, the words of its reference that were said before.

    Before means in the references of earlier sentences, or in `history`; very common words do not count.
    """
    history = references if history is None else history
    frequent = Counter(word for document in references for line in document for word in _words(line))
    common = {word for word, _ in frequent.most_common(COMMON)}
    right = total = 0
    for output, reference, past in zip(outputs, references, history, strict=True):
        heard: set[str] = set()
        for said, wanted, remembered in zip(output, reference, past, strict=True):
            due = {word for word in _words(wanted) if word in heard and word not in common}
            right += len(due & set(_words(said)))
            total += len(due)
            heard.update(_words(remembered))
    return Repeats(right, total)


def _words(line: str) -> list[str]:
    return _WORD.findall(line.replace("&apos;", "'").lower())
