"""What was wrong with the training data: counted by kind, the first cases kept with file and line."""

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

__all__ = ["Kind", "Problem", "Problems"]

_LONGEST_DETAIL = 200  # characters


class Kind(StrEnum):
    """Why a pair was skipped."""

    ONE_SIDE_EMPTY = "one side empty"
    BOTH_SIDES_EMPTY = "both sides empty"
    INVALID_UTF8 = "invalid UTF-8"
    TOO_LONG = "too long"
    NOTHING_LEFT = "nothing left after normalisation"
    MARKUP = "markup or broken characters"
    WRONG_SCRIPT = "in another script than the rest"
    ODD_LENGTHS = "lengths that do not fit together"
    REPEATED_DOCUMENT = "in a document seen before"


@dataclass(frozen=True, slots=True)
class Problem:
    """One pair that was skipped."""

    kind: Kind
    file: Path
    line: int  # from 1
    detail: str


class Problems:
    """Counts every problem and keeps the first `keep` of each kind."""

    def __init__(self, keep: int = 1000) -> None:
        self.counts: Counter[Kind] = Counter()
        self.kept: list[Problem] = []
        self._keep = keep

    def report(self, kind: Kind, file: Path, line: int, detail: str) -> None:
        """Count one skipped pair, and keep where it was while there is room."""
        self.counts[kind] += 1
        if self.counts[kind] <= self._keep:
            self.kept.append(Problem(kind, file, line, detail))

    def write(self, path: Path) -> None:
        """Write the kept problems as a table, in the order they were met."""
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.write("kind\tfile\tline\tdetail\n")
            for problem in self.kept:
                detail = " ".join(problem.detail.split())[:_LONGEST_DETAIL]
                file.write(f"{problem.kind}\t{problem.file}\t{problem.line}\t{detail}\n")

    def summary(self) -> str:
        """One line for people: `12 pairs skipped: 10 too long, 2 invalid UTF-8`."""
        if not self.counts:
            return "no pair skipped"
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in self.counts.most_common())
        return f"{self.counts.total():,} pairs skipped: {kinds}"
