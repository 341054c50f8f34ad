"""Where a word is written: eviction rules, as plain functions on integers."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["Policy", "Write", "first_in_first_out", "least_recently_used"]


@dataclass(frozen=True, slots=True)
class Write:
    """One word's fate: which slot it goes to, afresh or averaged with what is there."""

    slot: int
    fresh: bool


Books = OrderedDict[int, int | None]  # slot -> address (None: empty), least recently used first

Policy = Callable[[Books, Sequence[int]], list[Write]]


def least_recently_used(books: Books, sentence: Sequence[int]) -> list[Write]:
    """Average into the slot that holds the word, else take an empty slot, else the least recently used.

    >>> books = OrderedDict([(1, None), (0, 7)])
    >>> least_recently_used(books, [7, 8, 9])
    [Write(slot=0, fresh=False), Write(slot=1, fresh=True), Write(slot=0, fresh=True)]
    """
    where = {address: slot for slot, address in books.items() if address is not None}
    writes = []
    for address in sentence:
        slot = where.get(address)
        if slot is None:
            slot, evicted = books.popitem(last=False)
            if evicted is not None:
                del where[evicted]
            where[address] = slot
            writes.append(Write(slot, fresh=True))
        else:
            del books[slot]
            writes.append(Write(slot, fresh=False))
        books[slot] = address
    return writes


def first_in_first_out(books: Books, sentence: Sequence[int]) -> list[Write]:
    """Give every word a slot of its own, the oldest one first (the paper's ablation without overwriting)."""
    writes = []
    for address in sentence:
        slot, _ = books.popitem(last=False)
        books[slot] = address
        writes.append(Write(slot, fresh=True))
    return writes
