"""Training documents as others would have written them: punctuation, other lines, names as in the target."""

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from recollect.text.names import LETTERS, Names
from recollect.text.pairs import DocumentEnd, Pair
from recollect.text.scripts import SPACED_WORD, bounded, is_dense, is_spaced_word

__all__ = ["Shares", "Variants"]

_DOCUMENT = 2000  # sentences: a corpus without documents is changed in parts, and not held as a whole
_STOPS = 0.5  # of the punctuated documents have full stops and commas too
_RENAMED = 0.7  # of the names are another's: what is not known by heart must be copied letter by letter
_TOGETHER = 0.2  # chance that two whole sentences share a line
_LONGEST = 200  # characters of the target of lines put together
_WHOLE = tuple(".!?…\"'”’)]*♪")  # what ends a sentence
_SPACE = re.compile(rf"(?<=(?!{SPACED_WORD})\w) +(?=(?!{SPACED_WORD})\w)")  # between Chinese characters
_DOT = re.compile(r"(?<=[a-z])[·•‧・](?=[A-Z])")  # between the parts of a name, in Chinese
_MARKS = {"?": "？", "!": "！"}
_ALL_MARKS = {**_MARKS, ".": "。", ",": "，"}


@dataclass(frozen=True, slots=True)
class Shares:
    """How many of all documents are written otherwise; see `recollect.config.DataConfig`."""

    joined: float = 0.0
    written_names: float = 0.0
    punctuated: float = 0.0


class Variants:
    """Changes some documents of a corpus, each throughout, and always the same ones."""

    def __init__(self, shares: Shares, names: Names, seed: int) -> None:
        self._shares, self._names, self._seed = shares, names, seed
        self._called = sorted(names)

    def vary(self, items: Iterable[Pair | DocumentEnd]) -> Iterator[Pair | DocumentEnd]:
        """Give all documents, changed or as they were."""
        number = 0
        document: list[Pair] = []
        for item in items:
            if isinstance(item, Pair):
                document.append(item)
                if len(document) < _DOCUMENT:
                    continue
            yield from self._varied(document, random.Random(f"{self._seed}:{number}"))
            document, number = [], number + 1
            if isinstance(item, DocumentEnd):
                yield item

    def _varied(self, document: list[Pair], chance: random.Random) -> list[Pair]:
        shares = self._shares
        joined, named, marked = (
            chance.random() < share for share in (shares.joined, shares.written_names, shares.punctuated)
        )
        if marked:
            marks = _ALL_MARKS if chance.random() < _STOPS else _MARKS
            document = [_punctuated(pair, marks) for pair in document]
        if joined:
            document = list(_joined(document, chance))
        if named:
            document = self._with_names(document, chance)
        return document

    def _with_names(self, document: Iterable[Pair], chance: random.Random) -> list[Pair]:
        """Write names in the source as in the target; some are another's in both, wherever they are found."""
        called: dict[str, str] = {}
        found = []
        for pair in document:
            forms = _forms_in(pair, self._names)
            for name in forms.values():
                if name not in called:
                    called[name] = chance.choice(self._called) if chance.random() < _RENAMED else name
            source = _put(pair.source, {form: called[name] for form, name in forms.items()})
            parts = re.split(f"({LETTERS.pattern})", pair.target)
            target = "".join(called[part] if part in forms.values() else part for part in parts)
            found.append(replace(pair, source=source, target=target))
        return found


def _punctuated(pair: Pair, marks: Mapping[str, str]) -> Pair:
    """End a source without punctuation as its target ends; with commas among `marks`, part its clauses.

    >>> _punctuated(Pair("真的吗 罗斯", "Really, Ross?", 1), _ALL_MARKS).source
    '真的吗，罗斯？'
    >>> _punctuated(Pair("好 走吧", "OK. Let's go.", 1), _MARKS).source
    '好 走吧'
    """
    source, target = pair.source, pair.target
    if not (is_dense(source[-1]) and source[-1].isalpha()) or target.endswith(".."):
        return pair
    if "," in marks:
        source = _SPACE.sub("，", source)
    return replace(pair, source=source + marks.get(target[-1], ""))


def _joined(document: Iterable[Pair], chance: random.Random) -> Iterator[Pair]:
    """Put lines together that are one sentence, and some that are two."""
    last: Pair | None = None
    for pair in document:
        if last is not None and _belongs(last, pair, chance):
            gap = "" if last.source.endswith(tuple(_ALL_MARKS.values())) else " "
            last = replace(
                last, source=f"{last.source}{gap}{pair.source}", target=f"{last.target} {pair.target}"
            )
            continue
        if last is not None:
            yield last
        last = pair
    if last is not None:
        yield last


def _belongs(last: Pair, pair: Pair, chance: random.Random) -> bool:
    if is_dense(last.target[-1]) or len(last.target) + len(pair.target) >= _LONGEST:
        return False  # in Chinese, a line without a full stop may well be a sentence
    return not last.target.endswith(_WHOLE) or chance.random() < _TOGETHER


def _forms_in(pair: Pair, names: Names) -> dict[str, str]:
    """Return the strings of a source that are names of its target, and whom they mean."""
    found: dict[str, str] = {}
    for name in LETTERS.findall(pair.target):
        for form in names.get(name, ()):
            if form in pair.source and re.search(bounded(form), pair.source):
                found[form] = name
                break
    return found


def _put(text: str, others: Mapping[str, str]) -> str:
    """Return a text with others in the place of some words, apart from words beside them.

    >>> _put("我是罗斯·盖勒 罗斯", {"罗斯": "Ross", "盖勒": "Geller"}), _put("Mr罗斯", {"罗斯": "Ross"})
    ('我是Ross Geller Ross', 'Mr Ross')
    """
    if not others:
        return text
    longest = sorted(others, key=len, reverse=True)
    places = list(re.finditer("|".join(map(bounded, longest)), text))
    return _DOT.sub(" ", _spaced(text, [(match.span(), others[match[0]]) for match in places]))


def _spaced(text: str, put: Sequence[tuple[tuple[int, int], str]]) -> str:
    """Put strings into places of a text, a space between them and a word beside them."""
    found, done = "", 0
    for (start, end), other in [*put, ((len(text), len(text)), "")]:
        for part in (text[done:start], other):
            both = found and part and is_spaced_word(found[-1]) and is_spaced_word(part[0])
            found += f"{' ' if both else ''}{part}"
        done = end
    return found
