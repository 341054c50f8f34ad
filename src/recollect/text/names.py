"""Names of people and places: which words of a text are names, and how the other language writes them."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from recollect.text.pairs import DocumentEnd, Pair
from recollect.text.sample import Sample
from recollect.text.scripts import SPACED_WORD, is_dense

__all__ = ["LETTERS", "WORD", "Names", "learn_names", "names_in", "put_words"]

WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
LETTERS = re.compile(r"[^\W\d_]+")  # of a word: Ross in Ross's
_RUN = re.compile(rf"(?:(?![\d_]){SPACED_WORD})+|(?:(?!{SPACED_WORD})[^\W\d_])+")  # of one kind of script
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


Names = Mapping[str, Sequence[str]]
"""Names of the target, and how the source writes each, the most frequent way first."""


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
    """Find the names that the target has, and the strings of the source that mean each.

    The target must be in a language that gives a capital to names and little else. `read` gives the corpus
    anew each time; it is read three times, and never held.
    """
    given = _Given(_learn_words(_pairs(read)), seed)
    for pair in _pairs(read):
        given.add(pair)
    candidates = given.candidates()
    wanted = {form for forms in candidates.values() for form in forms}
    seen: Counter[str] = Counter()
    for pair in _pairs(read):
        seen.update(_strings(pair.source) & wanted)
    return _owned({name: _clear(counts, seen) for name, counts in candidates.items()})


def _pairs(read: Callable[[], Iterable[Pair | DocumentEnd]]) -> Iterator[Pair]:
    return (item for item in read() if isinstance(item, Pair))


def _learn_words(pairs: Iterable[Pair]) -> list[str]:
    """Return the words that have a capital within sentences, and nearly always."""
    named: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for pair in pairs:
        words.update(LETTERS.findall(pair.target))
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
        for word in set(LETTERS.findall(pair.target)):
            if word in self._sources:
                self._sources[word].offer(pair.source)
                self._counts[word] += 1

    def candidates(self) -> dict[str, dict[str, float]]:
        """Return for each name the strings that many of its sentences have, and in how many of all."""
        return {name: self._candidates(name, sample.items) for name, sample in self._sources.items()}

    def _candidates(self, name: str, sample: Sequence[str]) -> dict[str, float]:
        counts = Counter(string for source in sample for string in _strings(source))
        least = max(_LEAST, _USUAL * len(sample))
        more = self._counts[name] / len(sample)
        return {string: count * more for string, count in counts.items() if count >= least}


def _strings(text: str) -> set[str]:
    """Return what may be a name: words, or in a script without spaces all strings of some characters."""
    found: set[str] = set()
    for run in _RUN.findall(text):
        if not is_dense(run[0]):
            found.add(run)
            continue
        for size in range(2, min(_LONGEST, len(run)) + 1):
            found.update(run[at : at + size] for at in range(len(run) - size + 1))
    return found


def _clear(together: Mapping[str, float], seen: Mapping[str, int]) -> dict[str, float]:
    """Keep the strings that mean the name and are neither a part of it nor more than it."""
    own = {form: count for form, count in together.items() if count >= _OWN * seen[form]}
    whole: dict[str, float] = defaultdict(float)  # how often the most frequent longer string is there
    for form, count in own.items():
        for other in own:
            if other != form and other in form:
                whole[other] = max(whole[other], count)
    kept = [form for form, count in own.items() if whole[form] < _WHOLE * count]
    return {form: own[form] for form in kept if not any(other != form and other in form for other in kept)}


def _owned(forms: Mapping[str, Mapping[str, float]]) -> Names:
    """Leave each string to the one name that it goes with most often."""
    best: dict[str, tuple[float, str]] = {}
    for name, counts in forms.items():
        for form, count in counts.items():
            best[form] = max(best.get(form, (0.0, "")), (count, name))
    owned: dict[str, list[str]] = defaultdict(list)
    for form, (_, name) in sorted(best.items(), key=lambda each: (-each[1][0], each[0])):
        owned[name].append(form)
    return dict(owned)
