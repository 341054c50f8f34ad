"""Several processes that train one model: each computes the gradient of its own share of every batch.

On a CPU, two processes of one thread each are faster than one process of two threads, most of all where
batches are small or the machine has other work to do: they meet once per update, not once per operation.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Any, Self

import torch
import torch.multiprocessing
from torch import Tensor

from recollect.batches.sentences import Batch
from recollect.errors import RunError
from recollect.models.interface import SentenceModel
from recollect.models.precision import lower_precision
from recollect.predict import score

__all__ = ["Crew", "add_gradient"]


def add_gradient(
    model: SentenceModel[Any],
    batch: Batch,
    *,
    tokens: int,
    label_smoothing: float,
    noise: int,
    precision: str,
) -> float:
    """Add the gradient of a batch's loss per `tokens` to the model's; return the loss, summed over its own.

    `noise` is the seed of all that is drawn at random, `precision` that of the matrix products.
    """
    model.train()
    torch.manual_seed(noise)
    batch = batch.to(model.device)
    with lower_precision(model.device, precision):
        step = model.unroll(batch.source, batch.lengths, batch.previous, batch.before)
        loss = -score(model, step, batch.target, kept=batch.kept, smoothing=label_smoothing).sum()
    (loss / tokens).backward()  # type: ignore[no-untyped-call]
    return float(loss.detach())


@dataclass(frozen=True, slots=True)
class Mate:
    """Another process, how to talk to it, and the gradients that it leaves for us."""

    process: BaseProcess
    connection: Connection
    gradients: list[Tensor]


class Crew:
    """This process and `size - 1` others; they share the model's parameters and end with the `with`."""

    def __init__(
        self,
        model: SentenceModel[Any],
        size: int,
        *,
        label_smoothing: float,
        seed: int,
        precision: str = "float32",
    ) -> None:
        self.model, self.size, self.seed = model, size, seed
        self._add_gradient = partial(add_gradient, label_smoothing=label_smoothing, precision=precision)
        self._mates: list[Mate] = []
        self._threads = torch.get_num_threads()

    def __enter__(self) -> Self:
        if self.size == 1:
            return self
        torch.set_num_threads(max(1, self._threads // self.size))
        context = torch.multiprocessing.get_context("spawn")
        self.model.share_memory()
        for _ in range(1, self.size):
            gradients = [torch.zeros_like(each) for each in self.model.parameters()]
            for gradient in gradients:
                gradient.share_memory_()  # type: ignore[no-untyped-call]
            ours, theirs = context.Pipe()
            given = (theirs, self.model, self._add_gradient, gradients, torch.get_num_threads())
            process = context.Process(target=_serve, args=given, daemon=True)
            process.start()
            theirs.close()  # so that their end is noticed
            self._mates.append(Mate(process, ours, gradients))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for mate in self._mates:
            mate.connection.close()
        for mate in self._mates:
            mate.process.join()
        self._mates.clear()
        torch.set_num_threads(self._threads)

    def add_gradient(self, batch: Batch, number: int) -> float:
        """Add the gradient of update `number`, per token of the whole batch; return the summed loss.

        The noise depends on the seed and the number alone, so that a resumed run repeats it.
        """
        tokens = int(batch.kept.sum())
        noise = self.seed * 1_000_003 + number
        parts = _shares(batch, self.size)
        mates = self._mates[: len(parts) - 1]
        for place, (mate, part) in enumerate(zip(mates, parts[1:], strict=True), 1):
            # Other noise in every share, and none that another update has.
            self._told(mate.connection.send, (part, tokens, noise + place * 2**40))
        loss = self._add_gradient(self.model, parts[0], tokens=tokens, noise=noise)
        for mate in mates:
            loss += self._told(mate.connection.recv)
            for parameter, gradient in zip(self.model.parameters(), mate.gradients, strict=True):
                if parameter.grad is None:
                    parameter.grad = gradient.clone()
                else:
                    parameter.grad += gradient
        return loss

    def _told(self, call: Any, *message: Any) -> Any:
        try:
            return call(*message)
        except (EOFError, OSError):
            raise RunError(
                "a training process has ended (out of memory?); the same command goes on"
            ) from None


def _shares(batch: Batch, size: int) -> list[Batch]:
    """Deal a batch's rows out in turn, so that long and short ones are in every share."""
    return [batch.share(place, size) for place in range(min(size, batch.source.shape[0]))]


def _serve(
    connection: Connection,
    model: SentenceModel[Any],
    add: Callable[..., float],
    gradients: Sequence[Tensor],
    threads: int,
) -> None:
    """Compute what is asked for until nobody asks any more."""
    torch.set_num_threads(threads)
    for parameter, gradient in zip(model.parameters(), gradients, strict=True):
        parameter.grad = gradient
    while True:
        try:
            part, tokens, noise = connection.recv()
        except (EOFError, OSError, KeyboardInterrupt):
            return
        for gradient in gradients:
            gradient.zero_()
        loss = add(model, part, tokens=tokens, noise=noise)
        try:
            connection.send(loss)
        except OSError:  # whoever asked was killed meanwhile
            return
