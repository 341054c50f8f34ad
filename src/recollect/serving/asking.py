"""What every route needs to know: which desk, and who is asking."""

from typing import Annotated, Any

from fastapi import Depends, Path, Request

from recollect.serving.access import Owner
from recollect.serving.desk import Desk
from recollect.serving.messages import Failure

__all__ = ["REFUSALS", "Number", "SessionId", "TheDesk", "TheOwner"]

REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Failure} for status in (400, 401, 403, 404, 409, 413, 422, 429, 503)
}


def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


async def _owner(request: Request) -> Owner:
    owner: Owner = await request.app.state.access.owner_of(request)
    return owner


TheDesk = Annotated[Desk, Depends(_desk)]
TheOwner = Annotated[Owner, Depends(_owner)]
SessionId = Annotated[str, Path(max_length=100, description="A session's id.")]
Number = Annotated[int, Path(ge=1, description="A sentence's number, counted from 1.")]
