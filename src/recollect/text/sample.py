"""A fair sample of a stream, of bounded size."""

import random
from typing import Generic, TypeVar

__all__ = ["Sample"]

Item = TypeVar("Item")


class Sample(Generic[Item]):
    """Keeps at most `size` items, each item seen with the same chance (Vitter's algorithm R)."""

    def __init__(self, size: int, seed: int) -> None:
        self.items: list[Item] = []
        self._size = size
        self._seen = 0
        self._random = random.Random(seed)

    def offer(self, item: Item) -> None:
        """Show the sample the next item of the stream."""
        self._seen += 1
        if len(self.items) < self._size:
            self.items.append(item)
        elif (place := int(self._random.random() * self._seen)) < self._size:
            self.items[place] = item
