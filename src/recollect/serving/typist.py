"""The machine's part of a session: it translates what is waiting, and again what people have changed."""

import asyncio
import logging

from recollect.serving.engine import Engine
from recollect.serving.open_sessions import Live, OpenSessions
from recollect.serving.record import Said
from recollect.serving.refusals import MissingError, RefusalError
from recollect.serving.replay import Past

__all__ = ["Typist"]

LEASE = 5.0  # seconds for which one server translates a session, before others may
SIDE_BY_SIDE = 8  # sentences of one session that are translated alone at the same time

log = logging.getLogger("recollect.serving")


class Typist:
    """Keeps sessions going, each in a task of its own."""

    def __init__(self, engine: Engine, sessions: OpenSessions) -> None:
        self.engine, self.sessions = engine, sessions
        self.closing = False

    def keep_on(self, live: Live) -> None:
        """See to it that somebody translates what is waiting; a sentence that has lost its past is left."""
        if self.closing:
            return
        if live.work is None and not live.record.is_done:
            live.work = asyncio.create_task(self._translate(live))
        elif live.asking is not None and live.past is not None and not live.past.holds(live.record):
            live.asking.cancel()

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
            while claimed and not self.closing and not live.record.is_done:  # else another server is at it
                await self._next(live)
                await store.claim(session, LEASE)
            if claimed:
                await store.release(session)
        except MissingError:
            pass  # it has been deleted
        except RefusalError as error:
            log.warning("session %s waits: %s", session, error)
        except Exception:
            self.engine.metrics.failures.inc()
            log.exception("session %s: the translation has broken off", session)
        else:
            live.work = None
            if claimed:  # and somebody may have come while it was released
                self.keep_on(live)
        finally:
            live.work = None if live.work is asyncio.current_task() else live.work

    async def _next(self, live: Live) -> None:
        """Translate the next sentence, or note that there is none."""
        record, place = live.record, live.record.next_to_translate()
        if place is None:
            async with live.lock:
                if live.record.rest_is_done():
                    await self.sessions.commit(live)
            return
        past = Past.of(record, place)
        said = await self._ask(live, past, place)
        if said is None:
            return
        async with live.lock:
            # A person may have done something meanwhile, or another server; then it is said anew.
            if live.record is record and past.holds(record) and not record.sentences[place].human:
                news = [record.translated(place, said), record.rest_is_done()]
                if any(news):
                    await self.sessions.commit(live)

    async def _ask(self, live: Live, past: Past, place: int) -> Said | None:
        """Return what the machine says; None: the question has been withdrawn."""
        live.asking = asyncio.create_task(self.engine.translate(past, live.record.sentences[place]))
        live.past = past
        try:
            await asyncio.wait([live.asking])
            return None if live.asking.cancelled() else live.asking.result()
        finally:
            live.asking.cancel()
            live.asking = None

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
