"""Subtitles as SRT, WebVTT or ASS: a unit is a sentence, over however many cues; times and styles stay."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from recollect.errors import DataError
from recollect.text.encodings import Decoded, decode
from recollect.text.formats.content import Content, Unit
from recollect.text.formats.cues import Cue, read_ass, read_srt, read_vtt
from recollect.text.formats.turns import ASS, SRT, VTT, Syntax, Turn, turns
from recollect.text.inline import Inline, Mark
from recollect.text.places import Span, splice
from recollect.text.scripts import glue
from recollect.text.wrapping import share, width, wrap

__all__ = ["read_subtitles"]

_LONGEST_CUE = 10_000  # characters
_LONGEST_PAUSE = 1000  # milliseconds within a sentence
_MOST_CUES = 4  # of a sentence
_FINAL = frozenset(".!?…。！？♪")
_CLOSING = "\"'”’»)]}」』）】》 "
_UNFINISHED = (",", "，", "、", "—", "–", "-", "→")
_ELLIPSIS = ("...", "…")
_ASIDE = re.compile(r"[\[(（【].*[\])）】]", re.DOTALL)  # [a door slams]
# Somebody else's words, or something that nobody says.
_NEW_SPEAKER = re.compile(r">>|[\[(（【♪]|(?![a-z])[\w .'’-]{1,20}[:：](?!\d)")
_BREAKS = re.compile(r"[\r\n]+")
_BEGIN = re.compile(r"\s*+(WEBVTT|[\[;])")
_REST_BEFORE_A_LINE = re.compile(r"[ \t]*(?:\r\n|\r|\n)(?=[ \t]*\S)")
_DRAWING = re.compile(r"\{[^{}]*\\p[1-9]")


def read_subtitles(data: bytes, name: str, *, apart: bool = False) -> Content:
    """Read subtitles, known by how they begin: WEBVTT, a [section] of ASS or SSA, or else SRT.

    With `apart` every cue stands for itself, whatever its sentence.
    """
    decoded = decode(data, name)
    read, syntax = _kind(decoded.text)
    cues = read(decoded.text, name)
    spoken = list[_Spoken]()
    for number, cue in enumerate(cues, 1):
        if syntax is ASS and _DRAWING.search(decoded.text, cue.span.start, cue.span.end):
            continue
        if cue.span.end - cue.span.start > _LONGEST_CUE:
            raise DataError(
                f"{name}, line {cue.line}: a cue of more than {_LONGEST_CUE:,} characters; "
                "no screen shows that many, so part it"
            )
        found = turns(decoded.text, cue.span, syntax)
        spoken += (_Spoken(number, cue, turn, turn is found[0], turn is found[-1]) for turn in found)
    groups = [[each] for each in spoken] if apart else _sentences(spoken)
    return _Subtitles(decoded, syntax, [_Sentence.of(group) for group in groups])


def _kind(text: str) -> tuple[Callable[[str, str], list[Cue]], Syntax]:
    begin = _BEGIN.match(text)
    if not begin:
        return read_srt, SRT
    return (read_vtt, VTT) if begin[1] == "WEBVTT" else (read_ass, ASS)


@dataclass(frozen=True, slots=True)
class _Spoken:
    """A turn and the cue it stands in."""

    number: int  # of the cue, from 1
    cue: Cue
    turn: Turn
    first: bool  # of its cue
    last: bool

    @property
    def text(self) -> str:
        return self.turn.said.text

    @property
    def finished(self) -> bool:
        return self.text.rstrip(_CLOSING)[-1:] in _FINAL or _ASIDE.fullmatch(self.text) is not None


def _sentences(spoken: Sequence[_Spoken]) -> Iterator[list[_Spoken]]:
    """Turns that are one sentence together.

    Many subtitles, above all Chinese ones, have no full stops: there a missing one means nothing.
    """
    ends = [each.finished for each in spoken if each.last]
    punctuated = 3 * sum(ends) >= len(ends)
    group = list[_Spoken]()
    for each in spoken:
        if group and not (len(group) < _MOST_CUES and _goes_on(group[-1], each, punctuated)):
            yield group
            group = []
        group.append(each)
    if group:
        yield group


def _goes_on(before: _Spoken, after: _Spoken, punctuated: bool) -> bool:
    """Whether one turn's sentence goes on in the next."""
    follows = before.last and after.first and before.number + 1 == after.number
    in_time = before.cue.start < after.cue.start and abs(after.cue.start - before.cue.end) <= _LONGEST_PAUSE
    same = (before.cue.speaker, before.turn.voice) == (after.cue.speaker, after.turn.voice)
    if not (follows and in_time and same) or after.turn.dash or _NEW_SPEAKER.match(after.text):
        return False
    if before.text.endswith(_ELLIPSIS):  # an end, or a pause: the next words tell
        return after.text.startswith(_ELLIPSIS) or after.text[0].islower()
    return not before.finished and (punctuated or before.text.endswith(_UNFINISHED))


