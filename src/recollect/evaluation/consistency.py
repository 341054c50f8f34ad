"""Repeated terms and all their translations: which of them come out in more than one way."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Literal

from recollect.evaluation.terms import Candidate, Side, candidates, opens
from recollect.text.lexicon import Token
from recollect.text.placing import Link
from recollect.text.scripts import is_dense
from recollect.text.segment import Span
from recollect.text.stems import related, same_word, stem, without_genitive

__all__ = ["Occurrence", "Rendering", "Term", "repeated_sentences", "repeated_terms"]

Kind = Literal["name", "term", "sentence"]

_LEAST_FOUND = 0.5  # share of a term's places at which its translation must be known
_LEAST_MAIN = 0.34  # share of the most frequent rendering; a word with many is no term
_MOST_RENDERINGS = 4
_OWN_ONCE, _OWN_OFTEN = 0.5, 0.34  # how often a rendering stands beside its term, of all its places
_SHARED_CHARACTERS = 2  # of renderings in a script without spaces: the word, its surroundings may differ
_LETTERS_OF_A_NAME, _ALIKE = 4, 0.65  # of names that are spellings of one
_SPACES, _CHARACTERS_OF_A_SENTENCE = 2, 5  # that make a text a sentence


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Where a term stands and where its rendering does, in characters of both texts without their marks."""

    unit: int
    source: Span
    target: Span


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


@dataclass(slots=True)
class _Group:
    """Renderings that are one but for inflection."""

    words: tuple[str, ...]
    found: list[Occurrence] = field(default_factory=list)


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
    groups = _groups(candidate, side, links)
    groups = _claimed(groups, candidate, side)
    units = {unit for unit, _ in candidate.places}
    name = candidate.name or (bool(groups) and _is_name(groups[0], side))
    if name and side.cased and groups:
        groups = _misspelt(groups, candidate, side)
    if name and groups and side.cased:
        # A name comes out as one; what is written small is a pronoun or a word beside it.
        groups = [group for group in groups if any(word[0].isupper() for word in group.words)]
    sure = [group for group in groups if _is_own(group, units, side, where)]
    sure.sort(key=lambda group: -len(group.found))
    sure = [*sure[:1], *(group for group in sure[1:] if name or _is_clear(group, sure[0], side))]
    known = sum(len(group.found) for group in sure)
    count = len(candidate.places)
    if not sure or known < max(2, _LEAST_FOUND * count) or len(sure) > _MOST_RENDERINGS:
        return None
    if len(sure[0].found) < _LEAST_MAIN * count:
        return None
    renderings = tuple(Rendering(_text(group, side), tuple(group.found)) for group in sure)
    return Term(candidate.text, "name" if name else "term", count, renderings)


def _groups(candidate: Candidate, side: Side, links: Sequence[Sequence[Link]]) -> list[_Group]:
    """Gather what the links say, the most frequent wording first, with all that is the same."""
    exact: dict[tuple[str, ...], _Group] = {}
    for unit, span in candidate.places:
        tokens = _rendering(side, unit, _linked(links[unit], span))
        if tokens:
            words = tuple(without_genitive(token.text) for token in tokens)
            target = tokens[0].start, tokens[-1].end
            exact.setdefault(words, _Group(words)).found.append(Occurrence(unit, span, target))
    found: list[_Group] = []
    for group in sorted(exact.values(), key=lambda each: (-len(each.found), len(each.words))):
        strict = candidate.name or _is_name(group, side) or any(_is_name(other, side) for other in found[:1])
        like = next((other for other in found if _same(other.words, group.words, strict)), None)
        if like is None:
            found.append(group)
        else:
            like.found += group.found
            like.words = _core(like.words, group.words)
    return sorted(found, key=lambda each: -len(each.found))


def _linked(links: Sequence[Link], span: Span) -> list[Span]:
    return [
        (link.target_start, link.target_end)
        for link in links
        if link.source_start < span[1] and span[0] < link.source_end
    ]


def _rendering(side: Side, unit: int, spans: Sequence[Span]) -> list[Token]:
    """Return the words at those places that are more than grammar, the longest row of them."""
    tokens = side.tokens[unit]
    taken = [
        number
        for number, token in enumerate(tokens)
        if any(start < token.end and token.start < end for start, end in spans)
        and token.text[0].isalpha()
        and not side.is_function(token.text)
    ]
    rows: list[list[int]] = []
    for number in taken:
        if rows and all(side.is_function(token.text) for token in tokens[rows[-1][-1] + 1 : number]):
            rows[-1].append(number)
        else:
            rows.append([number])
    best = max(rows, key=len, default=[])
    return [tokens[number] for number in best]


def _same(first: Sequence[str], second: Sequence[str], strict: bool) -> bool:
    """Whether two wordings are one but for inflection, or have their main part in common.

    A name is spelt in one way only, so of names (`strict`) one must be a part of the other.
    """
    if _dense(first) or _dense(second):
        one, other = "".join(first), "".join(second)
        shared = len(_common(one, other))
        return shared == min(len(one), len(other)) or (not strict and shared >= _SHARED_CHARACTERS)
    short, long = sorted((first, second), key=len)
    if strict:
        known = {word.lower() for word in long}
        return all({word, f"{word}s", word.removesuffix("s")} & known for word in map(str.lower, short))
    return all(any(related(word, other) for other in long) for word in short)


