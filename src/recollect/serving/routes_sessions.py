"""The API of sessions: begin one, add to it, correct it, undo, take it away."""

from fastapi import APIRouter, Response

from recollect.serving.asking import REFUSALS, Number, SessionId, TheCharge, TheDesk, TheOwner
from recollect.serving.desk import Desk
from recollect.serving.exchange import Export, exported, fill
from recollect.serving.inspection import find_flags
from recollect.serving.messages import (
    Appended,
    AppendedAnswer,
    Correction,
    CorrectionAnswer,
    GlossaryOf,
    NewSession,
    SentenceAnswer,
    SessionAnswer,
    SessionHead,
    TermOf,
    Texts,
    UndoAnswer,
)
from recollect.serving.record import Record, Sentence
from recollect.serving.refusals import WrongError
from recollect.serving.splitting import as_sentences, split_text
from recollect.text.glossary import Term

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["sessions"], responses=REFUSALS)


@router.post("/sessions", status_code=201)
async def create(new: NewSession, desk: TheDesk, owner: TheOwner, charge: TheCharge) -> SessionAnswer:
    """Begin a session; its translation begins at once, in the background."""
    sentences, terms = _sentences(desk, new), _terms(new.glossary)
    desk.check_terms(terms)
    await desk.check_room(owner)
    await charge(sentences)
    record = await desk.create(owner, sentences, name=new.name, memory=new.memory, glossary=terms)
    return SessionAnswer.of(record)


@router.get("/sessions")
async def sessions(desk: TheDesk, owner: TheOwner) -> list[SessionHead]:
    """List the sessions of the key that asks. Without keys there is no list: an id is a secret then."""
    return [SessionHead.of(head) for head in await desk.heads(owner)]


@router.post("/sessions/import", status_code=201)
async def take_in(given: Export, desk: TheDesk, owner: TheOwner, charge: TheCharge) -> SessionAnswer:
    """Begin a session with what another one was exported as."""
    record = desk.blank(owner)
    file = fill(record, given)
    desk.check_file(file or b"")
    for each in record.sentences:
        desk.check_length(each.text or "")
    desk.check_terms(record.glossary)
    await desk.check_room(owner)
    await charge(record.sentences)
    return SessionAnswer.of(await desk.begin(owner, record, file))


@router.get("/sessions/{session}")
async def show(session: SessionId, desk: TheDesk, owner: TheOwner, alone: bool = False) -> SessionAnswer:
    """Return a whole session.

    With `alone`, also what the model says without its memory; what is not known of that yet comes as events.
    """
    live = await desk.open(owner, session)
    if alone:
        desk.typist.contrast(live)
    return SessionAnswer.of(live.record, await find_flags(desk, live), live.alone)


@router.delete("/sessions/{session}", status_code=204)
async def delete(session: SessionId, desk: TheDesk, owner: TheOwner) -> Response:
    """Remove a session for good."""
    await desk.delete(owner, session)
    return Response(status_code=204)


@router.post("/sessions/{session}/sentences", status_code=201)
async def append(
    session: SessionId, added: Appended, desk: TheDesk, owner: TheOwner, charge: TheCharge
) -> AppendedAnswer:
    """Add text at the end."""
    before = await desk.look(owner, session)
    if before.file is not None:
        raise WrongError("a file comes back as it was: nothing can be added to it")
    sentences = _sentences(desk, added)
    desk.check_count(len(before.sentences) + len(sentences))
    await charge(sentences)
    places = await desk.append(owner, session, sentences)
    record = await desk.look(owner, session)
    return AppendedAnswer(
        revision=record.revision, sentences=[SentenceAnswer.of(record, place) for place in places]
    )


@router.put("/sessions/{session}/sentences/{number}")
async def correct(
    session: SessionId, number: Number, correction: Correction, desk: TheDesk, owner: TheOwner
) -> CorrectionAnswer:
    """Correct a sentence: stored before the answer and remembered at once; later sentences follow."""
    desk.check_length(correction.text)
    text = " ".join(correction.text.split())
    await desk.act(owner, session, lambda record: record.correct(number, text))
    return await _settled(desk, owner, session, number)


@router.post("/sessions/{session}/sentences/{number}/confirm")
async def confirm(session: SessionId, number: Number, desk: TheDesk, owner: TheOwner) -> CorrectionAnswer:
    """Take a translation as it is for a person's words."""
    await desk.act(owner, session, lambda record: record.confirm(number))
    return await _settled(desk, owner, session, number)


@router.post("/sessions/{session}/undo")
async def undo(session: SessionId, desk: TheDesk, owner: TheOwner) -> UndoAnswer:
    """Take back what was done last: a correction, a confirmation, a pin, a word forgotten, a glossary."""
    step = await desk.act(owner, session, Record.undo)
    return UndoAnswer(revision=(await desk.look(owner, session)).revision, undone=step.what)


@router.put("/sessions/{session}/glossary")
async def glossary(session: SessionId, given: GlossaryOf, desk: TheDesk, owner: TheOwner) -> SessionAnswer:
    """Replace the session's glossary; everything the machine has said is said anew."""
    terms = _terms(given.terms)
    desk.check_terms(terms)
    await desk.act(owner, session, lambda record: record.set_terms(terms))
    return SessionAnswer.of(await desk.look(owner, session))


@router.get("/sessions/{session}/export")
async def export(session: SessionId, desk: TheDesk, owner: TheOwner) -> Export:
    """Return everything, to be kept or to be imported elsewhere."""
    record = await desk.look(owner, session)
    return exported(record, await desk.store.item(session, "file") if record.file else None)


async def _settled(desk: Desk, owner: TheOwner, session: str, number: int) -> CorrectionAnswer:
    record = await desk.look(owner, session)
    return CorrectionAnswer(revision=record.revision, sentence=SentenceAnswer.of(record, number - 1))


def _sentences(desk: Desk, given: Texts) -> list[Sentence]:
    if given.sentences is not None:
        return as_sentences(given.sentences)
    return split_text(desk.engine.translator, given.text or "")


def _terms(given: list[TermOf]) -> list[Term]:
    return [Term(" ".join(term.source.split()), " ".join(term.target.split())) for term in given]
