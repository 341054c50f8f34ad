"""Key matching and value reading: what the memory says about the current step."""

from dataclasses import dataclass, fields, replace
from typing import Self

import torch
from torch import Tensor, nn

from recollect.memory.match import Match
from recollect.memory.slots import ORIGINS, Slots

__all__ = ["Recall", "Weighing", "read"]


@dataclass(frozen=True, slots=True)
class Recall:
    """What was found in the memory for each query; leading axes are free.

    `slot` runs over the slots that were read: all of them, or the best ones.
    """

    value: Tensor  # m_t: sum_i P_m(i) v_i                         [..., state]
    match: Tensor  # P_m(i), zero in empty slots                   [..., slot]
    words: Tensor  # the target token of each slot                 [..., slot]
    found: Tensor  # false where the memory is empty               [...]
    scores: Tensor  # how well each key fits; -inf: empty slot     [..., slot]
    follows: Tensor  # true where the slot's word came after the same word as the one to come  [..., slot]
    continues: Tensor  # true where, besides, it is a piece that goes on with that word        [..., slot]
    origin: Tensor  # whose word it is, a number of ORIGINS        [..., slot]
    age: Tensor  # sentences since it was written                  [..., slot]
    fill: Tensor  # how many slots hold something                  [...]
    places: Tensor  # which slots these are                        [..., slot]

    def where(self, kept: Tensor) -> Self:
        """Return what was found where `kept` is true, in one flat row."""
        return type(self)(*(getattr(self, field.name)[kept] for field in fields(self)))

    def zeroed(self) -> Self:
        """Return a memory that is there but says nothing: a control for what a gate does by itself."""
        return replace(self, value=torch.zeros_like(self.value), match=torch.zeros_like(self.match))


class Weighing(nn.Module):
    """P_m from raw similarities and what else is known of a slot, all of it learned."""

    def __init__(self, temperature: float) -> None:
        super().__init__()
        self.temperature = nn.Parameter(torch.tensor(float(temperature)).log())  # learned in proportion
        self.follows = nn.Parameter(torch.zeros(()))
        self.continues = nn.Parameter(torch.zeros(()))
        self.decay = nn.Parameter(torch.zeros(()))
        self.origin = nn.Parameter(torch.zeros(len(ORIGINS)))

    def forward(self, recall: Recall) -> Tensor:
        """Return P_m [..., slot] for a recall that was found."""
        empty = recall.scores == -torch.inf
        # Infinity must not meet the gradient.
        scores = recall.scores.masked_fill(empty, 0.0) * self.temperature.exp()
        scores = scores + self.follows * recall.follows + self.continues * recall.continues
        scores = scores + self.origin[recall.origin] - self.decay * torch.log1p(recall.age)
        return scores.masked_fill(empty, -torch.inf).softmax(-1)


def read(
    slots: Slots,
    query: Tensor,
    match: Match,
    previous: Tensor | None = None,
    *,
    top: int = 0,
    weighing: Weighing | None = None,
    inside: Tensor | None = None,
) -> Recall:
    """Look up `query` [lane, many, key] in each lane's own memory, in its `top` best slots (0: all).

    `previous` [lane, many] are the words before the ones to come; `inside` [token] is true of pieces that do
    not begin a word.
    """
    lanes, many, _ = query.shape
    filled = slots.filled.sum(1)
    found = (filled > 0).unsqueeze(1).expand(lanes, many)
    # An all-masked softmax is NaN: let empty memories match anything, then zero them.
    hidden = ~slots.filled.unsqueeze(1) & found.unsqueeze(2)
    scores = match(query, slots.keys).masked_fill(hidden, -torch.inf)
    shape = (lanes, many, slots.size)
    places = torch.arange(slots.size, device=query.device).expand(shape)
    if 0 < top < slots.size:
        scores, places = scores.topk(top, -1)

    def of(each: Tensor) -> Tensor:
        """Return what is known of the slots that are read."""
        return each.unsqueeze(1).expand(shape).gather(2, places) if top else each.unsqueeze(1).expand(shape)

    nothing = torch.zeros(1, dtype=torch.long, device=query.device).expand(scores.shape)
    words = of(slots.words)
    follows = nothing if previous is None else of(slots.before) == previous.unsqueeze(2)
    recall = Recall(
        value=query.new_zeros(lanes, many, 0),
        match=scores,
        words=words,
        found=found,
        scores=scores,
        follows=follows,
        continues=nothing if previous is None or inside is None else follows & inside[words],
        origin=of(slots.origin),
        age=nothing if weighing is None else slots.written.amax(1)[:, None, None] - of(slots.written),
        fill=filled.unsqueeze(1).expand(lanes, many),
        places=places,
    )
    probabilities = scores.softmax(-1) if weighing is None else weighing(recall)
    probabilities = probabilities * found.unsqueeze(2)
    if slots.values.shape[2]:
        everywhere = probabilities
        if top:
            everywhere = probabilities.new_zeros(shape).scatter(2, places, probabilities)
        recall = replace(recall, value=everywhere @ slots.values)
    return replace(recall, match=probabilities)
