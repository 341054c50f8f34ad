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
    words: Tensor  # what each slot says: its target token, or the piece after it (see `read`)  [..., slot]
    found: Tensor  # false where the memory is empty               [...]
    scores: Tensor  # how well each key fits; -inf: empty slot     [..., slot]
    follows: Tensor  # true where the slot's word came after the same word as the one to come  [..., slot]
    continues: Tensor  # true where, besides, it is a piece that goes on with that word        [..., slot]
    again: Tensor  # true where the slot's word is the one just said  [..., slot]
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
        self.again = nn.Parameter(torch.zeros(()))
        self.decay = nn.Parameter(torch.zeros(()))
        self.origin = nn.Parameter(torch.zeros(len(ORIGINS)))

    def forward(self, recall: Recall) -> Tensor:
        """Return P_m [..., slot] for a recall that was found."""
        empty = recall.scores == -torch.inf
        # Infinity must not meet the gradient.
        scores = recall.scores.masked_fill(empty, 0.0) * self.temperature.exp()
        scores = scores + self.follows * recall.follows + self.continues * recall.continues
        scores = scores + self.again * recall.again + self.origin[recall.origin]
        scores = scores - self.decay * torch.log1p(recall.age)
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

    `previous` [lane, many] are the words before the ones to come; `inside` [token] is true of pieces that
    go on with a word. A slot whose own piece has just been said says the piece that went on with the word
    then: queries in the middle of a name are still much like the one that found its beginning.
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
    follows = continues = again = nothing
    if previous is not None:
        last = previous.unsqueeze(2)
        follows, again = of(slots.before) == last, words == last
        if inside is not None:
            after, goes_on = (of(each) for each in _next_pieces(slots, inside))
            goes_on = goes_on & again
            words, again = torch.where(goes_on, after, words), again & ~goes_on
            follows = follows | goes_on
            continues = follows & inside[words]
    recall = Recall(
        value=query.new_zeros(lanes, many, 0),
        match=scores,
        words=words,
        found=found,
        scores=scores,
        follows=follows,
        continues=continues,
        again=again,
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


def _next_pieces(slots: Slots, inside: Tensor) -> tuple[Tensor, Tensor]:
    """Return the word of the slot after each [lane, slot], and whether it goes on with this slot's word."""
    after, before, filled = (each.roll(-1, 1) for each in (slots.words, slots.before, slots.filled))
    return after, inside[after] & (before == slots.words) & filled
