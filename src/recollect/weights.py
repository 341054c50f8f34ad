"""The file that holds a model's weights: as they were trained, in half precision, or in bytes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from recollect.errors import ModelError

__all__ = ["WEIGHTS", "Stored", "read_weights", "write_weights"]

WEIGHTS = "weights.safetensors"

Stored = Literal["float32", "float16", "int8"]
"""How weights are kept in a file. int8: rows of matrices as bytes, each row with a factor of its own."""

_FACTOR = ".factor"  # of the rows of the tensor that is named before it
_LARGEST = 127


def write_weights(tensors: Mapping[str, Tensor], path: Path, stored: Stored = "float32") -> None:
    """Write tensors by name; everybody may read the file."""
    kept: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        if stored == "int8" and tensor.dim() == 2:
            factor = (tensor.float().abs().amax(1, keepdim=True) / _LARGEST).clamp(min=1e-30)
            kept[name] = (tensor / factor).round().to(torch.int8)
            kept[name + _FACTOR] = factor.squeeze(1)
        else:
            kept[name] = tensor.to(torch.float32 if stored == "float32" else torch.float16).contiguous()
    save_file(kept, path)
    path.chmod(0o644)  # safetensors writes for the owner alone


def read_weights(path: Path) -> dict[str, Tensor]:
    """Return the tensors of a file; what was kept as bytes in single precision."""
    try:
        kept = load_file(path)
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path}: cannot be read ({error})") from None
    for name in [name for name, tensor in kept.items() if tensor.dtype == torch.int8]:
        factor = kept.pop(name + _FACTOR, None)
        if factor is None:
            raise ModelError(f"{path}: {name} is kept as bytes, but its factors are missing")
        kept[name] = kept[name] * factor.unsqueeze(1)
    return kept
