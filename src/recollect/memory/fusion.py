"""How what was remembered changes the next word: through states, through words, both, or not at all."""

import copy
from dataclasses import replace
from typing import Protocol

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from recollect.memory.gates import FeatureGate, Gate, Opinion, PackedGate, together
from recollect.memory.read import Recall
from recollect.models.interface import Step

__all__ = ["AuxiliaryFusion", "BothFusion", "DeepFusion", "Fusion", "NoFusion", "ShallowFusion", "Speaker"]


class Speaker(Protocol):
    """A sentence model, as far as fusion is concerned."""

    def predict(self, step: Step) -> Tensor:
        """Return log P(y_t) [..., token], a tensor of its own."""
        ...

    def score(self, step: Step, targets: Tensor, smoothing: float = 0.0) -> Tensor:
        """Return log P(targets) [...] alone."""
        ...


class Fusion(nn.Module):
    """Log P(y_t) [..., token] from a step, what was recalled for it, and the sentence model."""

    def forward(self, step: Step, recall: Recall, model: Speaker) -> Tensor:
        """Return normalised log probabilities; an empty memory gives exactly `model.predict(step)`."""
        raise NotImplementedError

    def score(self, step: Step, recall: Recall, targets: Tensor, model: Speaker) -> Tensor:
        """Return the same for `targets` [...] alone."""
        raise NotImplementedError

    def openness(self, step: Step, recall: Recall, alone: Tensor) -> Tensor:
        """Return how far the memory is heard [...], from 0 to 1; `alone` is the model's own distribution."""
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


class DeepFusion(Fusion):
    """s~_t = (1 - lambda_t) * s_t + lambda_t * m_t, seen by the readout and not by the recurrence."""

    def __init__(self, context: int, state: int) -> None:
        super().__init__()
        self.gate: Gate | PackedGate = Gate(context, state, state)

    def forward(self, step: Step, recall: Recall, model: Speaker) -> Tensor:
        """Mix states, then predict."""
        return model.predict(replace(step, state=self.mix(step, recall)))

    def score(self, step: Step, recall: Recall, targets: Tensor, model: Speaker) -> Tensor:
        """Mix states, then score."""
        return model.score(replace(step, state=self.mix(step, recall)), targets)

    def openness(self, step: Step, recall: Recall, alone: Tensor) -> Tensor:
        """Return the gate's mean over the state."""
        return torch.sigmoid(self.gate(step, recall)).mean(-1)

    def mix(self, step: Step, recall: Recall) -> Tensor:
        """Return s~_t, or s_t itself where nothing is remembered."""
        mixed = torch.lerp(step.state, recall.value, torch.sigmoid(self.gate(step, recall)))
        return torch.where(recall.found.unsqueeze(-1), mixed, step.state)


class AuxiliaryFusion(DeepFusion):
    """s~_t = s_t + lambda_t * A m_t: the "gating auxiliary context" of Wang et al. 2017, of the memory.

    What is remembered is an input of its own, beside the whole state and not in place of a part of it. As in
    deep fusion it is seen by the readout and not by the recurrence.
    """

    def __init__(self, context: int, state: int) -> None:
        super().__init__(context, state)
        self.auxiliary = nn.Linear(state, state, bias=False)  # A
        nn.init.normal_(self.auxiliary.weight, std=0.01)

    def mix(self, step: Step, recall: Recall) -> Tensor:
        """Return s~_t, or s_t itself where nothing is remembered."""
        mixed = step.state + torch.sigmoid(self.gate(step, recall)) * self.auxiliary(recall.value)
        return torch.where(recall.found.unsqueeze(-1), mixed, step.state)


