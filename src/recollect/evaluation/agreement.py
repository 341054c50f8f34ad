"""How many of so many are as they should be."""

from dataclasses import dataclass

__all__ = ["Agreement"]


@dataclass(frozen=True, slots=True)
class Agreement:
    """A count and what it is a part of."""

    same: int
    total: int

    @property
    def share(self) -> float:
        """Of 100; of nothing, zero."""
        return 100 * self.same / max(self.total, 1)

    def __str__(self) -> str:
        return f"{self.share:.1f}% ({self.same:,} of {self.total:,})"
