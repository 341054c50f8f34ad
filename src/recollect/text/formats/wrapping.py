"""Lines broken for their width: what joins them into a paragraph, and how a paragraph is broken again."""

import re
import unicodedata
from collections.abc import Iterable

__all__ = ["glue", "width", "wrapped"]

# Chinese and Japanese are written without spaces; Korean, as wide as they are, is not.
_UNSPACED = (
    "[\u2e80-\u2fff\u3000-\u312f\u31a0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff60\U00020000-\U0003ffff]"
)
_NOT_FIRST = "[、。，．：；？！）］｝〕〉》」』】〗ー々”’…]"
_NOT_LAST = "[（［｛〔〈《「『【〖“‘]"
_unspaced = re.compile(_UNSPACED)
_breaks = re.compile(
    rf"(?<={_UNSPACED})(?<!{_NOT_LAST})(?={_UNSPACED})(?!{_NOT_FIRST})|(?<!{_UNSPACED}) | (?!{_UNSPACED})"
)


def glue(before: str, after: str) -> str:
    """Return what belongs between two lines: a space, but nothing between two Chinese characters.

    >>> glue("one", "two"), glue("一", "二")
    (' ', '')
    """
    both = before and after and _unspaced.match(before[-1]) and _unspaced.match(after[0])
    return "" if both or not before or not after or before[-1].isspace() or after[0].isspace() else " "


def width(text: str) -> int:
    """Return the columns that a text takes; a Chinese character takes two."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def wrapped(parts: Iterable[tuple[str, bool]], columns: int) -> list[str]:
    """Break a paragraph into lines of at most `columns` where it can be; a part may be unbreakable (False).

    >>> wrapped([("a line of", True), ("`some code`", False), (" and words", True)], 12)
    ['a line', 'of`some code`', 'and words']
    """
    atoms, follows = [""], [""]  # what cannot be broken, and the space before it
    for text, breakable in parts:
        at = 0
        for found in _breaks.finditer(text) if breakable else ():
            atoms[-1] += text[at : found.start()]
            atoms.append("")
            follows.append(found.group())
            at = found.end()
        atoms[-1] += text[at:]
    lines, line, length = [], [atoms[0]], width(atoms[0])
    for atom, before in zip(atoms[1:], follows[1:], strict=True):
        needed = len(before) + width(atom)
        if length + needed > columns and length:
            lines.append("".join(line))
            line, length = [atom], width(atom)
        else:
            line += [before, atom]
            length += needed
    return [*lines, "".join(line)]
