"""A word dictionary learned from training pairs with IBM Model 1, both directions agreeing."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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
    kept = [
        number
        for number, (source, target) in enumerate(zip(sources, targets, strict=True))
        if 0 < len(source) <= _LONGEST and 0 < len(target) <= _LONGEST
    ]
    sources = [sources[number] for number in kept]
    targets = [targets[number] for number in kept]
    if not kept:
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
    keys = _known_pairs(givens, words, size_word)
    given, word = np.divmod(keys, size_word)
    # Which entry each cell of the corpus is, found once: cells of one word lie together.
    chunks = [
        (np.searchsorted(keys, chunk.keys).astype(np.int32), chunk.starts)
        for chunk in _chunks(givens, words, size_word)
    ]
    probability = np.ones(len(keys)) / np.bincount(given, minlength=size_given)[given]
    for _ in range(_ITERATIONS):
        counts = np.zeros(len(keys))
        for cells, starts in chunks:
            share = probability[cells]
            lengths = np.diff(starts, append=len(cells))
            share /= np.repeat(np.add.reduceat(share, starts), lengths)
            counts += np.bincount(cells, weights=share, minlength=len(keys))
        probability = counts / np.bincount(given, weights=counts, minlength=size_given)[given]
    return _Table(given, word, probability)


@dataclass(frozen=True, slots=True)
class _Chunk:
    keys: _Ids  # given * size_word + word, one for each cell
    starts: _Ids  # where the cells of each word of each sentence begin


def _chunks(givens: list[_Ids], words: list[_Ids], size_word: int) -> Iterator[_Chunk]:
    empty = np.zeros(1, dtype=np.int64)
    for begin in range(0, len(givens), _CHUNK):
        keys: list[_Ids] = []
        lengths: list[_Ids] = []
        for given, sentence in zip(
            givens[begin : begin + _CHUNK], words[begin : begin + _CHUNK], strict=True
        ):
            owners = np.concatenate((empty, given))
            keys.append((owners[None, :] * size_word + sentence[:, None]).ravel())
            lengths.append(np.full(len(sentence), len(owners)))
        all_lengths = np.concatenate(lengths)
        yield _Chunk(np.concatenate(keys), np.cumsum(all_lengths) - all_lengths)


def _known_pairs(givens: list[_Ids], words: list[_Ids], size_word: int) -> _Ids:
    known = [np.unique(chunk.keys) for chunk in _chunks(givens, words, size_word)]
    return np.unique(np.concatenate(known))


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
