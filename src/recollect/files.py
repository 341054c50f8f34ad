"""Files that are either whole or not there: written beside their place, then renamed into it."""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["fingerprint", "whole_entries", "whole_file", "whole_folder"]


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a path to write to; it becomes `path` at once when the block ends well."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.draft")
    try:
        yield draft
        _sync(draft)
        draft.replace(path)
        _sync(path.parent)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Yield a new folder to fill; it becomes `path` (replacing an older one) when the block ends well."""
    draft, older = (path.with_name(f".{path.name}.{kind}") for kind in ("draft", "older"))
    # Killed between the two renames below, an earlier attempt has left the older folder aside.
    if older.exists() and not path.exists():
        older.replace(path)
    shutil.rmtree(older, ignore_errors=True)
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    try:
        yield draft
        for item in draft.rglob("*"):
            if item.is_file():
                _sync(item)
        if path.exists():
            path.replace(older)
        draft.replace(path)
        _sync(path.parent)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        shutil.rmtree(older, ignore_errors=True)


def fingerprint(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def whole_entries(path: Path) -> Iterator[Any]:
    """Yield the lines of a JSON journal, up to the one that was being written when it was interrupted."""
    if not path.exists():
        return
    for line in path.read_text("utf-8", errors="replace").splitlines(keepends=True):
        try:
            entry = json.loads(line)
        except ValueError:
            return
        if not line.endswith("\n"):
            return
        yield entry
