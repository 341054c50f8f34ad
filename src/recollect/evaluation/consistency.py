"""Repeated terms and all their translations: which of them come out in more than one way."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from recollect.evaluation.renderings import (
    Group,
    Occurrence,
    claimed,
    grouped,
    is_dense_wording,
    is_name,
    may_be_name,
    misspelt,
)
from recollect.evaluation.terms import Candidate, Side, candidates
from recollect.text.placing import Link
from recollect.text.scripts import is_dense
from recollect.text.stems import stem

__all__ = ["Occurrence", "Rendering", "Term", "repeated_sentences", "repeated_terms"]

Kind = Literal["name", "term", "sentence"]

_LEAST_FOUND = 0.5  # share of a term's places at which its translation must be known
_LEAST_MAIN = 0.34  # share of the most frequent rendering; a word with many is no term
_MOST_RENDERINGS = 4
_OWN_ONCE, _OWN_OFTEN = 0.5, 0.34  # how often a rendering stands beside its term, of all its places
_SPACES, _CHARACTERS_OF_A_SENTENCE = 2, 6  # that make a text a sentence


@dataclass(frozen=True, slots=True)
class Rendering:
    """One way in which a term has been translated, its inflections included."""

    text: str
    occurrences: tuple[Occurrence, ...]

    @property
    def count(self) -> int:
        """How often."""
        return len(self.occurrences)


@dataclass(frozen=True, slots=True)
class Term:
    """Something that the source repeats, and how it has been translated, the most frequent way first."""

    text: str
    kind: Kind
    count: int  # in the source; where no rendering is known, none is counted
    renderings: tuple[Rendering, ...]

    @property
    def consistent(self) -> bool:
        """Whether there is but one way."""
        return len(self.renderings) == 1


def repeated_terms(
    sources: Sequence[str], targets: Sequence[str], links: Sequence[Sequence[Link]]
) -> list[Term]:
    """Return names and terms that the sources repeat, the inconsistent first.

    `links` say which stretches of each source and its target belong together.
    """
    ours, theirs = Side(sources), Side(targets)
    where = _index(theirs)
    found = [_term(candidate, theirs, links, where) for candidate in candidates(ours)]
    return sorted((term for term in found if term), key=_rank)


def _rank(term: Term) -> tuple[bool, bool, bool, int, int]:
    """Order by how much a term is worth a look."""
    # A word that stays as it is in some places is often the name of a parameter there.
    copied = any(each.text.lower() == term.text.lower() for each in term.renderings)
    second = 0 if term.consistent else term.renderings[1].count
    return term.consistent, term.kind != "name", copied, -second, -term.count


def _index(side: Side) -> dict[str, set[int]]:
    """Texts in which a word stands, by its stem."""
    found: dict[str, set[int]] = defaultdict(set)
    for number, keys in enumerate(side.keys):
        for key in keys:
            found[key].add(number)
    return found


def _term(
    candidate: Candidate, side: Side, links: Sequence[Sequence[Link]], where: dict[str, set[int]]
) -> Term | None:
    groups = grouped(candidate, side, links)
    groups = claimed(groups, candidate, side)
    units = {unit for unit, _ in candidate.places}
    name = candidate.name or (bool(groups) and is_name(groups[0], side))
    if name and side.cased and groups:
        groups = misspelt(groups, candidate, side)
        # A name comes out as one; what is written small is a pronoun or a word beside it.
        groups = [group for group in groups if may_be_name(group.words)]
    sure = [group for group in groups if _is_own(group, units, side, where)]
    sure.sort(key=lambda group: -len(group.found))
    sure = [*sure[:1], *(group for group in sure[1:] if _is_clear(group, sure[0], name, side))]
    known = sum(len(group.found) for group in sure)
    count = len(candidate.places)
    if not sure or known < max(2, _LEAST_FOUND * count) or len(sure) > _MOST_RENDERINGS:
        return None
    if len(sure[0].found) < _LEAST_MAIN * count:
        return None
    renderings = tuple(Rendering(_text(group, side), tuple(group.found)) for group in sure)
    return Term(candidate.text, "name" if name else "term", count, renderings)


def _is_own(group: Group, units: set[int], side: Side, where: dict[str, set[int]]) -> bool:
    """Whether a rendering stands where the term does, and seldom elsewhere."""
    if is_dense_wording(group.words):
        wanted = "".join(group.words)
        everywhere = {number for number, text in enumerate(side.texts) if wanted in text}
    else:
        everywhere = set.intersection(*(where.get(stem(word), set()) for word in group.words))
    if not everywhere:
        return False
    share = len(everywhere & units) / len(everywhere)
    return share >= (_OWN_OFTEN if len(group.found) > 1 else _OWN_ONCE)


def _is_clear(group: Group, main: Group, name: bool, side: Side) -> bool:
    """Whether a rarer rendering can be trusted: chance aligns single ones that do not look like names."""
    dense = is_dense_wording(group.words) and is_dense_wording(main.words)
    one, other = "".join(group.words), "".join(main.words)
    if name:
        return not dense or len(group.found) > 1 or (len(one) == len(other) and bool(set(one) & set(other)))
    short = dense and min(len(one), len(other)) < 2
    return len(group.found) > 1 and not short and (is_name(main, side) or not is_name(group, side))


def _text(group: Group, side: Side) -> str:
    """Return a rendering as it is written where it first stands in these words."""
    written = "".join(group.words) if is_dense_wording(group.words) else " ".join(group.words)
    said = [side.texts[each.unit][slice(*each.target)] for each in group.found]
    return written if any(written in each for each in said) else said[0]


def repeated_sentences(written: Sequence[str], sources: Sequence[str], targets: Sequence[str]) -> list[Term]:
    """Return texts that are repeated as a whole, and translated in more than one way.

    `written` are the sources with their marks: what differs in these is not repeated.
    """
    same: dict[str, list[int]] = defaultdict(list)
    for number, text in enumerate(written):
        key = " ".join(text.lower().split())
        long = len(key) >= _CHARACTERS_OF_A_SENTENCE if is_dense(key[:1]) else key.count(" ") >= _SPACES
        if long and targets[number].strip():
            same[key].append(number)
    found = []
    for numbers in same.values():
        ways: dict[str, list[int]] = defaultdict(list)
        for number in numbers:
            ways["".join(c for c in targets[number].lower() if c.isalnum())].append(number)
        renderings = tuple(
            Rendering(
                targets[each[0]].strip(),
                tuple(Occurrence(n, (0, len(sources[n])), (0, len(targets[n]))) for n in each),
            )
            for each in sorted(ways.values(), key=len, reverse=True)
        )
        if len(renderings) > 1:
            found.append(Term(sources[numbers[0]].strip(), "sentence", len(numbers), renderings))
    return found
