"""The memory itself: slots of many documents side by side, as batched tensors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

__all__ = ["CORRECTION", "EARLIER", "EMPTY", "GLOSSARY", "ORIGINS", "OWN", "Flags", "Slots"]

ORIGINS = ("own", "correction", "glossary", "earlier")
"""Whose words a slot holds: our own, a person's, a glossary's, or those of an earlier document."""
OWN, CORRECTION, GLOSSARY, EARLIER = range(len(ORIGINS))
EMPTY = -1  # in `used`: nothing was ever written here
VECTORS = ("keys", "values", "words", "before", "origin", "written", "filled")
BOOKS = ("address", "used", "sentence", "pinned", "clock", "sentences")

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(slots=True)
class Slots:
    """Keys, values and words of every lane's memory, and the books that writing is planned on.

    Vectors live where the model lives; the books stay on the CPU, since planning is integer work.
    """

    keys: Tensor  # k_i: what a slot is found by                   [lane, slot, key]
    values: Tensor  # v_i: decoder states, where they are fused    [lane, slot, state]
    words: Tensor  # the target token of each slot                 [lane, slot]
    before: Tensor  # the token before it                          [lane, slot]
    origin: Tensor  # whose word it is: a number of ORIGINS        [lane, slot]
    written: Tensor  # sentences remembered when it was written    [lane, slot]
    filled: Tensor  # true where something was written             [lane, slot]
    address: Integers  # what a word is stored under               [lane, slot]
    used: Integers  # clock of the last write or update, or EMPTY  [lane, slot]
    sentence: Integers  # sentence of the last write or update     [lane, slot]
    pinned: Flags  # true where nothing is ever written over       [lane, slot]
    clock: Integers  # words written so far                        [lane]
    sentences: Integers  # sentences written so far                [lane]

    @classmethod
    def empty(
        cls, lanes: int, size: int, *, key: int, value: int, device: torch.device | None = None
    ) -> Self:
        """Return `lanes` empty memories of `size` slots."""
        return cls(
            keys=torch.zeros(lanes, size, key, device=device),
            values=torch.zeros(lanes, size, value, device=device),
            words=torch.zeros(lanes, size, dtype=torch.long, device=device),
            before=torch.zeros(lanes, size, dtype=torch.long, device=device),
            origin=torch.zeros(lanes, size, dtype=torch.long, device=device),
            written=torch.zeros(lanes, size, dtype=torch.long, device=device),
            filled=torch.zeros(lanes, size, dtype=torch.bool, device=device),
            address=np.zeros((lanes, size), np.int64),
            used=np.full((lanes, size), EMPTY, np.int64),
            sentence=np.full((lanes, size), EMPTY, np.int64),
            pinned=np.zeros((lanes, size), np.bool_),
            clock=np.zeros(lanes, np.int64),
            sentences=np.zeros(lanes, np.int64),
        )

    @property
    def lanes(self) -> int:
        """How many memories stand side by side."""
        return self.keys.shape[0]

    @property
    def size(self) -> int:
        """Slots per memory."""
        return self.keys.shape[1]

    @property
    def bytes(self) -> int:
        """What they take in memory."""
        return sum(int(getattr(self, name).nbytes) for name in (*VECTORS, *BOOKS))

    def select(self, lanes: Integers) -> "Slots":
        """Return a copy of some lanes, in the given order."""
        index = torch.as_tensor(lanes, device=self.keys.device)
        return Slots(
            *(getattr(self, name)[index] for name in VECTORS), *(getattr(self, name)[lanes] for name in BOOKS)
        )

    def view(self, lanes: Sequence[int]) -> "Slots":
        """Return some lanes for reading, without a copy where they are neighbours in order."""
        first = lanes[0] if len(lanes) else 0
        if list(lanes) != list(range(first, first + len(lanes))):
            return self.select(np.array(lanes))
        some = slice(first, first + len(lanes))
        return Slots(*(getattr(self, name)[some] for name in (*VECTORS, *BOOKS)))

    @classmethod
    def together(cls, some: Sequence["Slots"]) -> "Slots":
        """Return the lanes of several memories of one shape side by side, as a copy."""
        joined: dict[str, Any] = {name: torch.cat([getattr(each, name) for each in some]) for name in VECTORS}
        for name in BOOKS:
            joined[name] = np.concatenate([getattr(each, name) for each in some])
        return Slots(**joined)

    def beside(self, other: "Slots") -> "Slots":
        """Return as many memories, each with the slots of both."""
        wide: dict[str, Any] = {
            name: torch.cat([getattr(self, name), getattr(other, name)], 1) for name in VECTORS
        }
        for name in ("address", "used", "sentence", "pinned"):
            wide[name] = np.concatenate([getattr(self, name), getattr(other, name)], 1)
        return Slots(**wide, clock=self.clock.copy(), sentences=self.sentences.copy())

    def put(self, lane: int, other: "Slots") -> None:
        """Let one lane remember what the only lane of `other` does."""
        for name in (*VECTORS, *BOOKS):
            getattr(self, name)[lane] = getattr(other, name)[0]

    def pin(self, lane: int, chosen: Flags) -> None:
        """Pin the chosen slots [slot] of a lane and no others; of too many, those written last.

        Half of the slots always stay free: what is said next has to go somewhere.
        """
        latest = np.argsort(-self.used[lane], kind="stable")
        places = latest[(chosen & (self.used[lane] != EMPTY))[latest]][: self.size // 2]
        self.pinned[lane] = False
        self.pinned[lane, places] = True

    def forget(self, lane: int, gone: Flags) -> None:
        """Empty some slots [slot] of a lane; the others close ranks, since slots are filled in order."""
        kept = np.flatnonzero(~gone & (self.used[lane] != EMPTY))
        for name in (*VECTORS, "address", "used", "sentence", "pinned"):
            own = getattr(self, name)[lane]
            own[: len(kept)] = own[kept]
        self._empty(lane, len(kept))

    def clear(self, lane: int) -> None:
        """Forget everything in one lane."""
        self._empty(lane, 0)
        self.clock[lane] = 0
        self.sentences[lane] = 0

    def _empty(self, lane: int, first: int) -> None:
        """Leave nothing in a lane's slots from `first` on."""
        self.filled[lane, first:] = False
        self.written[lane, first:] = 0
        self.used[lane, first:] = EMPTY
        self.sentence[lane, first:] = EMPTY
        self.pinned[lane, first:] = False

    def tensors(self) -> dict[str, Tensor]:
        """Return everything as CPU tensors, for saving."""
        return {
            name: value.cpu().contiguous() if isinstance(value, Tensor) else torch.from_numpy(value.copy())
            for name in self.__slots__
            for value in (getattr(self, name),)
        }

    @classmethod
    def from_tensors(cls, tensors: dict[str, Tensor], device: torch.device | None = None) -> Self:
        """Restore what `tensors` gave; nothing is pinned in what an older version saved."""
        tensors = {"pinned": torch.zeros(tensors["words"].shape, dtype=torch.bool)} | tensors
        vectors: list[Any] = [tensors[name].to(device) for name in VECTORS]
        return cls(*vectors, *(tensors[name].numpy().copy() for name in BOOKS))
