"""A word dictionary learned from training pairs with IBM Model 1, both directions agreeing."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recollect.errors import DataError
from recollect.text.pairs import Pair
from recollect.text.words import split_words

__all__ = ["learn_dictionary", "load_dictionary", "save_dictionary"]

_Ids = NDArray[np.int64]

_ITERATIONS = 5
_CHUNK = 20_000  # pairs at a time, so that the cells of one chunk stay small
_LONGEST = 50  # words: longer sentences cost much and teach little
_LEAST_COUNT = 2
_LEAST_FORWARD = 0.1  # p(target | source): the translation is usual
_LEAST_BACKWARD = 0.05  # p(source | target): and not just any frequent word


@dataclass(frozen=True, slots=True)
class _Table:
    """Translation probabilities of every word pair seen together."""

    given: _Ids  # 0 is the empty word
    word: _Ids
    probability: NDArray[np.float64]


def learn_dictionary(pairs: Sequence[Pair]) -> dict[str, str]:
    """Source word -> its best target word, for the words whose translation is clear enough."""
    source_words, sources = _numbered([pair.source for pair in pairs])
    target_words, targets = _numbered([pair.target for pair in pairs])
    taken = [
        0 < len(source) <= _LONGEST and 0 < len(target) <= _LONGEST
        for source, target in zip(sources, targets, strict=True)
    ]
    sources, targets = list(compress(sources, taken)), list(compress(targets, taken))
    if not sources:
        return {}
    forward = _model_one(sources, targets, len(source_words), len(target_words))
    backward = _model_one(targets, sources, len(target_words), len(source_words))
    best = _agreed(forward, backward, len(target_words))
    return {source_words[source]: target_words[target] for source, target in best.items()}


def save_dictionary(dictionary: Mapping[str, str], path: Path) -> None:
    """Write one `source<tab>target` line for each entry, in the dictionary's order."""
    path.write_bytes(
        "".join(f"{source}\t{target}\n" for source, target in dictionary.items()).encode("utf-8")
    )


def load_dictionary(path: Path) -> dict[str, str]:
    """Read what `save_dictionary` wrote, or a dictionary written by hand in the same form."""
    dictionary: dict[str, str] = {}
    for number, line in enumerate(path.read_bytes().decode("utf-8").split("\n"), 1):
        if not line:
            continue
        source, tab, target = line.partition("\t")
        if not (source and tab and target):
            raise DataError(f"{path}, line {number}: expected a source word, a tab and its translation")
        dictionary[source] = target
    return dictionary


def _numbered(texts: Sequence[str]) -> tuple[list[str], list[_Ids]]:
    """Words seen often enough, and each text as their numbers; number 0 is the empty word."""
    counts = Counter(word for text in texts for word in split_words(text))
    words = ["", *(word for word, count in counts.items() if count >= _LEAST_COUNT)]
    numbers = {word: number for number, word in enumerate(words)}
    return words, [
        np.array([numbers[word] for word in split_words(text) if word in numbers], dtype=np.int64)
        for text in texts
    ]


def _model_one(givens: list[_Ids], words: list[_Ids], size_given: int, size_word: int) -> _Table:
    """EM for p(word | given), every word being owed to one given word or to the empty one."""
    chunks = [
        _cells(givens[begin : begin + _CHUNK], words[begin : begin + _CHUNK], size_word)
        for begin in range(0, len(givens), _CHUNK)
    ]
    keys = np.unique(np.concatenate([chunk.keys for chunk in chunks]))
    entries = [np.searchsorted(keys, chunk.keys).astype(np.int32)[chunk.cells] for chunk in chunks]
    given, word = np.divmod(keys, size_word)
    probability = 1 / np.bincount(given, minlength=size_given)[given]
    for _ in range(_ITERATIONS):
        counts = np.zeros(len(keys))
        for chunk, entry in zip(chunks, entries, strict=True):
            share = probability[entry]
            share /= np.repeat(np.add.reduceat(share, chunk.starts), chunk.lengths)
            counts += np.bincount(entry, weights=share, minlength=len(keys))
        probability = counts / np.bincount(given, weights=counts, minlength=size_given)[given]
    return _Table(given, word, probability)


@dataclass(frozen=True, slots=True)
class _Cells:
    """Every word of some sentences with everything it may be owed to; the cells of a word lie together."""

    keys: _Ids  # sorted, given * size_word + word
    cells: NDArray[np.int32]  # [cell] place of its key
    starts: _Ids  # [word] its first cell
    lengths: _Ids  # [word] how many cells it has


def _cells(givens: list[_Ids], words: list[_Ids], size_word: int) -> _Cells:
    empty = np.zeros(1, dtype=np.int64)
    owners = np.concatenate([part for given in givens for part in (empty, given)])
    owner_counts = np.array([1 + len(given) for given in givens])
    word_counts = np.array([len(sentence) for sentence in words])
    lengths = np.repeat(owner_counts, word_counts)
    starts = np.cumsum(lengths) - lengths
    first_owner = np.repeat(np.cumsum(owner_counts) - owner_counts, word_counts)
    owner = np.arange(lengths.sum()) + np.repeat(first_owner - starts, lengths)
    keys, cells = np.unique(
        owners[owner] * size_word + np.repeat(np.concatenate(words), lengths), return_inverse=True
    )
    return _Cells(keys, cells.astype(np.int32), starts, lengths)


def _agreed(forward: _Table, backward: _Table, size_target: int) -> dict[int, int]:
    """For each source word the target word of the highest product, both directions above their bounds."""
    usual = (forward.probability >= _LEAST_FORWARD) & (forward.given > 0)
    source, target = forward.given[usual], forward.word[usual]
    wanted = source * size_target + target
    known = (backward.word * size_target + backward.given)[backward.given > 0]
    order = np.argsort(known)
    back = backward.probability[backward.given > 0][order][np.searchsorted(known[order], wanted)]
    product = forward.probability[usual] * back
    # Ascending product, so that the best of each source word is written last.
    chosen = [index for index in np.argsort(product, kind="stable") if back[index] >= _LEAST_BACKWARD]
    best = {int(source[index]): int(target[index]) for index in chosen}
    return dict(sorted(best.items()))
