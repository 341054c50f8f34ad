"""What a document's memory is filled with: its own past, or a control that says whether that past matters."""

import random
from collections.abc import Sequence
from typing import Literal, TypeVar

from recollect.errors import DataError

__all__ = ["Control", "Heard", "apart", "control_histories"]

Pair = TypeVar("Pair")

Control = Literal["own", "reference", "foreign", "shuffled", "none"]
"""own: what the model itself has said; reference: what a person said; foreign: another document's reference;
shuffled: reference sentences of other documents, mixed; none: the gate is kept, the memory says nothing."""


Heard = str | tuple[str, str]
"""What is remembered of a sentence: another translation of it, or another sentence with its translation."""


def apart(sources: Sequence[str], history: Sequence[Heard]) -> tuple[list[str], list[str]]:
    """Return the sources and the translations that are remembered instead of `sources` and our own words.

    >>> apart(["a", "b"], ["A", ("x", "X")])
    (['a', 'x'], ['A', 'X'])
    """
    pairs = [
        (source, each) if isinstance(each, str) else each
        for source, each in zip(sources, history, strict=True)
    ]
    return [source for source, _ in pairs], [translation for _, translation in pairs]


def control_histories(
    kind: Literal["reference", "foreign", "shuffled"], documents: Sequence[Sequence[Pair]], seed: int = 1
) -> list[list[Pair]]:
    """Return for each document of (source, translation) pairs what is remembered, pair by pair, instead.

    >>> control_histories("foreign", [["a", "b"], ["x"]])
    [['x', 'x'], ['a']]
    """
    if kind == "reference":
        return [list(document) for document in documents]
    if sum(bool(document) for document in documents) < 2:
        raise DataError(f"{kind} history comes from other documents: there must be at least two")
    chance = random.Random(seed)
    found = []
    for number, document in enumerate(documents):
        others = [each for each in (*documents[number + 1 :], *documents[:number]) if each]
        if kind == "foreign":
            found.append([others[0][at % len(others[0])] for at in range(len(document))])
        else:
            found.append([chance.choice(chance.choice(others)) for _ in document])
    return found
