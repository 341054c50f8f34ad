"""What memories are filled with in pass two: sentences of a past, each with whose words they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from recollect.batches.sentences import Ids, collate
from recollect.memory.memory import Memory
from recollect.memory.slots import Slots
from recollect.models.interface import SentenceModel, Step
from recollect.text.specials import BOS, EOS

__all__ = ["Past", "Said", "Tutorial", "go_along", "remember_past", "steps_along"]

TOKENS_AT_ONCE = 4000


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
    earlier: Sequence[Past] = ()  # remembered before the first


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence as the model went along it: contexts and states [time, ...], its end included."""

    tokens: list[int]
    contexts: Tensor
    states: Tensor
    looked_at: list[int]  # the source token that each token, and the end, looked at most


@torch.no_grad()
def go_along(model: SentenceModel[Any], pairs: Sequence[tuple[Ids, Ids]]) -> list[Said | None]:
    """Force the model along given translations, in batches of like length; None where there are no words."""
    found: list[Said | None] = [None] * len(pairs)
    order = [number for number, (_, target) in enumerate(pairs) if len(target)]
    order.sort(key=lambda number: (len(pairs[number][1]), len(pairs[number][0])))
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and (end - start) * (len(pairs[order[end]][1]) + 1) < TOKENS_AT_ONCE:
            end += 1
        some = order[start:end]
        batch = collate([pairs[n][0] for n in some], [pairs[n][1] for n in some]).to(model.device)
        step = model.unroll(batch.source, batch.lengths, batch.previous)
        looked_at = batch.source.gather(1, step.attention.argmax(-1)).tolist()
        for row, number in enumerate(some):
            tokens = [int(token) for token in pairs[number][1]]
            length = len(tokens) + 1
            found[number] = Said(
                tokens,
                step.context[row, :length].clone(),
                step.state[row, :length].clone(),
                looked_at[row][:length],
            )
        start = end
    return found


def steps_along(model: SentenceModel[Any], said: Sequence[Said]) -> Step:
    """Return the steps of several sentences, side by side [lane, time, ...]."""
    contexts, states = (
        pad_sequence([getattr(each, name) for each in said], batch_first=True)
        for name in ("contexts", "states")
    )
    previous = pad_sequence(
        [torch.tensor([BOS, *each.tokens], device=contexts.device) for each in said], batch_first=True
    )
    return model.rebuild(states, contexts, previous)


@torch.no_grad()
def remember_past(
    model: SentenceModel[Any],
    memory: Memory,
    slots: Slots,
    lanes: Sequence[int],
    past: Sequence[tuple[Said | None, int]],
    *,
    store_end: bool,
) -> None:
    """Remember a sentence for each of `lanes`, and whose words it has; None has no words."""
    for lane, (said, origin) in zip(lanes, past, strict=True):
        own = slots.view([lane])
        if said is None:
            memory.skip(own)
        else:
            tokens = said.tokens + ([EOS] if store_end else [])
            looked_at = [said.looked_at[: len(tokens)]]
            memory.write(own, steps_along(model, [said]), [tokens], model, origin, looked_at)
