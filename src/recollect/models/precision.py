"""Matrix products of lower precision, for training on hardware that does them faster."""

import torch
from torch import Tensor

__all__ = ["lower_precision", "product_precision", "single_precision"]


def lower_precision(device: torch.device, precision: str) -> torch.autocast:
    """Return a context in which matrix products are of `precision`, a name that torch knows.

    Weights, gradients and what the optimiser keeps are in single precision all the same.
    """
    dtype: torch.dtype = getattr(torch, precision)
    return torch.autocast(device.type, dtype, enabled=dtype != torch.float32)


def product_precision(weight: Tensor) -> torch.dtype:
    """Return in which precision products with `weight` are wanted where autograd is written by hand."""
    kind = weight.device.type
    return torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else weight.dtype


def single_precision(weight: Tensor) -> torch.autocast:
    """Return a context in which nothing is of lower precision unless it is written so."""
    return torch.autocast(weight.device.type, enabled=False)
