"""Writing a finished sentence: slots are planned on integers, then vectors move in a few batched strokes."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from recollect.memory.policies import Policy, Write
from recollect.memory.slots import EMPTY, Slots
from recollect.text.specials import BOS

__all__ = ["Sentence", "write"]


@dataclass(frozen=True, slots=True)
class Sentence:
    """The words one lane is to remember."""

    tokens: Sequence[int]
    addresses: Sequence[int]


@dataclass(frozen=True, slots=True)
class Stroke:
    """Writes that touch every slot at most once, so that they can be done all at once."""

    lanes: list[int]
    slots: list[int]
    times: list[int]


def write(
    slots: Slots,
    keys: Tensor,
    values: Tensor,
    sentences: Sequence[Sentence | None],
    policy: Policy,
    origin: int = 0,
) -> None:
    """Store each lane's sentence under keys with values [lane, time, ...]; None leaves a lane alone.

    Equals writing word after word, to the last bit: a slot hit several times in one sentence is updated in
    as many strokes, in order, by the very same operations. What is pinned stays as it is and does not age.
    """
    fresh, updates = _plan(slots, sentences, policy)
    with torch.no_grad():
        _apply(slots.keys, keys, fresh, updates)
        _apply(slots.values, values, fresh, updates)
    slots.filled[fresh.lanes, fresh.slots] = True
    for stroke in (fresh, *updates):  # of words that came again, the last is described
        pairs = [(sentences[lane], time) for lane, time in zip(stroke.lanes, stroke.times, strict=True)]
        tokens = [(each.tokens[time], each.tokens[time - 1] if time else BOS) for each, time in pairs if each]
        words, before = torch.tensor(tokens, dtype=torch.long).view(-1, 2).T.to(slots.words.device)
        slots.words[stroke.lanes, stroke.slots] = words
        slots.before[stroke.lanes, stroke.slots] = before
        slots.origin[stroke.lanes, stroke.slots] = origin
        slots.written[stroke.lanes, stroke.slots] = torch.from_numpy(slots.sentences[stroke.lanes]).to(
            slots.words.device
        )
    if slots.pinned.any():
        lanes, places = slots.pinned.nonzero()
        slots.written[lanes, places] = torch.from_numpy(slots.sentences[lanes]).to(slots.words.device)


def _apply(vectors: Tensor, new: Tensor, fresh: Stroke, updates: Sequence[Stroke]) -> None:
    vectors[fresh.lanes, fresh.slots] = new[fresh.lanes, fresh.times].to(vectors.dtype)
    for stroke in updates:
        old = vectors[stroke.lanes, stroke.slots]
        vectors[stroke.lanes, stroke.slots] = (old + new[stroke.lanes, stroke.times]) / 2


def _plan(slots: Slots, sentences: Sequence[Sentence | None], policy: Policy) -> tuple[Stroke, list[Stroke]]:
    """Decide every word's slot, enter it in the books, and sort the writes into strokes."""
    fresh, updates = Stroke([], [], []), list[Stroke]()
    for lane, sentence in enumerate(sentences):
        if sentence is None:
            continue
        writes = policy(_books(slots, lane, sentence.addresses), sentence.addresses)
        for slot, times in _surviving(writes).items():
            first = writes[times[0]].fresh
            for rank, time in enumerate(times, start=0 if first else 1):
                if rank > len(updates):
                    updates.append(Stroke([], [], []))
                stroke = fresh if rank == 0 else updates[rank - 1]
                stroke.lanes.append(lane)
                stroke.slots.append(slot)
                stroke.times.append(time)
            slots.address[lane, slot] = sentence.addresses[times[-1]]
            slots.used[lane, slot] = slots.clock[lane] + times[-1]
            slots.sentence[lane, slot] = slots.sentences[lane]
        slots.clock[lane] += len(writes)
        slots.sentences[lane] += 1
    return fresh, updates


def _surviving(writes: Sequence[Write]) -> dict[int, list[int]]:
    """Return each touched slot's writes in order of time, from the last fresh one on."""
    times: dict[int, list[int]] = {}
    for time, item in enumerate(writes):
        if item.fresh or item.slot not in times:
            times[item.slot] = [time]
        else:
            times[item.slot].append(time)
    return times


def _books(slots: Slots, lane: int, addresses: Sequence[int]) -> "OrderedDict[int, int | None]":
    """Return those slots of the lane that writing `addresses` can touch, least recently used first.

    These are the slots that hold one of them, and as many of the least recently used as could be needed if
    every other one of those were hit and moved away; EMPTY sorts before every clock. Pinned slots are not
    touched at all: their words get another slot when they come again.
    """
    free = (~slots.pinned[lane]).nonzero()[0]
    used, address = slots.used[lane, free], slots.address[lane, free]
    age = used * slots.size + free  # of equals, such as empty slots, the first
    needed = min(2 * len(addresses), len(used))
    if needed < len(used):
        oldest = np.argpartition(age, needed - 1)[:needed] if needed else np.empty(0, np.int64)
        held = (np.isin(address, addresses) & (used != EMPTY)).nonzero()[0]
        chosen = np.union1d(oldest, held)
    else:
        chosen = np.arange(len(used))
    order = chosen[np.argsort(age[chosen])].tolist()
    return OrderedDict(
        (int(free[each]), None if used[each] == EMPTY else int(address[each])) for each in order
    )
