"""Additive attention: which source words the next target word comes from."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

__all__ = ["Annotations", "Attention", "needed_width", "put_sentences"]


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

    def put(self, lanes: Tensor, other: "Annotations") -> "Annotations":
        """Replace `lanes` by those of `other`; may change these annotations themselves."""
        width = needed_width(self.padding, lanes, other.padding)
        return Annotations(
            *(
                put_sentences(
                    getattr(self, name), lanes, getattr(other, name), width, filler=name == "padding"
                )
                for name in self.__slots__
            )
        )


def needed_width(ours: Tensor, lanes: Tensor, theirs: Tensor) -> int:
    """Return how many positions the longest sentence needs when those of `lanes` have gone; from paddings."""
    lengths = (~ours).sum(1)
    lengths[lanes] = (~theirs).sum(1)
    return int(lengths.max())


def put_sentences(ours: Tensor, lanes: Tensor, theirs: Tensor, width: int, filler: float = 0.0) -> Tensor:
    """Replace lanes of `ours` [lane, position, ...] by `theirs`, all cut or filled to `width` positions.

    Done in place where the width stays.
    """
    ours = _resized(ours, width, filler)
    ours[lanes] = _resized(theirs, width, filler)
    return ours


def _resized(given: Tensor, width: int, filler: float) -> Tensor:
    if given.shape[1] >= width:
        return given[:, :width].contiguous()  # itself where nothing is cut
    more = given.new_full((given.shape[0], width - given.shape[1], *given.shape[2:]), filler)
    return torch.cat([given, more], 1)


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
