"""Independent lanes on several cores: a thread each, rather than every small operation on all of them."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from queue import SimpleQueue
from threading import Event
from typing import TypeVar

import torch

__all__ = ["in_parts", "merged", "parts"]

Found = TypeVar("Found")

FEWEST = 8  # lanes a thread: below that, products are better shared


def parts(count: int, device: torch.device) -> list[range]:
    """Cut `count` lanes into as many contiguous parts as there are cores to keep busy."""
    number = max(1, min(torch.get_num_threads(), count // FEWEST)) if device.type == "cpu" else 1
    bounds = [count * part // number for part in range(number + 1)]
    return [range(start, stop) for start, stop in itertools.pairwise(bounds)]


def in_parts(work: Callable[[range], list[Found]], count: int, device: torch.device) -> list[Found]:
    """Return work(range(count)), done part by part."""
    ranges = parts(count, device)
    if len(ranges) == 1:
        return work(ranges[0])
    return [found for some in _pool(len(ranges)).map(work, ranges) for found in some]


def merged(sources: Sequence[Iterator[Found]]) -> Iterator[Found]:
    """Yield what several iterators yield, each run in a thread of its own, as it comes."""
    if len(sources) == 1:
        yield from sources[0]
        return
    found: SimpleQueue[Found | _Ended] = SimpleQueue()
    abandoned = Event()

    def run(source: Iterator[Found]) -> None:
        problem: BaseException | None = None
        try:
            for item in source:
                if abandoned.is_set():
                    break
                found.put(item)
        except BaseException as raised:  # whatever it is, it belongs to the caller's thread
            problem = raised
        found.put(_Ended(problem))

    running = [_pool(len(sources)).submit(run, source) for source in sources]
    try:
        for _ in running:
            while not isinstance(item := found.get(), _Ended):
                yield item
            if item.problem is not None:
                raise item.problem
    finally:
        abandoned.set()
        for each in running:
            each.cancel() or each.result()


class _Ended:
    """An iterator has come to its end, well or not."""

    def __init__(self, problem: BaseException | None) -> None:
        self.problem = problem


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    # How many threads PyTorch may use is set for each thread on its own.
    return ThreadPoolExecutor(threads, "recollect", initializer=partial(torch.set_num_threads, 1))
