"""A memory as one plug: it starts empty, is read at every step, and is written after every sentence."""

import copy
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from recollect.memory.fusion import Fusion, Speaker
from recollect.memory.keys import Key, Reader
from recollect.memory.policies import Policy
from recollect.memory.read import Recall, Weighing, read
from recollect.memory.slots import Slots
from recollect.memory.write import Sentence, write
from recollect.models.interface import Step

__all__ = ["Memory"]


class Memory(nn.Module):
    """Keys, matching, fusion, policy and size together; the slots themselves are the caller's.

    `silenced` keeps the gate and takes away what it hears: a control for what a gate does by itself.
    """

    def __init__(
        self,
        *,
        size: int,
        key: Key,
        value: int,
        match: nn.Module,
        weighing: Weighing | None,
        top: int,
        fusion: Fusion,
        policy: Policy,
        addresses: Callable[[Sequence[int]], list[int]],
    ) -> None:
        super().__init__()
        self.size, self.value_size, self.top = size, value, top
        self.key, self.match, self.weighing, self.fusion = key, match, weighing, fusion
        self.policy, self.addresses = policy, addresses
        self.silenced = False

    def packed(self, precision: str) -> "Memory":
        """Return the same memory in a form for inference, whose weights are those of now."""
        twin = copy.copy(self)
        twin._modules = {**self._modules, "fusion": self.fusion.packed(precision)}
        return twin

    def empty(self, lanes: int, device: torch.device | None = None) -> Slots:
        """Return `lanes` memories that remember nothing."""
        return Slots.empty(lanes, self.size, key=self.key.size, value=self.value_size, device=device)

    def recall(self, slots: Slots, step: Step, model: Reader) -> Recall:
        """Return what each lane's memory says about `step` [lane, many, ...]."""
        query = self.key(step, model)
        found = read(slots, query, self.match, step.last, top=self.top, weighing=self.weighing)
        return found.zeroed() if self.silenced else found

    def fuse(self, step: Step, recall: Recall, model: Speaker) -> Tensor:
        """Return log P(y_t), with what was recalled."""
        scores: Tensor = self.fusion(step, recall, model)
        return scores

    def score(self, step: Step, recall: Recall, targets: Tensor, model: Speaker) -> Tensor:
        """Return log P of `targets` [...] alone, with what was recalled."""
        return self.fusion.score(step, recall, targets, model)

    def skip(self, slots: Slots) -> None:
        """Take note of a sentence without words in every lane."""
        slots.sentences += 1

    @torch.no_grad()
    def write(
        self,
        slots: Slots,
        step: Step,
        sentences: Sequence[Sequence[int] | None],
        model: Reader,
        origin: int = 0,
    ) -> None:
        """Remember each lane's sentence (its tokens, said along `step`), or nothing where it is None."""
        addressed = [
            None if tokens is None else Sentence(tokens, self.addresses(tokens)) for tokens in sentences
        ]
        values = step.state[..., : self.value_size]
        write(slots, self.key(step, model), values, addressed, self.policy, origin)
