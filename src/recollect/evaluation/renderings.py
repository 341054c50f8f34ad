"""How a term has been rendered: what the links say, in groups that are one but for inflection."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from recollect.evaluation.terms import Candidate, Side, opens
from recollect.text.lexicon import Token
from recollect.text.placing import Link
from recollect.text.scripts import is_dense
from recollect.text.segment import Span
from recollect.text.stems import related, same_word, without_genitive

__all__ = [
    "Group",
    "Occurrence",
    "claimed",
    "grouped",
    "is_dense_wording",
    "is_name",
    "may_be_name",
    "misspelt",
]

_SHARED_CHARACTERS = 2  # of renderings in a script without spaces: the word, its surroundings may differ
_LETTERS_OF_A_NAME, _ALIKE = 4, 0.65  # of names that are spellings of one


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Where a term stands and where its rendering does, in characters of both texts without their marks."""

    unit: int
    source: Span
    target: Span


@dataclass(slots=True)
class Group:
    """Renderings that are one but for inflection."""

    words: tuple[str, ...]
    found: list[Occurrence] = field(default_factory=list)


def grouped(candidate: Candidate, side: Side, links: Sequence[Sequence[Link]]) -> list[Group]:
    """Gather what the links say, the most frequent wording first, with all that is the same."""
    exact: dict[tuple[str, ...], Group] = {}
    for unit, span in candidate.places:
        tokens = _rendering(side, unit, _linked(links[unit], span))
        if tokens:
            words = tuple(without_genitive(token.text) for token in tokens)
            target = tokens[0].start, tokens[-1].end
            exact.setdefault(words, Group(words)).found.append(Occurrence(unit, span, target))
    found: list[Group] = []
    for group in sorted(exact.values(), key=lambda each: (-len(each.found), len(each.words))):
        strict = candidate.name or is_name(group, side) or any(is_name(other, side) for other in found[:1])
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
    if is_dense_wording(first) or is_dense_wording(second):
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
    dense = is_dense_wording(first) and is_dense_wording(second)
    return (_common("".join(first), "".join(second)),) if dense else first


def is_dense_wording(words: Sequence[str]) -> bool:
    """Whether words are of a script without spaces."""
    return all(is_dense(word[0]) for word in words)


def _common(first: str, second: str) -> str:
    """Return the longest string that stands in both."""
    found = SequenceMatcher(None, first, second, autojunk=False).find_longest_match()
    return first[found.a : found.a + found.size]


def claimed(groups: list[Group], candidate: Candidate, side: Side) -> list[Group]:
    """Where the links say something rarer, or nothing, but a usual rendering stands there: take that."""
    units = {unit for unit, _ in candidate.places}
    at = {id(group): sum(bool(_standing(group, side, unit)) for unit in units) for group in groups}
    groups = sorted(groups, key=lambda group: (-len(group.found), -at[id(group)]))
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


def misspelt(groups: list[Group], candidate: Candidate, side: Side) -> list[Group]:
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
                group = Group(words)
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


def _standing(group: Group, side: Side, unit: int) -> list[Span]:
    """Return where a rendering stands in a text, links or no links."""
    if is_dense_wording(group.words):
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


def may_be_name(words: Sequence[str]) -> bool:
    """Whether words are written as a name could be: with a capital, where there are capitals."""
    return is_dense_wording(words) or any(word[0].isupper() for word in words)


def is_name(group: Group, side: Side) -> bool:
    """Whether a rendering has capitals wherever it could do without."""
    if not side.cased:
        return False
    said = []
    for each in group.found:
        for token in side.tokens[each.unit]:
            if each.target[0] <= token.start < each.target[1] and not opens(side.texts[each.unit], token):
                said.append(token.text[0].isupper())
    return bool(said) and sum(said) >= 0.8 * len(said)
