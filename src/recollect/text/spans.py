"""Where the pieces of a text stand in it, in characters."""

import re
from collections.abc import Sequence
from unicodedata import normalize

from recollect.text.lookalikes import SAME
from recollect.text.segment import Span
from recollect.text.specials import SPECIALS, UNK

__all__ = ["piece_spans"]

_BYTE = re.compile(r"<0x([0-9A-F]{2})>")
_WORD_START = "▁"
_UNKNOWN = SPECIALS[UNK]
_NEAR = 4  # characters that a vocabulary may have dropped in a row


def piece_spans(text: str, pieces: Sequence[str]) -> list[Span]:
    """Return where each piece begins and ends; white space belongs to no piece.

    Pieces are subwords (with `▁` for a space, or bytes such as `<0xE4>`) or whole words, of the text itself
    or of it with compatible characters folded into one. An unknown word takes all up to the next space.

    >>> piece_spans("go  home", ["▁go", "▁ho", "me"])
    [(0, 2), (4, 6), (6, 8)]
    """
    folded, origin = _fold(text)
    spans: list[Span] = []
    at = 0  # in the folded text
    rest = b""  # bytes of a character that is not complete
    for piece in pieces:
        while at < len(folded) and folded[at].isspace():
            at += 1
        start = end = at
        if byte := _BYTE.fullmatch(piece):
            rest += bytes.fromhex(byte[1])
            body = rest.decode(errors="ignore")
            rest = b"" if body else rest
        else:
            body, rest = piece.replace(_WORD_START, ""), b""
        body = "".join(_plain(each) for each in body)
        if piece == _UNKNOWN:
            while end < len(folded) and not folded[end].isspace():
                end += 1
        elif body:
            found = folded.find(body, at, at + len(body) + _NEAR)
            if found >= 0:
                start, end = found, found + len(body)
        spans.append((origin[start], origin[end - 1] + 1 if end > start else origin[start]))
        at = end
    return spans


def _fold(text: str) -> tuple[str, list[int]]:
    """Return the text with compatible characters folded, and where each of its characters came from."""
    folded, origin = [], []
    for place, character in enumerate(text):
        for each in _plain(character):
            folded.append(each)
            origin.append(place)
    return "".join(folded), [*origin, len(text)]


def _plain(character: str) -> str:
    if character in SAME:  # before anything is made of it: NFKC parts some of them
        return SAME[character]
    return "".join(SAME.get(each, each) for each in normalize("NFKC", character))
