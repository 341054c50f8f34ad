"""What operators ask: is it alive, is it ready."""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

__all__ = ["router"]

router = APIRouter(tags=["service"])


@router.get("/health")
async def health() -> dict[str, str]:
    """Say that the server is alive."""
    return {"status": "ok"}


@router.get("/ready")
async def ready(request: Request) -> JSONResponse:
    """Say whether the model works and the store answers."""
    desk = request.app.state.desk
    try:
        await desk.store.check()
    except Exception as error:
        return JSONResponse({"error": f"the store does not answer ({error})"}, 503)
    if not desk.engine.running:
        return JSONResponse({"error": "the model is not running"}, 503)
    return JSONResponse({"status": "ready", "languages": list(desk.engine.translator.languages)})
