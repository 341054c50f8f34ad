"""Those who follow a session: each is told what is new at its own pace, and only the last of it."""

import asyncio
from collections import deque
from dataclasses import dataclass

__all__ = ["Changed", "Follower", "Followup", "News"]

REPORTS = 16  # reports of changes that are kept for a follower who does not listen


@dataclass(frozen=True, slots=True)
class Changed:
    """A sentence that came out otherwise after a person had done something."""

    number: int
    before: str
    after: str
    why: tuple["object", ...] = ()


@dataclass(frozen=True, slots=True)
class Followup:
    """What came of something a person did."""

    because: int | None  # the sentence that was corrected, or None: it was something else
    what: str
    sentences: tuple[Changed, ...]


@dataclass(frozen=True, slots=True)
class News:
    """What is new: sentences (places), reports, and whether nothing is waiting any more."""

    sentences: tuple[int, ...]
    reports: tuple[Followup, ...]
    done: bool
    gone: bool = False


class Follower:
    """A follower who is slow misses what was replaced in the meantime, and holds up nobody."""

    def __init__(self) -> None:
        self._sentences: dict[int, None] = {}
        self._reports: deque[Followup] = deque(maxlen=REPORTS)
        self._done = self._gone = False
        self._news = asyncio.Event()

    def tell(
        self,
        sentences: "list[int] | range | tuple[int, ...]" = (),
        report: Followup | None = None,
        *,
        done: bool = False,
        gone: bool = False,
    ) -> None:
        """Note what is new."""
        self._sentences.update(dict.fromkeys(sentences))
        if report is not None:
            self._reports.append(report)
        self._done = done or (self._done and not sentences)
        self._gone = self._gone or gone
        self._news.set()

    async def news(self, timeout: float) -> News | None:
        """Wait for something new; None: there was nothing for so long."""
        try:
            await asyncio.wait_for(self._news.wait(), timeout)
        except TimeoutError:
            return None
        found = News(tuple(self._sentences), tuple(self._reports), self._done, self._gone)
        self._sentences, self._done = {}, False
        self._reports.clear()
        self._news.clear()
        return found
