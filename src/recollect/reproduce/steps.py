"""Steps of an experiment: each in a folder named by what goes into it, done once and found again."""

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect.files import whole_file

__all__ = ["RESULT", "Clock", "Step", "open_step"]

RESULT = "result.json"
VERSION = 1  # of what steps mean: a change of it makes all of them anew


@dataclass(frozen=True, slots=True)
class Step:
    """A piece of work with a folder of its own."""

    folder: Path
    key: str  # of everything that goes into it

    @property
    def result(self) -> dict[str, Any] | None:
        """What came of it, or None while it is not finished."""
        path = self.folder / RESULT
        return json.loads(path.read_text("utf-8")) if path.is_file() else None

    def finish(self, figures: Mapping[str, Any]) -> dict[str, Any]:
        """Say that it is done, and what came of it: the last thing that is written."""
        with whole_file(self.folder / RESULT) as draft:
            draft.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", "utf-8")
        return dict(figures)


def open_step(home: Path, name: str, ingredients: Mapping[str, Any]) -> Step:
    """Return the step that is made of these ingredients (fit for JSON), begun or not."""
    text = json.dumps({"version": VERSION, **ingredients}, sort_keys=True, default=str)
    key = hashlib.sha256(text.encode()).hexdigest()[:12]
    return Step(home / f"{name}-{key}", key)


class Clock:
    """Measures a step: seconds on the wall, and of the processor in all threads."""

    def __init__(self) -> None:
        self._wall, self._processor = time.monotonic(), time.process_time()

    def figures(self) -> dict[str, float]:
        """Return the time since it was made."""
        return {
            "seconds": round(time.monotonic() - self._wall, 2),
            "cpu_seconds": round(time.process_time() - self._processor, 2),
        }
