"""Catalogues of strings in JSON and YAML: every string value is a unit, keys and all else stay."""

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from recollect.errors import DataError
from recollect.text.encodings import decode
from recollect.text.formats.content import Content, Unit
from recollect.text.formats.scalars import block, double_quoted, plain_scalar, single_quoted
from recollect.text.formats.spliced import Place, Spliced
from recollect.text.inline import plain
from recollect.text.places import Span, breaks

__all__ = ["read_json", "read_yaml"]

_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\],]')
_HALF = re.compile("[\ud800-\udfff]")  # of a character beyond the first 65,536
_LARGEST_YAML = 8 << 20  # bytes; its reader needs about a second for each million
_STRING = "tag:yaml.org,2002:str"
_BOOLEANS = {"y", "n", "yes", "no", "on", "off"}  # in YAML 1.1, which Rails and PyYAML read
_PROPERTIES = re.compile(r"(?:[&!]\S*+|#[^\r\n\x85\u2028\u2029]*+|\s++)*+")
_BLOCK_HEADER = re.compile(r"[|>][^\r\n]*+(\r\n|\r|\n)")


def read_json(data: bytes, name: str) -> Content:
    """Read a JSON file; a unit is called by its path: `menu.open`, `steps.0`."""
    decoded = decode(data, name)
    text = decoded.text
    if text.strip():
        _check_json(text, name)
    strings = list(_json_strings(text, name))
    # Where all is ASCII although what it says is not, let it stay so.
    escape = text.isascii() and not all(value.isascii() for _, _, value in strings)
    places = []
    for path, span, value in strings:
        if value.strip():
            spell = partial(_spell_json, value, escape, "\\/" in span.of(text))
            places.append(Place(Unit(plain(value.strip()), path), span, spell))
    return Spliced(decoded, places)


def _check_json(text: str, name: str) -> None:
    try:
        json.loads(text, parse_int=str, parse_float=str)  # no number is too long to be left alone
    except json.JSONDecodeError as error:
        line = breaks(text[: error.pos]) + 1
        reason = error.msg[:1].lower() + error.msg[1:]
        raise DataError(f"{name}, line {line}: not valid JSON ({reason}); mend the file there") from None
    except RecursionError:
        raise DataError(
            f"{name}: objects within objects, too deep to be a catalogue; a few levels are right"
        ) from None


def _json_strings(text: str, name: str) -> Iterator[tuple[str, Span, str]]:
    """The strings of valid JSON that are no keys: path, place with quotes, value."""
    path = list[str | int]()  # a number is a place in an array, a string the last key of an object
    key_next = False
    for token in _TOKEN.finditer(text):
        sign = token.group()
        if sign in ("{", "["):
            path.append("" if sign == "{" else 0)
            key_next = sign == "{"
        elif sign in ("}", "]"):
            path.pop()
            key_next = False
        elif sign == ",":
            last = path[-1]
            key_next = isinstance(last, str)
            if isinstance(last, int):
                path[-1] = last + 1
        else:
            value = json.loads(sign)
            if _HALF.search(value):
                line = breaks(text[: token.start()]) + 1
                raise DataError(
                    f"{name}, line {line}: half of a character (\\ud800 to \\udfff); write both halves"
                )
            if key_next:
                path[-1] = value
                key_next = False
            else:
                yield ".".join(map(str, path)), Span(*token.span()), value


def _spell_json(source: str, escape: bool, slashes: bool, text: str) -> str:
    spelled = json.dumps(_within(source, text), ensure_ascii=escape)
    return spelled.replace("/", "\\/") if slashes else spelled


def _within(source: str, text: str) -> str:
    """The text with the white space that is around its source."""
    lead = source[: len(source) - len(source.lstrip())]
    return lead + text + source[len(source.rstrip()) :]