def _core(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    """Return what a group's wordings have in common, where words are not parted by spaces."""
    return (_common("".join(first), "".join(second)),) if _dense(first) and _dense(second) else first


def _dense(words: Sequence[str]) -> bool:
    return all(is_dense(word[0]) for word in words)


def _common(first: str, second: str) -> str:
    """Return the longest string that stands in both."""
    found = SequenceMatcher(None, first, second, autojunk=False).find_longest_match()
    return first[found.a : found.a + found.size]


def _claimed(groups: list[_Group], candidate: Candidate, side: Side) -> list[_Group]:
    """Where the links say something rarer, or nothing, but a usual rendering stands there: take that."""
    places = {(each.unit, each.source): group for group in groups for each in group.found}
    for rank, group in enumerate(groups):
        later = {id(other) for other in groups[rank + 1 :]}
        for unit, span in candidate.places:
            owner = places.get((unit, span))
            if owner is not None and id(owner) not in later:
                continue
            taken = {each.target for each in group.found if each.unit == unit}
            free = [place for place in _standing(group, side, unit) if place not in taken]
            if free:
                if owner is not None:
                    owner.found = [each for each in owner.found if (each.unit, each.source) != (unit, span)]
                group.found.append(Occurrence(unit, span, free[0]))
                places[unit, span] = group
    found = [group for group in groups if group.found]
    for group in found:
        group.found.sort(key=lambda each: (each.unit, each.source))
    return sorted(found, key=lambda each: -len(each.found))


def _misspelt(groups: list[_Group], candidate: Candidate, side: Side) -> list[_Group]:
    """Where the usual name is not, a name that looks like it will be another spelling of it."""
    main, found = groups[0], list(groups)
    for unit, span in candidate.places:
        if any(each.unit == unit for each in main.found):
            continue
        for token in side.tokens[unit]:
            if not token.text[0].isupper() or not any(_alike(token.text, word) for word in main.words):
                continue
            words = (without_genitive(token.text),)
            group = next((each for each in found[1:] if words[0] in each.words), None)
            if group is None:
                group = _Group(words)
                found.append(group)
            for other in found:
                other.found = [each for each in other.found if (each.unit, each.source) != (unit, span)]
            group.found.append(Occurrence(unit, span, (token.start, token.end)))
            break
    return [group for group in found if group.found]


def _alike(first: str, second: str) -> bool:
    """Whether two names differ, but not by much."""
    first, second = (without_genitive(word.lower()) for word in (first, second))
    if first == second or first[0] != second[0] or min(len(first), len(second)) < _LETTERS_OF_A_NAME:
        return False
    return SequenceMatcher(None, first, second, autojunk=False).ratio() >= _ALIKE


def _standing(group: _Group, side: Side, unit: int) -> list[Span]:
    """Return where a rendering stands in a text, links or no links."""
    if _dense(group.words):
        text, wanted = side.texts[unit], "".join(group.words)
        starts = [at for at in range(len(text)) if text.startswith(wanted, at)]
        return [(at, at + len(wanted)) for at in starts]
    tokens, size = side.tokens[unit], len(group.words)
    return [
        (tokens[at].start, tokens[at + size - 1].end)
        for at in range(len(tokens) - size + 1)
        if all(
            same_word(token.text, word)
            for token, word in zip(tokens[at : at + size], group.words, strict=True)
        )
    ]


def _is_name(group: _Group, side: Side) -> bool:
    """Whether a rendering has capitals wherever it could do without."""
    if not side.cased:
        return False
    said = []
    for each in group.found:
        for token in side.tokens[each.unit]:
            if each.target[0] <= token.start < each.target[1] and not opens(side.texts[each.unit], token):
                said.append(token.text[0].isupper())
    return bool(said) and sum(said) >= 0.8 * len(said)


def _is_own(group: _Group, units: set[int], side: Side, where: dict[str, set[int]]) -> bool:
    """Whether a rendering stands where the term does, and seldom elsewhere."""
    if _dense(group.words):
        wanted = "".join(group.words)
        everywhere = {number for number, text in enumerate(side.texts) if wanted in text}
    else:
        everywhere = set.intersection(*(where.get(stem(word), set()) for word in group.words))
    if not everywhere:
        return False
    share = len(everywhere & units) / len(everywhere)
    return share >= (_OWN_OFTEN if len(group.found) > 1 else _OWN_ONCE)


def _is_clear(group: _Group, main: _Group, side: Side) -> bool:
    """Whether a rarer rendering of what is no name can be trusted: chance aligns single ones."""
    short = any(_dense(each.words) and len("".join(each.words)) < 2 for each in (group, main))
    return len(group.found) > 1 and not short and (_is_name(main, side) or not _is_name(group, side))


def _text(group: _Group, side: Side) -> str:
    """Return a rendering as it is written where it first stands in these words."""
    written = "".join(group.words) if _dense(group.words) else " ".join(group.words)
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
