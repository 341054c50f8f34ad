"""A paragraph of Markdown as text with marks, and text with marks written as Markdown again."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from recollect.text.formats.markdown_syntax import TooTangledError, allow
from recollect.text.inline import Inline, Mark, Role
from recollect.text.scripts import glue
from recollect.text.wrapping import wrapped

__all__ = ["Image", "Prose", "Style", "understood", "written"]

_CHUNK = 50_000  # no paragraph is so long; what is, is understood in parts
_TAGS = {"*": "em", "_": "em", "**": "strong", "__": "strong", "~~": "del"}
_SPECIAL = re.compile(r"[\\`*\[\]~_<&${!]")
_LONE_TAG = re.compile(r"<[^<>]*>")
_ENTITY = re.compile(r"&(?:#\w{1,8}|\w{1,32});")
_LINE_START = re.compile(
    r"(?:#{1,6}(?=\s|\Z)|[-+](?=[\s-]|\Z)|>|=+(?=\s*\Z)|:(?=[-|\s]|::|\Z)|!(?=!! ?\w)|\?(?=\?\?))"
    r"|(\d{1,9})([.)](?=\s|\Z))"
)


@dataclass(frozen=True, slots=True)
class Image:
    """Where an image's text stands in the paragraph, and what is written after it."""

    begin: int
    end: int
    closing: str


@dataclass(frozen=True, slots=True)
class Prose:
    """A paragraph that has been understood; images by the number of their marks."""

    inline: Inline
    images: Mapping[int, Image]


@dataclass(frozen=True, slots=True)
class Style:
    """How a unit was written, and is to be written again."""

    columns: int = 0  # of its longest line, if it was broken into lines
    newline: str = "\n"  # with what stands before the text of the next line
    cell: bool = False
    heading: bool = False
    within: bool = False  # within a line, so that no line begins with it


def understood(content: str, markdown: MarkdownIt, env: dict[str, Any]) -> Prose:
    """Return the words and marks of a paragraph whose lines have nothing before them."""
    tokens: list[Token] = []
    begin = 0
    while begin < len(content):
        end = len(content)
        if end - begin > _CHUNK:
            end = max(content.rfind(" ", begin, begin + _CHUNK) + 1, begin) or begin + _CHUNK
            end = end if end > begin else begin + _CHUNK
        part: list[Token] = []
        allow(markdown, end - begin)
        markdown.inline.parse(content[begin:end], markdown, env, part)
        for token in part:
            if "label" in token.meta:
                token.meta["label"] = tuple(begin + place for place in token.meta["label"])
        tokens += part
        begin = end
    return _prose([token for token in tokens if token.type not in ("text", "text_special") or token.content])


def _prose(tokens: Sequence[Token]) -> Prose:
    pieces: list[str | Mark] = []
    images: dict[int, Image] = {}
    waiting: dict[str, list[int]] = defaultdict(list)  # where in `pieces` an opening mark waits for its close
    before = ""
    for number, token in enumerate(tokens, 1):
        kind = token.type
        if kind in ("text", "text_special"):
            pieces.append(token.content)
            before = token.content if token.content.strip(" ") else before
            continue
        if kind in ("softbreak", "hardbreak"):
            while pieces and isinstance(pieces[-1], str):
                pieces[-1] = pieces[-1].rstrip(" ")
                if pieces[-1]:
                    break
                pieces.pop()
            if kind == "hardbreak":
                pieces.append(Mark(0, token.meta["raw"], "point", number))
            pieces.append(glue(before.rstrip(" "), _next_text(tokens, number)))
            continue
        role, name = _role(token)
        if role == "close" and waiting[name]:
            at = waiting[name].pop()
            opening = pieces[at]
            assert isinstance(opening, Mark)
            pieces[at] = Mark(0, opening.raw, "open", opening.pair)
            pieces.append(Mark(0, _raw(token), "close", opening.pair))
            continue
        if role == "open":
            waiting[name].append(len(pieces))
        elif role == "word":
            before = "x"
        # What opens or closes alone is a point, until the other is found.
        pieces.append(Mark(0, _raw(token), "point" if role in ("open", "close") else role, number))
        if kind == "verbatim" and token.meta["raw"][:3].lower() == "<br":
            pieces.append(glue(before, _next_text(tokens, number)))
        if kind == "image":
            begin, end = token.meta["label"]
            images[number] = Image(begin, end, token.meta["closing"])
    return Prose(Inline.joined(pieces), images)


def _role(token: Token) -> tuple[Role, str]:
    if token.type == "verbatim":
        return token.info, f"<{token.tag}"  # type: ignore[return-value]
    if token.type == "image":
        return "point", ""
    if token.nesting:
        return ("open" if token.nesting > 0 else "close"), token.tag + token.markup
    return "word", ""


def _raw(token: Token) -> str:
    return token.markup if token.tag in ("em", "strong", "s") and token.nesting else str(token.meta["raw"])


def _next_text(tokens: Sequence[Token], at: int) -> str:
    for token in tokens[at : at + 50]:
        if token.type in ("text", "text_special"):
            return token.content
        if not token.nesting and token.info not in ("open", "close"):
            break
    return "x"


