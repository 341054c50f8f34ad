"""What memories are filled with in pass two: sentences of a past, each with whose words they are."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import torch

from recollect.batches.sentences import Ids, collate
from recollect.memory.memory import Memory
from recollect.memory.slots import Slots
from recollect.models.interface import SentenceModel
from recollect.text.specials import EOS

__all__ = ["Past", "Tutorial", "remember_past"]


@dataclass(frozen=True, slots=True)
class Past:
    """A sentence to be remembered: its source, its translation, and whose words they are (of ORIGINS)."""

    source: Ids
    target: Ids
    origin: int = 0


@dataclass(frozen=True, slots=True)
class Tutorial:
    """A document to learn from: its sentences with their translations, and what is remembered of each."""

    pairs: Sequence[tuple[Ids, Ids]]
    past: Sequence[Past]


@torch.no_grad()
def remember_past(
    model: SentenceModel[Any],
    memory: Memory,
    slots: Slots,
    lanes: Sequence[int],
    past: Sequence[Past],
    *,
    store_end: bool,
) -> None:
    """Force the model along one sentence for each of `lanes`, and remember it."""
    said = [each for each in past if len(each.target)]
    if said:
        batch = collate([each.source for each in said], [each.target for each in said]).to(model.device)
        step = model.unroll(batch.source, batch.lengths, batch.previous)
    row = 0
    for lane, each in zip(lanes, past, strict=True):
        own = slots.view([lane])
        if not len(each.target):
            memory.skip(own)
            continue
        one = type(step)(*(getattr(step, field.name)[row : row + 1] for field in fields(step)))
        tokens = [int(token) for token in each.target] + ([EOS] if store_end else [])
        memory.write(own, one, [tokens], model, each.origin)
        row += 1
