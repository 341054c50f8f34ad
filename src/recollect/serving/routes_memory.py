"""The API of a session's memory: what is in it, what it did, what it shall keep and forget."""

from collections.abc import Callable

from fastapi import APIRouter

from recollect.serving.asking import REFUSALS, Number, SessionId, TheDesk, TheOwner
from recollect.serving.desk import Desk
from recollect.serving.inspection import explain, inspect_memory
from recollect.serving.messages import (
    ExplanationAnswer,
    MemoryAnswer,
    MemorySwitch,
    SessionAnswer,
    WordOf,
    WordsAnswer,
)
from recollect.serving.record import Record

__all__ = ["router"]

router = APIRouter(prefix="/v1/sessions/{session}", tags=["memory"], responses=REFUSALS)


@router.get("/memory")
async def memory(session: SessionId, desk: TheDesk, owner: TheOwner) -> MemoryAnswer:
    """Return what is remembered after the sentences that are up to date."""
    found = await inspect_memory(desk, owner, session)
    return MemoryAnswer.of(found, await desk.look(owner, session))


@router.put("/memory")
async def switch(session: SessionId, given: MemorySwitch, desk: TheDesk, owner: TheOwner) -> SessionAnswer:
    """Remember, or translate each sentence alone; everything the machine has said is said anew."""
    await desk.act(owner, session, lambda record: record.switch_memory(given.on))
    return SessionAnswer.of(await desk.look(owner, session))


@router.post("/memory/pin")
async def pin(session: SessionId, given: WordOf, desk: TheDesk, owner: TheOwner) -> WordsAnswer:
    """Keep a word in the memory, however much is said after it."""
    return await _change(desk, owner, session, lambda record: record.pin(given.word))


@router.post("/memory/unpin")
async def unpin(session: SessionId, given: WordOf, desk: TheDesk, owner: TheOwner) -> WordsAnswer:
    """Keep a word no longer than others."""
    return await _change(desk, owner, session, lambda record: record.unpin(given.word))


@router.post("/memory/forget")
async def forget(session: SessionId, given: WordOf, desk: TheDesk, owner: TheOwner) -> WordsAnswer:
    """Remove a word from the memory, for good unless a person says it later; translations follow."""
    return await _change(desk, owner, session, lambda record: record.forget(given.word))


@router.get("/sentences/{number}/explain")
async def explain_sentence(
    session: SessionId, number: Number, desk: TheDesk, owner: TheOwner
) -> ExplanationAnswer:
    """Tell of every word of a translation what the memory had to do with it."""
    return ExplanationAnswer.of(number, await explain(desk, owner, session, number))


async def _change(desk: Desk, owner: TheOwner, session: str, action: Callable[[Record], None]) -> WordsAnswer:
    await desk.act(owner, session, action)
    record = await desk.look(owner, session)
    forgotten = [each.word for each in record.forgotten]
    return WordsAnswer(revision=record.revision, pins=list(record.pins), forgotten=forgotten)
