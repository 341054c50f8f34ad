"""The API of files: a document in any format in, the same document translated out."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from starlette.datastructures import UploadFile

from recollect.serving.access import Owner
from recollect.serving.asking import A_FILE, REFUSALS, Charge, SessionId, TheCharge, TheDesk, TheOwner
from recollect.serving.desk import Desk
from recollect.serving.files import (
    disposition,
    media_type,
    output_name,
    plain_text,
    read_document,
    safe_name,
)
from recollect.serving.inspection import find_links
from recollect.serving.messages import SessionAnswer
from recollect.serving.record import Record
from recollect.serving.refusals import BusyError, MissingError, TooLargeError, WrongError

__all__ = ["render_file", "router", "take_file"]

router = APIRouter(prefix="/v1", tags=["files"], responses=REFUSALS)

Name = Annotated[str | None, Query(max_length=500, description="The file's name, if it is the body itself.")]
Format = Annotated[str | None, Query(max_length=40, description="Its format, if the name does not tell.")]
Column = Annotated[str | None, Query(max_length=200, description="The column of a table to translate.")]

_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {"file": {"type": "string", "format": "binary"}},
                }
            },
            "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
        },
    }
}


@router.post("/files", status_code=201, openapi_extra=_BODY)
async def upload(
    request: Request,
    desk: TheDesk,
    owner: TheOwner,
    charge: TheCharge,
    name: Name = None,
    format: Format = None,
    column: Column = None,
) -> SessionAnswer:
    """Begin a session with a document of any format that is known: a form with a file, or its bytes."""
    data, given = await _received(request, desk.settings.upload)
    label = safe_name(name or given or "document")
    return SessionAnswer.of(await take_file(desk, owner, data, label, charge, format, column))


async def take_file(
    desk: Desk,
    owner: Owner,
    data: bytes,
    name: str,
    check: Charge,
    format_name: str | None = None,
    column: str | None = None,
) -> Record:
    """Begin a session with a document, if `check` does not refuse what is in it."""
    translator = desk.engine.translator
    document = await asyncio.to_thread(read_document, translator, data, name, format_name, column)
    record = desk.blank(owner, name)
    record.file, record.format, record.column = name, document.format, column
    record.append(document.sentences)
    await desk.check_room(owner)
    await check(record.sentences)
    return await desk.begin(owner, record, data)


@router.get(
    "/sessions/{session}/file",
    response_class=Response,
    responses=A_FILE,
)
async def download(session: SessionId, desk: TheDesk, owner: TheOwner) -> Response:
    """Return the document translated, in the format it came in; text that was pasted comes as text."""
    record = await desk.look(owner, session)
    name = output_name(record)
    return Response(
        await render_file(desk, record),
        media_type=media_type(name),
        headers={"Content-Disposition": disposition(name), "X-Content-Type-Options": "nosniff"},
    )


async def render_file(desk: Desk, record: Record) -> bytes:
    """Return a session's translation as a file."""
    if record.waiting:
        raise BusyError(f"it is not all translated yet ({record.waiting:,} waiting): ask again later")
    if record.file is None:
        return plain_text(record)
    data = await desk.store.item(record.id, "file")
    if data is None:
        raise MissingError("the file that this session came in is not there any more")
    sentences = list(record.sentences)
    links = await find_links(desk, sentences)
    translator = desk.engine.translator

    def render() -> bytes:
        document = read_document(translator, data, record.file or "", record.format, record.column)
        return document.render(sentences, links)

    return await asyncio.to_thread(render)


async def _received(request: Request, most: int) -> tuple[bytes, str | None]:
    """Return the bytes of a file and its name, if it has one."""
    if request.headers.get("content-type", "").startswith("multipart/form-data"):
        form = await request.form(max_files=1, max_fields=10)
        file = form.get("file")
        if not isinstance(file, UploadFile):
            raise WrongError("the form has no file in its field 'file'")
        data = await file.read(most + 1)
        name = file.filename
    else:
        data, name = b"", None
        async for chunk in request.stream():
            data += chunk
            if len(data) > most:
                break
    if len(data) > most:
        raise TooLargeError(f"a file has at most {most >> 20} MB")
    return data, name
