"""What a slot is found by: vectors of the step that wrote it, as they are or brought to a common scale."""

from collections.abc import Sequence
from typing import Literal, Protocol

import torch
from torch import Tensor, nn
from torch.nn.functional import linear, normalize

from recollect.models.interface import Step

__all__ = ["Key", "Part", "Reader"]

Part = Literal["context", "state", "readout"]
_SMALLEST = 1e-3  # of the largest variance: directions with less are noise, and not blown up


class Reader(Protocol):
    """A model, as far as keys are concerned."""

    def readout_vector(self, step: Step) -> Tensor:
        """Return o_t [..., readout], by which the sentence model chooses the next word."""
        ...


class Key(nn.Module):
    """Parts of a step, side by side; `scaled` ones are centred, perhaps whitened, and of length one.

    The statistics of scaled keys come from `fit` and are stored with the weights; they are not trained.
    """

    def __init__(
        self, parts: Sequence[Part], sizes: Sequence[int], *, scaled: bool, whitened: int = 0
    ) -> None:
        super().__init__()
        self.parts, self.scaled = tuple(parts), scaled
        self.input_size = sum(sizes)
        self.size = whitened if scaled and whitened else self.input_size
        if scaled:
            self.mean = nn.Parameter(torch.zeros(self.input_size), requires_grad=False)
            if whitened:
                eye = torch.eye(whitened, self.input_size)
                self.whitening = nn.Parameter(eye, requires_grad=False)

    def forward(self, step: Step, model: Reader) -> Tensor:
        """Return the keys [..., size] of a step."""
        found = self.raw(step, model)
        if not self.scaled:
            return found
        found = found - self.mean
        if "whitening" in self._parameters:
            found = linear(found, self.whitening)
        return normalize(found, dim=-1)

    def raw(self, step: Step, model: Reader) -> Tensor:
        """Return the parts of a step [..., input_size], as they are."""
        vectors = [
            model.readout_vector(step) if part == "readout" else getattr(step, part) for part in self.parts
        ]
        return vectors[0] if len(vectors) == 1 else torch.cat(vectors, -1)

    @torch.no_grad()
    def fit(self, vectors: Tensor) -> None:
        """Learn mean and principal directions from raw keys [many, input_size]."""
        if not self.scaled:
            return
        self.mean.copy_(vectors.mean(0))
        if "whitening" not in self._parameters:
            return
        centred = (vectors - self.mean).double()
        variances, directions = torch.linalg.eigh(centred.T @ centred / len(centred))
        variances, directions = variances.flip(0)[: self.size], directions.flip(1)[:, : self.size]
        scale = variances.clamp(min=float(variances[0]) * _SMALLEST).rsqrt()
        self.whitening.copy_((directions * scale).T)
