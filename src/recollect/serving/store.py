"""Where sessions are kept: each is a few named items that are replaced together, and a revision number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

__all__ = ["Change", "Head", "Kept", "Store"]


@dataclass(frozen=True, slots=True)
class Head:
    """What a list of sessions tells of each."""

    id: str
    owner: str
    name: str
    sentences: int
    created: float
    changed: float


@dataclass(frozen=True, slots=True)
class Change:
    """Items that replace others or are new, and items that are gone."""

    head: Head
    put: Mapping[str, bytes]
    removed: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Kept:
    """A session as it is stored."""

    revision: int
    items: Mapping[str, bytes] = field(default_factory=dict)


class Store(Protocol):
    """A store survives the death of the server: what `write` has answered is there afterwards.

    Everything raises a `StoreError` where the store does not answer.
    """

    shared: bool  # with other servers of the same site

    async def revision(self, session: str) -> int | None:
        """Return a session's revision; None: there is no such session."""
        ...

    async def read(self, session: str) -> Kept | None:
        """Return a whole session, but for the item `file`, which may be large."""
        ...

    async def item(self, session: str, name: str) -> bytes | None:
        """Return one item of a session; None: there is none."""
        ...

    async def write(self, session: str, expected: int, change: Change) -> bool:
        """Change a session whose revision is `expected` (0: a new one) and raise that by one.

        False: somebody else has changed it before, and nothing was done.
        """
        ...

    async def remove(self, session: str) -> bool:
        """Remove a session; False: there was none."""
        ...

    async def heads(self, owner: str) -> list[Head]:
        """Return the sessions of an owner, the last changed first."""
        ...

    async def count(self, owner: str) -> int:
        """Return how many sessions an owner has."""
        ...

    async def expire(self, before: float) -> int:
        """Remove sessions that were last changed before a time; return how many."""
        ...

    async def claim(self, session: str, seconds: float) -> bool:
        """Ask to be the only one who translates a session for some time."""
        ...

    async def release(self, session: str) -> None:
        """Let others translate a session."""
        ...

    async def check(self) -> None:
        """Do nothing, if the store answers."""
        ...

    async def close(self) -> None:
        """Let go of everything."""
        ...
