"""What is said in a cue: turns of one speaker each, with the tags in them as marks."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape, unescape
from itertools import count
from typing import Literal, NamedTuple

from recollect.text.inline import Inline, Mark, Role
from recollect.text.places import Span
from recollect.text.scripts import glue

__all__ = ["ASS", "SRT", "VTT", "Syntax", "Turn", "turns"]

_BREAK = r"(?P<line>\r\n|\r|\n)"
_NAMED = r"</?[a-zA-Z][^<>\r\n]*>"
_OVERRIDE = r"\{\\[^{}\r\n]*\}"
_DASH = re.compile(r"\s*[-–—‐―－]+(?!\d)\s*")
_TAG_NAME = re.compile(r"</?([a-zA-Z]+)")


@dataclass(frozen=True, slots=True)
class Syntax:
    """How the text of a cue is written."""

    token: re.Pattern[str]  # its groups: `tag`, `line` (a break), `sign` (a character written otherwise)
    read: Callable[[str], str]  # a sign
    write: Callable[[str], str]  # words


# Tags of the other formats are often found, from a careless conversion: they are no words either.
SRT = Syntax(
    re.compile(rf"(?P<tag>{_NAMED}|{_OVERRIDE})|{_BREAK}|(?P<sign>(?!))"),
    read=str,
    write=lambda words: words.replace("-->", "→"),
)
VTT = Syntax(
    re.compile(
        rf"(?P<tag><[^<>\r\n]*>|{_OVERRIDE})|{_BREAK}|(?P<sign>&(?:amp|lt|gt|nbsp|lrm|rlm|#\d{{1,7}});)"
    ),
    read=unescape,
    write=lambda words: escape(words, quote=False),
)
ASS = Syntax(
    re.compile(rf"(?P<tag>\{{[^{{}}]*\}}|{_NAMED})|(?P<line>\\[Nn])|(?P<sign>\\h)"),
    read=lambda sign: " ",
    # Braces are for tags, and a backslash must not make a break of the letter after it.
    write=lambda words: words.replace("{", "(").replace("}", ")").replace("\\", "\\\u2060"),
)


@dataclass(frozen=True, slots=True)
class Turn:
    """Words of one speaker in one cue."""

    span: Span  # without the dash before them, and the tags and white space around them
    said: Inline
    dash: str  # that they begin with
    voice: str  # the tag that names the speaker


class _Piece(NamedTuple):
    kind: Literal["words", "tag", "line"]
    span: Span
    text: str


def turns(text: str, span: Span, syntax: Syntax) -> list[Turn]:
    """The turns of a cue; a turn begins where a line does with a dash or a voice, or after an empty line."""
    found = list[Turn]()
    current, dash, previous_blank = list[_Piece](), "", False
    for line in _lines(text, span, syntax):
        said = "".join(piece.text for piece in line if piece.kind == "words")
        begins = _DASH.match(said)
        voiced = any(_is_voice(piece) for piece in line[:2])
        if begins or voiced or previous_blank:
            found += _turn(current, dash)
            current, dash = (_without_dash(line), begins.group()) if begins else (line, "")
        else:
            current += line
        previous_blank = not said.strip()
    return [*found, *_turn(current, dash)]


def _lines(text: str, span: Span, syntax: Syntax) -> list[list[_Piece]]:
    """The pieces of each line; a break is the first piece of the line after it."""
    found, done = [list[_Piece]()], span.start

    def words(until: int) -> None:
        if until > done:
            found[-1].append(_Piece("words", Span(done, until), text[done:until]))

    for token in syntax.token.finditer(text, span.start, span.end):
        words(token.start())
        place, raw = Span(*token.span()), token.group()
        if token["line"]:
            found.append([_Piece("line", place, "")])
        elif token["tag"]:
            found[-1].append(_Piece("tag", place, raw))
        else:
            found[-1].append(_Piece("words", place, syntax.read(raw)))
        done = token.end()
    words(span.end)
    return found


def _is_voice(piece: _Piece) -> bool:
    return piece.kind == "tag" and piece.text.startswith(("<v ", "<v."))


def _without_dash(line: Sequence[_Piece]) -> list[_Piece]:
    """What follows the dash; tags before it stay where they are."""
    for index, piece in enumerate(line):
        if piece.kind == "words" and piece.text.strip():
            begins = _DASH.match(piece.text)
            cut = begins.end() if begins else 0
            rest = _Piece("words", Span(piece.span.start + cut, piece.span.end), piece.text[cut:])
            return [rest, *line[index + 1 :]]
    return []


def _turn(pieces: Sequence[_Piece], dash: str) -> list[Turn]:
    """One turn, or none if nothing is said in it."""
    voice = next((piece.text for piece in pieces if _is_voice(piece)), "")
    partners = _partners(pieces)
    first, last = 0, len(pieces) - 1

    def frame(index: int) -> bool:
        piece = pieces[index]
        return not piece.text.strip() or (piece.kind == "tag" and index not in partners)

    while first <= last:
        if frame(first):
            first += 1
        elif frame(last):
            last -= 1
        elif partners.get(first) == last:
            first, last = first + 1, last - 1
        else:
            break
    core = pieces[first : last + 1]
    inner = {index - first: other - first for index, other in partners.items() if first <= index <= last}
    said = _inline(core, inner)
    if not any(character.isalnum() for character in said.text):
        return []
    start, end = core[0].span.start, core[-1].span.end
    if core[0].kind == "words":
        start += len(core[0].text) - len(core[0].text.lstrip())
    if core[-1].kind == "words":
        end -= len(core[-1].text) - len(core[-1].text.rstrip())
    return [Turn(Span(start, end), said, dash, voice)]


def _partners(pieces: Sequence[_Piece]) -> dict[int, int]:
    """Which tag closes which, and the other way round."""
    partners, opened = dict[int, int](), dict[str, list[int]]()
    for index, piece in enumerate(pieces):
        found = _TAG_NAME.match(piece.text) if piece.kind == "tag" else None
        if not found:
            continue
        if not piece.text.startswith("</"):
            opened.setdefault(found[1], []).append(index)
        elif opened.get(found[1]):
            other = opened[found[1]].pop()
            partners[other], partners[index] = index, other
    return partners


def _following(pieces: Sequence[_Piece]) -> list[str]:
    """The next words after each piece."""
    found, words = list[str](), ""
    for piece in reversed(pieces):
        found.append(words)
        if piece.kind == "words" and piece.text.strip():
            words = piece.text.lstrip()
    return found[::-1]


def _inline(pieces: Sequence[_Piece], partners: dict[int, int]) -> Inline:
    text, marks = "", list[Mark]()
    numbers = count(1)
    pairs = dict[int, int]()
    following = _following(pieces)
    after_break = False
    for index, piece in enumerate(pieces):
        if piece.kind == "words":
            new = piece.text.lstrip() if after_break or not text else piece.text
            after_break = after_break and not new
            text += new
        elif piece.kind == "line":
            text = text.rstrip()
            text += glue(text, following[index])
            after_break = True
        else:
            role: Role = "point"
            if index in partners:
                role = "open" if partners[index] > index else "close"
                pairs.setdefault(min(index, partners[index]), next(numbers))
            pair = pairs.get(min(index, partners.get(index, index)), 0)
            marks.append(Mark(len(text), piece.text, role, pair))
    text = text.rstrip()
    placed, limit = [], len(text)
    for mark in reversed(marks):
        limit = min(limit, mark.at)
        placed.append(Mark(limit, mark.raw, mark.role, mark.pair))
    return Inline(text, tuple(reversed(placed)))
