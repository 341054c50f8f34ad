"""One model for all: sentences that wait in different sessions are searched side by side, in a thread."""

import asyncio
import logging
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from recollect.decoding.hypothesis import Hypothesis
from recollect.decoding.translator import Translator
from recollect.memory.slots import Slots
from recollect.serving.explaining import find_reasons
from recollect.serving.lanes import Entrant, Lanes
from recollect.serving.metrics import Metrics
from recollect.serving.record import MACHINE, Said, Sentence
from recollect.serving.refusals import StoppingError
from recollect.serving.replay import Past, Recollection

__all__ = ["Engine", "Job"]

Answer = TypeVar("Answer")
Ready = Callable[[Slots | None], Any]

log = logging.getLogger("recollect.serving")

A_FEW, MANY = 8, 64  # sentences remembered anew before others have their turn, or if there are none


@dataclass(slots=True)
class Job:
    """A sentence that waits for its memory and for a lane, or work that waits for a memory."""

    answer: "asyncio.Future[Any]"
    past: Past | None = None  # None: nothing is remembered
    source: str = ""
    before: str | None = None  # what was said of it before
    work: Ready | None = None  # instead of a search: to be done with the memory, which it may not change
    aside: Recollection | None = None  # for work: a memory of its own
    slots: Slots | None = None  # for a sentence: the memory as it was when it came in
    later: int = 0  # sentences of the same session that are asked for before it
    began: float = field(default_factory=time.monotonic)


