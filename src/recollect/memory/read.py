"""Key matching and value reading: what the memory says about the current source context."""

from dataclasses import dataclass, fields
from typing import Self

import torch
from torch import Tensor

from recollect.memory.match import Match
from recollect.memory.slots import Slots

__all__ = ["Recall", "read"]


@dataclass(frozen=True, slots=True)
class Recall:
    """What was found in the memory for each query; leading axes are free."""

    value: Tensor  # m_t: sum_i P_m(i) v_i                         [..., state]
    match: Tensor  # P_m(i), zero in empty slots                   [..., slot]
    words: Tensor  # the target token of each slot                 [..., slot]
    found: Tensor  # false where the memory is empty               [...]

    def where(self, kept: Tensor) -> Self:
        """Return what was found where `kept` is true, in one flat row."""
        return type(self)(*(getattr(self, field.name)[kept] for field in fields(self)))


def read(slots: Slots, query: Tensor, match: Match) -> Recall:
    """Look up `query` [lane, many, context] in each lane's own memory."""
    lanes, many, _ = query.shape
    found = slots.filled.any(1).unsqueeze(1).expand(lanes, many)
    # An all-masked softmax is NaN: let empty memories match anything, then zero them.
    hidden = ~slots.filled.unsqueeze(1) & found.unsqueeze(2)
    scores = match(query, slots.keys).masked_fill(hidden, -torch.inf)
    probabilities = scores.softmax(-1) * found.unsqueeze(2)
    words = slots.words.unsqueeze(1).expand(lanes, many, slots.size)
    return Recall(probabilities @ slots.values, probabilities, words, found)
