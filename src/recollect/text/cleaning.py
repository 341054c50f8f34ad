"""Pairs not worth learning from: the wrong language, markup, odd lengths, documents seen before."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from zlib import crc32

from recollect.text.pairs import DocumentEnd, Pair
from recollect.text.problems import Kind
from recollect.text.scripts import SPACED_WORD, script_of

__all__ = ["Cleaning", "survey"]

_TIGHT = re.compile(rf"(?<=(?![\d_]){SPACED_WORD})(,|\.\.\.)(?=(?![\d_]){SPACED_WORD})")  # Oh,my God
_MARKUP = re.compile(r"\ufffd|[{}]|</?\w+[^<>]*>|\\[nNrh]|\b0000,0000\b")
_SMOOTHING = 8  # characters added to both lengths: short sentences differ more, and mean less by it
_DEVIATIONS = 3.0  # from the corpus's usual ratio of lengths
_TELLING = 14  # characters from which on a sentence is not said by chance in two documents
_COMMON = 5  # documents: a sentence found in more tells nothing
_REPEATED = 0.3  # of a document's telling sentences in one document before it: the same film again
_FEWEST = 20  # telling sentences a document needs to be judged at all


@dataclass(slots=True)
class Cleaning:
    """What a survey of a corpus found usual, and which of its documents it has twice."""

    source_script: str = ""
    target_script: str = ""
    ratio: float = 0.0  # mean of log(target length / source length)
    deviation: float = math.inf
    repeated: dict[int, int] = field(default_factory=dict)  # document -> the one before it that it repeats

    def clean(self, items: Iterable[Pair | DocumentEnd]) -> Iterator[tuple[Pair | DocumentEnd, Kind | None]]:
        """Give every item with the reason to leave it out, or None; document ends always stay.

        Targets get the spaces that they lack after a comma or dots.
        """
        document = 0
        for item in items:
            if isinstance(item, DocumentEnd):
                document += 1
                yield item, None
            elif document in self.repeated:
                yield item, Kind.REPEATED_DOCUMENT
            else:
                fault = self.fault(item)
                yield item if fault else replace(item, target=_TIGHT.sub(r"\1 ", item.target)), fault

    def fault(self, pair: Pair) -> Kind | None:
        """Return why the pair alone should be left out, if it should."""
        if _MARKUP.search(pair.source) or _MARKUP.search(pair.target):
            return Kind.MARKUP
        sides = ((pair.source, self.source_script), (pair.target, self.target_script))
        if any(_is_foreign(text, script) for text, script in sides):
            return Kind.WRONG_SCRIPT
        if abs(_ratio(pair) - self.ratio) > _DEVIATIONS * self.deviation:
            return Kind.ODD_LENGTHS
        return None


def survey(items: Iterable[Pair | DocumentEnd]) -> Cleaning:
    """Read a corpus once and learn what is usual in it."""
    source, target, telling = _Scripts(), _Scripts(), _Telling()
    count, total, squares = 0, 0.0, 0.0
    for item in items:
        if isinstance(item, DocumentEnd):
            telling.end()
            continue
        source.add(item.source)
        target.add(item.target)
        telling.add(item.source)
        ratio = _ratio(item)
        count, total, squares = count + 1, total + ratio, squares + ratio * ratio
    if not count:
        return Cleaning()
    mean = total / count
    deviation = math.sqrt(max(0.0, squares / count - mean * mean))
    return Cleaning(source.usual(), target.usual(), mean, deviation or math.inf, telling.repeated())


class _Scripts:
    """Which script most letters of a side are written in."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._seen = 0

    def add(self, text: str) -> None:
        self._seen += 1
        if self._seen <= 10_000 or self._seen % 100 == 0:  # a sample does
            self._counts.update(filter(None, map(script_of, text)))

    def usual(self) -> str:
        return self._counts.most_common(1)[0][0] if self._counts else ""


class _Telling:
    """The telling sentences of each document, to find documents that are there twice."""

    def __init__(self) -> None:
        self._documents: list[set[int]] = [set()]
        self._found: dict[int, list[int]] = {}

    def add(self, text: str) -> None:
        if len(text) >= _TELLING:
            self._documents[-1].add(crc32(text.encode()))

    def end(self) -> None:
        for sentence in self._documents[-1]:
            self._found.setdefault(sentence, []).append(len(self._documents) - 1)
        self._documents.append(set())

    def repeated(self) -> dict[int, int]:
        repeated: dict[int, int] = {}
        for document, sentences in enumerate(self._documents):
            before: Counter[int] = Counter()
            for sentence in sentences:
                places = self._found.get(sentence, ())
                if len(places) <= _COMMON:
                    before.update(place for place in places if place < document and place not in repeated)
            if before and len(sentences) >= _FEWEST:
                place, shared = before.most_common(1)[0]
                if shared >= _REPEATED * len(sentences):
                    repeated[document] = place
        return repeated


def _is_foreign(text: str, script: str) -> bool:
    """Tell whether more letters of the text are of another script than of this one."""
    scripts = [found for found in map(script_of, text) if found]
    return bool(script) and 2 * scripts.count(script) < len(scripts)


def _ratio(pair: Pair) -> float:
    return math.log((len(pair.target) + _SMOOTHING) / (len(pair.source) + _SMOOTHING))
