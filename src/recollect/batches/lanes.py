"""Documents side by side: which sentence each lane is at, tick after tick."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Tick", "document_groups", "ticks"]


@dataclass(frozen=True, slots=True)
class Tick:
    """One sentence of every lane that still has one."""

    lanes: list[int]
    sentences: list[int]


def ticks(documents: Sequence[range]) -> Iterator[Tick]:
    """Advance one document per lane, sentence by sentence, until all have ended.

    >>> list(ticks([range(0, 2), range(7, 8)]))
    [Tick(lanes=[0, 1], sentences=[0, 7]), Tick(lanes=[0], sentences=[1])]
    """
    for number in range(max((len(document) for document in documents), default=0)):
        lanes = [lane for lane, document in enumerate(documents) if number < len(document)]
        yield Tick(lanes, [documents[lane][number] for lane in lanes])


def document_groups(
    lengths: NDArray[np.integer], lanes: int, seed: int, epoch: int
) -> list[NDArray[np.int64]]:
    """Deal shuffled documents into groups of `lanes`, alike in length so that few lanes run dry."""
    chance = np.random.default_rng((seed, epoch))
    order = chance.permutation(len(lengths))
    order = order[np.argsort(lengths[order], kind="stable")]
    groups = [order[start : start + lanes] for start in range(0, len(order), lanes)]
    return [groups[index] for index in chance.permutation(len(groups))]
