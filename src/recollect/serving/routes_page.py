"""The page at `/`: a few files as they are, and a policy that lets nothing else in."""

from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse

from recollect.serving.refusals import MissingError

__all__ = ["router"]

FOLDER = Path(str(files("recollect") / "serving" / "static"))
KINDS = {".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".svg": "image/svg+xml"}
HEADERS = {
    # Trusted types: a script that would turn text into markup is stopped by the browser.
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
    ),
    "Cache-Control": "no-cache",  # asked for anew each time, answered by 304 as long as it is the same
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",  # addresses have ids of sessions in them
    "X-Content-Type-Options": "nosniff",
}

router = APIRouter(include_in_schema=False)


@router.get("/")
async def page() -> FileResponse:
    """Return the page."""
    return _file(FOLDER / "index.html")


@router.get("/static/{name}")
async def part(name: str) -> FileResponse:
    """Return a part of the page: one of the files there are, by its name."""
    for path in FOLDER.iterdir():
        if path.name == name:
            return _file(path)
    raise MissingError(f"the page has no part '{name}'")


def _file(path: Path) -> FileResponse:
    kind = KINDS.get(path.suffix, "text/plain")
    return FileResponse(path, media_type=kind, headers=HEADERS)
