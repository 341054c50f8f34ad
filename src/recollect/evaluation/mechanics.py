"""What must be right in any translation, whatever its languages: numbers, placeholders, signs."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Literal

from recollect.evaluation.signs import final_sign, main_script, script, unbalanced
from recollect.text.code import is_code, is_listing
from recollect.text.function_words import FUNCTION_WORDS
from recollect.text.inline import Inline, Mark
from recollect.text.numerals import chinese_values, values
from recollect.text.placeholders import hold_placeholders
from recollect.text.scripts import is_dense
from recollect.text.translated import Translated

__all__ = ["Finding", "Severity", "mechanical_findings"]

Severity = Literal["error", "warning"]

_ENTITY = re.compile(r"&#?\w+;")
_ADDRESS = re.compile(r"(?:https?|ftp|file)://|www\.|[^\s<>`{}%]+@[^\s<>`{}%]+\.\w")
_ROLE = re.compile(r"((?::[\w+.:-]+:)?)`+([^`]*?)(?:<([^<>]*)>)?`+_{0,2}")
_TAG = re.compile(r"<(/?)\s*([A-Za-z][\w:-]*)([^<>]*?)\s*/?>")
_SPOKEN = re.compile(r"""\s(?:alt|title|label|placeholder|lang|dir)\s*=\s*(?:"[^"]*"|'[^']*'|\S+)""")
_MESSAGE = re.compile(r"\{\s*([\w.-]+)\s*,\s*(plural|selectordinal|select|choice)\s*,")
_TIME = re.compile(r"%[-_]?[A-Za-z](?:[-/.,:_ T]{0,2}%[-_]?[A-Za-z])+")
_NUMBERED = re.compile(r"%\d+\$")
_CONVERSION = re.compile(r"%([-+ #0]*\d*(?:\.\d+)?(?:hh?|ll?|[jztLq])?[diouxXeEfFgGaAcspn@])")
_DATED = re.compile(r"世纪|年代|世紀|centur|\d0['’]?s\b|Jahrhundert|er Jahre")
_DOUBLED = re.compile(r"(?<![\w'’-])([^\W\d_]+)[ \t\n]+(\1)(?![\w'’-])", re.IGNORECASE)
_MEANT = {
    "had",
    "that",
    "very",
    "no",
    "so",
    "ha",
    "bye",
    "die",
    "der",
    "das",
    "sie",
    "nous",
    "vous",
    "yes",
    "go",
}
_IN_WORDS = re.compile(
    r"(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|dozen)"
    r"|(?:zwanzig|dreißig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig|hundert|tausend)"
    r"|[〇零一二两三四五六七八九十百千万亿]{2,}",
    re.IGNORECASE,
)
_PROSE_ROLES = (":abbr:", ":dfn:", ":emphasis:", ":guilabel:", ":menuselection:", ":strong:", ":title:")
_EDGES = ".,;:!?…。，；：！？、()[]\"'“”‘’（）"
_SPELT_OUT = 20  # numbers up to this, and round ones, are often written in words
_USUAL = 0.8  # share of texts that must keep their final sign before losing one is worth a word


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a translation that should be looked at."""

    severity: Severity
    check: str
    unit: int
    where: str
    message: str


@dataclass(frozen=True, slots=True)
class _Held:
    """A text and its translation, with everything in them that is not prose as marks."""

    source: Inline
    target: Inline
    raw: Translated
    scripts: tuple[str, str]  # in which most of the two documents are written
    signs: frozenset[str]  # final signs that this document keeps


_Said = Iterator[tuple[Severity, str]]


def mechanical_findings(units: Sequence[Translated]) -> list[Finding]:
    """Return everything that the checks find, text by text."""
    sides = [(hold_placeholders(unit.source), hold_placeholders(unit.target)) for unit in units]
    scripts = (
        main_script(one.text for one, _ in sides),
        main_script(other.text for one, other in sides if one != other),
    )
    signs = _kept_signs(sides)
    found = []
    for number, (unit, (one, other)) in enumerate(zip(units, sides, strict=True)):
        held = _Held(one, other, unit, scripts, signs)
        if not str(unit.target).strip():
            if str(unit.source).strip():
                found.append(Finding("error", "empty", number, unit.where, "there is no translation"))
            continue
        if str(unit.source) == str(unit.target):
            found += [Finding(s, "untranslated", number, unit.where, m) for s, m in _untranslated(held)]
            continue
        for name, check in _CHECKS.items():
            found += [Finding(s, name, number, unit.where, m) for s, m in check(held)]
    return found


def _untranslated(held: _Held) -> _Said:
    text, usual = held.source.text, held.scripts[0]
    if not is_code(text) and _is_prose(text, usual):
        # A name or a word of the trade may well stay as it is, but not in a script of its own.
        foreign = usual not in ("LATIN", held.scripts[1]) and not _both_dense(held.scripts)
        yield "error" if foreign else "warning", "the translation is the source itself"


def _is_prose(text: str, usual: str) -> bool:
    """Whether there are words in it, in the script of the document: not only names from programs."""
    if usual != "LATIN":  # there are no names from programs in it, and perhaps no spaces
        return any(character.isalpha() and script(character) == usual for character in text)
    words = [word.strip(_EDGES) for word in text.split()]
    return any(word.isalpha() and script(word[0]) == usual for word in words)


def _numbers(held: _Held) -> _Said:
    one, other = held.source.text, held.target.text
    if is_code(one) or _DATED.search(one) or _DATED.search(other):
        return
    ours, theirs = values(one), values(other)
    missing, added = ours - theirs, theirs - ours
    # What one side spells in characters may be what the other has in digits.
    missing -= chinese_values(other)
    added -= chinese_values(one)
    if not (missing and added):
        missing = Counter({value: n for value, n in missing.items() if not _may_be_spelt(value, other)})
        added = Counter({value: n for value, n in added.items() if not _may_be_spelt(value, one)})
    if missing or added:
        yield "error", _differ("number", map(_written, missing.elements()), map(_written, added.elements()))


def _may_be_spelt(value: Fraction, text: str) -> bool:
    """Whether the text may have a number in words: small and round ones, and it has such words."""
    if value.denominator != 1:
        return False
    round_one = len(str(value).rstrip("0")) == 1
    return value <= _SPELT_OUT or round_one or _IN_WORDS.search(text) is not None


def _written(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"{float(value):g}"


def _differ(what: str, missing: Iterable[str], added: Iterable[str]) -> str:
    lost, more = (", ".join(each) for each in (missing, added))
    parts = [f"{what} missing: {lost}" if lost else "", f"{what} added: {more}" if more else ""]
    return "; ".join(part for part in parts if part)


def _marks(inline: Inline) -> tuple[Counter[str], Counter[str]]:
    """Return placeholders and addresses as they should be again on the other side."""
    marks, addresses = Counter[str](), Counter[str]()
    for mark in inline.marks:
        if _ENTITY.fullmatch(mark.raw):
            continue  # another language may need other characters
        if _ADDRESS.match(mark.raw):
            addresses[mark.raw] += 1
        else:
            marks[_essence(mark.raw)] += 1
    return marks, addresses


def _essence(raw: str) -> str:
    """Return a placeholder without the parts of it that are prose."""
    if (role := _ROLE.fullmatch(raw)) and role[1] in _PROSE_ROLES:
        return role[1]
    if role:
        return f"{role[1]}`{(role[3] or role[2]).strip().lstrip('~!')}`"
    if message := _MESSAGE.match(raw):  # its sentences are prose
        return f"{{{message[1]}, {message[2]}}}"
    if _TIME.fullmatch(raw):  # another language has another order
        return "".join(sorted(re.findall(r"%[-_]?[A-Za-z]", raw)))
    if tag := _TAG.fullmatch(raw):
        return f"<{tag[1]}{tag[2].lower()}{_SPOKEN.sub('', tag[3]).rstrip()}>"
    return raw


def _numbered(inline: Inline) -> Inline:
    """Return the same with %s as %1$s: by their order, which a translation may change by naming it."""
    places = count(1)
    return Inline.joined(
        Mark(0, _CONVERSION.sub(lambda found: f"%{next(places)}${found[1]}", piece.raw))
        if isinstance(piece, Mark) and _CONVERSION.fullmatch(piece.raw)
        else piece
        for piece in inline.pieces()
    )


def _placeholders(held: _Held) -> _Said:
    if is_listing(str(held.source)):
        return
    ours, theirs = _marks(held.source)[0], _marks(held.target)[0]
    if any(map(_NUMBERED.match, ours)) != any(map(_NUMBERED.match, theirs)):
        ours, theirs = _marks(_numbered(held.source))[0], _marks(_numbered(held.target))[0]
    missing, added = ours - theirs, theirs - ours
    if missing or added:
        yield "error", _differ("placeholder", missing.elements(), added.elements())


def _addresses(held: _Held) -> _Said:
    ours, theirs = _marks(held.source)[1], _marks(held.target)[1]
    missing, added = ours - theirs, theirs - ours
    if missing or added:
        yield "warning", _differ("address", missing.elements(), added.elements())


def _kept_signs(sides: Sequence[tuple[Inline, Inline]]) -> frozenset[str]:
    """Return the final signs with which this document's translations end where its sources do."""
    total, same = Counter[str](), Counter[str]()
    for one, other in sides:
        if one.text.strip() and other.text.strip():
            sign = final_sign(str(one))
            total[sign] += 1
            same[sign] += sign == final_sign(str(other))
    kept = {sign for sign in total if same[sign] >= _USUAL * total[sign]}
    few = {sign for sign in total if sign and total[sign] - same[sign] == 1}
    return frozenset(kept | few)


