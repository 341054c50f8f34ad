"""Beam search for many sentences at once; it knows only how to start, step, predict and select."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from recollect.decoding.hypothesis import Hypothesis
from recollect.models.interface import Step
from recollect.text.vocabulary import BOS, EOS, PAD

__all__ = ["Beam", "Distribution", "Stepper", "forbid", "search", "top"]

Integers = NDArray[np.int64]
Floats = NDArray[np.floating]

Distribution = Callable[[Step, Integers | None], Tensor]
"""log P(y_t) [lane, many, token], a tensor of its own, from a step and the lanes under way (None: all)."""


class Stepper(Protocol):
    """What search asks of a sentence model."""

    def start(self, source: Tensor, lengths: Tensor) -> Any:
        """Begin one hypothesis per sentence."""
        ...

    def step(self, progress: Any, previous: Tensor) -> tuple[Step, Any]:
        """Advance every hypothesis."""
        ...

    def select(self, progress: Any, lanes: Tensor, hypotheses: Tensor) -> Any:
        """Keep some lanes, and some hypotheses in each."""
        ...


@dataclass(frozen=True, slots=True)
class Beam:
    """The options of the search; see `recollect.config.DecodingConfig` for what each means."""

    size: int = 5
    length_penalty: float = 1.0
    min_length: int = 0
    max_length: int = 200
    max_ratio: float = 3.0
    n_best: int = 1
    banned: tuple[int, ...] = (PAD, BOS)

    def longest(self, source_lengths: Tensor) -> Tensor:
        """Return the most tokens (the end not counted) each sentence may have."""
        allowed = (source_lengths * self.max_ratio).long().clamp(min=10, max=self.max_length)
        return allowed.clamp(min=self.min_length)


@torch.inference_mode()
def search(
    model: Stepper, distribution: Distribution, source: Tensor, lengths: Tensor, beam: Beam
) -> list[list[Hypothesis]]:
    """Return the `n_best` hypotheses of each sentence, best first.

    Lanes whose search has ended leave the batch, so that a long sentence does not hold up the tensors.
    """
    lanes, device = len(lengths), lengths.device
    progress = model.start(source, lengths)
    longest = beam.longest(lengths - 1).numpy(force=True)
    endings = Endings(lanes, beam)
    traces: list[Trace] = []
    alive = np.arange(lanes)
    previous = torch.full((lanes, 1), BOS, device=device)
    totals = torch.zeros(lanes, 1, device=device)
    time = 0
    while len(alive):
        step, progress = model.step(progress, previous)
        scores = distribution(step, alive)
        forbid(scores, beam, time, longest[alive])
        choice = _choose(totals, scores, beam)
        endings.add(alive, choice, time)
        going = endings.unfinished(alive, choice.totals[:, 0], longest, time).nonzero()[0]
        traces.append(Trace(alive, choice.parents, choice.tokens, step))
        alive, kept = alive[going], [each[going] for each in (choice.parents, choice.tokens, choice.totals)]
        parents, previous, totals = (torch.from_numpy(each).to(device) for each in kept)
        progress = model.select(progress, torch.from_numpy(going).to(device), parents)
        time += 1
    return _trace_back(endings.best(), traces, lanes)


@dataclass(frozen=True, slots=True)
class Choice:
    """The hypotheses that go on, and those that end here."""

    parents: Integers  # [lane, many]
    tokens: Integers  # [lane, many]
    totals: Floats  # log probability; -inf where there is no such hypothesis  [lane, many]
    end_parents: Integers  # [lane, many]
    end_totals: Floats  # -inf where nothing ends                             [lane, many]


def forbid(scores: Tensor, beam: Beam, time: int, longest: Integers) -> None:
    """Bar impossible tokens, an end that comes too early, and anything but the end when it is due."""
    for token in beam.banned:
        scores[..., token] = -torch.inf
    if time < beam.min_length:
        scores[..., EOS] = -torch.inf
    due = time >= longest
    if due.any():
        rows = torch.from_numpy(due.nonzero()[0]).to(scores.device)
        end = scores[rows, :, EOS]
        scores[rows] = -torch.inf
        scores[rows, :, EOS] = end


def _choose(totals: Tensor, scores: Tensor, beam: Beam) -> Choice:
    """Pick the best continuations [lane, many, token] -> [lane, many], ends apart.

    Twice the beam is looked at, since at most a beam of candidates can be ends; an end counts only among
    the first `size` candidates, so that a beam of one is greedy.
    """
    many, tokens, size = scores.shape[1], scores.shape[2], beam.size
    found, places = top(totals, scores, min(2 * size, many * tokens))
    best, where = found.numpy(force=True), places.numpy(force=True)
    parents, chosen = where // tokens, where % tokens
    ends = chosen == EOS
    # A stable sort moves the ends behind and leaves the rest in order.
    order = ends.argsort(1, kind="stable")[:, :size]
    rows = np.arange(len(order))[:, None]
    return Choice(
        parents[rows, order],
        chosen[rows, order],
        np.where(ends, -np.inf, best)[rows, order].astype(best.dtype),
        parents[:, :size],
        np.where(ends, best, -np.inf)[:, :size],
    )


def top(totals: Tensor, scores: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Return the `count` largest of totals + scores in each lane, and where: hypothesis * tokens + token.

    Only blocks of tokens whose largest score is among the `count` largest can hold one of them, so a single
    pass for the peaks leaves little to sort.
    """
    lanes, many, tokens = scores.shape
    block = _block(tokens)
    if block == 1 or count > many * tokens // block:
        return (totals.unsqueeze(2) + scores).flatten(1).topk(count, dim=1)
    blocks = scores.view(lanes, many, -1, block)
    peaks = blocks.amax(3) + totals.unsqueeze(2)
    chosen = peaks.flatten(1).topk(count, dim=1).indices
    offsets = totals.gather(1, chosen // peaks.shape[2])
    inside = blocks.flatten(1, 2).gather(1, chosen.unsqueeze(2).expand(-1, -1, block))
    best, where = (inside + offsets.unsqueeze(2)).flatten(1).topk(count, dim=1)
    return best, chosen.gather(1, where // block) * block + where % block


@cache
def _block(tokens: int) -> int:
    """Return a divisor of `tokens` that makes good blocks, or 1."""
    return next((size for size in (32, *range(24, 64), *range(64, 200)) if tokens % size == 0), 1)


@dataclass(frozen=True, slots=True)
class Ending:
    """A hypothesis that has ended: at which time, from which hypothesis of that time's step."""

    lane: int
    score: float
    log_probability: float
    time: int
    parent: int


class Endings:
    """The hypotheses that have ended, of all lanes."""

    def __init__(self, lanes: int, beam: Beam) -> None:
        self.beam = beam
        self.count = np.zeros(lanes, np.int64)
        self.scores = np.full((lanes, beam.n_best), -np.inf)  # the best ones, falling
        self.found: list[tuple[NDArray[Any], ...]] = []  # lane, score, log probability, time, parent

    def add(self, alive: Integers, choice: Choice, time: int) -> None:
        """Note the hypotheses that end at this step."""
        rows, columns = np.isfinite(choice.end_totals).nonzero()
        if not len(rows):
            return
        scores = choice.end_totals.astype(np.float64) / (time + 1) ** self.beam.length_penalty
        self.scores[alive] = -np.sort(-np.concatenate([self.scores[alive], scores], 1), 1)[
            :, : self.beam.n_best
        ]
        self.count += np.bincount(alive[rows], minlength=len(self.count))
        self.found.append(
            (
                alive[rows],
                scores[rows, columns],
                choice.end_totals[rows, columns],
                np.full(len(rows), time),
                choice.end_parents[rows, columns],
            )
        )

    def unfinished(self, alive: Integers, best: Floats, longest: Integers, time: int) -> NDArray[np.bool_]:
        """Return which of the lanes go on, where `best` is their best hypothesis under way.

        A search ends when nothing better can be reached, or when a beam of hypotheses has ended and the best
        of them is no worse than the best one under way would be if it ended next; a beam of one ends with
        its first.
        """
        beam, scores = self.beam, self.scores[alive]
        # A log probability only falls; the most it can gain from is the longest length.
        reachable = best / (longest[alive] + 1) ** beam.length_penalty
        likely = best / (time + 2) ** beam.length_penalty
        full = (self.count[alive] >= beam.size) & ((scores[:, 0] >= likely) | (beam.size == 1))
        enough = full | ((self.count[alive] >= beam.n_best) & (scores[:, -1] >= reachable))
        going: NDArray[np.bool_] = ~enough & (reachable > -np.inf)
        return going

    def best(self) -> list[Ending]:
        """Return the `n_best` of each lane, lane by lane, best first."""
        if not self.found:
            return []
        lane, score, total, time, parent = (np.concatenate(each) for each in zip(*self.found, strict=True))
        order = np.lexsort((-parent, -time, -total, -score, lane))
        first = np.searchsorted(lane[order], lane[order])  # where each one's lane begins
        order = order[np.arange(len(order)) - first < self.beam.n_best]
        columns = (each[order].tolist() for each in (lane, score, total, time, parent))
        return [Ending(*each) for each in zip(*columns, strict=True)]


@dataclass(frozen=True, slots=True)
class Trace:
    """One time step of the search: what the paths that pass here will need."""

    alive: Integers  # row -> lane                              [row]
    parents: Integers  # hypothesis -> hypothesis of this step  [row, many]
    tokens: Integers  # the token appended                      [row, many]
    step: Step


def _trace_back(endings: list[Ending], traces: list[Trace], lanes: int) -> list[list[Hypothesis]]:
    """Follow the back-pointers of all endings at once and gather their vectors."""
    found: list[list[Hypothesis]] = [[] for _ in range(lanes)]
    if not endings:
        return found
    lane = np.array([ending.lane for ending in endings])
    last = np.array([ending.time for ending in endings])
    at = np.array([ending.parent for ending in endings])
    state, context = traces[0].step.state, traces[0].step.context
    shape = (len(endings), int(last.max()) + 1)
    tokens, aligned = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    contexts, states = context.new_zeros(*shape, context.shape[-1]), state.new_zeros(*shape, state.shape[-1])
    for time in reversed(range(shape[1])):
        trace = traces[time]
        passing = (last >= time).nonzero()[0]
        rows = np.searchsorted(trace.alive, lane[passing])
        before = passing[last[passing] > time]  # where an ending's own parent is known already
        if len(before):
            tokens[before, time] = trace.tokens[np.searchsorted(trace.alive, lane[before]), at[before]]
            at[before] = trace.parents[np.searchsorted(trace.alive, lane[before]), at[before]]
        place = torch.from_numpy(rows), torch.from_numpy(at[passing])
        contexts[passing, time] = trace.step.context[place]
        states[passing, time] = trace.step.state[place]
        aligned[passing, time] = trace.step.attention[place].argmax(-1).numpy(force=True)
    for number, ending in enumerate(endings):
        steps = ending.time + 1
        found[ending.lane].append(
            Hypothesis(
                tokens[number, : ending.time].tolist(),
                ending.log_probability,
                ending.score,
                contexts[number, :steps],
                states[number, :steps],
                aligned[number, :steps].tolist(),
            )
        )
    return found
