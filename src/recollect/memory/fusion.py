"""How what was remembered changes the next word: deep (states), shallow (words), or not at all."""

import copy
from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from recollect.memory.read import Recall
from recollect.models.interface import Step
from recollect.models.packed import PackedStep
from recollect.models.products import make_product

__all__ = ["DeepFusion", "Fusion", "NoFusion", "PackedGate", "Predict", "Score", "ShallowFusion"]

Predict = Callable[[Step], Tensor]
Score = Callable[[Step, Tensor], Tensor]


class Fusion(nn.Module):
    """Log P(y_t) [..., token] from a step, what was recalled for it, and the sentence model's `predict`."""

    def forward(self, step: Step, recall: Recall, predict: Predict) -> Tensor:
        """Return normalised log probabilities; an empty memory gives exactly `predict(step)`."""
        raise NotImplementedError

    def score(self, step: Step, recall: Recall, targets: Tensor, score: Score) -> Tensor:
        """Return the same for `targets` [...] alone, from the sentence model's `score`."""
        raise NotImplementedError

    @property
    def rider(self) -> Tensor | None:
        """The part of the gate that is a map of the context alone, for a packed model to compute."""
        gate = getattr(self, "gate", None)
        return gate.context.weight if isinstance(gate, Gate) else None

    def packed(self, precision: str) -> "Fusion":
        """Return a form for inference, for steps with this fusion's `rider`; weights are those of now."""
        twin, gate = copy.deepcopy(self).requires_grad_(False), getattr(self, "gate", None)
        if isinstance(gate, Gate):
            twin.gate = PackedGate(gate, precision)
        return twin


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


class DeepFusion(Fusion):
    """s~_t = (1 - lambda_t) * s_t + lambda_t * m_t, seen by the readout and not by the recurrence."""

    def __init__(self, context: int, state: int) -> None:
        super().__init__()
        self.gate: Gate | PackedGate = Gate(context, state, state)

    def forward(self, step: Step, recall: Recall, predict: Predict) -> Tensor:
        """Mix states, then predict."""
        return predict(replace(step, state=self.mix(step, recall)))

    def score(self, step: Step, recall: Recall, targets: Tensor, score: Score) -> Tensor:
        """Mix states, then score."""
        return score(replace(step, state=self.mix(step, recall)), targets)

    def mix(self, step: Step, recall: Recall) -> Tensor:
        """Return s~_t, or s_t itself where nothing is remembered."""
        mixed = torch.lerp(step.state, recall.value, torch.sigmoid(self.gate(step, recall)))
        return torch.where(recall.found.unsqueeze(-1), mixed, step.state)


class ShallowFusion(Fusion):
    """P(w) = (1 - l) P_vocab(w) + l * sum of P_m over the slots that hold w, l a scalar gate."""

    def __init__(self, context: int, state: int) -> None:
        super().__init__()
        self.gate: Gate | PackedGate = Gate(context, state, 1)

    def forward(self, step: Step, recall: Recall, predict: Predict) -> Tensor:
        """Predict, then mix probabilities."""
        alone = predict(step)
        remembered = torch.zeros_like(alone).scatter_add(-1, recall.words, recall.match)
        return self._mix(step, recall, alone, remembered)

    def score(self, step: Step, recall: Recall, targets: Tensor, score: Score) -> Tensor:
        """Score, then mix the probabilities of the targets."""
        alone = score(step, targets).unsqueeze(-1)
        held = recall.words == targets.unsqueeze(-1)
        remembered = (recall.match * held).sum(-1, keepdim=True)
        return self._mix(step, recall, alone, remembered).squeeze(-1)

    def _mix(self, step: Step, recall: Recall, alone: Tensor, remembered: Tensor) -> Tensor:
        """Mix log probabilities with remembered probabilities, in log space where the memory is silent."""
        gate = self.gate(step, recall)
        named = remembered > 0
        # A word the memory does not hold keeps log P + log(1 - l); log 0 must not meet the gradient.
        spoken = logsigmoid(gate) + torch.where(named, remembered, 1).log()
        both = logsigmoid(-gate) + alone
        mixed = torch.where(named, torch.logaddexp(both, spoken), both)
        return torch.where(recall.found.unsqueeze(-1), mixed, alone)


class NoFusion(Fusion):
    """The sentence model alone, whatever is remembered."""

    def forward(self, step: Step, recall: Recall, predict: Predict) -> Tensor:
        """Predict."""
        return predict(step)

    def score(self, step: Step, recall: Recall, targets: Tensor, score: Score) -> Tensor:
        """Score."""
        return score(step, targets)
