"""Tokens gathered into the words that people see."""

from collections.abc import Sequence
from typing import Protocol

from recollect.text.scripts import is_dense

__all__ = ["whole_words"]

_WORD_START = "▁"
_INSIDE = frozenset("'’-")  # signs that do not part a word


class Pieces(Protocol):
    """A vocabulary, as far as words are concerned."""

    def piece(self, token: int) -> str:
        """What one id stands for."""
        ...

    def starts_word(self, token: int) -> bool:
        """Whether a word begins with this token."""
        ...


def whole_words(tokens: Sequence[int], vocabulary: Pieces) -> list[range]:
    """Return which tokens make a word together; signs, and pieces of scripts without spaces, stand alone."""
    found: list[range] = []
    closed = True
    for place, token in enumerate(tokens):
        piece = vocabulary.piece(token).removeprefix(_WORD_START)
        byte = piece.startswith("<0x")  # one of several that make a character
        sign = not byte and not any(each.isalnum() for each in piece)
        alone = (sign and piece not in _INSIDE) or is_dense(piece[:1])
        if closed or alone or vocabulary.starts_word(token):
            found.append(range(place, place + 1))
        else:
            found[-1] = range(found[-1].start, place + 1)
        closed = alone
    return found
