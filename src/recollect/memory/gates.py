"""How far the memory is trusted: by vectors, as the paper does, or by a few telling figures."""

from dataclasses import dataclass, fields
from typing import Self

import torch
from torch import Tensor, nn

from recollect.memory.read import Recall
from recollect.memory.slots import ORIGINS
from recollect.models.interface import Step
from recollect.models.packed import PackedStep
from recollect.models.products import make_product

__all__ = ["FeatureGate", "Gate", "Opinion", "PackedGate"]


class Gate(nn.Module):
    """U s_t + V c_t + W m_t, without bias: the pre-activation of lambda_t."""

    def __init__(self, context: int, state: int, size: int) -> None:
        super().__init__()
        self.state = nn.Linear(state, size, bias=False)  # U
        self.context = nn.Linear(context, size, bias=False)  # V
        self.value = nn.Linear(state, size, bias=False)  # W
        for linear in (self.state, self.context, self.value):
            nn.init.normal_(linear.weight, std=0.01)

    def forward(self, step: Step, recall: Recall) -> Tensor:
        """Return [..., size]."""
        gate: Tensor = self.state(step.state) + self.context(step.context) + self.value(recall.value)
        return gate


class PackedGate(nn.Module):
    """A gate as one product with packed weights, for inference; V c_t comes with the step, as its rider."""

    def __init__(self, gate: Gate, precision: str) -> None:
        super().__init__()
        weights = torch.cat([gate.state.weight.detach(), gate.value.weight.detach()], 1)
        self.product = make_product(weights, None, precision)

    def forward(self, step: PackedStep, recall: Recall) -> Tensor:
        """Return [..., size]."""
        return self.product(torch.cat([step.state, recall.value], -1)).add_(step.rider)


@dataclass(frozen=True, slots=True)
class Opinion:
    """What the sentence model thinks by itself, as far as a gate asks; leading axes are free."""

    best: Tensor  # the log probability of its first choice       [...]
    held: Tensor  # its log probability of each slot's word       [..., slot]

    @classmethod
    def of(cls, alone: Tensor, recall: Recall) -> Self:
        """Read it off a distribution [..., token]."""
        return cls(alone.amax(-1), alone.gather(-1, recall.words))

    def where(self, kept: Tensor) -> Self:
        """Return it where `kept` is true, in one flat row."""
        return type(self)(*(getattr(self, field.name)[kept] for field in fields(self)))


class FeatureGate(nn.Module):
    """A scalar gate on figures that mean the same for every document, model and language.

    How well the best slot fits, how far the slots agree on its word, what the sentence model thinks of that
    word and of its own, whether they are the same, whether the word follows the same word as then, whether it
    is a piece that goes on with that word, how old it is, how full the memory is, and whose words were found.
    """

    features = 9 + len(ORIGINS)

    def __init__(self, hidden: int = 16) -> None:
        super().__init__()
        self.inner = nn.Linear(self.features, hidden)
        self.outer = nn.Linear(hidden, 1)
        nn.init.constant_(self.outer.bias, -3.0)  # at first the memory has little to say

    def forward(self, recall: Recall, opinion: Opinion) -> Tensor:
        """Return the gate's pre-activation [..., 1]."""
        gate: Tensor = self.outer(torch.tanh(self.inner(self.read(recall, opinion))))
        return gate

    def read(self, recall: Recall, opinion: Opinion) -> Tensor:
        """Return the figures [..., features], all of them about one in size."""
        shares = together(recall)
        first = shares.argmax(-1, keepdim=True)  # the slot that speaks for the word with the largest share
        held, best = opinion.held.gather(-1, first), opinion.best.unsqueeze(-1)
        figures = [
            recall.scores.amax(-1, keepdim=True).clamp(min=-1.0),
            shares.gather(-1, first),
            best / 3,
            held.clamp(min=-15.0) / 5,
            (held >= best).to(held.dtype),
            recall.follows.gather(-1, first).to(held.dtype),
            recall.continues.gather(-1, first).to(held.dtype),
            torch.log1p(recall.age.gather(-1, first).to(held.dtype)) / 3,
            torch.log1p(recall.fill.unsqueeze(-1).to(held.dtype)) / 5,
            held.new_zeros(*held.shape[:-1], len(ORIGINS)).scatter_add(-1, recall.origin, recall.match),
        ]
        return torch.cat(figures, -1)


def together(recall: Recall) -> Tensor:
    """Return for each slot the probability of its word: its own and that of all slots that hold the same."""
    same = recall.words.unsqueeze(-1) == recall.words.unsqueeze(-2)
    return (recall.match.unsqueeze(-2) * same).sum(-1)
