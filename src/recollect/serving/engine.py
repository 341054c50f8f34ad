"""One model for all: sentences that wait in different sessions are searched side by side, on a thread of
their own.
"""

import asyncio
import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from recollect.decoding.translation import Translation
from recollect.decoding.translator import Translator
from recollect.memory.slots import Slots
from recollect.serving.record import Sentence
from recollect.serving.replay import Past, Recollection

__all__ = ["Engine"]

Answer = TypeVar("Answer")
AT_ONCE = 16  # sentences that are remembered anew before others have their turn


@dataclass(slots=True)
class Job:
    """A sentence that waits, or anything else that needs the model."""

    answer: "asyncio.Future[Any]"
    past: Past | None = None
    sentence: Sentence | None = None
    work: Callable[[], Any] | None = None


class Engine:
    """Owns the model and the memories at hand; everything that touches them happens in its thread."""

    def __init__(self, translator: Translator, *, lanes: int = 32, cache: int = 256 << 20) -> None:
        self.translator, self.lanes, self.cache = translator, lanes, cache
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
        """Finish the sentences that are being searched; those that wait are given up."""
        with self._news:
            self._stopping = True
            self._news.notify()
        await asyncio.to_thread(self._thread.join)

    @property
    def running(self) -> bool:
        """Whether the thread is alive."""
        return self._thread.is_alive() and not self._stopping

    async def translate(self, past: Past, sentence: Sentence) -> Translation:
        """Translate the sentence after a past, and remember it."""
        answer: asyncio.Future[Translation] = asyncio.get_running_loop().create_future()
        self._add(Job(answer, past, sentence))
        return await answer

    async def call(self, work: Callable[[], Answer]) -> Answer:
        """Do anything else that needs the model, in its thread."""
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._add(Job(answer, work=work))
        return await answer

    def _add(self, job: Job) -> None:
        with self._news:
            if self._stopping:
                raise asyncio.CancelledError("the server is stopping")
            self._waiting.append(job)
            self._news.notify()

    # -- in the thread

    def _run(self) -> None:
        while True:
            with self._news:
                while not self._waiting and not self._stopping:
                    self._news.wait()
                if self._stopping:
                    given_up = list(self._waiting)
                    self._waiting.clear()
                else:
                    batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), self.lanes))]
            if self._stopping:
                for job in given_up:
                    _tell(job.answer, job.answer.cancel)
                return
            self._do(batch)

    def _do(self, batch: list[Job]) -> None:
        """Do pieces of work, then search all sentences whose memory is ready."""
        ready: list[tuple[Job, Recollection]] = []
        for job in batch:
            if job.answer.cancelled():
                continue
            try:
                if job.work is not None:
                    _answer(job, job.work())
                    continue
                assert job.past is not None
                memory = self.memory(job.past.session)
                if memory.approach(job.past, AT_ONCE):
                    with self._news:
                        self._waiting.append(job)
                else:
                    ready.append((job, memory))
            except Exception as error:  # it belongs to whoever asked
                _fail(job, error)
        if ready:
            try:
                self._search(ready)
            except Exception as error:
                for job, _ in ready:
                    _fail(job, error)
        self._forget_some()

    def memory(self, session: str) -> Recollection:
        """Return a session's memory, which may have to be caught up."""
        found = self._memories.get(session)
        if found is None:
            found = self._memories[session] = Recollection(self.translator)
        self._memories.move_to_end(session)
        return found

    def _search(self, ready: list[tuple[Job, Recollection]]) -> None:
        translator = self.translator
        texts, before = [], []
        for job, _ in ready:
            assert job.past is not None
            assert job.sentence is not None
            texts.append(job.sentence.source)
            earlier = [each.source for each in job.past.sentences]
            before.append(translator.sentences_before(earlier, len(earlier)))
        own = [slots for _, memory in ready if (slots := memory.slots()) is not None]
        found = translator.search(texts, Slots.together(own) if own else None, before)
        for (job, memory), hypotheses in zip(ready, found, strict=True):
            assert job.sentence is not None
            said = translator.express(job.sentence.source, hypotheses)
            memory.said(_spoken(job.sentence, said), hypotheses[0] if hypotheses else None)
            _answer(job, said)

    def _forget_some(self) -> None:
        """Let go of the memories that were used longest ago."""
        total = sum(each.size for each in self._memories.values())
        while total > self.cache and len(self._memories) > 1:
            _, gone = self._memories.popitem(last=False)
            total -= gone.size


def _spoken(sentence: Sentence, said: Translation) -> Sentence:
    return Sentence(sentence.source, said.text, "machine", said.tokens, said.aligned, sentence.settled)


def _answer(job: Job, value: Any) -> None:
    def tell() -> None:
        if not job.answer.done():
            job.answer.set_result(value)

    _tell(job.answer, tell)


def _fail(job: Job, error: Exception) -> None:
    def tell() -> None:
        if not job.answer.done():
            job.answer.set_exception(error)

    _tell(job.answer, tell)


def _tell(answer: "asyncio.Future[Any]", tell: Callable[[], Any]) -> None:
    loop = answer.get_loop()
    if not loop.is_closed():
        loop.call_soon_threadsafe(tell)
