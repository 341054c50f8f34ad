"""What every vocabulary can do, and loading one from a folder."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, Protocol

from recollect.errors import DataError
from recollect.text.specials import BOS, EOS, PAD, UNK
from recollect.text.subwords import SubwordVocabulary
from recollect.text.words import WordVocabulary

__all__ = ["BOS", "EOS", "PAD", "UNK", "Side", "Vocabulary", "load_vocabulary"]

Side = Literal["source", "target"]


class Vocabulary(Protocol):
    """Text to token ids and back; ids below four are the specials."""

    @property
    def size(self) -> int:
        """How many ids there are, specials included."""

    def encode(self, text: str) -> list[int]:
        """Token ids, without start and end."""

    def encode_many(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text."""

    def decode(self, ids: Sequence[int]) -> str:
        """Text of the ids; padding, start and end are left out, an unknown word is `<unk>`."""

    def piece(self, token: int) -> str:
        """What one id stands for."""

    def starts_word(self, token: int) -> bool:
        """Whether a word begins with this token."""

    def save(self, folder: Path, side: str) -> None:
        """Write the vocabulary into a folder, under the name of its side."""


_LOADERS: dict[str, Callable[[Path, str], Vocabulary]] = {
    WordVocabulary.FILE: WordVocabulary.load,
    SubwordVocabulary.FILE: SubwordVocabulary.load,
}


def load_vocabulary(folder: Path, side: Side) -> Vocabulary:
    """The vocabulary of one side, of whichever kind the folder holds."""
    for file, load in _LOADERS.items():
        if (folder / file.format(side=side)).is_file():
            return load(folder, side)
    expected = " nor ".join(file.format(side=side) for file in _LOADERS)
    raise DataError(f"{folder}: no {side} vocabulary here, neither {expected}")