@dataclass(frozen=True, slots=True)
class _Sentence:
    unit: Unit
    turns: Sequence[Turn]
    cues: Sequence[Cue]  # of each turn

    @classmethod
    def of(cls, group: Sequence[_Spoken]) -> "_Sentence":
        pieces, before = list[str | Mark](), ""
        pairs = 0  # in the cues so far: each counts its own from one
        for each in group:
            pieces.append(glue(before, each.text))
            for piece in each.turn.said.pieces():
                if isinstance(piece, Mark) and piece.pair:
                    piece = replace(piece, pair=piece.pair + pairs)
                pieces.append(piece)
            pairs += len(each.turn.said.marks)
            before = each.text
        first, last = group[0].number, group[-1].number
        where = f"cue {first}" if first == last else f"cues {first} to {last}"
        unit = Unit(Inline.joined(piece for piece in pieces if piece), where)
        return cls(unit, [each.turn for each in group], [each.cue for each in group])


@dataclass(frozen=True, slots=True)
class _Subtitles:
    """Subtitles that have been read."""

    decoded: Decoded
    syntax: Syntax
    sentences: Sequence[_Sentence]

    @property
    def units(self) -> Sequence[Unit]:
        """The sentences in the order of the file."""
        return [sentence.unit for sentence in self.sentences]

    def render(self, targets: Sequence[Inline | None]) -> bytes:
        """Return the subtitles with the translations in their cues, in lines of a length that can be read."""
        changes = []
        for sentence, target in zip(self.sentences, targets, strict=True):
            if target is None or target == sentence.unit.source:
                continue
            parts = share(target, [width(turn.said.text) for turn in sentence.turns])
            for turn, cue, part in zip(sentence.turns, sentence.cues, _closed(parts), strict=True):
                if part != turn.said:
                    rows = wrap(part, taken=width(turn.dash.lstrip()))
                    words = cue.newline.join(self._write(row) for row in rows)
                    span = turn.span if words else _with_its_line(self.decoded.text, turn.span, cue)
                    changes.append((span, words))
        return self.decoded.encode(splice(self.decoded.text, changes))

    def _write(self, row: Inline) -> str:
        return "".join(
            piece.raw if isinstance(piece, Mark) else self.syntax.write(_BREAKS.sub(" ", piece))
            for piece in row.pieces()
        )


def _with_its_line(text: str, span: Span, cue: Cue) -> Span:
    """Return the whole line if nothing else is in it and its cue goes on: an empty line would end it."""
    start = max(text.rfind("\n", 0, span.start), text.rfind("\r", 0, span.start)) + 1
    rest = _REST_BEFORE_A_LINE.match(text, span.end, cue.span.end)
    return Span(start, rest.end()) if rest and not text[start : span.start].strip() else span


def _closed(parts: Sequence[Inline]) -> list[Inline]:
    """Close at the end of each cue the pairs that are open there, and open them again in the next."""
    closing = {mark.pair: mark for part in parts for mark in part.marks if mark.role == "close"}
    found, opened = [], list[Mark]()
    for part in parts:
        marks = [*(replace(mark, at=0) for mark in opened), *part.marks]
        opened = []
        for mark in marks:
            if mark.role == "open" and mark.pair in closing:
                opened.append(mark)
            elif mark.role == "close":
                opened = [other for other in opened if other.pair != mark.pair]
        end = len(part.text)
        marks += (replace(closing[mark.pair], at=end) for mark in reversed(opened))
        found.append(Inline(part.text, tuple(marks)))
    return found
