"""Forced decoding: the contexts and states of a translation that somebody else made, and its score."""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from recollect import predict
from recollect.batches.sentences import Batch, Ids, collate
from recollect.decoding.hypothesis import Hypothesis
from recollect.memory.memory import Memory
from recollect.memory.slots import Slots
from recollect.models.interface import SearchModel, Step

__all__ = ["force", "score"]

SENTENCES_AT_ONCE = 64


@torch.inference_mode()
def force(
    model: SearchModel,
    sources: Sequence[Ids],
    targets: Sequence[Ids],
    histories: Sequence[Sequence[Ids]] | None = None,
) -> list[Hypothesis]:
    """Return each target as a hypothesis for its source, as if the search had found it.

    Contexts and states do not depend on any memory, so the sentences are computed side by side; their log
    probabilities are the sentence model's alone. `histories` are the source sentences before each one, for a
    model that looks back.
    """
    return [
        hypothesis
        for batch, step in _steps(model, sources, targets, histories)
        for hypothesis in _hypotheses(model, batch, step)
    ]


def _steps(
    model: SearchModel,
    sources: Sequence[Ids],
    targets: Sequence[Ids],
    histories: Sequence[Sequence[Ids]] | None,
) -> Iterator[tuple[Batch, Step]]:
    for start in range(0, len(sources), SENTENCES_AT_ONCE):
        some = slice(start, start + SENTENCES_AT_ONCE)
        seen = None if histories is None else histories[some]
        batch = collate(sources[some], targets[some], seen).to(model.device)
        yield batch, model.unroll(batch.source, batch.lengths, batch.previous, batch.before)


def _hypotheses(model: SearchModel, batch: Batch, step: Step) -> Iterator[Hypothesis]:
    scores = _placed(predict.score(model, step, batch.target, kept=batch.kept), batch)
    for row, length in enumerate(batch.kept.sum(1).tolist()):
        total = float(scores[row].sum())
        yield Hypothesis(
            batch.target[row, : length - 1].tolist(),
            total,
            total / length,
            step.context[row, :length],
            step.state[row, :length],
            step.attention[row, :length].argmax(-1).tolist(),
            batch.source[row, : int(batch.lengths[row]) - 1].tolist(),
        )


def _placed(flat: Tensor, batch: Batch) -> Tensor:
    """Return log P of each target token [lane, time], zero in the padding."""
    scores = torch.zeros(batch.target.shape, device=flat.device)
    scores[batch.kept] = flat
    return scores


@torch.inference_mode()
def score(
    model: SearchModel,
    sources: Sequence[Ids],
    targets: Sequence[Ids],
    memory: Memory | None = None,
    slots: Slots | None = None,
    histories: Sequence[Sequence[Ids]] | None = None,
) -> list[list[float]]:
    """Return log P of every token (the end included) of each lane's sentence, with its memory as it is.

    `histories` are the source sentences before each one, for a model that looks back.
    """
    batch = collate(sources, targets, histories).to(model.device)
    step = model.unroll(batch.source, batch.lengths, batch.previous, batch.before)
    scores = _placed(predict.score(model, step, batch.target, memory, slots, kept=batch.kept), batch)
    lengths = batch.kept.sum(1).tolist()
    return [scores[row, :length].tolist() for row, length in enumerate(lengths)]
