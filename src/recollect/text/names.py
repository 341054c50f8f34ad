"""Names of people and places: which words of a text are names, and how the other language writes them."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from recollect.text.pairs import DocumentEnd, Pair
from recollect.text.sample import Sample
from recollect.text.scripts import is_dense

__all__ = ["WORD", "Names", "learn_names", "names_in", "put_words"]

WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_PART = re.compile(r"[^\W\d_]+")  # of a word: Ross in Ross's
_BETWEEN, _ENDS = " \"'“”‘’([-—", ".!?:…"
_TITLES = ("Mr.", "Mrs.", "Ms.", "Dr.")  # their full stop ends no sentence
_NO_NAMES = {"I", "I'm", "I'll", "I've", "I'd", "Mr", "Mrs", "Ms", "Dr", "God", "OK", "TV"}

_SEEN = 200  # sentences that are looked at for one name
_LONGEST = 6  # characters of a name in a script without spaces
_LEAST = 3  # times that a name, and a way to write it, must be there
_USUAL = 0.1  # of a name's sentences have this way to write it
_OWN = 0.5  # of the sentences with this way to write it have the name
_ORDINARY = 0.05  # of a name's occurrences may be without a capital
_WHOLE = 0.7  # of a string's occurrences lie in a longer one: then that is the name


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a corpus's target side."""

    forms: Mapping[str, tuple[str, ...]]  # how the source writes it, the longest first
    every: tuple[str, ...]  # also those that the source writes in no clear way


def names_in(line: str) -> set[str]:
    """Return the words with a capital that do not open a sentence."""
    found = set()
    for match in WORD.finditer(line):
        if not match.group()[0].isupper() or match.group() in _NO_NAMES:
            continue
        before = line[: match.start()].rstrip(_BETWEEN)
        if before and (before[-1] not in _ENDS or before.endswith(_TITLES)):
            found.add(match.group())
    return found


def put_words(text: str, others: Mapping[str, str]) -> str:
    """Return a text with others in the place of some words.

    >>> put_words("Ann, is that Ann's? Annabel!", {"Ann": "Zoe"})
    "Zoe, is that Ann's? Annabel!"
    """
    return WORD.sub(lambda match: others.get(match.group(), match.group()), text)


def learn_names(read: Callable[[], Iterable[Pair | DocumentEnd]], seed: int) -> Names:
    """Find the names that the target has, and the strings of the source that go with each.

    `read` gives the corpus anew each time; it is read three times, and never held.
    """
    every = _learn_words(_pairs(read))
    given = _Given(every, seed)
    for pair in _pairs(read):
        given.add(pair)
    candidates = {name: given.candidates(name) for name in every}
    wanted = {form for forms in candidates.values() for form in forms}
    seen: Counter[str] = Counter()
    for pair in _pairs(read):
        seen.update(_strings(pair.source) & wanted)
    forms = {name: _clear(counts, seen) for name, counts in candidates.items()}
    return Names({name: found for name, found in forms.items() if found}, tuple(every))


def _pairs(read: Callable[[], Iterable[Pair | DocumentEnd]]) -> Iterator[Pair]:
    return (item for item in read() if isinstance(item, Pair))


def _learn_words(pairs: Iterable[Pair]) -> list[str]:
    """Return the words that have a capital within sentences, and nearly always."""
    named: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for pair in pairs:
        words.update(_PART.findall(pair.target))
        named.update(names_in(pair.target))
    return sorted(
        name
        for name, count in named.items()
        if count >= _LEAST and name.isalpha() and name[1:].islower()
        if words[name.lower()] <= _ORDINARY * words[name]
    )


class _Given:
    """For each name, source sentences that it was said in."""

    def __init__(self, names: Iterable[str], seed: int) -> None:
        self._sources: dict[str, Sample[str]] = {name: Sample(_SEEN, seed) for name in names}
        self._counts: Counter[str] = Counter()

    def add(self, pair: Pair) -> None:
        for word in set(_PART.findall(pair.target)):
            if word in self._sources:
                self._sources[word].offer(pair.source)
                self._counts[word] += 1

    def candidates(self, name: str) -> dict[str, float]:
        """Return the strings that many of its sentences have, and in how many they must be in all."""
        sample = self._sources[name].items
        counts = Counter(string for source in sample for string in _strings(source))
        least = max(_LEAST, _USUAL * len(sample))
        whole = self._counts[name] / max(len(sample), 1)
        return {string: count * whole for string, count in counts.items() if count >= least}


def _strings(text: str) -> set[str]:
    """Return what may be a name: words, or in a script without spaces all strings of some characters."""
    found: set[str] = set()
    for run in _PART.findall(text):
        if not is_dense(run[0]):
            found.add(run)
            continue
        for size in range(2, min(_LONGEST, len(run)) + 1):
            found.update(run[at : at + size] for at in range(len(run) - size + 1))
    return found


def _clear(together: Mapping[str, float], seen: Mapping[str, int]) -> tuple[str, ...]:
    """Return the strings that mean the name and are neither a part of it nor more than it."""
    own = {form: count for form, count in together.items() if count >= _OWN * seen[form]}
    whole: dict[str, float] = defaultdict(float)  # how often the most frequent longer string is there
    for form, count in own.items():
        for other in own:
            if other != form and other in form:
                whole[other] = max(whole[other], count)
    kept = [form for form, count in own.items() if whole[form] < _WHOLE * count]
    inner = [form for form in kept if not any(other != form and other in form for other in kept)]
    return tuple(sorted(inner, key=lambda form: (-len(form), form)))
