"""Independent lanes on several cores: a thread each, rather than every small operation on all of them."""

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import TypeVar

import torch

__all__ = ["in_parts"]

Found = TypeVar("Found")

FEWEST = 8  # lanes a thread: below that, products are better shared


def in_parts(work: Callable[[range], list[Found]], count: int, device: torch.device) -> list[Found]:
    """Return work(range(count)), done in as many contiguous parts as there are cores to keep busy."""
    parts = min(torch.get_num_threads(), count // FEWEST) if device.type == "cpu" else 1
    if parts <= 1:
        return work(range(count))
    bounds = [count * part // parts for part in range(parts + 1)]
    ranges = [range(start, stop) for start, stop in itertools.pairwise(bounds)]
    return [found for some in _pool(parts).map(work, ranges) for found in some]


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    # How many threads PyTorch may use is set for each thread on its own.
    return ThreadPoolExecutor(threads, "recollect", initializer=partial(torch.set_num_threads, 1))