def _final_sign(held: _Held) -> _Said:
    one, other = final_sign(str(held.source)), final_sign(str(held.target))
    if one != other and one in held.signs:
        yield "warning", f"the source ends with {one or 'no sign'}, the translation with {other or 'no sign'}"


def _both_dense(scripts: tuple[str, str]) -> bool:
    """Whether the two sides may share characters, as Chinese and Japanese do."""
    return set(scripts) <= {"CJK", "HIRAGANA", "KATAKANA"}


def _script(held: _Held) -> _Said:
    ours, theirs = held.scripts
    if ours in ("", "LATIN") or ours == theirs or _both_dense(held.scripts):
        return
    letters = [character for character in held.target.text if character.isalpha()]
    left = "".join(character for character in letters if script(character) == ours)
    if left:
        shown = left if len(left) <= 20 else f"{left[:19]}…"
        yield "error" if 2 * len(left) > len(letters) else "warning", f"left in the source's script: {shown}"


def _doubled(held: _Held) -> _Said:
    if is_code(held.source.text):
        return
    echo = _DOUBLED.search(held.source.text) is not None
    places = [mark.at for mark in held.target.marks]
    for match in _DOUBLED.finditer(held.target.text):
        word = match[1].lower()
        # What a placeholder parts is not doubled, and what the source says twice may be.
        if any(match.start() < at < match.end() for at in places) or word in _MEANT or is_dense(word[0]):
            continue
        if word in FUNCTION_WORDS or not (echo or match[1][0].isupper() or is_dense(held.source.text[:1])):
            yield "warning", f"doubled word: {match.group()}"


def _balance(held: _Held) -> _Said:
    lost = unbalanced(held.target.text)
    if lost and not unbalanced(held.source.text) and not is_code(held.source.text):
        yield "warning", f"not balanced: {' '.join(sorted(lost))}"


def _spaces(held: _Held) -> _Said:
    one, other = str(held.raw.source), str(held.raw.target)
    for place, ours, theirs in (
        ("before", one[: len(one) - len(one.lstrip())], other[: len(other) - len(other.lstrip())]),
        ("behind", one[len(one.rstrip()) :], other[len(other.rstrip()) :]),
    ):
        if ours != theirs:
            yield "warning", f"white space {place} it: {ours!r} in the source, {theirs!r} in the translation"


_CHECKS: dict[str, Callable[[_Held], _Said]] = {
    "numbers": _numbers,
    "placeholders": _placeholders,
    "addresses": _addresses,
    "final sign": _final_sign,
    "script": _script,
    "doubled word": _doubled,
    "balance": _balance,
    "white space": _spaces,
}
