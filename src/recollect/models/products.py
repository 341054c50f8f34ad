"""Matrix products with fixed weights, packed once, for inference.

Small batches are bound by reading the weights: the fewer bytes, the faster.
"""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import linear

from recollect.errors import ModelError

__all__ = ["PRECISIONS", "Product", "make_product"]

Product = Callable[[Tensor], Tensor]
"""x -> x W' + b, for x [..., input]."""

PRECISIONS = ("float32", "float16", "int8")
LEVELS = 127  # of an input: seven bits, so that two products never overflow sixteen bits


def make_product(weight: Tensor, bias: Tensor | None, precision: str) -> Product:
    """Return the product with `weight` [output, input], which is copied.

    With `int8`, inputs must lie between -1 and 1: a fixed scale keeps every row's result its own, whatever
    the other rows are. Where the machine has no such kernels, float16 is done in float32.
    """
    weight = weight.detach()
    packed = _quantized()
    if weight.device.type != "cpu" or packed is None or precision == "float32":
        if precision == "int8":
            raise ModelError("int8 is for CPUs with FBGEMM (x86, AVX2) only: use float16 or float32")
        return partial(linear, weight=weight.clone(), bias=bias)
    bias = torch.zeros(len(weight)) if bias is None else bias.detach().float()
    if precision == "float16":
        half = packed.linear_prepack_fp16(weight.float(), bias)
        return lambda inputs: packed.linear_dynamic_fp16(inputs, half)
    scales = weight.abs().amax(1).clamp(min=1e-8) / 127
    zeros = torch.zeros(len(weight), dtype=torch.long)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # quantised tensors will move to another library
        quantised = torch.quantize_per_channel(weight.float(), scales, zeros, 0, torch.qint8)
    small = packed.linear_prepack(quantised, bias)
    multiply = packed.linear_with_input_q_dq_qweight_dq_output_fp32
    return lambda inputs: multiply(inputs, 2 / LEVELS, (LEVELS + 1) // 2, small)


def _quantized() -> Any:
    """Return torch's packed operators, or None where this machine has none."""
    if not {"fbgemm", "x86"} & set(torch.backends.quantized.supported_engines):
        return None
    return torch.ops.quantized
