"""Who is asking: every session belongs to an owner, and nobody else finds it."""

from dataclasses import dataclass
from typing import Protocol

from fastapi import Request

from recollect.serving.quotas import Quota

__all__ = ["SITE", "Access", "Client", "Owner"]


@dataclass(frozen=True, slots=True)
class Owner:
    """Whoever sessions belong to."""

    id: str  # of a key, or empty: the site
    named: bool = True  # false: nobody has shown who they are; the id of a session is its secret


SITE = Owner("", named=False)


@dataclass(frozen=True, slots=True)
class Client:
    """Who asks: whose sessions it sees, under what name it is counted, and how much is granted."""

    owner: Owner
    name: str
    quota: Quota


class Access(Protocol):
    """Tells who is asking, and refuses those who may not, or who have had enough."""

    @property
    def asks_for_keys(self) -> bool:
        """Whether a key is needed."""
        ...

    async def owner_of(self, request: Request) -> Owner:
        """Return the owner, or raise a `RefusalError`."""
        ...

    async def admit(self, request: Request, secret: str = "") -> Client:
        """Return who asks, by a secret or else the one in the header."""
        ...

    async def charge(self, request: Request, characters: int) -> None:
        """Count what an admitted request wants translated."""
        ...
