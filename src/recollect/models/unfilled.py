"""Modules whose values come from a file: nothing is allocated for them, and nothing is drawn."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

__all__ = ["unfilled"]


@contextmanager
def unfilled() -> Iterator[None]:
    """Build modules without values; `to_empty` then gives them room."""
    with torch.device("meta"), _NothingDrawn():
        yield


class _NothingDrawn(TorchFunctionMode):
    """Leaves out drawing values: where there is no memory for them, PyTorch loads its compiler to do it."""

    drawing = (nn.init.normal_, nn.init.uniform_, torch.Tensor.normal_, torch.Tensor.uniform_)

    def __torch_function__(
        self, function: Callable[..., Any], types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        named = kwargs or {}
        if function in self.drawing:
            return args[0] if args else named["tensor"]
        return function(*args, **named)
