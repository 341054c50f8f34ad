"""Beam search for many sentences at once; it knows only how to start, step, predict and select."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from recollect.decoding.hypothesis import Hypothesis
from recollect.models.interface import Step
from recollect.text.vocabulary import BOS, EOS, PAD

__all__ = ["Beam", "Distribution", "Stepper", "search"]

Integers = NDArray[np.int64]

Distribution = Callable[[Step, Tensor], Tensor]
"""log P(y_t) [lane, many, token], a tensor of its own, from a step and the lanes still under way."""


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


@dataclass(slots=True)
class Trace:
    """One time step of the search: what the paths that pass here will need."""

    place: Integers  # lane -> row of this step's tensors, or -1  [lane]
    parents: Integers  # hypothesis -> hypothesis of this step    [row, many]
    tokens: Integers  # the token appended                         [row, many]
    step: Step


@dataclass(frozen=True, slots=True, order=True)
class Ending:
    """A hypothesis that has ended: at which time, from which hypothesis of that time's step."""

    score: float
    log_probability: float
    time: int
    parent: int


@torch.inference_mode()
def search(
    model: Stepper, distribution: Distribution, source: Tensor, lengths: Tensor, beam: Beam
) -> list[list[Hypothesis]]:
    """Return the `n_best` hypotheses of each sentence, best first.

    Lanes whose search has ended leave the batch, so that a long sentence does not hold up the tensors.
    """
    lanes, device = source.shape[0], source.device
    longest = beam.longest(lengths - 1)
    progress = model.start(source, lengths)
    alive = torch.arange(lanes, device=device)
    previous = torch.full((lanes, 1), BOS, device=device)
    totals = torch.zeros(lanes, 1, device=device)
    endings: list[list[Ending]] = [[] for _ in range(lanes)]
    traces: list[Trace] = []
    time = 0
    while len(alive):
        step, progress = model.step(progress, previous)
        scores = distribution(step, alive)
        _forbid(scores, beam, time, longest[alive])
        choice = _choose(totals.unsqueeze(2) + scores, beam)
        place = np.full(lanes, -1, np.int64)
        place[alive.cpu().numpy()] = np.arange(len(alive))
        traces.append(Trace(place, choice.parents.cpu().numpy(), choice.tokens.cpu().numpy(), step))
        _collect(endings, choice, alive, time, beam)
        going = _unfinished(endings, choice, alive, longest, time, beam)
        rows = torch.tensor(going, dtype=torch.long, device=device)
        progress = model.select(progress, rows, choice.parents[rows])
        alive, previous, totals = alive[rows], choice.tokens[rows], choice.totals[rows]
        time += 1
    return [_trace_back(endings[lane], lane, traces, beam.n_best) for lane in range(lanes)]


@dataclass(frozen=True, slots=True)
class Choice:
    """The hypotheses that go on, and those that end here."""

    parents: Tensor  # [lane, many]
    tokens: Tensor  # [lane, many]
    totals: Tensor  # log probability; -inf where there is no such hypothesis  [lane, many]
    end_parents: Tensor  # [lane, many]
    end_totals: Tensor  # -inf where nothing ends                             [lane, many]


def _forbid(scores: Tensor, beam: Beam, time: int, longest: Tensor) -> None:
    """Bar impossible tokens, an end that comes too early, and anything but the end when it is due."""
    scores[..., list(beam.banned)] = -torch.inf
    if time < beam.min_length:
        scores[..., EOS] = -torch.inf
    due = time >= longest
    if due.any():
        end = scores[due][..., EOS].clone()
        scores[due] = -torch.inf
        scores[due.nonzero(as_tuple=True)[0], :, EOS] = end


def _choose(totals: Tensor, beam: Beam) -> Choice:
    """Pick the best continuations [lane, many, token] -> [lane, many], ends apart.

    Twice the beam is looked at, since at most a beam of candidates can be ends; an end counts only among
    the first `size` candidates, so that a beam of one is greedy.
    """
    lanes, many, tokens = totals.shape
    best, where = totals.view(lanes, -1).topk(min(2 * beam.size, many * tokens), dim=1)
    parents, chosen = where // tokens, where % tokens
    ends = chosen == EOS
    end_totals = best.masked_fill(~ends, -torch.inf)[:, : beam.size]
    # A stable sort moves the ends behind and leaves the rest in order.
    order = ends.long().sort(dim=1, stable=True).indices[:, : beam.size]
    on = best.masked_fill(ends, -torch.inf)
    return Choice(
        parents.gather(1, order),
        chosen.gather(1, order),
        on.gather(1, order),
        parents[:, : beam.size],
        end_totals,
    )


def _collect(endings: list[list[Ending]], choice: Choice, alive: Tensor, time: int, beam: Beam) -> None:
    """Note the hypotheses that end at this step."""
    rows, columns = choice.end_totals.isfinite().nonzero(as_tuple=True)
    lanes = alive[rows].tolist()
    totals = choice.end_totals[rows, columns].tolist()
    parents = choice.end_parents[rows, columns].tolist()
    for lane, total, parent in zip(lanes, totals, parents, strict=True):
        score = total / (time + 1) ** beam.length_penalty
        endings[lane].append(Ending(score, total, time, parent))


def _unfinished(
    endings: list[list[Ending]], choice: Choice, alive: Tensor, longest: Tensor, time: int, beam: Beam
) -> list[int]:
    """Return the rows of the lanes whose search goes on.

    It ends when nothing better can be reached, or when a beam of hypotheses has ended and the best of them
    is no worse than the best one under way would be if it ended next; a beam of one ends with its first.
    """
    best = choice.totals[:, 0]
    # A log probability only falls; the most it can gain from is the longest length.
    reachable = (best / (longest[alive] + 1) ** beam.length_penalty).tolist()
    likely = (best / (time + 2) ** beam.length_penalty).tolist()
    going = []
    for row, lane in enumerate(alive.tolist()):
        ended = sorted(endings[lane], reverse=True)
        full = len(ended) >= beam.size and (beam.size == 1 or ended[0].score >= likely[row])
        enough = full or (len(ended) >= beam.n_best and ended[beam.n_best - 1].score >= reachable[row])
        if not enough and reachable[row] > -np.inf:
            going.append(row)
    return going


def _trace_back(endings: list[Ending], lane: int, traces: list[Trace], n_best: int) -> list[Hypothesis]:
    """Follow the back-pointers of the best endings and gather their vectors."""
    found = []
    for ending in sorted(endings, reverse=True)[:n_best]:
        parents, tokens = [ending.parent], list[int]()
        for trace in reversed(traces[: ending.time]):
            row = trace.place[lane]
            tokens.append(int(trace.tokens[row, parents[-1]]))
            parents.append(int(trace.parents[row, parents[-1]]))
        steps = [
            (trace.step, trace.place[lane], parent)
            for trace, parent in zip(traces[: ending.time + 1], reversed(parents), strict=True)
        ]
        found.append(
            Hypothesis(
                tokens[::-1],
                ending.log_probability,
                ending.score,
                torch.stack([step.context[row, parent] for step, row, parent in steps]),
                torch.stack([step.state[row, parent] for step, row, parent in steps]),
                [int(step.attention[row, parent].argmax()) for step, row, parent in steps],
            )
        )
    return found
