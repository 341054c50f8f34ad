"""How much a client may ask for, counted: requests of a minute, characters of a day."""

from collections.abc import Callable
from dataclasses import dataclass

from recollect.serving.ledger import Ledger
from recollect.serving.refusals import TooManyError

__all__ = ["Quota", "Quotas"]

MINUTE, DAY = 60, 86_400


@dataclass(frozen=True, slots=True)
class Quota:
    """What one client may ask for; None is no bound."""

    requests: int | None = None  # a minute
    characters: int | None = None  # a day


class Quotas:
    """Counts what clients use, by their names."""

    def __init__(self, ledger: Ledger, clock: Callable[[], float]) -> None:
        self._ledger, self._clock = ledger, clock

    async def count_request(self, client: str, quota: Quota) -> None:
        """Count one request, or refuse it."""
        await self._count(client, "request", 1, quota.requests, MINUTE)

    async def count_characters(self, client: str, quota: Quota, amount: int) -> None:
        """Count what is to be translated, or refuse it."""
        await self._count(client, "character", amount, quota.characters, DAY)

    async def _count(self, client: str, what: str, amount: int, most: int | None, span: int) -> None:
        if most is None or not amount:
            return
        now = self._clock()
        window = int(now // span)
        end = float((window + 1) * span)
        left = await self._ledger.take(f"{client}:{what}:{window}", amount, most, now, end)
        if left is None:
            period = "minute" if span == MINUTE else "day"
            wait = max(1, round(end - now))
            raise TooManyError(
                f"no more than {most:,} {what}s a {period} are granted; wait {wait} seconds", wait
            )
