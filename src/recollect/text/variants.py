"""Training documents as others would have written them: other lines, names as in the target, punctuation."""

import random
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from recollect.text.names import Names
from recollect.text.pairs import DocumentEnd, Pair
from recollect.text.scripts import is_dense, is_spaced_word

__all__ = ["Shares", "Variants"]

_RENAMED = 0.7  # of the names are another's: what is not known by heart must be copied letter by letter
_TOGETHER = 0.2  # chance that two whole sentences share a line
_LONGEST = 200  # characters of the target of lines put together
_WORD = re.compile(r"[^\W\d_]+")
_DOT = re.compile(r"(?<=[a-z])[·•‧・](?=[A-Z])")  # between the parts of a name, in Chinese
_GAP = re.compile(r" +")
_WHOLE = tuple(".!?…。！？\"'”’)]*♪")  # what ends a sentence
_MARKS = {".": "。", "?": "？", "!": "！"}


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

    def vary(self, items: Iterable[Pair | DocumentEnd]) -> Iterator[Pair | DocumentEnd]:
        """Give all documents, changed or as they were."""
        document: list[Pair] = []
        number = 0
        for item in items:
            if isinstance(item, Pair):
                document.append(item)
                continue
            yield from self._varied(document, random.Random(f"{self._seed}:{number}"))
            yield item
            document, number = [], number + 1
        yield from document

    def _varied(self, document: list[Pair], chance: random.Random) -> list[Pair]:
        joined, named, marked = (
            chance.random() < share
            for share in (self._shares.joined, self._shares.written_names, self._shares.punctuated)
        )
        stops = chance.random() < 0.5
        if joined:
            document = list(_joined(document, chance))
        if named:
            document = _with_names(document, self._names, chance)
        if marked:
            document = [_punctuated(pair, stops=stops) for pair in document]
        return document


def _joined(document: Iterable[Pair], chance: random.Random) -> Iterator[Pair]:
    """Put lines together that are one sentence, and some that are two."""
    last: Pair | None = None
    for pair in document:
        if last is None:
            last = pair
        elif len(last.target) + len(pair.target) < _LONGEST and (
            not last.target.endswith(_WHOLE) or chance.random() < _TOGETHER
        ):
            last = replace(last, source=f"{last.source} {pair.source}", target=f"{last.target} {pair.target}")
        else:
            yield last
            last = pair
    if last is not None:
        yield last


def _with_names(document: Iterable[Pair], names: Names, chance: random.Random) -> list[Pair]:
    """Write names in the source as in the target; some are another's in both, throughout the document."""
    called: dict[str, str] = {}
    found = []
    for pair in document:
        forms: dict[str, str] = {}  # of the source, and whom they mean
        for name in _WORD.findall(pair.target):
            form = next((form for form in names.forms.get(name, ()) if form in pair.source), None)
            if form is not None:
                forms[form] = name
        for name in forms.values():
            if name not in called:
                called[name] = chance.choice(names.every) if chance.random() < _RENAMED else name
        source = _put(pair.source, {form: called[name] for form, name in forms.items()})
        target = _put(pair.target, {name: called[name] for name in forms.values()}, whole=True)
        found.append(replace(pair, source=_DOT.sub(" ", source), target=target))
    return found


def _put(text: str, others: Mapping[str, str], *, whole: bool = False) -> str:
    """Return a text with others in the place of some strings, or `whole` words, apart from words beside them.

    >>> _put("我是罗斯盖勒 罗斯", {"罗斯": "Ross", "盖勒": "Geller"}), _put("Mr罗斯", {"罗斯": "Ross"})
    ('我是Ross Geller Ross', 'Mr Ross')
    """
    if not others:
        return text
    either = "|".join(re.escape(each) for each in sorted(others, key=len, reverse=True))
    parts = re.split(rf"\b({either})\b" if whole else f"({either})", text)
    put = [others.get(part, part) if number % 2 else part for number, part in enumerate(parts)]
    found = ""
    for part in filter(None, put):
        found += f"{_gap(found, part)}{part}"
    return found


def _gap(before: str, after: str) -> str:
    """Return a space between two words, and else nothing."""
    return " " if before and is_spaced_word(before[-1]) and is_spaced_word(after[0]) else ""


def _punctuated(pair: Pair, *, stops: bool) -> Pair:
    """Give a source without punctuation that of the target; full stops and commas only with `stops`.

    >>> _punctuated(Pair("真的吗 罗斯", "Really, Ross?", 1), stops=True).source
    '真的吗，罗斯？'
    >>> _punctuated(Pair("好 走吧", "OK. Let's go.", 1), stops=False).source
    '好 走吧'
    """
    source, target = pair.source, pair.target
    if not (is_dense(source[-1]) and source[-1].isalpha()) or target.endswith(".."):
        return pair
    mark = _MARKS.get(target[-1], "")
    if stops:
        return replace(pair, source=_GAP.sub("，", source) + mark)
    return pair if mark == "。" else replace(pair, source=source + mark)