def read_yaml(data: bytes, name: str) -> Content:
    """Read a YAML file; a unit is called by its path: `menu.open`, `steps.0`.

    Nodes are composed, never constructed: no tag makes an object, and what an alias stands for is read once.
    """
    if len(data) > _LARGEST_YAML:
        raise DataError(
            f"{name}: {len(data):,} bytes; a YAML catalogue of at most {_LARGEST_YAML:,} is read, so split it"
        )
    decoded = decode(data, name)
    places = list[Place]()
    seen = set[int]()
    for document in _documents(decoded.text, name):
        _collect(document, decoded.text, "", False, seen, places)
    return Spliced(decoded, places)


def _documents(text: str, name: str) -> list[Any]:
    yaml = YAML(typ="safe", pure=True)
    yaml.composer.warn_double_anchors = False
    try:
        return list(yaml.compose_all(text))
    except RecursionError:
        raise DataError(
            f"{name}: mappings within mappings, too deep to be a catalogue; a few levels are right"
        ) from None
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{name}, line {mark.line + 1}" if mark else name
        reason = " ".join(str(error.problem or error.context).split())[:200]
        raise DataError(f"{where}: not valid YAML ({reason}); mend the file there") from None
    except (YAMLError, ValueError, OverflowError) as error:
        reason = " ".join(str(error).split())[:200]
        raise DataError(f"{name}: not valid YAML ({reason}); mend the file") from None


def _collect(node: Any, text: str, path: str, flow: bool, seen: set[int], places: list[Place]) -> None:
    if id(node) in seen:  # an alias
        return
    seen.add(id(node))
    if isinstance(node, ScalarNode):
        if node.tag == _STRING and node.value.strip() and not _is_boolean(node, text):
            unit = Unit(plain(node.value.strip()), path)
            places.append(Place(unit, *_scalar(node, text, flow)))
        return
    inner = flow or bool(node.flow_style)
    before = f"{path}." if path else ""
    if isinstance(node, MappingNode):
        for key, value in node.value:
            called = key.value if isinstance(key, ScalarNode) else "?"
            _collect(value, text, before + called, inner, seen, places)
    elif isinstance(node, SequenceNode):
        for index, value in enumerate(node.value):
            _collect(value, text, f"{before}{index}", inner, seen, places)


def _is_boolean(node: ScalarNode, text: str) -> bool:
    """Whether a word is none to other readers: without quotes, and without a tag that says it is one."""
    written = text[node.start_mark.index : node.end_mark.index]
    return not node.style and "!" not in written and node.value.lower() in _BOOLEANS


def _scalar(node: ScalarNode, text: str, flow: bool) -> tuple[Span, Callable[[str], str]]:
    """Where the words of a scalar stand and how others are spelled there."""
    start, end = node.start_mark.index, node.end_mark.index
    if text[start] in "&!":  # its anchor and its tag come first
        properties = _PROPERTIES.match(text, start)
        assert properties
        start = properties.end()
    if node.style in ("|", ">"):
        return _block(node, text, Span(start, end))
    if node.style == '"':
        return Span(start, end), lambda new: double_quoted(_within(node.value, new))
    if node.style == "'":
        return Span(start, end), lambda new: single_quoted(_within(node.value, new))
    return Span(start, end), partial(plain_scalar, flow=flow)


def _block(node: ScalarNode, text: str, whole: Span) -> tuple[Span, Callable[[str], str]]:
    header = _BLOCK_HEADER.match(text, whole.start)
    assert header
    span = Span(header.end(), whole.end).stripped(text)
    first_line = text[max(text.rfind("\n", 0, span.start), text.rfind("\r", 0, span.start)) + 1 : span.start]
    own = node.value.lstrip("\n")
    own_indent = len(own) - len(own.lstrip())  # white space that belongs to the words
    spell = partial(
        block,
        folded=node.style == ">",
        indent=" " * (len(first_line) - own_indent),
        newline=header.group(1),
        begins_indented=own_indent > 0,
    )
    return span, spell
