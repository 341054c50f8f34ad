"""Words of a text without knowing its language: by white space, or else by what is repeated in it."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from recollect.text.function_words import FUNCTION_CHARACTERS
from recollect.text.scripts import is_dense

__all__ = ["Lexicon", "Token"]

_RUN = re.compile(r"[^\W_]+(?:['’_-][^\W_]+)*")
_LONGEST = 6  # characters of a word that is found by being repeated
_LEAST_COUNT = 2
_LEAST_COHESION = 1.5  # nats by which a word is more frequent than its parts would make it
_LEAST_VARIETY = 0.55  # nats of what stands beside it: fewer, and it is a part of a longer word


@dataclass(frozen=True, slots=True)
class Token:
    """A word and where it stands."""

    text: str
    start: int
    end: int


class Lexicon:
    """Words of a script without spaces that one document repeats, and how often."""

    def __init__(self, counts: Mapping[str, int], total: int) -> None:
        self.counts, self._total = dict(counts), max(total, 1)

    @classmethod
    def learned(cls, texts: Iterable[str]) -> "Lexicon":
        """Find strings that are repeated, hold together, and stand beside many different characters."""
        runs = [run for text in texts for run, _ in _dense_runs(text)]
        grams = Counter(
            run[at : at + size]
            for run in runs
            for size in range(1, _LONGEST + 1)
            for at in range(len(run) - size + 1)
        )
        total = sum(map(len, runs))
        wanted = {
            gram
            for gram, count in grams.items()
            if len(gram) > 1 and count >= _LEAST_COUNT and not _is_phrase(gram)
            if _cohesion(gram, grams, total) >= _LEAST_COHESION
        }
        varied = _varied(runs, wanted)
        kept = {gram: count for gram, count in grams.items() if len(gram) == 1 or gram in varied}
        return cls(kept, total)

    def tokens(self, text: str) -> list[Token]:
        """Cut a text into words; signs between them belong to none.

        >>> [token.text for token in Lexicon({"罗斯": 5}, 10).tokens("罗斯, Mrs. O'Neil-Ross 来")]
        ['罗斯', 'Mrs', "O'Neil-Ross", '来']
        """
        found: list[Token] = []
        for run, start in _runs(text):
            if is_dense(run[0]):
                found += self._cut(run, start)
            else:
                found.append(Token(run, start, start + len(run)))
        return found

    def _cut(self, run: str, start: int) -> Iterator[Token]:
        """Cut at the most probable places, every word being drawn by its frequency."""
        best, begins = [0.0], [0]
        for end in range(1, len(run) + 1):
            ways = [
                (best[begin] + self._probability(run[begin:end]), begin)
                for begin in range(max(0, end - _LONGEST), end)
                if end - begin == 1 or run[begin:end] in self.counts
            ]
            score, begin = max(ways)
            best.append(score)
            begins.append(begin)
        ends = [len(run)]
        while ends[-1]:
            ends.append(begins[ends[-1]])
        ends.reverse()
        for begin, end in pairwise(ends):
            yield Token(run[begin:end], start + begin, start + end)

    def _probability(self, word: str) -> float:
        return math.log(self.counts.get(word, 0.5) / self._total)


def _runs(text: str) -> Iterator[tuple[str, int]]:
    """Yield stretches of letters and digits of one kind of script, and where they begin."""
    for match in _RUN.finditer(text):
        run, begin = match.group(), 0
        if run.isascii():
            yield run, match.start()
            continue
        for at in range(1, len(run) + 1):
            if at == len(run) or is_dense(run[at]) != is_dense(run[begin]):
                piece = run[begin:at]
                inner = piece.strip("'’_-")
                if inner:
                    yield inner, match.start() + begin + piece.index(inner)
                begin = at


def _dense_runs(text: str) -> Iterator[tuple[str, int]]:
    return ((run, start) for run, start in _runs(text) if is_dense(run[0]))


def _is_phrase(gram: str) -> bool:
    """Whether grammar stands at an end of it; a pronoun has two characters, and is a word."""
    return len(gram) > 2 and (gram[0] in FUNCTION_CHARACTERS or gram[-1] in FUNCTION_CHARACTERS)


def _cohesion(gram: str, grams: Mapping[str, int], total: int) -> float:
    """By how much the string beats its most probable division in two."""
    return min(
        math.log(grams[gram] * total / (grams[gram[:cut]] * grams[gram[cut:]])) for cut in range(1, len(gram))
    )


def _varied(runs: Sequence[str], wanted: set[str]) -> set[str]:
    """Return strings that have many different characters beside them, or ends of runs, on both sides."""
    before: dict[str, Counter[str]] = {gram: Counter() for gram in wanted}
    after: dict[str, Counter[str]] = {gram: Counter() for gram in wanted}
    for number, run in enumerate(runs):
        for size in range(2, min(_LONGEST, len(run)) + 1):
            for at in range(len(run) - size + 1):
                gram = run[at : at + size]
                if gram in wanted:
                    # Every end of a run counts as a neighbour of its own.
                    before[gram][run[at - 1] if at else f"<{number}"] += 1
                    after[gram][run[at + size] if at + size < len(run) else f"{number}>"] += 1
    return {gram for gram in wanted if min(_entropy(before[gram]), _entropy(after[gram])) >= _LEAST_VARIETY}


def _entropy(counts: Counter[str]) -> float:
    total = counts.total()
    return -sum(count / total * math.log(count / total) for count in counts.values())
