"""Those who follow a session: each is told what is new at its own pace, and only the last of it."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Follower", "News"]


@dataclass(frozen=True, slots=True)
class News:
    """What is new."""

    places: tuple[int, ...]  # of sentences
    report: bool  # what a person did has been followed through
    done: bool  # nothing is waiting any more
    gone: bool  # the session is no more, or the server is about to end


class Follower:
    """A follower who is slow misses what was replaced in the meantime, and holds up nobody."""

    def __init__(self) -> None:
        self._places: dict[int, None] = {}
        self._report = self._done = self._gone = False
        self._news = asyncio.Event()

    def tell(
        self,
        places: Iterable[int] = (),
        *,
        report: bool = False,
        done: bool = False,
        gone: bool = False,
    ) -> None:
        """Note what is new."""
        self._places.update(dict.fromkeys(places))
        self._report |= report
        self._done |= done
        self._gone |= gone
        if self._places or self._report or self._done or self._gone:
            self._news.set()

    async def news(self, timeout: float) -> News | None:
        """Wait for something new; None: there was nothing for so long."""
        try:
            await asyncio.wait_for(self._news.wait(), timeout)
        except TimeoutError:
            return None
        found = News(tuple(self._places), self._report, self._done, self._gone)
        self._places = {}
        self._report = self._done = False
        self._news.clear()
        return found
