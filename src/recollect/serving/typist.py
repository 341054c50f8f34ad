"""The machine's part of a session: it translates what is waiting, and again what people have changed."""

import asyncio
import logging

from recollect.serving.engine import Engine
from recollect.serving.open_sessions import Asked, Live, OpenSessions
from recollect.serving.record import Record, Said
from recollect.serving.refusals import MissingError, RefusalError
from recollect.serving.replay import Past

__all__ = ["Typist"]

LEASE = 3.0  # seconds for which one server translates a session, before others may
SIDE_BY_SIDE = 8  # sentences of one session that are translated alone at the same time
REST = 60.0  # seconds at most until it is tried again, after it has failed several times
AHEAD = 8  # sentences of one session that are translated anew at the same time

log = logging.getLogger("recollect.serving")


class Typist:
    """Keeps sessions going, each in a task of its own."""

    def __init__(self, engine: Engine, sessions: OpenSessions) -> None:
        self.engine, self.sessions = engine, sessions
        self.closing = False

    def keep_on(self, live: Live) -> None:
        """See to it that somebody translates what is waiting; what has lost its past is left alone."""
        rested = asyncio.get_running_loop().time() >= live.resume
        if live.work is None and not live.record.is_done and self._goes_on(live) and rested:
            live.work = asyncio.create_task(self._translate(live))
        for each in live.asked:
            if not each.past.holds(live.record):
                each.answer.cancel()

    def _goes_on(self, live: Live) -> bool:
        """Whether to translate what is waiting: in the end, only what a request waits for."""
        return not self.closing or bool(live.followers)

    def contrast(self, live: Live) -> None:
        """See to it that everything is also translated with nothing remembered."""
        if live.contrast is None and not self.closing:
            live.contrast = asyncio.create_task(self._contrast(live))

    async def close(self, patience: float) -> None:
        """Finish the sentences under way; what else is waiting is stored as waiting."""
        self.closing = True
        tasks = [task for live in self.sessions.all() for task in (live.work, live.contrast) if task]
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=patience)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _translate(self, live: Live) -> None:
        session, store, claimed = live.record.id, self.sessions.store, False
        try:
            claimed = await store.claim(session, LEASE)
            while claimed and self._goes_on(live) and not live.record.is_done:  # else another server is at it
                await self._next(live)
            if claimed:
                await store.release(session)
        except MissingError:
            pass  # it has been deleted
        except RefusalError as error:
            log.warning("session %s waits: %s", session, error)
        except Exception:
            self.engine.metrics.failures.inc()
            live.failures += 1
            live.resume = asyncio.get_running_loop().time() + min(0.25 * 2**live.failures, REST)
            log.exception("session %s: the translation has broken off", session)
        else:
            live.failures = 0
            live.work = None
            if claimed:  # and somebody may have come while it was released
                self.keep_on(live)
        finally:
            live.work = None if live.work is asyncio.current_task() else live.work

    async def _next(self, live: Live) -> None:
        """Translate the sentences that come next, or note that there are none."""
        record = live.record
        live.asked = [self._ask(record, *each) for each in enumerate(_due(record))]
        try:
            for each in live.asked:
                await asyncio.wait([each.answer])
                if each.answer.cancelled():
                    return  # it has lost its past
                if not await self._note(live, record, each, each.answer.result()):
                    return
                if not self._goes_on(live):
                    return
                await self.sessions.store.claim(record.id, LEASE)
        finally:
            for each in live.asked:
                each.answer.cancel()
            live.asked = []
        async with live.lock:
            if live.record.rest_is_done():
                await self.sessions.commit(live)

    def _ask(self, record: Record, later: int, place: int) -> Asked:
        past = Past.of(record, place)
        answer = asyncio.create_task(self.engine.translate(past, record.sentences[place], later))
        return Asked(place, past, answer)

    async def _note(self, live: Live, record: Record, asked: Asked, said: Said) -> bool:
        """Note what the machine has said; return whether what was asked for after it still has its past."""
        async with live.lock:
            # A person may have done something meanwhile, or another server; then it is said anew.
            if live.record is not record or not asked.past.holds(record):
                return False
            if record.sentences[asked.place].human:
                return True
            changed = [record.translated(asked.place, said), record.rest_is_done()]
            return not any(changed) or (await self.sessions.commit(live) and not record.memory)

    async def _contrast(self, live: Live) -> None:
        room = asyncio.Semaphore(SIDE_BY_SIDE)

        async def say(place: int, source: str) -> None:
            async with room:
                if source not in live.alone and not self.closing:
                    live.alone[source] = (await self.engine.alone(source)).text
                live.tell(place)

        try:
            todo = [
                (place, each.source)
                for place, each in enumerate(live.record.sentences)
                if each.source not in live.alone
            ]
            await asyncio.gather(*(say(*each) for each in todo))
        except RefusalError as error:
            log.warning("session %s: %s", live.record.id, error)
        except Exception:
            self.engine.metrics.failures.inc()
            log.exception("session %s: the translation without memory has broken off", live.record.id)
        finally:
            live.contrast = None


def _due(record: Record) -> list[int]:
    """Return the places of the sentences to ask for: the next one, and those whose past can be supposed.

    A correction changes few sentences: what comes after one is asked for as if it stayed as it is. Where
    nothing is remembered, all can be asked for anyway.
    """
    first = record.next_to_translate()
    if first is None:
        return []
    found = []
    for place in range(first, len(record.sentences)):
        sentence = record.sentences[place]
        if not sentence.human:
            found.append(place)
        if len(found) == AHEAD or (sentence.text is None and record.memory):
            break
    return found
