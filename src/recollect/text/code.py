"""Telling program text from prose, in which words are not terms."""

import re

__all__ = ["is_code", "is_listing"]

_LISTING = r"^\s*(?:>>>|\$ |#!|#include\b|(?:async )?def \w+\(|class \w+.*:$|import \w|from [\w.]+ import )"
_CERTAIN = re.compile(
    rf"{_LISTING}"
    r"|^\s*(?:\w+(?:, ?\w+)* = )?(?:await )?[\w.]+\([^()\s]*\):?$"  # name = call(it)
)
_LIKELY = re.compile(r"[=<>]=|\w\(|\w = \S|\)\s*[:;{]?$|[{};]\s*$|^\s*(?:\.\.\.|#|//|return\b)")
_SHARE = 0.3


def is_code(text: str) -> bool:
    r"""Whether a text is a program, or mostly.

    >>> is_code("x = f(1)"), is_code("def f():\n    pass"), is_code("A line (in brackets).\nAnother (one).")
    (True, True, False)
    """
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    if any(_CERTAIN.search(line) for line in lines):
        return True
    found = sum(_LIKELY.search(line) is not None for line in lines)
    return len(lines) > 1 and found >= _SHARE * len(lines)


def is_listing(text: str) -> bool:
    r"""Whether a text is a program beyond doubt: it has a prompt, imports or defines something.

    >>> is_listing("import os\nprint(x)"), is_listing("Hello {name}\nWelcome back"), is_listing("Users(%d)")
    (True, False, False)
    """
    return re.search(_LISTING, text, re.MULTILINE) is not None
