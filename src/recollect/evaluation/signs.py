"""Signs and scripts of a text: how it ends, what it does not close, in which letters it is written."""

import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

__all__ = ["final_sign", "main_script", "script", "unbalanced"]

_AROUND = " \t\r\n\u3000\"'“”‘’„«»‹›)]}）】」』》*_"
_SIGNS = {
    "?": "?",
    "？": "?",
    "؟": "?",
    "!": "!",
    "！": "!",
    "…": "…",
    "⋯": "…",
    ":": ":",
    "：": ":",
    ".": ".",
    "。": ".",
    "．": ".",
    "।": ".",
}
_LAST = "".join(_SIGNS) + " \u3000"
_BRACKETS = {"(": ")", "[": "]", "{": "}", "【": "】", "「": "」", "『": "』", "《": "》"}
_CLOSING = {closing: opening for opening, closing in _BRACKETS.items()}
_WIDTH = str.maketrans("（）［］｛｝＂", '()[]{}"')
_QUOTES = ("“”„‟", '"', "«»")


def final_sign(text: str) -> str:
    """Return ?, !, …, : or a full stop, whatever its form, or nothing.

    >>> final_sign("真的吗？”"), final_sign("Wait ..."), final_sign("Done. "), final_sign("Open")
    ('?', '…', '.', '')
    """
    text = text.rstrip(_AROUND)
    if text.endswith(("...", ". . .", "。。。")):
        return "…"
    last = text[len(text.rstrip(_LAST)) :]
    signs = [_SIGNS[character] for character in last if character in _SIGNS]
    return "?" if "?" in signs else (signs or [""])[-1]


def unbalanced(text: str) -> set[str]:
    """Return brackets without their partners, and quotation marks of an odd number.

    >>> sorted(unbalanced("(a] “b")), unbalanced("（a) “b”")
    (['(', ']', '“'], set())
    """
    text = text.translate(_WIDTH)
    waiting: Counter[str] = Counter()
    lost = set()
    for character in text:
        if character in _BRACKETS:
            waiting[character] += 1
        elif opening := _CLOSING.get(character):
            if waiting[opening]:
                waiting[opening] -= 1
            else:
                lost.add(character)
    lost |= {opening for opening, count in waiting.items() if count}
    return lost | {family[0] for family in _QUOTES if sum(text.count(character) for character in family) % 2}


def main_script(texts: Iterable[str]) -> str:
    """Return the script of most letters; none has none."""
    counts = Counter(character for text in texts for character in text if character.isalpha())
    by_script: Counter[str] = Counter()
    for character, count in counts.items():
        by_script[script(character)] += count
    return max(by_script, key=by_script.__getitem__, default="")


@lru_cache(maxsize=65536)
def script(character: str) -> str:
    """Return the script of a letter, as the first word of its name in Unicode.

    >>> script("字"), script("a"), script("Ж")
    ('CJK', 'LATIN', 'CYRILLIC')
    """
    return unicodedata.name(character, "").partition(" ")[0]
