"""How words are spelled in YAML: in their source's style, unless they would then mean something else."""

import json
import re

__all__ = ["block", "double_quoted", "plain_scalar", "single_quoted"]

# What YAML does not print or takes for a line break: only double quotes can hold it.
_SPECIAL = re.compile("[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_MEANING = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}  # in YAML 1.1 or 1.2
_RUNS = re.compile(r"(\n+)")


def double_quoted(text: str) -> str:
    r"""Anything can be said in double quotes.

    >>> print(double_quoted('a "b"\n'))
    "a \"b\"\n"
    """
    quoted = json.dumps(text, ensure_ascii=False)
    return _SPECIAL.sub(lambda found: f"\\u{ord(found.group()):04x}", quoted)


def single_quoted(text: str) -> str:
    """One line of printable characters.

    >>> print(single_quoted("it's"))
    'it''s'
    """
    return double_quoted(text) if _SPECIAL.search(text) else "'" + text.replace("'", "''") + "'"


def plain_scalar(text: str, flow: bool) -> str:
    """Words without quotes, if nothing in them could be taken for anything else; `flow`: within [] or {}.

    >>> print(plain_scalar("Open file", False), plain_scalar("No", False), plain_scalar("a: b", False))
    Open file "No" "a: b"
    """
    plain = (
        text[:1].isalpha()
        and text.lower() not in _MEANING
        and not text.endswith((":", " "))
        and not any(sign in text for sign in (": ", " #", *(",[]{}:" if flow else "")))
        and not _SPECIAL.search(text)
    )
    return text if plain else double_quoted(text)


def block(text: str, folded: bool, indent: str, newline: str, begins_indented: bool) -> str:
    """The lines of a block, from its first to its last word, without the first line's indentation.

    In a folded block a single break is a space, so each real one needs one more; lines that begin with white
    space are not folded.
    """
    clean = "\n".join(_printable(line) if line.strip() else "" for line in text.splitlines()).strip()
    parts, indented = [], begins_indented
    for index, part in enumerate(_RUNS.split(clean)):
        if index % 2:
            breaks = len(part)
            continue
        if index:
            before, indented = indented, part.startswith((" ", "\t"))
            parts.append(newline * (breaks + (folded and not before and not indented)) + indent)
        parts.append(part)
    return "".join(parts)


def _printable(line: str) -> str:
    return _SPECIAL.sub(lambda found: "\t" if found.group() == "\t" else " ", line)
