"""The cues of SRT, WebVTT and ASS files: when they are shown, and exactly where their text stands."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from recollect.errors import DataError
from recollect.text.places import Line, Span, lines

__all__ = ["Cue", "read_ass", "read_srt", "read_vtt"]

_CLOCK = r"(?:(\d{1,9}):)?(\d{1,2}):(\d{1,2})"
_TIME = _CLOCK + r"[,.](\d{1,3})"
_MOMENT = re.compile(rf"\s*-?{_CLOCK}(?:[.:](\d{{1,3}}))?\s*", re.ASCII)
_TIMING = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}(?:\s.*)?", re.ASCII)
_HALF_TIMING = re.compile(r"\d{1,3}:\d\d:\d\d(?:[,.]\d{0,3})?\s*-{0,2}", re.ASCII)
_ASIDE = re.compile(r"NOTE(?:\s|$)|(?:STYLE|REGION)\s*$")
_EVENT_FIELDS = ["layer", "start", "end", "style", "name", "marginl", "marginr", "marginv", "effect", "text"]


@dataclass(frozen=True, slots=True)
class Cue:
    """One text on the screen."""

    start: int  # milliseconds
    end: int
    span: Span  # of its text
    line: int  # where its timing stands, from 1
    newline: str  # how a line break is written in its text
    speaker: str = ""  # whose words they are, as far as its file says


def read_srt(text: str, name: str) -> list[Cue]:
    """Cues of SubRip: a number, a timing, lines of text, an empty line."""
    rows = list(lines(text))
    timed = [number for number, row in enumerate(rows) if _is_timing(row.span.of(text))]
    firsts = [
        number - 1 if number and _number(rows[number - 1], text) is not None else number for number in timed
    ]
    for row in rows[: firsts[0] if firsts else len(rows)]:
        if row.span.of(text).strip():
            raise DataError(
                f"{name}, line {row.number}: text outside of any cue; "
                "a cue begins with its number and a timing like 00:00:01,000 --> 00:00:02,500"
            )
    cues = []
    for first, at, following in zip(firsts, timed, [*firsts[1:], len(rows)], strict=False):
        own = rows[at + 1 : following]
        _check_cut(rows[first], own, text, name)
        cues.append(_cue(rows[at], own, text, name))
    return cues


def _is_timing(line: str) -> bool:
    return "-->" in line and line.lstrip()[:1].isdigit()


def _number(row: Line, text: str) -> int | None:
    found = row.span.of(text).strip()
    return int(found) if found.isascii() and found.isdigit() and len(found) < 10 else None


def _check_cut(first: Line, own: Sequence[Line], text: str, name: str) -> None:
    """Refuse what looks like the beginning of another cue that was cut short."""
    expected = _number(first, text)  # and one more
    for before, row in pairwise(own):
        numbered = expected is not None and _number(row, text) == expected + 1
        begins = numbered and not before.span.of(text).strip()
        if begins or _HALF_TIMING.fullmatch(row.span.of(text)):
            raise DataError(
                f"{name}, line {row.number}: a cue without a timing like 00:00:01,000 --> 00:00:02,500; "
                "fetch the file again if it was cut short"
            )


def _cue(timing: Line, own: Sequence[Line], text: str, name: str) -> Cue:
    found = _TIMING.fullmatch(timing.span.of(text))
    if not found:
        raise DataError(
            f"{name}, line {timing.number}: not a timing; it would be like 00:00:01,000 --> 00:00:02,500"
        )
    if own:
        span = Span(own[0].span.start, own[-1].span.end).stripped(text)
    else:
        span = Span(timing.span.end, timing.span.end)
    times = found.groups()
    return Cue(_milliseconds(times[:4]), _milliseconds(times[4:]), span, timing.number, timing.ending)


def _milliseconds(groups: Sequence[str | None]) -> int:
    hours, minutes, seconds, fraction = (group or "0" for group in groups)
    return ((int(hours) * 60 + int(minutes)) * 60 + int(seconds)) * 1000 + int(fraction.ljust(3, "0"))


def read_vtt(text: str, name: str) -> list[Cue]:
    """Cues of WebVTT; its header, notes, styles and regions are passed over."""
    cues = []
    header, *blocks = _blocks(text)
    # As browsers have it, a timing ends the header where no empty line does.
    begin = next((at for at, row in enumerate(header) if _is_timing(row.span.of(text))), len(header))
    for block in [header[begin:], *blocks] if header[begin:] else blocks:
        first = block[0].span.of(text)
        if _ASIDE.match(first):
            continue
        timed = ["-->" in row.span.of(text) for row in block]
        if not any(timed[:2]):
            raise DataError(
                f"{name}, line {block[0].number}: neither a note nor a cue, "
                "which has a timing like 00:01.000 --> 00:02.500; fetch the file again if it was cut short"
            )
        at = timed.index(True)
        if any(timed[at + 1 :]):
            wrong = block[timed.index(True, at + 1)]
            raise DataError(
                f"{name}, line {wrong.number}: a timing within a cue; put an empty line before it"
            )
        cues.append(_cue(block[at], block[at + 1 :], text, name))
    return cues


def _blocks(text: str) -> Iterator[list[Line]]:
    block = list[Line]()
    for row in lines(text):
        if row.span.start < row.span.end:
            block.append(row)
        elif block:
            yield block
            block = []
    if block:
        yield block


def read_ass(text: str, name: str) -> list[Cue]:
    """Cues of Advanced SubStation Alpha, or of SSA before it: what its dialogue lines show."""
    cues, section, fields = [], "", _EVENT_FIELDS
    sections = set[str]()
    for row in lines(text):
        line = row.span.of(text)
        if line.lstrip().startswith("[") and line.rstrip().endswith("]"):
            section = line.strip().lower()
            sections.add(section)
        elif section == "[events]" and line.startswith("Format:"):
            fields = [field.strip().lower() for field in line.removeprefix("Format:").split(",")]
            if fields[-1] != "text" or not {"start", "end"} <= set(fields):
                raise DataError(
                    f"{name}, line {row.number}: events need the fields Start and End, and Text last"
                )
        elif section == "[events]" and line.startswith("Dialogue:"):
            cues.append(_dialogue(row, fields, text, name))
    if text.strip() and "[events]" not in sections:
        raise DataError(f"{name}: there is no [Events] section; fetch the file again if it was cut short")
    return cues


def _dialogue(row: Line, fields: Sequence[str], text: str, name: str) -> Cue:
    line = row.span.of(text)
    values = line.removeprefix("Dialogue:").split(",", len(fields) - 1)
    if len(values) < len(fields):
        raise DataError(
            f"{name}, line {row.number}: {len(values)} fields where a dialogue line has {len(fields)}; "
            "fetch the file again if it was cut short"
        )
    by_name = dict(zip(fields, values, strict=True))
    start, end = (_MOMENT.fullmatch(by_name[field]) for field in ("start", "end"))
    if not start or not end:
        raise DataError(f"{name}, line {row.number}: not a time; it would be like 0:00:01.00")
    return Cue(
        _milliseconds(start.groups()),
        _milliseconds(end.groups()),
        Span(row.span.end - len(values[-1]), row.span.end),
        row.number,
        r"\N",
        f"{by_name.get('style')},{by_name.get('name') or by_name.get('actor')}",
    )
