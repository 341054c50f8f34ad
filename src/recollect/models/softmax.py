"""The log probability of given words, without ever holding a distribution for all of them."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import Function, once_differentiable

from recollect.models.precision import product_precision, single_precision

__all__ = ["score_tokens"]

LOGITS_AT_ONCE = 1 << 22  # 16 MB in single precision: they stay in the cache


def score_tokens(
    vectors: Tensor, weight: Tensor, bias: Tensor, targets: Tensor, smoothing: float = 0.0
) -> Tensor:
    """Return (1 - smoothing) log P(target) + smoothing * the mean log P over all tokens [place].

    P = softmax(vectors weight' + bias), for `vectors` [place, embedding] and `weight` [token, embedding].
    """
    precision = product_precision(weight)
    with single_precision(weight):
        scores: Tensor = _Score.apply(  # type: ignore[no-untyped-call]
            vectors.to(weight.dtype), weight, bias, targets, smoothing, precision
        )
    return scores


class _Score(Function):
    """Computes most of its gradient on the way forward, while the exponentials are at hand.

    The gradient of `weight` depends on the gradient of every score; it is made ready for scores that all
    count the same, as in a plain sum, and computed again if they turn out not to.
    """

    @staticmethod
    def forward(
        ctx: Any,
        vectors: Tensor,
        weight: Tensor,
        bias: Tensor,
        targets: Tensor,
        smoothing: float,
        precision: torch.dtype,
    ) -> Tensor:
        to_vectors, to_weight = ctx.needs_input_grad[0], any(ctx.needs_input_grad[1:3])
        scores = vectors.new_empty(len(vectors))
        expected = torch.empty_like(vectors) if to_vectors else None  # sum_w P(w) weight_w
        pull = _Pull(weight, precision) if to_weight else None
        low = weight.to(precision)
        for rows, logits in _logits(vectors, low, bias):
            chosen = logits.gather(1, targets[rows].unsqueeze(1)).squeeze(1)
            top = logits.amax(1, keepdim=True)
            total = logits.sub_(top).exp_().sum(1, keepdim=True)
            scores[rows] = (1 - smoothing) * chosen - (top + total.log()).squeeze(1)
            if expected is not None:
                torch.div(logits.to(precision) @ low, total, out=expected[rows])
            if pull is not None:
                pull.add(logits, vectors[rows], 1 / total)
        if smoothing:
            scores += smoothing * (vectors @ weight.mean(0) + bias.mean())
        ctx.smoothing, ctx.pull, ctx.precision = smoothing, pull, precision
        ctx.save_for_backward(vectors, weight, bias, targets, expected)
        return scores

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        vectors, weight, bias, targets, expected = ctx.saved_tensors
        smoothing = ctx.smoothing
        to_vectors = to_weight = to_bias = None
        if expected is not None:
            to_vectors = torch.addcmul(-expected, weight[targets], weight.new_tensor(1 - smoothing))
            if smoothing:
                to_vectors += smoothing * weight.mean(0)
            to_vectors *= grad.unsqueeze(1)
        if ctx.pull is not None:
            pull = ctx.pull
            if bool((grad == grad[:1]).all()):
                to_weight, to_bias = pull.weight * -grad[0], pull.bias * -grad[0]
            else:
                pull = _Pull(weight, ctx.precision)
                for rows, logits in _logits(vectors, weight.to(ctx.precision), bias):
                    pull.add(logits.softmax(1), vectors[rows], grad[rows].unsqueeze(1))
                to_weight, to_bias = -pull.weight, -pull.bias
            weighted = vectors * grad.unsqueeze(1)
            to_weight.index_add_(0, targets, weighted, alpha=1 - smoothing)
            to_bias.index_add_(0, targets, grad, alpha=1 - smoothing)
            if smoothing:
                to_weight += weighted.sum(0) * (smoothing / len(weight))
                to_bias += grad.sum() * (smoothing / len(weight))
        return to_vectors, to_weight, to_bias, None, None, None


class _Pull:
    """Adds up how the distributions pull at the output weights."""

    def __init__(self, weight: Tensor, precision: torch.dtype) -> None:
        self.precision = precision
        self.weight = torch.zeros_like(weight)
        self.bias = weight.new_zeros(len(weight))

    def add(self, distribution: Tensor, vectors: Tensor, factors: Tensor) -> None:
        """Count some places: `distribution` [place, token], each times its factor [place, 1]."""
        self.weight += distribution.to(self.precision).t() @ (vectors * factors).to(self.precision)
        self.bias.addmv_(distribution.t(), factors.squeeze(1))


def _logits(vectors: Tensor, weight: Tensor, bias: Tensor) -> Iterator[tuple[slice, Tensor]]:
    """Yield the logits of some places at a time, in a buffer that is used again."""
    many = max(1, LOGITS_AT_ONCE // len(weight))
    buffer = vectors.new_empty(min(many, len(vectors)), len(weight))
    for start in range(0, len(vectors), many):
        rows = slice(start, min(start + many, len(vectors)))
        product = vectors[rows].to(weight.dtype) @ weight.t()
        yield rows, torch.add(product, bias, out=buffer[: rows.stop - rows.start])
