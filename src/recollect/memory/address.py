"""What a word is stored under: the piece itself, or the piece within its whole word."""

from collections.abc import Callable, Sequence
from hashlib import blake2b

from recollect.text.specials import EOS

__all__ = ["piece_addresses", "word_addresses"]


def piece_addresses(tokens: Sequence[int]) -> list[int]:
    """Every piece is its own address."""
    return list(tokens)


def word_addresses(tokens: Sequence[int], starts_word: Callable[[int], bool]) -> list[int]:
    """A piece's address is its whole word and its place in it, so that `ing` of two words does not mix."""
    words: list[list[int]] = []
    for token in tokens:
        # A stored end is no part of the last word, which would else differ from itself in mid-sentence.
        if not words or token == EOS or starts_word(token):
            words.append([])
        words[-1].append(token)
    return [_fingerprint(word, place) for word in words for place in range(len(word))]


def _fingerprint(word: Sequence[int], place: int) -> int:
    digest = blake2b(repr((*word, -place)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