class Engine:
    """Owns the model and the memories at hand; everything that touches them happens in its thread."""

    def __init__(
        self,
        translator: Translator,
        *,
        lanes: int = 32,
        cache: int = 256 << 20,
        metrics: Metrics | None = None,
    ) -> None:
        self.translator, self.lanes, self.cache = translator, lanes, cache
        self.metrics = metrics or Metrics()
        memory = translator.memory
        self._empty = None if memory is None else memory.empty(1, translator.model.device)
        self._memories: OrderedDict[str, Recollection] = OrderedDict()
        self._waiting: deque[Job] = deque()
        self._news = threading.Condition()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)

    # -- for the server, on its loop

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    async def stop(self) -> None:
        """Finish the sentences that are under way; those that wait are given up."""
        with self._news:
            self._stopping = True
            self._news.notify()
        if self._thread.is_alive():
            await asyncio.to_thread(self._thread.join)

    @property
    def running(self) -> bool:
        """Whether there is somebody to do the work."""
        return self._thread.is_alive() and not self._stopping

    async def translate(self, past: Past, sentence: Sentence, later: int = 0) -> Said:
        """Translate the sentence after a past, and remember it.

        `later` ones of the same session, whose past is but supposed, let the others' first ones go before.
        """
        before = sentence.text if sentence.state == MACHINE else None
        said: Said = await self._ask(Job(_future(), past, sentence.source, before, later=later))
        return said

    async def alone(self, source: str) -> Said:
        """Translate a sentence with nothing remembered."""
        said: Said = await self._ask(Job(_future(), None, source))
        return said

    async def look(self, past: Past, work: Callable[[Slots | None], Answer]) -> Answer:
        """Do something with the memory as it was after a past."""
        found: Answer = await self._ask(Job(_future(), past, work=work))
        return found

    async def call(self, work: Callable[[], Answer]) -> Answer:
        """Do anything else that needs the model."""
        found: Answer = await self._ask(Job(_future(), work=lambda _: work()))
        return found

    async def forget(self, session: str) -> None:
        """Let go of a session's memory, at once: nobody will ask for it again."""
        if self.running:
            with suppress(StoppingError):
                await self.call(lambda: self._memories.pop(session, None))

    async def _ask(self, job: Job) -> Any:
        with self._news:
            if self._stopping:
                raise StoppingError("the server is stopping; ask again in a moment")
            self._waiting.append(job)
            self._news.notify()
        return await job.answer

    # -- in the thread

    def _run(self) -> None:
        lanes, rows = Lanes(self.translator), dict[int, Job]()
        while True:
            jobs = self._take(idle=not rows)
            if jobs is None:
                return
            try:
                self._drop_abandoned(lanes, rows)
                self._enter(lanes, rows, self._prepare(jobs, self.lanes - len(rows), A_FEW if rows else MANY))
                ended = self._advance(lanes, rows)
            except Exception as error:  # one of them is at fault, but nobody knows which
                log.exception("the search has failed")
                for job in (*rows.values(), *jobs):
                    _fail(job, error)
                lanes, rows, ended = Lanes(self.translator), {}, 1
            if jobs or ended:
                self._let_go()

    def _advance(self, lanes: Lanes, rows: dict[int, Job]) -> int:
        """Take one step; return how many sentences have ended with it."""
        if not rows:
            return 0
        self.metrics.lanes.observe(len(rows))
        ended = lanes.advance()
        for row, hypotheses in ended.items():
            self._finish(rows.pop(row), hypotheses)
        return len(ended)

    def _take(self, *, idle: bool) -> list[Job] | None:
        """Return all that waits, after a sleep if there is nothing to do; None: it is over."""
        with self._news:
            while idle and not self._waiting and not self._stopping:
                self._news.wait()
            jobs = list(self._waiting)
            self._waiting.clear()
            if not self._stopping:
                return jobs
        for job in jobs:
            _fail(job, StoppingError("the server is stopping; ask again in a moment"))
        return None if idle else []

    def _drop_abandoned(self, lanes: Lanes, rows: dict[int, Job]) -> None:
        """Let the sentences leave that nobody waits for any more."""
        abandoned = [row for row, job in rows.items() if job.answer.cancelled()]
        if abandoned:
            lanes.leave(abandoned)
            for row in abandoned:
                del rows[row]

    def _prepare(self, jobs: Sequence[Job], room: int, budget: int) -> list[Job]:
        """Bring memories up to date, within a budget; return the sentences that can come in."""
        ready: list[Job] = []
        for job in sorted(jobs, key=lambda each: each.later):
            if job.answer.cancelled():
                continue
            if job.work is None and len(ready) >= room:
                self._put_back(job)
                continue
            try:
                left, replayed = self._approach(job, budget)
                budget = max(0, budget - replayed)  # what was passed over counts as well
                if left:
                    self._put_back(job)
                elif job.work is None:
                    job.slots = self._slots(job)
                    ready.append(job)
                else:
                    _answer(job, job.work(None if job.aside is None else job.aside.slots))
            except Exception as error:  # it belongs to whoever asked
                _fail(job, error)
        return ready

    def _slots(self, job: Job) -> Slots | None:
        """Return the memory for a sentence: a copy, since others of its session may be asked for as well."""
        if job.past is None:
            return self._empty
        slots = self._memory(job.past.session).slots
        return None if slots is None else slots.select(np.array([0]))

    def _approach(self, job: Job, budget: int) -> tuple[int, int]:
        """Return how many sentences a memory still lacks, and how many have been remembered now."""
        if job.past is None:
            return 0, 0
        memory = self._memory(job.past.session)
        if job.work is not None:
            if job.aside is None:
                job.aside = memory.as_of(job.past)
            memory = job.aside
        before = memory.count
        left = memory.approach(job.past, budget)
        replayed = memory.count - min(before, memory.count)
        self.metrics.replayed.inc(replayed)
        return left, replayed

    def _memory(self, session: str) -> Recollection:
        found = self._memories.get(session)
        if found is None:
            found = self._memories[session] = Recollection(self.translator)
        self._memories.move_to_end(session)
        return found

    def _enter(self, lanes: Lanes, rows: dict[int, Job], ready: Sequence[Job]) -> None:
        """Let sentences come in; one without words is done at once."""
        entrants: list[tuple[Job, Entrant]] = []
        for job in ready:
            entrant = self._entrant(job)
            if entrant.ids:
                entrants.append((job, entrant))
            else:
                self._finish(job, [])
        if entrants:
            found = lanes.join([entrant for _, entrant in entrants])
            rows |= {row: job for row, (job, _) in zip(found, entrants, strict=True)}
        self.metrics.waiting.set(len(self._waiting))

    def _entrant(self, job: Job) -> Entrant:
        encode = self.translator.source_vocabulary.encode
        return Entrant(encode(job.source), job.slots, [encode(text) for text in self._before(job)])

    def _before(self, job: Job) -> list[str]:
        """Return the sentences before that a model that looks back sees."""
        if job.past is None:
            return []
        earlier = [each.source for each in job.past.sentences]
        return self.translator.sentences_before(earlier, len(earlier))

    def _put_back(self, job: Job) -> None:
        with self._news:
            self._waiting.append(job)

    def _finish(self, job: Job, hypotheses: Sequence[Hypothesis]) -> None:
        try:
            hypotheses = self.translator.chosen(job.source, hypotheses, job.slots, self._before(job))
            found = self.translator.express(job.source, hypotheses)
            said = Said(found.text, found.tokens, found.aligned)
            if job.past is not None:
                said = self._remember(job, job.past, said, hypotheses[0] if hypotheses else None)
            self.metrics.sentences.inc()
            self.metrics.sentence_seconds.observe(time.monotonic() - job.began)
            _answer(job, said)
        except Exception as error:
            log.exception("a translation cannot be finished")
            _fail(job, error)

    def _remember(self, job: Job, past: Past, said: Said, hypothesis: Hypothesis | None) -> Said:
        """Remember a sentence, unless the memory has gone elsewhere meanwhile; say why it is new."""
        memory = self._memory(past.session)
        if memory.is_after(past):
            spoken = Sentence(job.source, said.text, MACHINE, said.tokens, said.aligned)
            memory.remember(spoken, hypothesis)
        if job.before is None or job.before == said.text or hypothesis is None:
            return said
        return replace(said, why=find_reasons(self.translator, hypothesis, said.text, job.before, job.slots))

    def _let_go(self) -> None:
        """Let go of the memories that were used longest ago."""
        held = sum(each.size for each in self._memories.values())
        while held > self.cache and len(self._memories) > 1:
            _, gone = self._memories.popitem(last=False)
            held -= gone.size
        self.metrics.memories.set(held)


def _future() -> "asyncio.Future[Any]":
    return asyncio.get_running_loop().create_future()


def _answer(job: Job, value: Any) -> None:
    def tell() -> None:
        if not job.answer.done():
            job.answer.set_result(value)

    _tell(job, tell)


def _fail(job: Job, error: Exception) -> None:
    def tell() -> None:
        if not job.answer.done():
            job.answer.set_exception(error)

    _tell(job, tell)


def _tell(job: Job, tell: Callable[[], None]) -> None:
    loop = job.answer.get_loop()
    if not loop.is_closed():
        loop.call_soon_threadsafe(tell)
