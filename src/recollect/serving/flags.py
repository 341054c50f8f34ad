"""Repeated terms that came out in more than one way: what to look at in the margin."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.evaluation.consistency import repeated_terms
from recollect.text.placing import Link

__all__ = ["Flag", "Way", "flag_terms"]


@dataclass(frozen=True, slots=True)
class Way:
    """One way in which a term came out, and where."""

    text: str
    sentences: tuple[int, ...]  # counted from 1


@dataclass(frozen=True, slots=True)
class Flag:
    """A term that came out in several ways, the most frequent first."""

    term: str
    sentences: tuple[int, ...]
    renderings: tuple[Way, ...]


def flag_terms(sources: Sequence[str], targets: Sequence[str], links: Sequence[Sequence[Link]]) -> list[Flag]:
    """Return the terms that sentences repeat and translations do not."""
    found = []
    for term in repeated_terms(sources, targets, links):
        if not term.consistent:
            ways = tuple(
                Way(each.text, tuple(sorted({place.unit + 1 for place in each.occurrences})))
                for each in term.renderings
            )
            everywhere = tuple(sorted({number for way in ways for number in way.sentences}))
            found.append(Flag(term.text, everywhere, ways))
    return found
