"""What a memory holds, in whole words."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from recollect.memory.slots import EMPTY, ORIGINS, Slots
from recollect.text.vocabulary import Vocabulary
from recollect.text.whole_words import whole_words

__all__ = ["RememberedWord", "remembered_words"]


@dataclass(frozen=True, slots=True)
class RememberedWord:
    """A word that a memory holds, in as many slots as it has pieces."""

    word: str
    places: tuple[int, ...]  # its slots
    sentence: int  # in which it was said; EMPTY: before the first
    clock: int  # words written before it
    origin: str  # whose word it is
    pinned: bool


def remembered_words(slots: Slots, vocabulary: Vocabulary, since: int = 0) -> list[RememberedWord]:
    """Return the words in the only lane of a memory, as they were written, from the clock `since` on."""
    tokens = slots.words[0].tolist()
    return [
        RememberedWord(
            vocabulary.decode([tokens[place] for place in places]),
            tuple(places),
            int(slots.sentence[0, places[0]]),
            int(slots.used[0, places[0]]),
            ORIGINS[int(slots.origin[0, places[0]])],
            bool(slots.pinned[0, places[0]]),
        )
        for run in _runs(slots, since)
        for word in whole_words([tokens[place] for place in run], vocabulary)
        for places in ([run[at] for at in word],)
    ]


def _runs(slots: Slots, since: int) -> Iterator[list[int]]:
    """Yield slots that were written one after the other, in one sentence."""
    used, sentence = slots.used[0], slots.sentence[0]
    order = np.argsort(used, kind="stable")
    run: list[int] = []
    for place in order[used[order] >= max(since, EMPTY + 1)].tolist():
        if run and (used[place] != used[run[-1]] + 1 or sentence[place] != sentence[run[-1]]):
            yield run
            run = []
        run.append(place)
    if run:
        yield run
