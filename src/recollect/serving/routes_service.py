"""What operators ask: is it alive, is it ready, what is it doing."""

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse, PlainTextResponse

from recollect.serving.asking import TheDesk
from recollect.serving.messages import Failure
from recollect.serving.refusals import StoreError

__all__ = ["router"]

router = APIRouter(tags=["service"])


@router.get("/health")
async def health() -> dict[str, str]:
    """Say that the server is alive."""
    return {"status": "ok"}


@router.head("/ready", include_in_schema=False)  # all that some monitors ask
@router.get("/ready", responses={503: {"model": Failure}})
async def ready(desk: TheDesk) -> Response:
    """Say whether the model works and the store answers."""
    if not desk.engine.running or desk.typist.closing:
        return JSONResponse({"error": "the server is stopping"}, 503)
    try:
        await desk.store.check()
    except StoreError as error:
        return JSONResponse({"error": str(error)}, 503)
    return JSONResponse({"status": "ready", "languages": list(desk.engine.translator.languages)})


@router.get("/metrics", response_class=PlainTextResponse)
async def metrics(desk: TheDesk) -> Response:
    """Return figures for Prometheus."""
    return Response(desk.engine.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")
