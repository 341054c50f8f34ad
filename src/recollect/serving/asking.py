"""What every route needs to know: which desk, and who is asking."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any

from fastapi import Depends, Path, Request

from recollect.serving.access import Owner
from recollect.serving.desk import Desk
from recollect.serving.messages import Failure
from recollect.serving.record import Sentence

__all__ = ["A_FILE", "REFUSALS", "Charge", "Number", "SessionId", "TheCharge", "TheDesk", "TheOwner"]

Charge = Callable[[Sequence[Sentence]], Awaitable[None]]
"""Counts what the machine is to translate, or refuses it: too much for one session costs nothing."""

REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Failure} for status in (400, 401, 403, 404, 409, 413, 422, 429, 503)
}

A_FILE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"*/*": {"schema": {"type": "string", "format": "binary"}}}}
}


def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


async def _owner(request: Request) -> Owner:
    owner: Owner = await request.app.state.access.owner_of(request)
    return owner


TheDesk = Annotated[Desk, Depends(_desk)]
TheOwner = Annotated[Owner, Depends(_owner)]


async def _charge(request: Request, owner: TheOwner, desk: TheDesk) -> Charge:
    async def charge(sentences: Sequence[Sentence]) -> None:
        desk.check_sentences(sentences)
        characters = sum(len(each.source) for each in sentences if not each.human)
        await request.app.state.access.charge(request, characters)

    return charge


TheCharge = Annotated[Charge, Depends(_charge)]
SessionId = Annotated[str, Path(max_length=100, description="A session's id.")]
Number = Annotated[int, Path(ge=1, description="A sentence's number, counted from 1.")]
