"""Lines of text under a name, and the check that several of them belong together."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.errors import DataError

__all__ = ["Lines", "check_parallel"]


@dataclass(frozen=True, slots=True)
class Lines:
    """What is scored or scored against: one sentence a line, and the name errors call it by."""

    name: str
    lines: Sequence[str]


def check_parallel(sides: Sequence[Lines]) -> None:
    """Refuse sides of different or no length, naming each with its count."""
    counts = {len(side.lines) for side in sides}
    listing = ", ".join(f"{side.name} has {len(side.lines)}" for side in sides)
    if len(counts) > 1:
        raise DataError(f"line n of every file must be the same sentence, but {listing} lines")
    if counts == {0}:
        raise DataError(f"there is nothing to score: {listing} lines")
