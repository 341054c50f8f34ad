"""Lines on a screen: where words may be parted, and how they are spread over lines and cues."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from unicodedata import combining, east_asian_width

from recollect.text.inline import Inline
from recollect.text.places import Span
from recollect.text.scripts import is_dense

__all__ = ["share", "width", "wrap", "wrapped"]

# No line begins with the first or ends with the second.
_NO_START = frozenset("，。！？、；：”’）】》」』〉…—·,.!?;:)]}%％々ーゃゅょっァィゥェォッャュョ")
_NO_END = frozenset("“‘（【《「『〈([{$￥¥")
_PAUSE = frozenset("，。！？、；：…—”,.;:!?")


def width(text: str) -> int:
    """How many columns a text takes; a Chinese character takes two.

    >>> width("tea"), width("红茶")
    (3, 4)
    """
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    return 2 if east_asian_width(character) in "WF" else 0 if combining(character) else 1


def _words(text: str) -> list[Span]:
    """What may not be parted: words, or Chinese characters with their punctuation; spaces are left out."""
    found = []
    for run in re.finditer(r"\S+", text):
        start = run.start()
        for at in range(start + 1, run.end()):
            before, after = text[at - 1], text[at]
            if (is_dense(before) or is_dense(after)) and before not in _NO_END and after not in _NO_START:
                found.append(Span(start, at))
                start = at
        found.append(Span(start, run.end()))
    return found


def _breaks(text: str) -> Iterator[tuple[int, int]]:
    """Where a line may end, and where the next begins: at spaces, or between Chinese characters."""
    at = 1
    while at < len(text):
        begin = at
        while at < len(text) and text[at] == " ":
            at += 1
        if at == len(text):
            return
        before, after = text[begin - 1], text[at]
        dense = is_dense(before) and is_dense(after)
        if at > begin:
            if not dense:  # where spaces would be lost
                yield begin, at
        elif dense and before not in _NO_END and after not in _NO_START:
            yield at, at
        at += 1


def wrapped(parts: Iterable[tuple[str, bool]], columns: int) -> list[str]:
    """Break a paragraph into lines of at most `columns` where it can be; a part may be unbreakable (False).

    >>> wrapped([("a line of", True), ("`some code`", False), (" and words", True)], 12)
    ['a line', 'of`some code` and', 'words']
    """
    atoms, follows = [""], [""]  # what cannot be broken, and the space before it
    for text, breakable in parts:
        at = 0
        for start, end in _breaks(text) if breakable else ():
            atoms[-1] += text[at:start]
            atoms.append("")
            follows.append(text[start:end])
            at = end
        atoms[-1] += text[at:]
    lines, line, length = [], [atoms[0]], width(atoms[0])
    for atom, before in zip(atoms[1:], follows[1:], strict=True):
        needed = len(before) + width(atom)
        if length + needed > columns and length:
            lines.append("".join(line))
            line, length = [atom], width(atom)
        else:
            line += [before, atom]
            length += needed
    return [*lines, "".join(line)]


def wrap(said: Inline, limit: int = 42, taken: int = 0) -> list[Inline]:
    """Lines of at most `limit` columns, `taken` of them by something before the first.

    Two lines where two are enough, of about the same length, parted after punctuation where that is near.
    """
    text = said.text
    words = _words(text)
    columns = [0, *accumulate(map(_columns, text))]

    def between(first: int, last: int) -> int:
        return columns[words[last].end] - columns[words[first].start] + (taken if first == 0 else 0)

    def greedy(limit: int) -> list[int]:
        starts = [0]
        for index in range(1, len(words)):
            if between(starts[-1], index) > limit:
                starts.append(index)
        return starts

    if not words or between(0, len(words) - 1) <= limit:
        return [_trimmed(said)]

    def unevenness(start: int) -> float:
        uneven = abs(between(0, start - 1) - between(start, len(words) - 1))
        return uneven - (limit / 4 if text[words[start - 1].end - 1] in _PAUSE else 0)

    halves = [
        start
        for start in range(1, len(words))
        if between(0, start - 1) <= limit and between(start, len(words) - 1) <= limit
    ]
    if halves:
        starts = [min(halves, key=unevenness)]
    else:
        fewest = len(greedy(limit))
        narrow = next(narrow for narrow in range(limit // 2, limit + 1) if len(greedy(narrow)) == fewest)
        starts = greedy(narrow)[1:]
    return _cut(said, [words[start].start for start in starts])


def share(said: Inline, weights: Sequence[int]) -> list[Inline]:
    """Spread words over cues in proportion to `weights`, parted after punctuation where that is near.

    >>> [str(part) for part in share(Inline("One two, three four five"), [1, 2])]
    ['One two,', 'three four five']
    """
    text = said.text
    words = _words(text)
    columns = [0, *accumulate(map(_columns, text))]
    whole, number = max(1, columns[-1]), len(weights)
    starts, done = list[int](), 0
    for cue in range(1, number):
        ideal = whole * sum(weights[:cue]) / max(1, sum(weights))
        # Each cue that follows keeps a word, if there are enough.
        last = max(done + 1, len(words) - (number - cue))

        def distance(start: int, ideal: float = ideal) -> float:
            near = 0.4 if text[words[start - 1].end - 1] in _PAUSE else 0.0
            return abs(columns[words[start].start] - ideal) * number / whole - near

        possible = range(done + 1, min(last + 1, len(words)))
        done = min(possible, key=distance) if possible else len(words)
        starts.append(words[done].start if done < len(words) else len(text))
    return _cut(said, starts)


def _cut(said: Inline, starts: Sequence[int]) -> list[Inline]:
    return [_trimmed(part) for part in said.cut(starts)]


def _trimmed(part: Inline) -> Inline:
    """Without white space at either end."""
    lead, text = len(part.text) - len(part.text.lstrip()), part.text.strip()
    marks = (replace(mark, at=min(max(mark.at - lead, 0), len(text))) for mark in part.marks)
    return Inline(text, tuple(marks))
