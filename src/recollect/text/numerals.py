"""Numbers as texts write them, read as values: 1,234.5 and 1.234,5, 5万 and 50,000, 三十五 and 35."""

import math
import re
import unicodedata
from collections import Counter
from fractions import Fraction

from recollect.text.scripts import is_dense

__all__ = ["chinese_values", "values"]

_NUMBER = re.compile(
    r"(?P<date>(?<![\d.])\d{1,2}\.\d{1,2}\.\d{4}(?!\.?\d))"
    r"|(?<![\d.,])\d{1,3}(?: \d{3})+(?:[.,]\d{1,2})?(?![\d.,]*\d)"
    r"|\d+(?:[.,’'\u00a0\u202f]\d+)*"
)
_SCALES = {
    "百": 100,
    "千": 1000,
    "万": 10**4,
    "萬": 10**4,
    "亿": 10**8,
    "億": 10**8,
    "hundred": 100,
    "thousand": 1000,
    "million": 10**6,
    "millions": 10**6,
    "billion": 10**9,
    "billions": 10**9,
    "trillion": 10**12,
    "trillions": 10**12,
    "tausend": 1000,
    "millionen": 10**6,
    "mio": 10**6,
    "milliard": 10**9,
    "milliards": 10**9,
    "milliarde": 10**9,
    "milliarden": 10**9,
    "mrd": 10**9,
}
_SCALE = re.compile(r"\s*[多余餘几幾来來]?([百千万萬亿億]+|[A-Za-z]+)")
_DIGITS = {character: value for value, character in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_LARGE = {"万": 10**4, "亿": 10**8}
_CHINESE = re.compile(f"[{''.join([*_DIGITS, *_UNITS, *_LARGE])}]+")


def values(text: str) -> Counter[Fraction]:
    """Return the numbers in digits, with how often each stands there.

    >>> [str(value) for value in values("5万 and 1,234 and 1.234,5 and 2.50 and 3 million")]
    ['50000', '1234', '2469/2', '5/2', '3000000']
    """
    found: list[Fraction] = []
    room = end = 0  # 1亿2000万 is one number: how much may still be added to the last, and where it ends
    for match in _NUMBER.finditer(text):
        if match["date"]:
            found += map(Fraction, match["date"].split("."))
            room = 0
            continue
        value = _value(match.group())
        after = _SCALE.match(text, match.end())
        scale = _scale(after[1].lower()) if after else 1
        value *= scale
        if match.start() == end and value < room:
            found[-1] += value
        else:
            found.append(value)
        room, end = (scale, after.end()) if after and is_dense(after[1][0]) else (0, 0)
    return Counter(found)


def _scale(word: str) -> int:
    if word in _SCALES:
        return _SCALES[word]
    return math.prod(_SCALES.get(character, 0) for character in word) or 1


def _value(written: str) -> Fraction:
    """Read digits; a sign before three digits parts thousands, except behind a zero; any other is decimal."""
    digits = "".join(str(unicodedata.digit(c)) if c.isdigit() else c for c in written)
    *groups, last = re.split(r"[.,’' \u00a0\u202f]", digits)
    signs = re.findall(r"[.,’' \u00a0\u202f]", digits)
    if not groups:
        return Fraction(last)
    decimal = len(last) != 3 or groups == ["0"] or (len(set(signs)) > 1 and signs.count(signs[-1]) == 1)
    if decimal and len(set(signs[:-1])) <= 1 and (len(signs) == 1 or signs[-1] != signs[0]):
        return Fraction(f"{''.join(groups)}.{last}")
    return Fraction("".join([*groups, last]))


def chinese_values(text: str) -> Counter[Fraction]:
    """Return numbers written in Chinese characters: 三十五, 二〇二四, 一万两千.

    >>> [str(value) for value in chinese_values("三十五年, 二〇二四, 一万两千, 十")]
    ['35', '2024', '12000', '10']
    """
    return Counter(Fraction(_chinese(match.group())) for match in _CHINESE.finditer(text))


def _chinese(run: str) -> int:
    if all(character in _DIGITS for character in run):
        return int("".join(str(_DIGITS[character]) for character in run))
    total = part = digit = 0
    for character in run:
        if character in _DIGITS:
            digit = _DIGITS[character]
        elif character in _UNITS:
            part += (digit or 1) * _UNITS[character]
            digit = 0
        else:
            total = (total + part + digit or 1) * _LARGE[character]
            part = digit = 0
    return total + part + digit
