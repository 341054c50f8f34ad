"""A ledger in Redis, which all replicas of a site share."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

from redis.asyncio import Redis
from redis.exceptions import RedisError, WatchError

from recollect.serving.ledger import begins
from recollect.serving.refusals import StoreError

__all__ = ["RedisLedger"]

_PREFIX = "recollect:ledger:"


class RedisLedger:
    """Counts and notes as keys that Redis itself lets expire."""

    def __init__(self, url: str) -> None:
        self._base: Redis = Redis.from_url(
            url, decode_responses=True, socket_timeout=10, socket_connect_timeout=5
        )

    async def take(self, name: str, amount: int, most: int, now: float, until: float) -> int | None:
        """Count `amount` and return what is left of `most`, or None."""
        with _answering():
            async with self._base.pipeline(transaction=True) as line:
                line.incrby(_PREFIX + name, amount)
                line.expireat(_PREFIX + name, int(until) + 1)
                used = int((await line.execute())[0])
            if used > most:
                await self._base.decrby(_PREFIX + name, amount)
                return None
            return most - used

    async def note(self, name: str, text: str, until: float) -> None:
        """Write something down."""
        with _answering():
            await self._base.set(_PREFIX + name, text, exat=int(until) + 1)

    async def noted(self, name: str, now: float) -> str | None:
        """Return what is written down, if its time is not over."""
        with _answering():
            found = await self._base.get(_PREFIX + name)
        return None if found is None else str(found)

    async def claim(self, name: str, before: str | None, text: str, now: float, until: float) -> bool:
        """Write something down if what is written there begins with `before`; return whether it does.

        None: if nothing is written there.
        """
        with _answering():
            async with self._base.pipeline(transaction=True) as line:
                await line.watch(_PREFIX + name)
                if not begins(cast("str | None", await line.get(_PREFIX + name)), before):
                    return False
                line.multi()  # type: ignore[no-untyped-call]
                line.set(_PREFIX + name, text, exat=int(until) + 1)
                try:
                    await line.execute()
                except WatchError:
                    return False
                return True

    async def close(self) -> None:
        """Close the connections."""
        await self._base.aclose()


@contextmanager
def _answering() -> Iterator[None]:
    try:
        yield
    except (RedisError, OSError) as error:
        raise StoreError(f"the store does not answer ({error})") from error
