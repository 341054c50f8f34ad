"""Additive attention: which source words the next target word comes from."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

__all__ = ["Annotations", "Attention"]


@dataclass(frozen=True, slots=True)
class Annotations:
    """Encoded source sentences, with those of their products that do not change over time.

    A context is a weighted sum of annotations whose weights add up to one, so any affine map of it is the
    same sum of the mapped annotations: those are mapped once, instead of every context.
    """

    vectors: Tensor  # h_j                                 [lane, position, context]
    projected: Tensor  # 2 (A h_j + b), for the energies   [lane, position, attention]
    gated: Tensor  # C h_j, for the decoder's gates        [lane, position, 3 * hidden]
    padding: Tensor  # true beyond the end                 [lane, position]

    def select(self, lanes: Tensor) -> "Annotations":
        """Keep `lanes`."""
        return Annotations(*(getattr(self, name)[lanes] for name in self.__slots__))


class Attention(nn.Module):
    """e_tj = v' tanh(A h_j + query_t + b): the query is the caller's, so that it may be fed with anything.

    Computed as 2 v' sigmoid(2 (A h_j + query_t + b)), which differs by a constant that the softmax does not
    see: a sigmoid costs a quarter of a tanh.
    """

    def __init__(self, context: int, size: int) -> None:
        super().__init__()
        self.annotation = nn.Linear(context, size)
        self.energy = nn.Parameter(torch.empty(size).uniform_(-(size**-0.5), size**-0.5))

    def project(self, vectors: Tensor) -> Tensor:
        """Return the annotations' part of the energies, for all steps."""
        return linear(vectors, 2 * self.annotation.weight, 2 * self.annotation.bias)

    def forward(self, projected: Tensor, padding: Tensor, query: Tensor) -> Tensor:
        """Return the weights alpha [lane, many, position]."""
        hidden = torch.sigmoid(projected.unsqueeze(1) + 2 * query.unsqueeze(2))
        energies = hidden @ (2 * self.energy)
        return energies.masked_fill(padding.unsqueeze(1), -torch.inf).softmax(-1)
