"""A text file whose units stand at known places: a translation is put there, and nothing else changes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from recollect.text.encodings import Decoded
from recollect.text.formats.content import Unit
from recollect.text.inline import Inline
from recollect.text.places import Span, splice

__all__ = ["Place", "Spliced"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where one unit stands, and how a translation is spelled there."""

    unit: Unit
    span: Span
    spell: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Spliced:
    """A file and the places of its units."""

    decoded: Decoded
    places: Sequence[Place]

    @property
    def units(self) -> Sequence[Unit]:
        """The prose in reading order."""
        return [place.unit for place in self.places]

    def render(self, targets: Sequence[Inline | None]) -> bytes:
        """Return the file with the translations at their places."""
        changes = [
            (place.span, place.spell(str(target)))
            for place, target in zip(self.places, targets, strict=True)
            if target is not None and target != place.unit.source
        ]
        return self.decoded.encode(splice(self.decoded.text, changes))
