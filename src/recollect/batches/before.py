"""The source sentences before each sentence of a batch, for models that look back."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from recollect.text.specials import EOS, PAD

__all__ = ["Before", "collate_before"]

Ids = Sequence[int] | NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Before:
    """Sentences of the same document, the oldest first, each ending in EOS.

    Every lane has at least one: where a document starts, it is an end alone.
    """

    ids: Tensor  #                                   [lane, sentence, position]
    lengths: Tensor  # 0 behind a lane's last one    [lane, sentence]

    def __getitem__(self, lanes: slice | Tensor) -> "Before":
        """Return those of some lanes."""
        return Before(self.ids[lanes], self.lengths[lanes])

    def to(self, device: torch.device) -> "Before":
        """Return them on `device`."""
        return Before(self.ids.to(device), self.lengths.to(device))


def collate_before(histories: Sequence[Sequence[Ids]]) -> Before:
    """Return for each lane the sentences before its own, given without their ends.

    >>> collate_before([[], [[7], [8, 9]]]).lengths.tolist()
    [[1, 0], [2, 3]]
    """
    filled = [list(history) or [[]] for history in histories]
    many = max(len(history) for history in filled)
    longest = max(len(sentence) for history in filled for sentence in history) + 1
    ids = np.full((len(filled), many, longest), PAD, np.int64)
    lengths = np.zeros((len(filled), many), np.int64)
    for lane, history in enumerate(filled):
        for place, sentence in enumerate(history):
            ids[lane, place, : len(sentence)] = sentence
            ids[lane, place, len(sentence)] = EOS
            lengths[lane, place] = len(sentence) + 1
    return Before(torch.from_numpy(ids), torch.from_numpy(lengths))
