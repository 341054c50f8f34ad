"""HTML cut into tags, text and what is neither, each with its place in the file, however broken it is."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

__all__ = ["Attribute", "Token", "tokens"]

_MARKUP = re.compile(r"<(?:!--|!\[CDATA\[|[!?]|/?[a-zA-Z])")
_NAME = re.compile(r"</?([a-zA-Z][^\s/>]*)")
_ATTRIBUTE = re.compile(
    r"""[\s/]*+([^\s/>][^\s/>=]*+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"'][^\s>]*+)))?"""
)
_TAG_END = re.compile(r"\s*+(/?)[\s/]*+>")
_NO_TAGS_WITHIN = {"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"}
_END_OF = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in _NO_TAGS_WITHIN}


@dataclass(frozen=True, slots=True)
class Attribute:
    """A name, in lower case, and where its value stands, without quotes."""

    name: str
    begin: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class Token:
    """A stretch of the file; `aside` is a comment, a declaration or code, `raw` a script's content."""

    kind: Literal["text", "open", "close", "aside", "raw"]
    begin: int
    end: int
    name: str = ""
    attributes: tuple[Attribute, ...] = ()
    empty: bool = False  # <br/>


def tokens(text: str) -> Iterator[Token]:
    """Yield what `text` consists of, without gaps, in time linear in its length."""
    at, last_instruction = 0, text.rfind("?>")
    while found := _MARKUP.search(text, at):
        begin = found.start()
        if begin > at:
            yield Token("text", at, begin)
        opening = found.group()
        if opening[1] in "!?":
            end = {"<!--": "-->", "<![CDATA[": "]]>"}.get(opening, ">")
            if opening == "<?" and begin < last_instruction:
                end = "?>"
            stop = text.find(end, begin + 2)
            at = len(text) if stop < 0 else stop + len(end)  # what is never closed goes on to the end
            yield Token("aside", begin, at)
            continue
        token = _tag(text, begin)
        yield token
        at = token.end
        if token.kind == "open" and token.name in _NO_TAGS_WITHIN and not token.empty:
            closing = _END_OF[token.name].search(text, at)
            end_of_text = closing.start() if closing else len(text)
            if end_of_text > at:
                yield Token("text" if token.name == "title" else "raw", at, end_of_text)
            at = end_of_text
    if at < len(text):
        yield Token("text", at, len(text))


def _tag(text: str, begin: int) -> Token:
    name = _NAME.match(text, begin)
    assert name is not None
    at, attributes = name.end(), []
    while not (end := _TAG_END.match(text, at)):
        found = _ATTRIBUTE.match(text, at)
        if found is None:
            return Token("aside", begin, len(text))  # the file ends within a tag
        at = found.end()
        which = found.lastindex or 1
        if which > 1:
            attributes.append(
                Attribute(found.group(1).lower(), *found.span(which), quote={2: '"', 3: "'"}.get(which, ""))
            )
    kind: Literal["open", "close"] = "close" if text[begin + 1] == "/" else "open"
    return Token(kind, begin, end.end(), name.group(1).lower(), tuple(attributes), bool(end.group(1)))
