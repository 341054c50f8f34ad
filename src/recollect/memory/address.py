"""What a word is stored under: the piece itself, the piece within its whole word, or with its source."""

from collections.abc import Callable, Sequence
from hashlib import blake2b

from recollect.text.specials import EOS

__all__ = ["Addresses", "pair_addresses", "piece_addresses", "word_addresses"]

Addresses = Callable[[Sequence[int], Sequence[int]], list[int]]
"""From tokens, and the source tokens that each of them looked at, to what they are stored under."""


def piece_addresses(tokens: Sequence[int], looked_at: Sequence[int] = ()) -> list[int]:
    """Every piece is its own address."""
    return list(tokens)


def pair_addresses(tokens: Sequence[int], looked_at: Sequence[int]) -> list[int]:
    """A piece's address is itself and the source token it looked at: another sense is another slot.

    >>> first, again, other = pair_addresses([7, 7, 7], [4, 4, 5])
    >>> first == again, first == other
    (True, False)
    """
    return [_fingerprint((token, source), 0) for token, source in zip(tokens, looked_at, strict=True)]


def word_addresses(
    tokens: Sequence[int], looked_at: Sequence[int], starts_word: Callable[[int], bool]
) -> list[int]:
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
