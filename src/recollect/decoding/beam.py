"""Beam search for many sentences at once; it knows only how to start, step, predict and select."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from recollect.batches.before import Before
from recollect.decoding.hypothesis import Hypothesis
from recollect.models.interface import Step
from recollect.text.vocabulary import BOS, EOS, PAD

__all__ = ["Beam", "Distribution", "Search", "Stepper", "forbid", "search", "top"]

Integers = NDArray[np.int64]
Floats = NDArray[np.floating]

Distribution = Callable[[Step, Integers | None], Tensor]
"""log P(y_t) [lane, many, token], a tensor of its own, from a step and the rows under way (None: all)."""


class Stepper(Protocol):
    """What search asks of a sentence model."""

    def start(self, source: Tensor, lengths: Tensor, before: Before | None = None) -> Any:
        """Begin one hypothesis per sentence."""
        ...

    def step(self, progress: Any, previous: Tensor) -> tuple[Step, Any]:
        """Advance every hypothesis."""
        ...

    def select(self, progress: Any, lanes: Tensor, hypotheses: Tensor) -> Any:
        """Keep some lanes, and some hypotheses in each."""
        ...

    def put(self, progress: Any, lanes: Tensor, other: Any) -> Any:
        """Replace `lanes` by those of `other`, of as many hypotheses."""
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
    model: Stepper,
    distribution: Distribution,
    source: Tensor,
    lengths: Tensor,
    beam: Beam,
    before: Before | None = None,
) -> list[list[Hypothesis]]:
    """Return the `n_best` hypotheses of each sentence, best first.

    Rows whose search has ended leave the batch, so that a long sentence does not hold up the tensors.
    """
    under_way = Search(model, distribution, beam)
    under_way.begin(model.start(source, lengths, before), lengths)
    found: list[list[Hypothesis]] = [[] for _ in lengths]
    while len(under_way.rows):
        ended = under_way.advance()
        for row, hypotheses in ended.items():
            found[row] = hypotheses
        under_way.drop(list(ended))
    return found


class Search:
    """Sentences under way, a row each, at times of their own.

    A row whose sentence has ended takes another (`put`) or leaves (`drop`), and new ones may come in beside
    them (`join`); the others do not notice. `rows` are the numbers of those that are there.
    """

    def __init__(self, model: Stepper, distribution: Distribution, beam: Beam) -> None:
        self.model, self.distribution, self.beam = model, distribution, beam
        self.rows = np.arange(0)
        self._tick = 0
        self._traces: deque[Trace] = deque()  # the last ones, up to the present tick

    def begin(self, progress: Any, lengths: Tensor) -> None:
        """Take sentences just started, of the given lengths (with their ends), as rows 0, 1, ..."""
        self._progress, self._device = progress, lengths.device
        self.rows = np.arange(len(lengths))
        self._began = np.full(len(lengths), self._tick)
        self._longest = self.beam.longest(lengths - 1).numpy(force=True)
        self._endings = Endings(len(lengths), self.beam)
        self._previous = torch.full((len(lengths), 1), BOS, device=self._device)
        self._totals = torch.zeros(len(lengths), 1, device=self._device)
        self._traces.clear()

    @torch.inference_mode()
    def advance(self) -> dict[int, list[Hypothesis]]:
        """Take one step; return the hypotheses, best first, of the rows whose search ends with it."""
        step, self._progress = self.model.step(self._progress, self._previous)
        times = self._tick - self._began
        scores = self.distribution(step, self.rows)
        forbid(scores, self.beam, times, self._longest)
        choice = _choose(self._totals, scores, self.beam)
        self._endings.add(choice, times)
        going = self._endings.unfinished(choice.totals[:, 0], self._longest, times)
        self._traces.append(Trace(self.rows, choice.parents, choice.tokens, step))
        self._tick += 1
        kept = (choice.parents, choice.tokens, choice.totals)
        parents, self._previous, self._totals = (torch.from_numpy(each).to(self._device) for each in kept)
        self._progress = self.model.select(
            self._progress, torch.arange(len(parents), device=self._device), parents
        )
        return self._trace_back((~going).nonzero()[0])

    @torch.inference_mode()
    def put(self, rows: Sequence[int], progress: Any, lengths: Tensor) -> None:
        """Let sentences just started take the places of `rows`, whose own have ended."""
        if len(rows) == len(self.rows):
            numbers = self.rows
            self.begin(progress, lengths)
            self.rows = numbers
            return
        places = np.searchsorted(self.rows, rows)
        index = torch.from_numpy(places).to(self._device)
        many = self._totals.shape[1]
        twins = torch.zeros(len(rows), many, dtype=torch.long, device=self._device)
        fresh = self.model.select(progress, torch.arange(len(rows), device=self._device), twins)
        self._progress = self.model.put(self._progress, index, fresh)
        self._previous[index] = BOS
        self._totals[index] = -torch.inf  # of the twins, only one counts
        self._totals[index, 0] = 0.0
        self._began[places] = self._tick
        self._longest[places] = self.beam.longest(lengths - 1).numpy(force=True)
        self._endings.clear(places)
        self._let_go()

    @torch.inference_mode()
    def join(self, progress: Any, lengths: Tensor) -> list[int]:
        """Let sentences just started come in beside those under way; return their rows."""
        if not len(self.rows):
            self.begin(progress, lengths)
            return list(range(len(lengths)))
        numbers = self.rows[-1] + 1 + np.arange(len(lengths))
        # Anything will do in the new places at first: what belongs there is put in at once.
        places = np.concatenate([np.arange(len(self.rows)), np.zeros(len(lengths), np.int64)])
        index = torch.from_numpy(places).to(self._device)
        same = torch.arange(self._totals.shape[1], device=self._device).expand(len(places), -1)
        self._progress = self.model.select(self._progress, index, same)
        self._previous, self._totals = self._previous[index], self._totals[index]
        self._began, self._longest = self._began[places], self._longest[places]
        self._endings.widen(len(lengths))
        self.rows = np.concatenate([self.rows, numbers])
        rows: list[int] = numbers.tolist()
        self.put(rows, progress, lengths)
        return rows

    @torch.inference_mode()
    def drop(self, rows: Sequence[int]) -> None:
        """Let `rows` leave."""
        if not rows:
            return
        kept = (~np.isin(self.rows, rows)).nonzero()[0]
        self.rows, self._began, self._longest = (
            each[kept] for each in (self.rows, self._began, self._longest)
        )
        self._endings.keep(kept)
        index = torch.from_numpy(kept).to(self._device)
        same = torch.arange(self._totals.shape[1], device=self._device).expand(len(kept), -1)
        self._progress = self.model.select(self._progress, index, same)
        self._previous, self._totals = self._previous[index], self._totals[index]
        self._let_go()

    def _let_go(self) -> None:
        """Forget the traces of steps before any present sentence began."""
        first = self._began.min() if len(self._began) else self._tick
        while self._traces and self._tick - len(self._traces) < first:
            self._traces.popleft()

    def _trace_back(self, places: Integers) -> dict[int, list[Hypothesis]]:
        """Follow the back-pointers of all that has ended in these places, and gather the vectors."""
        found: dict[int, list[Hypothesis]] = {int(self.rows[place]): [] for place in places}
        endings = [(place, ending) for place in places for ending in self._endings.best(place)]
        if not endings:
            return found
        row = np.array([self.rows[place] for place, _ in endings])
        began = np.array([self._began[place] for place, _ in endings])
        last = np.array([ending.time for _, ending in endings])
        at = np.array([ending.parent for _, ending in endings])
        step = self._traces[-1].step
        shape = (len(endings), int(last.max()) + 1)
        tokens, aligned = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        contexts, states = (
            vectors.new_zeros(*shape, vectors.shape[-1]) for vectors in (step.context, step.state)
        )
        first = self._tick - len(self._traces)  # the tick of the oldest trace
        for tick in range(int((began + last).max()), int(began.min()) - 1, -1):
            trace, time = self._traces[tick - first], tick - began
            passing = ((time >= 0) & (time <= last)).nonzero()[0]
            when = time[passing]
            places = np.searchsorted(trace.rows, row[passing])
            before = when < last[passing]  # where an ending's own parent is known already
            if before.any():
                some, where, earlier = passing[before], places[before], when[before]
                tokens[some, earlier] = trace.tokens[where, at[some]]
                at[some] = trace.parents[where, at[some]]
            source = torch.from_numpy(places), torch.from_numpy(at[passing])
            target = torch.from_numpy(passing), torch.from_numpy(when)
            contexts[target], states[target] = trace.step.context[source], trace.step.state[source]
            aligned[passing, when] = trace.step.attention[source].argmax(-1).numpy(force=True)
        for number, (place, ending) in enumerate(endings):
            steps = ending.time + 1
            found[int(self.rows[place])].append(
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


@dataclass(frozen=True, slots=True)
class Choice:
    """The hypotheses that go on, and those that end here."""

    parents: Integers  # [lane, many]
    tokens: Integers  # [lane, many]
    totals: Floats  # log probability; -inf where there is no such hypothesis  [lane, many]
    end_parents: Integers  # [lane, many]
    end_totals: Floats  # -inf where nothing ends                             [lane, many]


def forbid(scores: Tensor, beam: Beam, times: Integers, longest: Integers) -> None:
    """Bar impossible tokens, an end that comes too early, and anything but the end when it is due."""
    scores.index_fill_(-1, _tokens(beam.banned, scores.device), -torch.inf)
    early = times < beam.min_length
    if early.any():
        scores[torch.from_numpy(early.nonzero()[0]).to(scores.device), :, EOS] = -torch.inf
    due = times >= longest
    if due.any():
        rows = torch.from_numpy(due.nonzero()[0]).to(scores.device)
        end = scores[rows, :, EOS]
        scores[rows] = -torch.inf
        scores[rows, :, EOS] = end


@cache
def _tokens(tokens: tuple[int, ...], device: torch.device) -> Tensor:
    with torch.inference_mode(False):  # shared by callers of both modes
        return torch.tensor(tokens, dtype=torch.long, device=device)


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

    score: float
    log_probability: float
    time: int
    parent: int


class Endings:
    """The hypotheses that have ended, of all places in the batch."""

    def __init__(self, places: int, beam: Beam) -> None:
        self.beam = beam
        self.scores = np.full((places, beam.n_best), -np.inf)  # the best ones, falling
        self.found: list[list[Ending]] = [[] for _ in range(places)]

    def add(self, choice: Choice, times: Integers) -> None:
        """Note the hypotheses that end at this step, whose time in each place is given."""
        rows, columns = np.isfinite(choice.end_totals).nonzero()
        if not len(rows):
            return
        scores = choice.end_totals.astype(np.float64) / (times[:, None] + 1) ** self.beam.length_penalty
        some = np.unique(rows)
        both = np.concatenate([self.scores[some], scores[some]], 1)
        self.scores[some] = -np.sort(-both, 1)[:, : self.beam.n_best]
        details = (scores[rows, columns], choice.end_totals[rows, columns], times[rows])
        parents = choice.end_parents[rows, columns]
        table = (each.tolist() for each in (rows, *details, parents))
        for row, score, total, time, parent in zip(*table, strict=True):
            self.found[row].append(Ending(score, total, time, parent))

    def unfinished(self, best: Floats, longest: Integers, times: Integers) -> NDArray[np.bool_]:
        """Return which places go on, where `best` is their best hypothesis under way.

        A search ends when nothing better can be reached, or when a beam of hypotheses has ended and the best
        of them is no worse than the best one under way would be if it ended next; a beam of one ends with
        its first.
        """
        beam, count = self.beam, np.array([len(found) for found in self.found])
        # A log probability only falls; the most it can gain from is the longest length.
        reachable = best / (longest + 1) ** beam.length_penalty
        likely = best / (times + 2) ** beam.length_penalty
        full = (count >= beam.size) & ((self.scores[:, 0] >= likely) | (beam.size == 1))
        enough = full | ((count >= beam.n_best) & (self.scores[:, -1] >= reachable))
        going: NDArray[np.bool_] = ~enough & (reachable > -np.inf)
        return going

    def best(self, place: int) -> list[Ending]:
        """Return the `n_best` of a place, best first."""
        order = sorted(
            self.found[place],
            key=lambda each: (each.score, each.log_probability, each.time, each.parent),
            reverse=True,
        )
        return order[: self.beam.n_best]

    def clear(self, places: Integers) -> None:
        """Forget what has ended in some places."""
        self.scores[places] = -np.inf
        for place in places:
            self.found[place] = []

    def widen(self, count: int) -> None:
        """Make some more places, in which nothing has ended."""
        more = np.full((count, self.beam.n_best), -np.inf)
        self.scores, self.found = (
            np.concatenate([self.scores, more]),
            [*self.found, *([] for _ in range(count))],
        )

    def keep(self, places: Integers) -> None:
        """Keep some places, in order."""
        self.scores, self.found = self.scores[places], [self.found[place] for place in places]


@dataclass(frozen=True, slots=True)
class Trace:
    """One step of the search: what the paths that pass here will need."""

    rows: Integers  # the rows under way                        [place]
    parents: Integers  # hypothesis -> hypothesis of this step  [place, many]
    tokens: Integers  # the token appended                      [place, many]
    step: Step
