"""What the memory, the search and the training loop ask of a sentence model.

Axes, used all over the package:
    lane        a document under way; within the sentence model simply a sentence of the batch
    many        what is asked of a lane at once: hypotheses in search, time in training
    position    a source token
    slot        a place in the memory
    token       an entry of the target vocabulary
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, Generic, Protocol, Self, TypeVar

import torch
from torch import Tensor, nn

from recollect.batches.before import Before

__all__ = ["Progress", "SearchModel", "SentenceModel", "Step", "score_from_distribution"]

Progress = TypeVar("Progress")


@dataclass(frozen=True, slots=True)
class Step:
    """What the model knows just before it names the next word; leading axes are free."""

    state: Tensor  # s_t: what has been said so far           [..., hidden]
    context: Tensor  # c_t: what is being translated          [..., context]
    previous: Tensor  # embedding of y_{t-1}                   [..., embedding]
    attention: Tensor  # alpha_t: where the model looks        [..., position]
    last: Tensor  # y_{t-1} itself                             [...]

    def where(self, kept: Tensor) -> Self:
        """Return the steps at which `kept` is true, in one flat row."""
        return type(self)(*(getattr(self, field.name)[kept] for field in fields(self)))

    def detach(self) -> Self:
        """Return the same step, cut off from the graph that computed it."""
        return type(self)(*(getattr(self, field.name).detach() for field in fields(self)))


class SentenceModel(nn.Module, ABC, Generic[Progress]):
    """Start, step, predict, select: all that search knows; unroll: the same along a given translation."""

    context_size: int
    state_size: int
    readout_size: int
    looks_back: int = 0  # how many source sentences before the present one it sees

    @abstractmethod
    def start(self, source: Tensor, lengths: Tensor, before: Before | None = None) -> Progress:
        """Encode `source` [lane, position] of the given lengths and begin one hypothesis for each.

        A model that looks back sees the sentences `before`; None is the start of a document.
        """

    @abstractmethod
    def step(self, progress: Progress, previous: Tensor) -> tuple[Step, Progress]:
        """Advance every hypothesis by its last token `previous` [lane, many]."""

    @abstractmethod
    def predict(self, step: Step) -> Tensor:
        """Return log P(y_t) [..., token] from a step, whose state a memory may have edited."""

    @abstractmethod
    def readout_vector(self, step: Step) -> Tensor:
        """Return o_t [..., readout], the last thing before the words: what the next word is chosen by."""

    def score(self, step: Step, targets: Tensor, smoothing: float = 0.0) -> Tensor:
        """Return log P(targets) [...]; a share `smoothing` of it is the mean log P over all tokens."""
        return score_from_distribution(self.predict(step), targets, smoothing)

    @abstractmethod
    def select(self, progress: Progress, lanes: Tensor, hypotheses: Tensor) -> Progress:
        """Keep `lanes` [lane'] and, in each, `hypotheses` [lane', many'] (repeats allowed)."""

    @abstractmethod
    def put(self, progress: Progress, lanes: Tensor, other: Progress) -> Progress:
        """Replace `lanes` [lane'] by those of `other`, of as many hypotheses; may change `progress`."""

    @abstractmethod
    def unroll(self, source: Tensor, lengths: Tensor, previous: Tensor, before: Before | None = None) -> Step:
        """Step along the tokens `previous` [lane, time] at once; equals `step` one by one."""

    @abstractmethod
    def rebuild(self, state: Tensor, context: Tensor, previous: Tensor) -> Step:
        """Return the step from its stored state and context and the tokens `previous` (no attention)."""

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        return next(self.parameters()).device


class SearchModel(Protocol):
    """A sentence model as translating sees it: itself, or a form of it made for search."""

    def start(self, source: Tensor, lengths: Tensor, before: Before | None = None) -> Any:
        """See `SentenceModel.start`."""
        ...

    def step(self, progress: Any, previous: Tensor) -> tuple[Step, Any]:
        """See `SentenceModel.step`."""
        ...

    def predict(self, step: Step) -> Tensor:
        """See `SentenceModel.predict`."""
        ...

    def readout_vector(self, step: Step) -> Tensor:
        """See `SentenceModel.readout_vector`."""
        ...

    def score(self, step: Step, targets: Tensor, smoothing: float = 0.0) -> Tensor:
        """See `SentenceModel.score`."""
        ...

    def select(self, progress: Any, lanes: Tensor, hypotheses: Tensor) -> Any:
        """See `SentenceModel.select`."""
        ...

    def put(self, progress: Any, lanes: Tensor, other: Any) -> Any:
        """See `SentenceModel.put`."""
        ...

    def unroll(self, source: Tensor, lengths: Tensor, previous: Tensor, before: Before | None = None) -> Step:
        """See `SentenceModel.unroll`."""
        ...

    def rebuild(self, state: Tensor, context: Tensor, previous: Tensor) -> Step:
        """See `SentenceModel.rebuild`."""
        ...

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        ...


def score_from_distribution(scores: Tensor, targets: Tensor, smoothing: float) -> Tensor:
    """Return log P(targets) [...] out of log P [..., token], smoothed as `SentenceModel.score` says."""
    exact = scores.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    return exact if smoothing == 0 else (1 - smoothing) * exact + smoothing * scores.mean(-1)
