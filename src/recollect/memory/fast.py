"""A memory of words in a form for search on a CPU: the same figures, worked out on small arrays in one go.

A step of search asks for a few dozen figures of a few slots; as tensors, each operation on them costs more
than the figures themselves.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import linear, normalize

from recollect.memory.fusion import ShallowFusion
from recollect.memory.gates import FeatureGate
from recollect.memory.memory import Memory
from recollect.memory.read import Weighing
from recollect.memory.slots import ORIGINS, Slots
from recollect.models.interface import Step

__all__ = ["FastMemory"]

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]


class Speaker(Protocol):
    """A packed sentence model, as far as this memory is concerned."""

    def readout_vector(self, step: Step) -> Tensor:
        """Return o_t [..., readout]."""
        ...

    def words(self, readout: Tensor) -> Tensor:
        """Return log P(y_t) [..., token] from o_t, a tensor of its own."""
        ...


@dataclass(frozen=True, slots=True)
class Find:
    """What was found for each query [lane, many, slot], and the readout that asked."""

    readout: Tensor
    scores: Floats
    words: Integers
    follows: NDArray[np.bool_]
    continues: NDArray[np.bool_]
    origin: Integers
    age: Floats  # the logarithm of it
    fill: Integers  # [lane]


class FastMemory(Memory):
    """Reads and speaks as the memory it was made from; everything else is that memory's own."""

    _map: tuple[Tensor, Tensor]
    _temperature: float
    _follows: float
    _continues: float
    _decay: float
    _origin: Floats
    _inside: NDArray[np.bool_]
    _inner: tuple[Floats, Floats]
    _outer: tuple[Floats, Floats]

    @classmethod
    def of(cls, memory: Memory) -> "FastMemory":
        """Take over a memory's parts, with the weights of now."""
        gate, weighing, key = memory.fusion.gate, memory.weighing, memory.key
        assert isinstance(gate, FeatureGate)
        assert isinstance(weighing, Weighing)
        assert memory.inside is not None
        twin = cls.__new__(cls)
        twin.__dict__.update(memory.__dict__)
        with torch.no_grad():
            whitening = getattr(key, "whitening", None)
            eye = torch.eye(key.input_size) if whitening is None else whitening
            twin._map = (eye.detach().clone(), -(eye @ key.mean))
            twin._temperature = float(weighing.temperature.exp())
            twin._follows, twin._decay = float(weighing.follows), float(weighing.decay)
            twin._continues = float(weighing.continues)
            twin._origin = _array(weighing.origin)
            twin._inside = memory.inside.numpy()
            twin._inner = (_array(gate.inner.weight).T.copy(), _array(gate.inner.bias))
            twin._outer = (_array(gate.outer.weight).T.copy(), _array(gate.outer.bias))
        return twin

    @staticmethod
    def fits(memory: Memory) -> bool:
        """Whether a memory is of the kind that this form is for."""
        return (
            memory.weighing is not None
            and memory.inside is not None
            and memory.top > 0
            and memory.key.scaled
            and memory.key.parts == ("readout",)
            and memory.value_size == 0
            and isinstance(getattr(memory.fusion, "gate", None), FeatureGate)
        )

    def recall(self, slots: Slots, step: Step, model: Any) -> Any:  # what is found is for `fuse` alone
        """Return what each lane's memory says about `step` [lane, many, ...]."""
        readout = model.readout_vector(step)
        query = normalize(linear(readout, *self._map), dim=-1)
        fill = slots.filled.sum(1).numpy()
        most = max(1, int(fill.max()))  # slots are filled in order: what lies beyond is empty everywhere
        scores = torch.bmm(query, slots.keys[:, :most].transpose(1, 2))
        if (fill < most).any():
            scores.masked_fill_(~slots.filled[:, None, :most], -torch.inf)
        best, places = scores.topk(min(self.top, most), -1)
        lanes, where = np.arange(len(best))[:, None, None], places.numpy()
        written = slots.written.numpy()
        words = slots.words.numpy()[lanes, where]
        follows = slots.before.numpy()[lanes, where] == step.last.numpy()[..., None]
        return Find(
            readout,
            best.numpy(),
            words,
            follows,
            follows & self._inside[words],
            slots.origin.numpy()[lanes, where],
            np.log1p(written.max(1)[:, None, None] - written[lanes, where]).astype(np.float32),
            fill,
        )

    def fuse(self, step: Step, recall: Any, model: Any) -> Tensor:
        """Return log P(y_t), with what was recalled."""
        alone: Tensor = model.words(recall.readout)
        if self.silenced:
            return alone
        if recall.fill.any():
            self._speak(alone, recall)
        if self.project is None:
            return alone
        assert isinstance(self.fusion, ShallowFusion)
        return self.fusion.speak(alone, self._of_project(step, model))

    def _speak(self, alone: Tensor, recall: Find) -> None:
        """Mix what was found into a distribution, in place."""
        match = self._match(recall)
        words = recall.words
        same = words[..., :, None] == words[..., None, :]
        shares = (match[..., None, :] * same).sum(-1)
        table = alone.numpy()
        rows = np.arange(len(table))[:, None, None], np.arange(table.shape[1])[None, :, None]
        held = table[(*rows, words)]
        gate = self._gate(recall, match, shares, held, alone.amax(-1).numpy())
        heard = (recall.fill > 0)[:, None, None]
        keep = np.where(heard, -np.logaddexp(0, gate), np.float32(0)).astype(np.float32)
        speak = -np.logaddexp(0, -gate)
        named = shares > 0
        mixed = held + keep
        spoken = speak + np.log(np.where(named, shares, np.float32(1)))
        mixed = np.where(named & heard, np.logaddexp(mixed, spoken), mixed).astype(np.float32)
        alone += torch.from_numpy(keep)
        table[(*rows, words)] = mixed  # slots of the same word all come to the same sum

    def _match(self, find: Find) -> Floats:
        """Return P_m [lane, many, slot]; zero in empty memories."""
        scores = find.scores * np.float32(self._temperature)
        scores += self._follows * find.follows
        scores += self._continues * find.continues
        scores += self._origin[find.origin]
        scores -= np.float32(self._decay) * find.age
        scores -= scores.max(-1, keepdims=True, where=np.isfinite(scores), initial=-1e30)
        found = np.exp(scores)
        found[find.fill == 0] = 0
        total = found.sum(-1, keepdims=True)
        return found / np.where(total > 0, total, 1)  # type: ignore[no-any-return]

    def _gate(self, find: Find, match: Floats, shares: Floats, held: Floats, best: Floats) -> Floats:
        """Return the gate's pre-activation [lane, many, 1], from the same figures as `FeatureGate.read`."""
        first = shares.argmax(-1)
        at_first = np.arange(len(first))[:, None], np.arange(first.shape[1]), first
        figures = np.empty((*first.shape, FeatureGate.features), np.float32)
        said = held[at_first]
        figures[..., 0] = np.maximum(find.scores[..., 0], -1)
        figures[..., 1] = shares[at_first]
        figures[..., 2] = best / 3
        figures[..., 3] = np.maximum(said, -15) / 5
        figures[..., 4] = said >= best
        figures[..., 5] = find.follows[at_first]
        figures[..., 6] = find.continues[at_first]
        figures[..., 7] = find.age[at_first] / 3
        figures[..., 8] = np.log1p(find.fill)[:, None] / 5
        figures[..., 9] = match.sum(-1)
        figures[..., 10:] = 0
        if find.origin.any():  # there are words besides our own
            for origin in range(len(ORIGINS)):
                figures[..., 9 + origin] = (match * (find.origin == origin)).sum(-1)
        hidden = np.tanh(figures @ self._inner[0] + self._inner[1])
        return hidden @ self._outer[0] + self._outer[1]  # type: ignore[no-any-return]


def _array(tensor: Tensor) -> Floats:
    found: Floats = tensor.detach().float().cpu().numpy().copy()
    return found
