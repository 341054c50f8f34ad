"""Finding what programs and documents put into prose, and a translation must not touch."""

import re
from collections.abc import Sequence

from recollect.text.inline import Inline, Mark

__all__ = ["hold_placeholders"]

_BRACED = r"\{[^{}]*+\}"
for _ in range(4):  # a plural in a select, and names in it; deeper ones are not held
    _BRACED = r"\{(?:[^{}]++|" + _BRACED + r")*+\}"

# A message of ICU is held as a whole: another language has other forms, and a broken one stops a program.
_MESSAGE = r"(?=\{\s{0,9}[\w.-]{1,60}\s{0,9},\s{0,9}(?:plural|select|selectordinal|choice)\s{0,9},)" + _BRACED

_PLACEHOLDER = re.compile(
    _MESSAGE
    + r"""
    | \{\{[^{}\n]{1,80}\}\}                                        # {{x}}
    | [$\#%]\{[^{}\n]{1,80}\}                                      # ${x}, #{x}, %{x}
    | \{[A-Za-z_0-9][^{}\n]{0,79}\}|\{\}                           # {name}, {0:>5}, {}
    | %\([A-Za-z_][^)\n]{0,79}\)[-+\#0\ ]{0,4}\d*(?:\.\d+)?[a-zA-Z] # %(name)s
    | (?<![\d%])(?:%[-_]?[aAdeFgp][-/.,:_\ ]{0,2}){0,2}%[-_]?[bBCDhHIjklmMrRSTUVwWyYzZ]
        (?:(?:[-/.,:_\ ]{0,2}|T)%[-_]?[aAbBCdDeFgGhHIjklmMprRSTuUVwWyYzZ]){0,20}(?![A-Za-z]) # %Y-%m-%d
    | %(?:\d{1,2}\$)?[-+\#0]{0,4}(?:\d{1,4}|\*)?(?:\.(?:\d{1,4}|\*))?
        (?:<PRI[diouxX][A-Z0-9]{1,12}>                             # %<PRIuMAX>
        | (?:hh|h|ll|l|L|z|j|t|q)?[diouxXeEfFgGaAcspn@](?![A-Za-z]) # %s, %1$d, %-5.2f
        | (?:l|ll|z|j)?[dufgs](?=(?:x|[mnu]?s|[kKMGT]i?[Bb]?|px|pt|[kcm]?m|h|th)(?![A-Za-z]))) # %dx%d, %ds
    | (?<![\d%])%L?[1-9](?!\d|[.,]\d)                              # %1 of Qt, though no 5%, nor %50
    | (?::[A-Za-z][\w+.:-]{0,60}:)?(?<!`)                          # roles and code, fenced alike
        (?!`+[^`'\n]{1,300}'[^`\n]{0,300}[\s(\[{/,]`+[^\s`])       # but not from `this' to `that'
        (?:`[^`\n]{1,300}`|(?P<fence>`{2,3})(?!`)(?:[^`\n]|`(?!`)){1,300}(?P=fence))(?!`)(?:__?(?!\w))?
    | \|[^|\s][^|\n]{0,60}\|_{0,2}(?=\W|$)                         # |substitution|
    | (?:(?:https?|ftp|file)://|www\.(?=[A-Za-z0-9-]))            # addresses, which no Chinese is part of
        [^\s<>"'`\u2014-\u201f\u2026\u2e80-\u30ff\u31c0-\u9fff\uf900-\uffef\U00020000-\U0003ffff]{1,2000}
        (?<![.,;:!?)])
    | [A-Za-z0-9._+-]{1,64}@[A-Za-z0-9-]{1,64}(?:\.[A-Za-z0-9-]{1,64}){1,8}    # mail
    | &(?:[A-Za-z][A-Za-z0-9]{1,30}|\#\d{1,7}|\#[xX][0-9A-Fa-f]{1,6});        # entities
    | </?\d{1,3}/?>                                                # <0>, of React
    | </?[A-Za-z][A-Za-z0-9:-]{0,60}(?:\s[^<>\n]{0,500})?/?>                   # tags
    | \\[nrt](?![A-Za-z])                                          # escapes that a catalogue shows
    """,
    re.VERBOSE,
)
_OPEN = re.compile(r"<([A-Za-z][\w:-]*)(?:\s[^<>]*[^/])?>|<([A-Za-z][\w:-]*|\d+)>")
_CLOSE = re.compile(r"</([A-Za-z][\w:-]*|\d+)>")


def hold_placeholders(inline: Inline) -> Inline:
    """Return the same with placeholders, roles, addresses, code and tags in its text as marks.

    >>> hold_placeholders(Inline("Hello {name}, see %s")).marks
    (Mark(at=6, raw='{name}', role='word', pair=0), Mark(at=12, raw='%s', role='word', pair=0))
    """
    pieces: list[str | Mark] = []
    found: set[int] = set()  # which pieces are marks that were not there
    for piece in inline.pieces():
        for part in _cut(piece) if isinstance(piece, str) else [piece]:
            if isinstance(piece, str) and isinstance(part, Mark):
                found.add(len(pieces))
            pieces.append(part)
    _pair(pieces, sorted(found), 1 + max((mark.pair for mark in inline.marks), default=0))
    return Inline.joined(pieces)


def _cut(text: str) -> list[str | Mark]:
    found: list[str | Mark] = []
    done = 0
    for match in _PLACEHOLDER.finditer(text):
        found += [text[done : match.start()], Mark(0, match.group())]
        done = match.end()
    return [piece for piece in (*found, text[done:]) if piece]


def _pair(pieces: list[str | Mark], places: Sequence[int], number: int) -> None:
    """Make pairs of the tags among some pieces; a tag without a partner is a point."""
    waiting: list[tuple[str, int]] = []
    for place in places:
        piece = pieces[place]
        assert isinstance(piece, Mark)
        raw = piece.raw
        if opened := _OPEN.fullmatch(raw):
            waiting.append(((opened[1] or opened[2]).lower(), place))
        elif (closed := _CLOSE.fullmatch(raw)) and closed[1].lower() in [name for name, _ in waiting]:
            name, begin = waiting.pop()
            while name != closed[1].lower():
                name, begin = waiting.pop()
            first = pieces[begin]
            assert isinstance(first, Mark)
            pieces[begin] = Mark(0, first.raw, "open", number)
            pieces[place] = Mark(0, raw, "close", number)
            number += 1
    for place in places:
        piece = pieces[place]
        if isinstance(piece, Mark) and piece.role == "word" and piece.raw.startswith("<"):
            pieces[place] = Mark(0, piece.raw, "point")
