"""The page at `/`: a few files as they are."""

from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse

from recollect.serving.refusals import MissingError

__all__ = ["router"]

FOLDER = Path(str(files("recollect") / "serving" / "static"))
KINDS = {".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".svg": "image/svg+xml"}

router = APIRouter(include_in_schema=False)


@router.api_route("/", methods=["GET", "HEAD"])
async def page() -> FileResponse:
    """Return the page."""
    return _file(FOLDER / "index.html")


@router.api_route("/static/{name}", methods=["GET", "HEAD"])
async def part(name: str) -> FileResponse:
    """Return a part of the page: one of the files there are, by its name."""
    for path in FOLDER.iterdir():
        if path.name == name:
            return _file(path)
    raise MissingError(f"the page has no part '{name}'")


def _file(path: Path) -> FileResponse:
    # Asked for anew each time, so that the parts of a page are always of one version.
    headers = {"Cache-Control": "no-cache"}
    return FileResponse(path, media_type=KINDS.get(path.suffix, "text/plain"), headers=headers)