def written(
    target: Inline, style: Style, alternatives: Mapping[int, str], markdown: MarkdownIt, env: dict[str, Any]
) -> str:
    """Write `target` so that it reads as Markdown with the same marks; `alternatives` are images' new texts.

    Emphasis that Markdown would not see where it now stands, within a word or by Chinese punctuation, is
    written as HTML.
    """
    wanted = [piece for piece in _tidy(target.pieces()) if piece]
    seen = sorted(piece.raw for piece in wanted if isinstance(piece, Mark) and _is_markup(piece))
    parts: list[tuple[str, bool]] = []
    for replaced in ({}, {"_": "*", "__": "**"}, {sign: f"<{tag}>" for sign, tag in _TAGS.items()}):
        parts = _parts(wanted, replaced, alternatives)
        try:
            again = understood("".join(text for text, _ in parts), markdown, env).inline
        except TooTangledError:
            continue
        found = sorted(mark.raw for mark in again.marks if _is_markup(mark))
        if found == sorted(replaced.get(raw, raw) for raw in seen):
            break
    return _lines(parts, style)


def _is_markup(mark: Mark) -> bool:
    return mark.role in ("open", "close") and (mark.raw in _TAGS or mark.raw == "[")


def _tidy(pieces: Sequence[str | Mark]) -> list[str | Mark]:
    """Move white space out of emphasis, and leave out emphasis of nothing: Markdown has neither."""
    backwards: list[str | Mark] = []
    for piece in reversed(pieces):
        if isinstance(piece, Mark) and piece.role == "open" and piece.raw in _TAGS and backwards:
            last = backwards[-1]
            if isinstance(last, str) and last != (text := last.lstrip()):
                backwards[-1:] = [text, piece, last[: len(last) - len(text)]] if text else [piece, last]
                continue
        backwards.append(piece)
    found: list[str | Mark] = []
    for piece in reversed(backwards):
        if isinstance(piece, Mark) and piece.role == "close" and piece.raw in _TAGS and found:
            last = found[-1]
            if isinstance(last, Mark) and last.role == "open" and last.pair == piece.pair:
                found.pop()
                continue
            if isinstance(last, str) and last != (text := last.rstrip()):
                found[-1:] = [text, piece, last[len(text) :]] if text else [piece, last]
                continue
        found.append(piece)
    return found


def _parts(
    pieces: Sequence[str | Mark], replaced: Mapping[str, str], alternatives: Mapping[int, str]
) -> list[tuple[str, bool]]:
    dollars = sum(piece.count("$") for piece in pieces if isinstance(piece, str)) > 1
    parts: list[tuple[str, bool]] = []
    for index, piece in enumerate(pieces):
        if isinstance(piece, str):
            following = pieces[index + 1] if index + 1 < len(pieces) else ""
            after_break = bool(parts) and parts[-1][0].endswith("\n")
            text = re.sub(r"[\r\n]+", " ", piece)
            parts.append((_escaped(text.lstrip(" ") if after_break else text, following, dollars), True))
            continue
        raw = alternatives.get(piece.pair, piece.raw) if piece.role == "point" else piece.raw
        if piece.role in ("open", "close") and raw in replaced:
            raw = replaced[raw]
            raw = raw.replace("<", "</") if piece.role == "close" else raw
        parts.append((raw, False))
    return parts


def _escaped(text: str, following: str | Mark, dollars: bool) -> str:
    """Put a backslash before what would be read as markup."""

    def one(found: re.Match[str]) -> str:
        char, at = found.group(), found.start()
        next_char = text[at + 1 : at + 2]
        if char == "_":
            free = at > 0 and text[at - 1].isalnum() and next_char.isalnum()
        elif char == "<":
            free = bool(next_char) and not re.match(r"[a-zA-Z/!?]", next_char)
        elif char == "&":
            free = not _ENTITY.match(text, at)
        elif char == "$":
            free = not dollars
        elif char == "{":
            free = bool(next_char) and next_char not in "{%:#."
        elif char == "!":
            free = bool(next_char) or not (isinstance(following, Mark) and following.raw.startswith("["))
        else:
            free = False
        return char if free else f"\\{char}"

    return _SPECIAL.sub(one, text)


def _lines(parts: Sequence[tuple[str, bool]], style: Style) -> str:
    if style.cell or style.within:
        text = "".join(text for text, _ in parts)
        text = text.replace("|", "\\|") if style.cell else text
        return text.replace("\n", style.newline)
    lines: list[str] = []
    paragraph: list[tuple[str, bool]] = []
    for text, breakable in [*parts, ("\n", False)]:
        paragraph.append((text.removesuffix("\n"), breakable))
        if text.endswith("\n"):
            whole = "".join(part for part, _ in paragraph)
            fitting = _no_html_blocks(wrapped(paragraph, style.columns)) if style.columns else [whole]
            lines += [_begun(line.strip(" \t")) for line in fitting[:-1]]
            lines.append(_begun(fitting[-1].lstrip(" \t")))  # what ends it may be the spaces of a line break
            paragraph = []
    lines[-1] = lines[-1].rstrip(" \t")
    if style.heading:
        lines[-1] = re.sub(r"(?<!\S)(#+)\Z", r"\\\1", lines[-1])
    return "\n".join(lines).replace("\n", style.newline)


def _no_html_blocks(lines: Sequence[str]) -> list[str]:
    """Let no line begin with a tag that came there by wrapping: it might begin a block of HTML."""
    found = [lines[0]]
    for line in lines[1:]:
        if line.startswith("<") or (len(found) == 1 and _LONE_TAG.fullmatch(found[0])):
            found[-1] += glue(found[-1], line) + line
        else:
            found.append(line)
    return found


def _begun(line: str) -> str:
    found = _LINE_START.match(line)
    if not found:
        return line
    return f"{found.group(1)}\\{line[found.end(1) :]}" if found.group(1) else f"\\{line}"
