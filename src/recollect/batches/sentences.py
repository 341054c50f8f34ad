"""Sentence batches for pass one: shuffled, of similar length, the same for the same seed and epoch."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from recollect.batches.before import Before, Ids, collate_before
from recollect.batches.shard import Shard
from recollect.text.vocabulary import BOS, EOS, PAD

__all__ = ["Batch", "Ids", "SentenceBatches", "collate", "collate_source"]


@dataclass(frozen=True, slots=True)
class Batch:
    """Sentence pairs, padded; `kept` is true where `target` is a real token (its end included)."""

    source: Tensor  # ends in EOS                [lane, position]
    lengths: Tensor  # of the source             [lane]
    previous: Tensor  # y_{t-1}: BOS, y_1, ...   [lane, time]
    target: Tensor  # y_t: y_1, ..., EOS         [lane, time]
    kept: Tensor  #                              [lane, time]
    before: Before | None = None  # for a model that looks back

    def to(self, device: torch.device) -> "Batch":
        """Return the batch on `device`."""
        return self._each(lambda part: part.to(device))

    def share(self, place: int, size: int) -> "Batch":
        """Return every `size`-th lane from `place` on."""
        return self._each(lambda part: part[place::size])

    def _each(self, change: Callable[[Any], Any]) -> "Batch":
        changed: list[Any] = [
            None if (part := getattr(self, name)) is None else change(part) for name in self.__slots__
        ]
        return Batch(*changed)


def _pad(rows: Sequence[Ids], before: Sequence[int] = (), after: Sequence[int] = ()) -> Tensor:
    extra = len(before) + len(after)
    padded = np.full((len(rows), max(len(row) for row in rows) + extra), PAD, np.int64)
    for line, row in zip(padded, rows, strict=True):
        line[: len(before)] = before
        line[len(before) : len(before) + len(row)] = row
        line[len(before) + len(row) : len(row) + extra] = after
    return torch.from_numpy(padded)


def collate_source(sources: Sequence[Ids]) -> tuple[Tensor, Tensor]:
    """Return padded source sentences, each ending in EOS, and their lengths."""
    return _pad(sources, after=[EOS]), torch.tensor([len(row) + 1 for row in sources])


def collate(
    sources: Sequence[Ids], targets: Sequence[Ids], histories: Sequence[Sequence[Ids]] | None = None
) -> Batch:
    """Return a batch from ids without special tokens; `histories` are the sources before each sentence."""
    source, lengths = collate_source(sources)
    target = _pad(targets, after=[EOS])
    previous = _pad(targets, before=[BOS])
    ends = torch.tensor([len(row) + 1 for row in targets])
    kept = torch.arange(target.shape[1]) < ends.unsqueeze(1)
    before = None if histories is None else collate_before(histories)
    return Batch(source, lengths, previous, target, kept, before)


class SentenceBatches:
    """The batches of each epoch, drawn from a shard, for a model that looks back so many sentences."""

    def __init__(
        self, shard: Shard, *, batch: int, unit: str, window: int, seed: int, looks_back: int = 0
    ) -> None:
        self.shard, self.batch, self.unit, self.seed = shard, batch, unit, seed
        self.looks_back = looks_back
        mean = float(shard.target_lengths.mean()) + 1
        sentences = batch if unit == "sentences" else max(1, int(batch / mean))
        self.window = window * sentences

    def epoch(self, number: int, skip: int = 0) -> Iterator[Batch]:
        """Yield the batches of one epoch, from the `skip`-th on."""
        for count, indices in enumerate(self.plan(number)):
            if count >= skip:
                yield self._collate(indices)

    def _collate(self, indices: NDArray[np.int64]) -> Batch:
        shard, histories = self.shard, None
        if self.looks_back:
            histories = [[shard.source(j) for j in shard.before(i, self.looks_back)] for i in indices]
        return collate([shard.source(i) for i in indices], [shard.target(i) for i in indices], histories)

    def plan(self, number: int) -> Iterator[NDArray[np.int64]]:
        """Yield the sentences of each batch: sorted by length inside windows of a shuffled order."""
        chance = np.random.default_rng((self.seed, number))
        order = chance.permutation(len(self.shard))
        for start in range(0, len(order), self.window):
            chosen = order[start : start + self.window]
            source = self.shard.source_lengths[chosen].astype(np.int64)
            target = self.shard.target_lengths[chosen]
            # Source lengths rise and fall in turn, so that neighbours stay alike where the target grows.
            chosen = chosen[np.lexsort((np.where(target % 2, source, -source), target))]
            batches = self._cut(chosen)
            for index in chance.permutation(len(batches)):
                yield batches[index]

    def _cut(self, chosen: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Cut sentences of rising length into batches of at most so many sentences or padded tokens."""
        if self.unit == "sentences":
            return [chosen[i : i + self.batch] for i in range(0, len(chosen), self.batch)]
        lengths = self.shard.target_lengths[chosen].astype(np.int64) + 1
        batches, start = [], 0
        while start < len(chosen):
            tokens = lengths[start:] * np.arange(1, len(chosen) - start + 1)
            end = start + max(1, int(np.searchsorted(tokens, self.batch, side="right")))
            batches.append(chosen[start:end])
            start = end
        return batches
