"""Additive attention: which source words the next target word comes from."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

__all__ = ["Annotations", "Attention"]


@dataclass(frozen=True, slots=True)
class Annotations:
    """Encoded source sentences, with the part of the attention that does not change over time."""

    vectors: Tensor  # h_j                   [lane, position, context]
    projected: Tensor  # A h_j + b           [lane, position, attention]
    padding: Tensor  # true beyond the end   [lane, position]

    def select(self, lanes: Tensor) -> "Annotations":
        """Keep `lanes`."""
        return Annotations(self.vectors[lanes], self.projected[lanes], self.padding[lanes])


class Attention(nn.Module):
    """e_tj = v' tanh(A h_j + query_t + b): the query is the caller's, so that it may be fed with anything."""

    def __init__(self, context: int, size: int) -> None:
        super().__init__()
        self.project = nn.Linear(context, size)
        self.energy = nn.Parameter(torch.empty(size).uniform_(-(size**-0.5), size**-0.5))

    def prepare(self, vectors: Tensor, padding: Tensor) -> Annotations:
        """Project the annotations once for all steps."""
        return Annotations(vectors, self.project(vectors), padding)

    def forward(self, annotations: Annotations, query: Tensor) -> tuple[Tensor, Tensor]:
        """Return weights alpha [lane, many, position] and contexts c_t [lane, many, context]."""
        hidden = torch.tanh(annotations.projected.unsqueeze(1) + query.unsqueeze(2))
        energies = hidden @ self.energy
        weights = energies.masked_fill(annotations.padding.unsqueeze(1), -torch.inf).softmax(-1)
        return weights, weights @ annotations.vectors
