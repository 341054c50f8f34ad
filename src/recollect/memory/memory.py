"""A memory as one plug: it starts empty, is read at every step, and is written after every sentence."""

import copy
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from recollect.memory.fusion import Fusion, Predict, Score
from recollect.memory.policies import Policy
from recollect.memory.read import Recall, read
from recollect.memory.slots import Slots
from recollect.memory.write import Sentence, write
from recollect.models.interface import Step

__all__ = ["Memory"]


class Memory(nn.Module):
    """Matching, fusion, policy and size together; the slots themselves are the caller's."""

    def __init__(
        self,
        *,
        size: int,
        context: int,
        state: int,
        match: nn.Module,
        fusion: Fusion,
        policy: Policy,
        addresses: Callable[[Sequence[int]], list[int]],
    ) -> None:
        super().__init__()
        self.size, self.context_size, self.state_size = size, context, state
        self.match, self.fusion = match, fusion
        self.policy, self.addresses = policy, addresses

    def packed(self, precision: str) -> "Memory":
        """Return the same memory in a form for inference, whose weights are those of now."""
        twin = copy.copy(self)
        twin._modules = {**self._modules, "fusion": self.fusion.packed(precision)}
        return twin

    def empty(self, lanes: int, device: torch.device | None = None) -> Slots:
        """Return `lanes` memories that remember nothing."""
        return Slots.empty(lanes, self.size, context=self.context_size, state=self.state_size, device=device)

    def recall(self, slots: Slots, step: Step) -> Recall:
        """Return what each lane's memory says about `step` [lane, many, ...]."""
        return read(slots, step.context, self.match)

    def fuse(self, step: Step, recall: Recall, predict: Predict) -> Tensor:
        """Return log P(y_t), with what was recalled."""
        scores: Tensor = self.fusion(step, recall, predict)
        return scores

    def score(self, step: Step, recall: Recall, targets: Tensor, score: Score) -> Tensor:
        """Return log P of `targets` [...] alone, with what was recalled."""
        return self.fusion.score(step, recall, targets, score)

    def write(
        self, slots: Slots, contexts: Tensor, states: Tensor, sentences: Sequence[Sequence[int] | None]
    ) -> None:
        """Remember each lane's sentence (its tokens), or nothing where it is None."""
        addressed = [
            None if tokens is None else Sentence(tokens, self.addresses(tokens)) for tokens in sentences
        ]
        write(slots, contexts, states, addressed, self.policy)
