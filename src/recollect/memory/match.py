"""How well a query fits each key: the paper's dot product and the variants of its footnote."""

from typing import Protocol

import torch
from torch import Tensor, nn

__all__ = ["AdditiveMatch", "BilinearMatch", "DotMatch", "FlatnessMatch", "L2Match", "Match"]


class Match(Protocol):
    """Scores [lane, many, slot] of queries [lane, many, context] against keys [lane, slot, context]."""

    def __call__(self, query: Tensor, keys: Tensor) -> Tensor:
        """Return unnormalised scores."""
        ...


class DotMatch(nn.Module):
    """c_t · k_i, without parameters: the paper's choice."""

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        """Return scores [lane, many, slot]."""
        return query @ keys.transpose(1, 2)


class FlatnessMatch(nn.Module):
    """theta c_t · k_i: one scalar sets how flat the distribution is (Grave et al. 2017)."""

    def __init__(self, theta: float) -> None:
        super().__init__()
        self.theta = theta

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        """Return scores [lane, many, slot]."""
        return self.theta * (query @ keys.transpose(1, 2))


class BilinearMatch(nn.Module):
    """c_t' T k_i: a learned transform between query and key, the identity at first (Miller et al. 2016)."""

    def __init__(self, context: int) -> None:
        super().__init__()
        self.transform = nn.Parameter(torch.eye(context))

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        """Return scores [lane, many, slot]."""
        return (query @ self.transform) @ keys.transpose(1, 2)


class AdditiveMatch(nn.Module):
    """v' tanh(Q c_t + K k_i): a parametric attention (Daniluk et al. 2017)."""

    def __init__(self, context: int, size: int) -> None:
        super().__init__()
        self.query = nn.Linear(context, size)
        self.key = nn.Linear(context, size, bias=False)
        self.energy = nn.Parameter(torch.empty(size).uniform_(-(size**-0.5), size**-0.5))

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        """Return scores [lane, many, slot]."""
        return torch.tanh(self.query(query).unsqueeze(2) + self.key(keys).unsqueeze(1)) @ self.energy


class L2Match(nn.Module):
    """-theta |q - k_i|^2: how near the key is."""

    def __init__(self, theta: float) -> None:
        super().__init__()
        self.theta = theta

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        """Return scores [lane, many, slot]."""
        return -self.theta * torch.cdist(query, keys).square()
