"""Why a sentence comes out otherwise than before: its new words, and the remembered words they looked at."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from recollect.text.segment import Span

__all__ = ["Looked", "Reason", "changed_words", "reason_from"]

_WORDS = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff]|\w+(?:['’-]\w+)*|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Looked:
    """A remembered word that was looked at."""

    word: str
    sentence: int  # where it was said, counted from 1; 0: before the document
    share: float  # of all that was looked at
    origin: str  # whose word it is


@dataclass(frozen=True, slots=True)
class Reason:
    """A word that was not there before, where it stands, and what it looked at in the memory."""

    word: str
    start: int  # in characters of the translation
    end: int
    gate: float  # how far the memory was heard, from 0 to 1
    looks: tuple[Looked, ...] = ()


def reason_from(fields: Mapping[str, Any]) -> Reason:
    """Return a reason from what was stored of it."""
    return Reason(**{**fields, "looks": tuple(Looked(**look) for look in fields["looks"])})


def changed_words(before: str, after: str) -> list[Span]:
    """Return where the words of `after` stand that `before` did not have there.

    >>> changed_words("Where is the king?", "Where is Xiaoming?")
    [(9, 17)]
    """
    old, new = (list(_WORDS.finditer(text)) for text in (before, after))
    words, others = ([each.group() for each in side] for side in (old, new))
    matcher = SequenceMatcher(None, words, others, autojunk=False)
    return [
        each.span()
        for tag, _, _, start, end in matcher.get_opcodes()
        if tag in ("replace", "insert")
        for each in new[start:end]
    ]
