"""Putting marks back: from where they stand in a source to where the same words stand in its translation."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from recollect.text.inline import Inline, Mark, Role
from recollect.text.scripts import is_dense, is_spaced_word

__all__ = ["Link", "place_marks"]

_OPENING = "([{¿¡#$€£@"  # and other signs that belong to what follows
_CLOSING = ")]}.,;:!?…'’"  # and other signs that belong to what they follow
_QUOTES = "\"'`“”„‘’‚«»‹›"
_SPACED_BEHIND = "：；，、。！？）】」』》"  # full-width signs that have a space in their shape
_SPACED_BEFORE = "（【「『《"


@dataclass(frozen=True, slots=True)
class Link:
    """A stretch of a translation and the stretch of the source that it speaks of, in characters."""

    source_start: int
    source_end: int
    target_start: int
    target_end: int


@dataclass(slots=True)
class _Node:
    """A mark, or a pair of them with what stands between; one of a pair may be in another sentence."""

    order: int
    first: Mark | None
    last: Mark | None
    start: int = 0  # in the target
    end: int = 0
    inner: list["_Node"] = field(default_factory=list)


def place_marks(source: Inline, target: str, links: Sequence[Link]) -> Inline:
    """Return `target` with the marks of `source`, each once, pairs nested as they were.

    A pair goes around the words that speak of the words it was around; anything else goes before the word
    that speaks of the word it stood before.

    >>> bold = Inline("a b", (Mark(2, "<b>", "open", 1), Mark(3, "</b>", "close", 1)))
    >>> str(place_marks(bold, "B A", [Link(2, 3, 0, 1), Link(0, 1, 2, 3)]))
    '<b>B</b> A'
    """
    if not source.marks:
        return Inline(target)
    if target == source.text:
        return source
    places = _Places(source.text, target, links)
    nodes = _tree(source.marks)
    _locate(nodes, places, 0, len(target))
    pieces: list[str | Mark] = []
    _emit(nodes, target, 0, len(target), pieces)
    return Inline.joined(_spaced([piece for piece in pieces if piece], source.text))


def _tree(marks: Sequence[Mark]) -> list[_Node]:
    """Nest pairs; a mark whose partner is missing reaches to the beginning or to the end."""
    top: list[_Node] = []
    stack: list[tuple[_Node, list[_Node]]] = []  # a node under way, and the list it belongs to
    now = top
    for order, mark in enumerate(marks):
        if mark.role == "open":
            node = _Node(order, mark, None)
            now.append(node)
            stack.append((node, now))
            now = node.inner
        elif mark.role == "close" and any(node.first and node.first.pair == mark.pair for node, _ in stack):
            while True:  # pairs that cross are closed with the outer one
                node, now = stack.pop()
                if node.first and node.first.pair == mark.pair:
                    node.last = mark
                    break
        elif mark.role == "close":
            # What it closes was opened in an earlier sentence: everything up to here is inside.
            inside = _Node(order, None, mark, inner=top[:])
            top[:] = [inside]
            if not stack:
                now = top
        else:
            now.append(_Node(order, mark, None))
    return top


def _locate(nodes: Sequence[_Node], places: "_Places", low: int, high: int) -> None:
    """Give each node its stretch of the target, inside of `low` and `high`, beside its neighbours."""
    for node in nodes:
        start, end = places.of(node)
        node.start, node.end = min(max(start, low), high), min(max(end, low), high)
    reached = low
    for node in sorted(nodes, key=lambda each: (each.start, each.order)):
        node.start = max(node.start, reached)
        node.end = max(node.end, node.start)
        reached = node.end
        _locate(node.inner, places, node.start, node.end)


def _emit(nodes: Sequence[_Node], target: str, low: int, high: int, pieces: list[str | Mark]) -> None:
    at = low
    for node in sorted(nodes, key=lambda each: (each.start, each.order)):
        pieces.append(target[at : node.start])
        if node.first is not None:
            pieces.append(node.first)
        _emit(node.inner, target, node.start, node.end, pieces)
        if node.last is not None:
            pieces.append(node.last)
        at = node.end
    pieces.append(target[at:high])


class _Places:
    """Characters of the source and of the target that belong together."""

    def __init__(self, source: str, target: str, links: Sequence[Link]) -> None:
        self.source, self.target = source, target
        self.links = [link for link in links if source[link.source_start : link.source_end].strip()]

    def of(self, node: _Node) -> tuple[int, int]:
        """Return the stretch of the target for a mark or a pair."""
        if node.first is None:
            assert node.last is not None
            return 0, self._after(node.last.at)
        if node.first.role != "open":
            at = self._before(node.first.at)
            return at, at
        if node.last is None:
            return self._before(node.first.at), len(self.target)
        low, high = node.first.at, node.last.at
        inside = [link for link in self.links if low <= link.source_start and link.source_end <= high]
        if not inside:
            at = self._before(low)
            return at, at
        start = min(link.target_start for link in inside)
        end = max(link.target_end for link in inside)
        return self._word_start(start), self._word_end(end)

    def _before(self, at: int) -> int:
        """Return where the words that followed a place of the source begin."""
        later = [link for link in self.links if link.source_start >= at]
        if not self.source[:at].strip():
            return 0
        if not later:
            return len(self.target.rstrip()) if not self.source[at:].strip() else self._share(at)
        first = min(link.source_start for link in later)
        return self._word_start(min(link.target_start for link in later if link.source_start == first))

    def _after(self, at: int) -> int:
        """Return where the words that preceded a place of the source end."""
        earlier = [link for link in self.links if link.source_end <= at]
        if not self.source[at:].strip():
            return len(self.target)
        if not earlier:
            return self._share(at)
        last = max(link.source_end for link in earlier)
        return self._word_end(max(link.target_end for link in earlier if link.source_end == last))

    def _share(self, at: int) -> int:
        return self._word_start(round(len(self.target) * at / max(1, len(self.source))))

    def _word_start(self, at: int) -> int:
        while at < len(self.target) and self.target[at].isspace():
            at += 1
        while 0 < at < len(self.target) and _inside_word(self.target, at):
            at -= 1
        return at

    def _word_end(self, at: int) -> int:
        while at > 0 and self.target[at - 1].isspace():
            at -= 1
        while 0 < at < len(self.target) and _inside_word(self.target, at):
            at += 1
        return at


def _inside_word(text: str, at: int) -> bool:
    return is_spaced_word(text[at - 1]) and is_spaced_word(text[at])


def _spaced(pieces: Sequence[str | Mark], source: str) -> list[str | Mark]:
    """Part marks that stand for words from words, signs and each other, where the source did so too."""
    gaps = set()  # before which pieces there has to be a space
    for number, piece in enumerate(pieces):
        if isinstance(piece, str) or piece.role != "word":
            continue
        start, end = number, number + 1  # a pair right around the mark stands or falls with it
        while start > 0 and _is_mark(pieces[start - 1], "open", piece.at):
            start -= 1
        while end < len(pieces) and _is_mark(pieces[end], "close", piece.at):
            end += 1
        before, after = start - 1, end  # what is beside it, past the pairs that end and begin there
        while before >= 0 and _is_mark(pieces[before], "close"):
            before -= 1
        while after < len(pieces) and _is_mark(pieces[after], "open"):
            after += 1
        if before >= 0 and _is_parted_before(pieces[before], piece.at, source, first=before == 0):
            gaps.add(start)
        if after < len(pieces) and _is_parted_behind(pieces[after], piece.at, source):
            gaps.add(end)
    found: list[str | Mark] = []
    for number, piece in enumerate(pieces):
        found += [" ", piece] if number in gaps else [piece]
    return found


def _is_mark(piece: str | Mark, role: Role, at: int | None = None) -> bool:
    return isinstance(piece, Mark) and piece.role == role and at in (None, piece.at)


def _is_parted_before(before: str | Mark, at: int, source: str, first: bool) -> bool:
    """Whether a space belongs between `before` and a mark that was at `at`."""
    if isinstance(before, Mark):
        return before.role == "word" and before.at != at
    theirs, ours = source[at - 1 : at], before[-1]
    if is_spaced_word(ours):
        return not is_spaced_word(theirs)
    if ours in _QUOTES:
        # The same sign may open or close, here or in another language; what opens has nothing before it.
        left = before[-2:-1]
        opens = left.isspace() or left in _OPENING or is_dense(left) if left else first
    else:
        opens = ours in _OPENING
    parted = theirs.isspace() or theirs in _SPACED_BEHIND
    return bool(theirs) and parted and not (opens or ours.isspace() or is_dense(ours))


def _is_parted_behind(after: str | Mark, at: int, source: str) -> bool:
    """Whether a space belongs between a mark that was at `at` and `after`."""
    if isinstance(after, Mark):
        return False  # it has been asked, as the one that comes later
    ours, theirs = after[0], source[at : at + 1]
    if is_spaced_word(ours):
        return not is_spaced_word(theirs)
    closes = ours in _CLOSING or (ours in _QUOTES and not is_spaced_word(after[1:2]))
    parted = theirs.isspace() or theirs in _SPACED_BEFORE
    return bool(theirs) and parted and not (closes or ours.isspace() or is_dense(ours))
