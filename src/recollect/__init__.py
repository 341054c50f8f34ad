"""Machine translation that remembers: a small continuous memory of what has just been translated."""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recollect.assemble import load
    from recollect.decoding.session import Session
    from recollect.decoding.translation import Translation
    from recollect.decoding.translator import Translator
    from recollect.errors import RecollectError

    __version__: str

__all__ = ["RecollectError", "Session", "Translation", "Translator", "__version__", "load"]

# Threads that wait by spinning make a shared machine much slower (OpenMP reads this when it is loaded).
if "OMP_WAIT_POLICY" not in os.environ:
    os.environ.setdefault("GOMP_SPINCOUNT", "2000")

_HOMES = {
    "RecollectError": "recollect.errors",
    "Session": "recollect.decoding.session",
    "Translation": "recollect.decoding.translation",
    "Translator": "recollect.decoding.translator",
    "load": "recollect.assemble",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for, when it is asked for: `import recollect` itself stays light."""
    if name == "__version__":
        return import_module("importlib.metadata").version("recollect")
    if name not in _HOMES:
        raise AttributeError(f"module 'recollect' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
