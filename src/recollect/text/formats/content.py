"""What a file is for the translator: units of prose in reading order, and a way to put them back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from recollect.text.inline import Inline

__all__ = ["Content", "Unit"]


@dataclass(frozen=True, slots=True)
class Unit:
    """A stretch of prose that is translated as one: a paragraph, a message, a sentence of subtitles."""

    source: Inline
    where: str  # for people: "line 12", "cue 5", "message 'Open file'"
    target: Inline | None = None  # a translation that is there already, and holds


class Content(Protocol):
    """A file that has been read: everything in it, and what of it is prose."""

    @property
    def units(self) -> Sequence[Unit]:
        """The prose in reading order."""

    def render(self, targets: Sequence[Inline | None]) -> bytes:
        """Return the file with one translation for each unit; None leaves a unit as it is.

        A target has the marks of its unit's source, each of them once, wherever they now stand. With None
        throughout the file comes back as it was; a format for one language also does with its own sources.
        """
