"""A session as it changes: server-sent events."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query
from fastapi.responses import StreamingResponse

from recollect.serving.access import Owner
from recollect.serving.asking import REFUSALS, SessionId, TheDesk, TheOwner
from recollect.serving.desk import Desk
from recollect.serving.following import News
from recollect.serving.messages import ChangedAnswer, SentenceAnswer
from recollect.serving.open_sessions import Live
from recollect.serving.refusals import MissingError

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["sessions"], responses=REFUSALS)

_STREAM: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}
}


@router.get("/sessions/{session}/events", response_class=StreamingResponse, responses=_STREAM)
async def events(
    session: SessionId,
    desk: TheDesk,
    owner: TheOwner,
    after: Annotated[int, Query(ge=0, description="What came after this revision is told first.")] = 0,
    last_event_id: Annotated[str | None, Header(description="The same, from a browser.")] = None,
) -> StreamingResponse:
    """Follow a session: a stream of server-sent events.

    `sentence`: one is new or has changed; `changed`: what a person did has been followed through; `done`:
    nothing is waiting; `ping`: a sign of life.
    """
    number = (last_event_id or "")[:18]
    await desk.look(owner, session)
    return StreamingResponse(
        _stream(desk, owner, session, int(number) if number.isdecimal() else after),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _stream(desk: Desk, owner: Owner, session: str, after: int) -> AsyncIterator[str]:
    # Followed from here on and not before: of a client that has left already, this is never begun.
    try:
        live, follower = await desk.follow(owner, session, after)
    except MissingError:
        return
    try:
        while True:
            news = await follower.news(desk.settings.ping)
            if news is None:
                yield _event("ping", "{}")
                continue
            for each in _events(live, news):
                yield each
            if news.gone:
                return
    finally:
        desk.leave(live, follower)


def _events(live: Live, news: News) -> list[str]:
    """Return what is new as it goes over the wire; the last one bears the revision."""
    record = live.record
    found = [
        _event("sentence", SentenceAnswer.of(record, place, live.alone).model_dump_json())
        for place in news.places
        if place < len(record.sentences)
    ]
    report = ChangedAnswer.of(record) if news.report else None
    if report is not None:
        found.append(_event("changed", report.model_dump_json()))
    if news.done and record.is_done:
        found.append(_event("done", f'{{"revision":{record.revision}}}'))
    if found:
        found[-1] = f"id: {record.revision}\n{found[-1]}"
    return found


def _event(kind: str, data: str) -> str:
    return f"event: {kind}\ndata: {data}\n\n"
