"""A vocabulary of the most frequent words, everything else unknown."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from recollect.errors import DataError
from recollect.text.specials import SPECIALS, UNK

__all__ = ["WordCounts", "WordVocabulary", "split_words"]

_ESCAPES = {
    "&amp;": "&",
    "&apos;": "'",
    "&quot;": '"',
    "&lt;": "<",
    "&gt;": ">",
    "&#91;": "[",
    "&#93;": "]",
    "&#124;": "|",
}
_ESCAPE = re.compile("|".join(_ESCAPES))


def split_words(text: str) -> list[str]:
    """White-space separated words, without the escapes of the Moses tokeniser.

    Tokenised training text often has them (`it &apos;s`), marked-up references never do.
    """
    if "&" in text:
        text = _ESCAPE.sub(lambda found: _ESCAPES[found.group()], text)
    return text.split()


class WordCounts:
    """Counts words in bounded memory."""

    def __init__(self, limit: int = 5_000_000) -> None:
        self.counts: dict[str, int] = {}  # in order of first appearance
        self._limit = limit

    def add(self, text: str) -> None:
        """Count the words of one sentence."""
        counts = self.counts
        for word in split_words(text):
            counts[word] = counts.get(word, 0) + 1
        if len(counts) > self._limit:
            # Words seen once so far are far below any cut-off that keeps fewer than `limit` words.
            self.counts = {word: count for word, count in counts.items() if count > 1}


class WordVocabulary:
    """Words by falling frequency after the four specials."""

    FILE = "{side}.words.tsv"

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = dict(counts)
        self._pieces = [*SPECIALS, *self._counts]
        self._ids = {word: token for token, word in enumerate(self._counts, len(SPECIALS))}

    @classmethod
    def most_frequent(cls, counts: Mapping[str, int], size: int) -> "WordVocabulary":
        """The `size` most frequent words; of equally frequent ones, those counted first."""
        words = (word for word in counts if word not in SPECIALS)
        chosen = sorted(words, key=lambda word: -counts[word])[:size]
        return cls({word: counts[word] for word in chosen})

    @property
    def size(self) -> int:
        """How many ids there are, specials included."""
        return len(self._pieces)

    def encode(self, text: str) -> list[int]:
        """Ids of the words; a word outside the vocabulary is unknown."""
        ids = self._ids
        return [ids.get(word, UNK) for word in split_words(text)]

    def encode_many(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids of the words of each text."""
        return [self.encode(text) for text in texts]

    def decode(self, ids: Iterable[int]) -> str:
        """Words joined by spaces; padding, start and end are left out."""
        return " ".join(self._pieces[token] for token in ids if token == UNK or token >= len(SPECIALS))

    def piece(self, token: int) -> str:
        """The word of one id."""
        return self._pieces[token]

    def starts_word(self, token: int) -> bool:
        """Every token but the specials is a word of its own; an unknown one is a word too."""
        return token == UNK or token >= len(SPECIALS)

    def save(self, folder: Path, side: str) -> None:
        """Write words and their counts, most frequent first."""
        lines = (f"{word}\t{count}\n" for word, count in self._counts.items())
        (folder / self.FILE.format(side=side)).write_bytes("".join(lines).encode("utf-8"))

    @classmethod
    def load(cls, folder: Path, side: str) -> "WordVocabulary":
        """Read what `save` wrote."""
        path = folder / cls.FILE.format(side=side)
        counts: dict[str, int] = {}
        lines = path.read_bytes().decode("utf-8").split("\n")
        for number, line in enumerate(lines[:-1] if not lines[-1] else lines, 1):
            word, _, count = line.partition("\t")
            if not count.isdigit() or word in counts:
                raise DataError(f"{path}, line {number}: expected a new word, a tab and its count")
            counts[word] = int(count)
        return cls(counts)
