"""Optimisers and learning-rate schedules, as functions of plain values."""

import math
from collections.abc import Iterable, Mapping

import torch
from torch import Tensor, nn

__all__ = ["learning_rate", "make_optimiser", "optimiser_tensors", "restore_optimiser", "update"]


def make_optimiser(kind: str, parameters: Iterable[nn.Parameter], rate: float) -> torch.optim.Optimizer:
    """Return Adam, or Adadelta as the paper sets it."""
    if kind == "adam":
        return torch.optim.Adam(parameters, lr=rate, betas=(0.9, 0.98), eps=1e-9, fused=True)
    return torch.optim.Adadelta(parameters, lr=rate, rho=0.95, eps=1e-6)


def learning_rate(
    step: int, *, peak: float, schedule: str, warmup: int, steps: int, cooldown: int = 0
) -> float:
    """Return the rate of update `step` (the first is 1).

    >>> learning_rate(5, peak=1.0, schedule="constant", warmup=10, steps=100)
    0.5
    """
    if step < warmup:
        return peak * step / warmup
    if schedule == "inverse-sqrt":
        return peak * math.sqrt(max(warmup, 1) / step)
    if schedule == "cosine":
        done = min(1.0, (step - warmup) / max(1, steps - warmup))
        return peak * (0.01 + 0.99 * (1 + math.cos(math.pi * done)) / 2)
    if schedule == "trapezoid":
        return peak * min(1.0, max(0.01, (steps + 1 - step) / (cooldown + 1)))
    return peak


def update(
    optimiser: torch.optim.Optimizer, parameters: list[nn.Parameter], rate: float, clip: float
) -> float:
    """Clip the gradient, take one step and clear the gradient; return the norm it had."""
    norm = nn.utils.clip_grad_norm_(parameters, clip)
    for group in optimiser.param_groups:
        group["lr"] = rate
    optimiser.step()
    optimiser.zero_grad(set_to_none=True)
    return float(norm)


def optimiser_tensors(optimiser: torch.optim.Optimizer, names: list[str]) -> dict[str, Tensor]:
    """Return the optimiser's state as named tensors: `parameter/quantity`."""
    return {
        f"{names[index]}/{quantity}": torch.as_tensor(value).clone()
        for index, state in optimiser.state_dict()["state"].items()
        for quantity, value in state.items()
    }


def restore_optimiser(
    optimiser: torch.optim.Optimizer, names: list[str], tensors: Mapping[str, Tensor]
) -> None:
    """Put back what `optimiser_tensors` gave."""
    state: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        parameter, _, quantity = name.rpartition("/")
        state.setdefault(names.index(parameter), {})[quantity] = tensor
    optimiser.load_state_dict({**optimiser.state_dict(), "state": state})
