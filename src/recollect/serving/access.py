"""Who is asking: every session belongs to an owner, and nobody else finds it."""

from dataclasses import dataclass
from typing import Protocol

from fastapi import Request

__all__ = ["SITE", "Access", "OpenAccess", "Owner"]


@dataclass(frozen=True, slots=True)
class Owner:
    """Whoever sessions belong to."""

    id: str  # of a key, or empty: the site
    named: bool = True  # false: nobody has shown who they are; the id of a session is its secret


SITE = Owner("", named=False)


class Access(Protocol):
    """Tells who is asking, and refuses those who may not."""

    async def owner_of(self, request: Request) -> Owner:
        """Return the owner, or raise a `RefusalError`."""
        ...


class OpenAccess:
    """Everybody may do everything: for one machine, or behind a door of its own."""

    async def owner_of(self, request: Request) -> Owner:
        """Return the site."""
        return SITE