class ShallowFusion(Fusion):
    """P(w) = (1 - l) P_vocab(w) + l * sum of P_m over the slots that hold w, l a scalar gate.

    The gate sees vectors (the paper's inputs) or figures.
    """

    def __init__(self, context: int, state: int, *, features: bool = False) -> None:
        super().__init__()
        self.gate: Gate | PackedGate | FeatureGate = FeatureGate() if features else Gate(context, state, 1)

    def forward(self, step: Step, recall: Recall, model: Speaker) -> Tensor:
        """Predict, then mix probabilities."""
        return self.speak(model.predict(step), recall, step)

    def speak(self, alone: Tensor, recall: Recall, step: Step | None = None) -> Tensor:
        """Mix what was recalled into a distribution: a sweep over all words, a look at those in the slots."""
        opinion = Opinion.of(alone, recall)
        keep, speak = self.shares(step, recall, opinion)
        # Slots of the same word all come to the same sum, so it does not matter which one is written last.
        mixed = _mixed(opinion.held, together(recall), keep, speak)
        return (alone + keep).scatter(-1, recall.words, mixed)

    def openness(self, step: Step, recall: Recall, alone: Tensor) -> Tensor:
        """Return the gate."""
        return self.shares(step, recall, Opinion.of(alone, recall))[1].exp().squeeze(-1)

    @property
    def on_figures(self) -> bool:
        """Whether the gate looks at figures alone."""
        return isinstance(self.gate, FeatureGate)

    def score(self, step: Step, recall: Recall, targets: Tensor, model: Speaker) -> Tensor:
        """Score, then mix the probabilities of the targets."""
        if isinstance(self.gate, FeatureGate):  # which asks for more than the target's probability
            scores: Tensor = self(step, recall, model)
            return scores.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
        alone = model.score(step, targets)
        return self.score_targets(step, recall, targets, alone, None)

    def score_targets(
        self, step: Step | None, recall: Recall, targets: Tensor, alone: Tensor, opinion: Opinion | None
    ) -> Tensor:
        """Return log P(targets) [...] from the sentence model's own `alone` [...] and its opinion."""
        keep, speak = self.shares(step, recall, opinion)
        remembered = (recall.match * (recall.words == targets.unsqueeze(-1))).sum(-1, keepdim=True)
        return _mixed(alone.unsqueeze(-1), remembered, keep, speak).squeeze(-1)

    def shares(self, step: Step | None, recall: Recall, opinion: Opinion | None) -> tuple[Tensor, Tensor]:
        """Return log(1 - l) and log l [..., 1]: the sentence model's share and the memory's."""
        if isinstance(self.gate, FeatureGate):
            assert opinion is not None
            gate = self.gate(recall, opinion)
        else:
            assert step is not None
            gate = self.gate(step, recall)
        # A memory that is empty, or has nothing to say, has no share.
        heard = recall.found.unsqueeze(-1) & (recall.match.sum(-1, keepdim=True) > 0)
        keep = torch.where(heard, logsigmoid(-gate), torch.zeros_like(gate))
        return keep, logsigmoid(gate)


def _mixed(alone: Tensor, remembered: Tensor, keep: Tensor, speak: Tensor) -> Tensor:
    """Return log((1 - l) exp(alone) + l remembered); log 0 must not meet the gradient."""
    named = remembered > 0
    spoken = speak + torch.where(named, remembered, torch.ones_like(remembered)).log()
    kept = alone + keep
    return torch.where(named, torch.logaddexp(kept, spoken), kept)


class BothFusion(Fusion):
    """Deep first, then shallow: states are mixed, and so are the probabilities that come of them."""

    def __init__(self, context: int, state: int, *, features: bool = False) -> None:
        super().__init__()
        self.deep = DeepFusion(context, state)
        self.shallow = ShallowFusion(context, state, features=features)

    def forward(self, step: Step, recall: Recall, model: Speaker) -> Tensor:
        """Mix states, predict, mix probabilities."""
        return self.shallow(replace(step, state=self.deep.mix(step, recall)), recall, model)  # type: ignore[no-any-return]

    def score(self, step: Step, recall: Recall, targets: Tensor, model: Speaker) -> Tensor:
        """Mix states, score, mix probabilities."""
        return self.shallow.score(replace(step, state=self.deep.mix(step, recall)), recall, targets, model)

    def openness(self, step: Step, recall: Recall, alone: Tensor) -> Tensor:
        """Return the gate on words."""
        return self.shallow.openness(step, recall, alone)

    def packed(self, precision: str) -> Fusion:
        """Return it as it is: its two gates would need a rider each."""
        return copy.deepcopy(self).requires_grad_(False)


class NoFusion(Fusion):
    """The sentence model alone, whatever is remembered."""

    def forward(self, step: Step, recall: Recall, model: Speaker) -> Tensor:
        """Predict."""
        return model.predict(step)

    def score(self, step: Step, recall: Recall, targets: Tensor, model: Speaker) -> Tensor:
        """Score."""
        return model.score(step, targets)

    def openness(self, step: Step, recall: Recall, alone: Tensor) -> Tensor:
        """Return nothing at all."""
        return torch.zeros(step.last.shape, device=alone.device)
