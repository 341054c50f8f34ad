"""Scripts: which one a text is in, and whether white space parts its words."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

__all__ = [
    "EITHER",
    "SPACED_WORD",
    "bounded",
    "glue",
    "has_letters",
    "is_dense",
    "is_spaced_word",
    "script_of",
    "usual_script",
]

# Han, kana, and the full-width punctuation that goes with them.
_RANGES = r"\u2e80-\u30ff\u31c0-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\U00020000-\U0003ffff"
_DENSE = re.compile(f"[{_RANGES}]")

SPACED_WORD = rf"[^\W{_RANGES}]"  # a regular expression: a character of a word that spaces part from others

EITHER = frozenset("“”‘’…—·")  # signs that are Chinese or Western as their neighbours are


def bounded(word: str) -> str:
    """Return a regular expression for a word, as a group, that is not part of another.

    Beside Chinese characters a word needs no spaces: 用GPU训练.

    >>> re.sub(bounded("GPU"), "CPU", "用GPU训练, no GPUs")
    '用CPU训练, no GPUs'
    """
    before = f"(?<!{SPACED_WORD})" if is_spaced_word(word[0]) else ""
    after = f"(?!{SPACED_WORD})" if is_spaced_word(word[-1]) else ""
    return f"{before}({re.escape(word)}){after}"


def is_dense(character: str) -> bool:
    """Whether a character belongs to a script without spaces between words.

    >>> is_dense("字"), is_dense("。"), is_dense("a"), is_dense("")
    (True, True, False, False)
    """
    return _DENSE.match(character) is not None


def is_spaced_word(character: str) -> bool:
    """Whether a character is part of a word in a script with spaces between words."""
    return character.isalnum() and not is_dense(character)


def has_letters(text: str) -> bool:
    """Whether there is anything in a text that could be translated."""
    return any(character.isalpha() for character in text)


def glue(before: str, after: str) -> str:
    """Return what stands between two lines put in one: a space, but nothing between Chinese characters.

    >>> glue("one", "two"), glue("一", "二"), glue("one ", "two")
    (' ', '', '')
    """
    if not before or not after or before[-1].isspace() or after[0].isspace():
        return ""
    left, right = before[-1], after[0]
    if is_dense(left):
        return "" if is_dense(right) or right in EITHER else " "
    return "" if left in EITHER and is_dense(right) else " "


@lru_cache(maxsize=65536)
def script_of(letter: str) -> str | None:
    """Return the script of a letter (LATIN, CJK, CYRILLIC, ...), or None for other characters."""
    return unicodedata.name(letter, "").partition(" ")[0] if letter.isalpha() else None


def usual_script(texts: Iterable[str]) -> str:
    """Return the script that most letters of some texts are written in, or nothing if there are none.

    >>> usual_script(["小Vito在哪", "不知道"])
    'CJK'
    """
    counts = Counter(filter(None, (script_of(letter) for text in texts for letter in text)))
    return counts.most_common(1)[0][0] if counts else ""
