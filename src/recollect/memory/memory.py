"""A memory as one plug: it starts empty, is read at every step, and is written after every sentence."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn

from recollect.errors import ModelError
from recollect.memory.address import Addresses
from recollect.memory.fusion import Fusion, ShallowFusion, Speaker
from recollect.memory.gates import FeatureGate
from recollect.memory.keys import Key, Reader
from recollect.memory.policies import Policy
from recollect.memory.project import read_project
from recollect.memory.read import Recall, Weighing, read
from recollect.memory.slots import CORRECTION, ORIGINS, OWN, Slots
from recollect.memory.write import Sentence, write
from recollect.models.interface import Step

__all__ = ["Memory", "Note"]

PROJECT_TOP = 16  # slots of a project's memory that are read at a time


class Voice(Reader, Speaker, Protocol):
    """A sentence model that can be read and can speak."""


@dataclass(frozen=True, slots=True)
class Note:
    """One sentence as it is written into a memory, whatever else is in there."""

    keys: Tensor  # [time, key]
    values: Tensor  # [time, state]
    sentence: Sentence

    @property
    def size(self) -> int:
        """Bytes of it."""
        return self.keys.nbytes + self.values.nbytes


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
        addresses: Addresses,
        inside: Tensor | None = None,
    ) -> None:
        """`inside` [token] is true of pieces that go on with a word instead of beginning one."""
        super().__init__()
        self.size, self.value_size, self.top = size, value, top
        self.key, self.match, self.weighing, self.fusion = key, match, weighing, fusion
        self.policy, self.addresses = policy, addresses
        self.inside: Tensor | None
        self.register_buffer("inside", inside, persistent=False)
        self.silenced = False
        self.project: Slots | None = None

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
        last = None if self.weighing is None else step.last  # nobody else asks
        found = read(slots, query, self.match, last, top=self.top, weighing=self.weighing, inside=self.inside)
        return found.zeroed() if self.silenced else found

    def fuse(self, step: Step, recall: Recall, model: Voice) -> Tensor:
        """Return log P(y_t), with what was recalled, and then with what the project remembers."""
        scores: Tensor = self.fusion(step, recall, model)
        if self.project is None or self.silenced:
            return scores
        assert isinstance(self.fusion, ShallowFusion)
        return self.fusion.speak(scores, self._of_project(step, model))

    def score(self, step: Step, recall: Recall, targets: Tensor, model: Voice) -> Tensor:
        """Return log P of `targets` [...] alone, the same way."""
        if self.project is None:
            return self.fusion.score(step, recall, targets, model)
        return self.fuse(step, recall, model).gather(-1, targets.unsqueeze(-1)).squeeze(-1)

    def check_project(self) -> None:
        """Refuse where a project's memory could not speak: it needs shallow fusion and a gate on figures."""
        if not isinstance(self.fusion, ShallowFusion) or not self.fusion.on_figures:
            raise ModelError('a project memory needs a memory with fusion = "shallow" and gate = "features"')

    def with_project(self, project: Slots) -> "Memory":
        """Return the same memory with a second, larger one behind it, which is read and never written."""
        self.check_project()
        if project.keys.shape[2] != self.key.size:
            sizes = f"{project.keys.shape[2]}, not of {self.key.size}"
            raise ModelError(f"the project memory has keys of {sizes}: it belongs to another model")
        twin = copy.copy(self)
        twin.project = project
        return twin

    def _of_project(self, step: Step, model: Reader) -> Recall:
        """Return what the project's memory says about a step, whatever its leading axes."""
        assert self.project is not None
        top = self.top or PROJECT_TOP
        return read_project(
            self.project,
            self.key(step, model),
            self.match,
            step.last,
            top=top,
            weighing=self.weighing,
            inside=self.inside,
        )

    @torch.no_grad()
    def trust_unseen(self, seen: set[int]) -> None:
        """Trust origins that training has not met like those that it has: people's words like people's.

        Training documents come without a glossary, for one, and perhaps with no words but the references'.
        """
        gate = getattr(self.fusion, "gate", None)
        for origin in set(range(len(ORIGINS))) - seen:
            like = CORRECTION if origin != OWN and CORRECTION in seen else min(seen, default=OWN)
            if self.weighing is not None:
                self.weighing.origin[origin] = self.weighing.origin[like]
            if isinstance(gate, FeatureGate):
                first = gate.features - len(ORIGINS)
                gate.inner.weight[:, first + origin] = gate.inner.weight[:, first + like]

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
        looked_at: Sequence[Sequence[int]] | None = None,
    ) -> None:
        """Remember each lane's sentence (its tokens, said along `step`), or nothing where it is None.

        `looked_at` are the source tokens that each token looked at, for those who address slots by them.
        """
        sources = [()] * len(sentences) if looked_at is None else looked_at
        addressed = [
            None if tokens is None else Sentence(tokens, self.addresses(tokens, source))
            for tokens, source in zip(sentences, sources, strict=True)
        ]
        values = step.state[..., : self.value_size]
        write(slots, self.key(step, model), values, addressed, self.policy, origin)

    @torch.no_grad()
    def note(self, step: Step, tokens: Sequence[int], model: Reader, looked_at: Sequence[int]) -> Note:
        """Return what `write` would write of a single sentence, to be written later or more than once."""
        count = len(tokens)
        keys, values = self.key(step, model)[0, :count], step.state[0, :count, : self.value_size]
        return Note(keys.clone(), values.clone(), Sentence(tokens, self.addresses(tokens, looked_at)))

    def take(self, slots: Slots, note: Note, origin: int = 0) -> None:
        """Write a note into the only lane of a memory."""
        write(slots, note.keys[None], note.values[None], [note.sentence], self.policy, origin)
