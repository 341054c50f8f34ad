"""What pass two trains on: contexts and states of whole documents, computed once and memory-mapped."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from recollect.batches.sentences import collate
from recollect.batches.shard import Shard
from recollect.files import whole_file
from recollect.models.interface import SentenceModel
from recollect.progress import SilentProgress, TerminalProgress

__all__ = ["Activations", "choose_documents", "store_activations"]

DOCUMENTS_AT_ONCE = 8
TOKENS_AT_ONCE = 4000


def choose_documents(shard: Shard, budget: int) -> list[range]:
    """Return the sentence ranges of `budget` documents spread evenly over the shard (0: all)."""
    count = len(shard.documents) - 1
    chosen = range(count) if not 0 < budget < count else np.linspace(0, count - 1, budget).round().astype(int)
    return [range(int(shard.documents[i]), int(shard.documents[i + 1])) for i in chosen]


@dataclass(frozen=True, slots=True)
class Activations:
    """Contexts c_t and states s_t of every target token, the end of each sentence included."""

    documents: list[range]  # sentences of the shard
    contexts: NDArray[np.floating]  # [token, context]
    states: NDArray[np.floating]  # [token, state]
    starts: dict[int, int]  # sentence -> its first token

    def sentence(self, shard: Shard, number: int) -> tuple[Tensor, Tensor]:
        """Return contexts and states [time, ...] of one sentence in single precision."""
        start = self.starts[number]
        rows = slice(start, start + int(shard.target_lengths[number]) + 1)
        return (
            torch.from_numpy(self.contexts[rows].astype(np.float32)),
            torch.from_numpy(self.states[rows].astype(np.float32)),
        )


def store_activations(
    model: SentenceModel[Any],
    shard: Shard,
    documents: list[range],
    folder: Path,
    *,
    precision: str,
    weights: str,
    progress: SilentProgress | TerminalProgress,
) -> Activations:
    """Compute the activations of `documents`, going on where an interrupted attempt stopped.

    `weights` is the fingerprint of the model's weights: activations of other weights are not reused.
    """
    starts, total = _layout(shard, documents)
    folder.mkdir(parents=True, exist_ok=True)
    manifest = {
        "weights": weights,
        "precision": precision,
        "tokens": total,
        "documents": [[document.start, document.stop] for document in documents],
    }
    done, seconds = _documents_done(folder, manifest)
    sizes = {"contexts": model.context_size, "states": model.state_size}
    arrays = {
        name: np.memmap(
            folder / f"{name}.{precision}",
            dtype=precision,
            mode="r+" if done else "w+",
            shape=(total, size),
        )
        for name, size in sizes.items()
    }
    stored = Activations(documents, arrays["contexts"], arrays["states"], starts)
    model.eval()
    with progress.bar("activations", len(documents), "documents", done=done) as advance:
        for first in range(done, len(documents), DOCUMENTS_AT_ONCE):
            some, clock = documents[first : first + DOCUMENTS_AT_ONCE], time.process_time()
            _compute(model, shard, [number for document in some for number in document], stored)
            for array in arrays.values():
                array.flush()
            seconds += time.process_time() - clock
            with whole_file(folder / "progress.json") as draft:
                reached = {**manifest, "done": first + len(some), "seconds": seconds}
                draft.write_text(json.dumps(reached), "utf-8")
            advance(len(some), "")
    return stored


def _layout(shard: Shard, documents: list[range]) -> tuple[dict[int, int], int]:
    starts, total = {}, 0
    for document in documents:
        for number in document:
            starts[number] = total
            total += int(shard.target_lengths[number]) + 1
    return starts, total


def _documents_done(folder: Path, manifest: dict[str, Any]) -> tuple[int, float]:
    """Return how many documents an earlier attempt has finished, and its seconds of processor time."""
    path = folder / "progress.json"
    if not path.exists():
        return 0, 0.0
    found = json.loads(path.read_text("utf-8"))
    done, seconds = found.pop("done"), found.pop("seconds", 0.0)
    return (done, seconds) if found == manifest else (0, 0.0)


@torch.inference_mode()
def _compute(model: SentenceModel[Any], shard: Shard, numbers: list[int], stored: Activations) -> None:
    """Fill in sentences, in batches of similar length."""
    numbers = sorted(numbers, key=lambda i: (int(shard.target_lengths[i]), int(shard.source_lengths[i])))
    start = 0
    while start < len(numbers):
        end = start
        while (
            end < len(numbers)
            and (end - start) * (int(shard.target_lengths[numbers[end]]) + 1) < TOKENS_AT_ONCE
        ):
            end += 1
        some = numbers[start:end]
        batch = collate([shard.source(i) for i in some], [shard.target(i) for i in some]).to(model.device)
        step = model.unroll(batch.source, batch.lengths, batch.previous)
        rows = np.concatenate([stored.starts[i] + np.arange(int(shard.target_lengths[i]) + 1) for i in some])
        stored.contexts[rows] = step.context[batch.kept].cpu().numpy()
        stored.states[rows] = step.state[batch.kept].cpu().numpy()
        start = end
