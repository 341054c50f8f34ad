"""The API of sessions: begin one, correct it, follow it, undo."""

import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.responses import StreamingResponse

from recollect.serving.access import Owner
from recollect.serving.desk import Desk, Live
from recollect.serving.following import Follower
from recollect.serving.messages import (
    Appended,
    AppendedTo,
    Correction,
    CorrectionAnswer,
    Failure,
    GlossaryOf,
    NewSession,
    SentenceAnswer,
    SessionAnswer,
    SessionHead,
    TermOf,
    UndoAnswer,
)
from recollect.serving.record import Record, Sentence
from recollect.serving.splitting import split_text
from recollect.text.glossary import Term

__all__ = ["router"]

router = APIRouter(
    prefix="/v1",
    tags=["sessions"],
    responses={status: {"model": Failure} for status in (400, 401, 404, 409, 413, 422, 429)},
)


def desk_of(request: Request) -> Desk:
    """Return the desk of the app that is asked."""
    desk: Desk = request.app.state.desk
    return desk


async def owner_of(request: Request) -> Owner:
    """Return who is asking."""
    owner: Owner = await request.app.state.access.owner_of(request)
    return owner


TheDesk = Annotated[Desk, Depends(desk_of)]
TheOwner = Annotated[Owner, Depends(owner_of)]


@router.post("/sessions", status_code=201)
async def create(new: NewSession, desk: TheDesk, owner: TheOwner) -> SessionAnswer:
    """Begin a session; its translation begins at once, in the background."""
    sentences = _sentences(desk, new.text, new.sentences)
    record = await desk.create(
        owner, sentences, name=new.name, memory=new.memory, glossary=_terms(new.glossary)
    )
    return SessionAnswer.of(record)


@router.get("/sessions")
async def sessions(desk: TheDesk, owner: TheOwner) -> list[SessionHead]:
    """List the sessions of the key that asks. Without keys there is no list: an id is a secret."""
    return [SessionHead.of(head) for head in await desk.heads(owner)]


@router.get("/sessions/{session}")
async def show(session: str, desk: TheDesk, owner: TheOwner) -> SessionAnswer:
    """Return a whole session."""
    return SessionAnswer.of(await desk.look(owner, session))


@router.delete("/sessions/{session}", status_code=204)
async def delete(session: str, desk: TheDesk, owner: TheOwner) -> Response:
    """Remove a session for good."""
    await desk.delete(owner, session)
    return Response(status_code=204)


@router.post("/sessions/{session}/sentences", status_code=201)
async def append(session: str, added: Appended, desk: TheDesk, owner: TheOwner) -> AppendedTo:
    """Add text at the end."""
    places = await desk.append(owner, session, _sentences(desk, added.text, added.sentences))
    record = await desk.look(owner, session)
    return AppendedTo(
        revision=record.revision,
        sentences=[SentenceAnswer.of(place, record.sentences[place]) for place in places],
    )


@router.put("/sessions/{session}/sentences/{number}")
async def correct(
    session: str, number: int, correction: Correction, desk: TheDesk, owner: TheOwner
) -> CorrectionAnswer:
    """Correct a sentence: stored before the answer, remembered at once; later sentences follow."""
    desk.check_length(correction.text)

    def act(record: Record) -> CorrectionAnswer:
        record.correct(number, correction.text)
        return _settled(record, number)

    return await desk.act(owner, session, act, because=number)


@router.post("/sessions/{session}/sentences/{number}/confirm")
async def confirm(session: str, number: int, desk: TheDesk, owner: TheOwner) -> CorrectionAnswer:
    """Take a translation as it is for a person's words."""

    def act(record: Record) -> CorrectionAnswer:
        record.confirm(number)
        return _settled(record, number)

    return await desk.act(owner, session, act, because=number)


@router.post("/sessions/{session}/undo")
async def undo(session: str, desk: TheDesk, owner: TheOwner) -> UndoAnswer:
    """Take back what was done last: a correction, a confirmation, a pin, a word forgotten, terms."""
    step = await desk.act(owner, session, Record.undo)
    return UndoAnswer(revision=(await desk.look(owner, session)).revision, undone=step.what)


@router.put("/sessions/{session}/glossary")
async def glossary(session: str, given: GlossaryOf, desk: TheDesk, owner: TheOwner) -> SessionAnswer:
    """Replace the session's glossary; everything the machine has said is said anew."""
    terms = _terms(given.terms)
    await desk.act(owner, session, lambda record: record.set_terms(terms))
    return SessionAnswer.of(await desk.look(owner, session))


@router.get("/sessions/{session}/events", response_class=StreamingResponse)
async def events(
    session: str,
    desk: TheDesk,
    owner: TheOwner,
    after: Annotated[int, Query(ge=0)] = 0,
    last_event_id: Annotated[str | None, Header()] = None,
) -> StreamingResponse:
    """Follow a session (server-sent events): `sentence`, `changed`, `done`, `ping`.

    What came after the revision `after` is told first; a browser that connects again says it by itself.
    """
    since = int(last_event_id) if last_event_id and last_event_id.isdecimal() else after
    live, follower = await desk.follow(owner, session, since)
    return StreamingResponse(
        _stream(desk, live, follower),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _stream(desk: Desk, live: Live, follower: Follower) -> AsyncIterator[str]:
    try:
        while True:
            news = await follower.news(desk.settings.ping)
            if news is None:
                yield "event: ping\ndata: {}\n\n"
                continue
            record = live.record
            for place in news.sentences:
                if place < len(record.sentences):
                    answer = SentenceAnswer.of(place, record.sentences[place])
                    yield f"event: sentence\nid: {answer.revision}\ndata: {answer.model_dump_json()}\n\n"
            for report in news.reports:
                told = asdict(report) | {"revision": record.revision}
                yield f"event: changed\ndata: {json.dumps(told)}\n\n"
            if news.done:
                yield f'event: done\ndata: {{"revision": {record.revision}}}\n\n'
            if news.gone:
                return
    finally:
        desk.leave(live, follower)


def _settled(record: Record, number: int) -> CorrectionAnswer:
    sentence = SentenceAnswer.of(number - 1, record.sentence(number))
    return CorrectionAnswer(revision=record.revision + 1, sentence=sentence)


def _sentences(desk: Desk, text: str | None, sentences: list[str] | None) -> list[Sentence]:
    if sentences is None:
        sentences = split_text(desk.engine.translator, text or "")
    return [Sentence(" ".join(each.split())) for each in sentences]


def _terms(given: list[TermOf]) -> list[Term]:
    return [Term(term.source, term.target) for term in given]
