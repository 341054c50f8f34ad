"""Which words of two texts belong together, learned from those texts alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.text.function_words import is_function_word
from recollect.text.lexicon import Lexicon, Token
from recollect.text.placing import Link
from recollect.text.stems import stem

__all__ = ["align", "link_texts"]

Pairs = list[tuple[int, int]]
"""Numbers of words that belong together: of the source, of the target."""

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]

_ALONE, _TOGETHER = 3, 4  # iterations: each direction for itself, then both agreeing (Liang et al. 2006)
_TENSION = 3.0  # how strongly words keep their relative places (Dyer et al. 2013)
_EMPTY = 0.08  # chance that a word belongs to none
_SMOOTHING = 0.01  # of a Dirichlet prior: rare words must not collect what nobody else wants
_LEAST = 0.3  # a pair's chance in the better direction
_AROUND = [(-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]


def link_texts(sources: Sequence[str], targets: Sequence[str]) -> list[list[Link]]:
    """Return, for each text and its translation, which stretches belong together, in characters.

    Words that only carry grammar are left out: they belong to everything, and confuse short documents.
    """
    given, said = _content(sources), _content(targets)
    found = align([_keys(each) for each in given], [_keys(each) for each in said])
    return [
        [Link(one[i].start, one[i].end, other[j].start, other[j].end) for i, j in pairs]
        for one, other, pairs in zip(given, said, found, strict=True)
    ]


def _content(texts: Sequence[str]) -> list[list[Token]]:
    lexicon = Lexicon.learned(texts)
    return [[token for token in lexicon.tokens(text) if not is_function_word(token.text)] for text in texts]


def _keys(tokens: Sequence[Token]) -> list[str]:
    return [stem(token.text) for token in tokens]


def align(sources: Sequence[Sequence[str]], targets: Sequence[Sequence[str]]) -> list[Pairs]:
    """Return the pairs of words that belong together, for sentences as words.

    IBM Model 1 in both directions, with a preference for the diagonal, trained to agree; what both choose is
    grown by its neighbours that one of them chooses.

    >>> align([["a", "b"], ["b", "c"], ["a", "c"]], [["A", "B"], ["B", "C"], ["A", "C"]])
    [[(0, 0), (1, 1)], [(0, 0), (1, 1)], [(0, 0), (1, 1)]]
    """
    grid = _grid(sources, targets)
    forward = _Direction(grid.source, grid.target_place, grid.target, grid)
    backward = _Direction(grid.target, grid.source_place, grid.source, grid)
    for iteration in range(_ALONE + _TOGETHER):
        chances = forward.chances(), backward.chances()
        both = chances[0] * chances[1]
        for direction, own in zip((forward, backward), chances, strict=True):
            direction.learn(own if iteration < _ALONE else both)
    return _symmetrised(grid, forward.chances(), backward.chances())


@dataclass(frozen=True, slots=True)
class _Grid:
    """Every word of each source with every word of its target: a cell for each two."""

    source: _Ints  # [cell] the source word
    target: _Ints
    source_place: _Ints  # [cell] which word of all the text that is
    target_place: _Ints
    pair: _Ints  # [cell] the two words, as one number
    diagonal: _Floats  # [cell] preference, before it is made to sum to one
    shapes: list[tuple[int, int]]  # [sentence] words of the source, words of the target


def _grid(sources: Sequence[Sequence[str]], targets: Sequence[Sequence[str]]) -> _Grid:
    ours, theirs = _numbered(sources), _numbered(targets)
    shapes = [(len(one), len(other)) for one, other in zip(sources, targets, strict=True)]
    columns: list[list[_Ints]] = [[], []]
    places: list[_Floats] = []
    first = second = 0
    for rows, width in shapes:
        columns[0].append(np.repeat(np.arange(first, first + rows), width))
        columns[1].append(np.tile(np.arange(second, second + width), rows))
        across = np.abs(np.arange(rows)[:, None] / max(rows, 1) - np.arange(width) / max(width, 1))
        places.append(np.exp(-_TENSION * across).ravel())
        first, second = first + rows, second + width
    source_place, target_place = (
        np.concatenate([*column, np.empty(0, np.int64)]).astype(np.int64) for column in columns
    )
    source, target = ours[source_place], theirs[target_place]
    keys = source * (int(theirs.max(initial=0)) + 1) + target
    pair = np.unique(keys, return_inverse=True)[1].astype(np.int64)
    return _Grid(
        source, target, source_place, target_place, pair, np.concatenate([*places, np.empty(0)]), shapes
    )


def _numbered(texts: Sequence[Sequence[str]]) -> _Ints:
    """Return all words of all texts in a row, as numbers."""
    numbers: dict[str, int] = {}
    return np.array(
        [numbers.setdefault(word, len(numbers)) for text in texts for word in text], dtype=np.int64
    )


class _Direction:
    """What a word is owed to: `given` words explain the words at `place`."""

    def __init__(self, given: _Ints, place: _Ints, word: _Ints, grid: _Grid) -> None:
        self._given, self._place, self._word, self._pair = given, place, word, grid.pair
        self._places = int(place.max(initial=-1)) + 1
        self._words = int(word.max(initial=-1)) + 1
        sums = np.bincount(place, grid.diagonal, self._places)
        self._prior = (1 - _EMPTY) * grid.diagonal / sums[place]
        self._table = np.ones(int(self._pair.max(initial=-1)) + 1) / max(self._words, 1)
        self._empty = np.bincount(word, minlength=self._words) / max(len(word), 1)

    def chances(self) -> _Floats:
        """Return for each cell the chance that its given word explains its word."""
        scores = self._prior * self._table[self._pair]
        nobody = np.zeros(self._places)
        nobody[self._place] = _EMPTY * self._empty[self._word]
        total = nobody + np.bincount(self._place, scores, self._places)
        return scores / np.maximum(total, 1e-300)[self._place]

    def learn(self, chances: _Floats) -> None:
        """Take the table that makes these chances most probable, under the prior."""
        counts = np.bincount(self._pair, chances, len(self._table))
        size = int(self._given.max(initial=-1)) + 1
        sums = np.bincount(self._given, chances, size).astype(np.float64)
        given = np.zeros(len(self._table), np.int64)
        given[self._pair] = self._given
        self._table = np.exp(
            _digamma(counts + _SMOOTHING) - _digamma(sums[given] + _SMOOTHING * max(self._words, 1))
        )


def _digamma(values: NDArray[np.floating[Any]]) -> _Floats:
    """The derivative of log gamma, for positive numbers: recurrence, then the asymptotic series."""
    shift = sum(1 / (values + step) for step in range(6))
    large = values + 6
    inverse = 1 / (large * large)
    series = inverse * (1 / 12 - inverse * (1 / 120 - inverse / 252))
    return np.asarray(np.log(large) - 0.5 / large - series - shift)


def _symmetrised(grid: _Grid, forward: _Floats, backward: _Floats) -> list[Pairs]:
    found, begin = [], 0
    for rows, width in grid.shapes:
        end = begin + rows * width
        one, other = forward[begin:end].reshape(rows, width), backward[begin:end].reshape(rows, width)
        found.append(_grown(one, other) if rows and width else [])
        begin = end
    return found


def _grown(forward: _Floats, backward: _Floats) -> Pairs:
    """Start from what both directions choose; add neighbours of it that either chooses for a free word."""
    owed = np.zeros(forward.shape, bool)
    owed[forward.argmax(0), np.arange(forward.shape[1])] = True
    owing = np.zeros(forward.shape, bool)
    owing[np.arange(forward.shape[0]), backward.argmax(1)] = True
    likely = np.maximum(forward, backward) >= _LEAST
    chosen = {(int(i), int(j)) for i, j in np.argwhere(owed & owing & likely)}
    either = {(int(i), int(j)) for i, j in np.argwhere((owed | owing) & likely)}
    ours, theirs = {i for i, _ in chosen}, {j for _, j in chosen}
    waiting = sorted(chosen)
    while waiting:
        i, j = waiting.pop(0)
        for down, right in _AROUND:
            pair = (i + down, j + right)
            if pair in either and pair not in chosen and (pair[0] not in ours or pair[1] not in theirs):
                chosen.add(pair)
                ours.add(pair[0])
                theirs.add(pair[1])
                waiting.append(pair)
    return sorted(chosen)
