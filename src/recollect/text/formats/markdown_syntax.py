"""A Markdown parser that knows how things are written, what else people write in it, and when to give up."""

import re
from types import SimpleNamespace

from markdown_it import MarkdownIt, helpers
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from recollect.text.inline import Role

__all__ = ["TooTangledError", "allow", "parser"]

_NESTED = 40  # block quotes and lists within each other, or brackets
_LONGEST = 2000  # characters of a link's target or title
_STOP = re.compile(
    r"[\n$&*<\[\\\]_`{~]|!(?=\[)|\b(?:https?://|ftp://|www\.)|(?<![\w.+-])[\w.+-]{1,64}@(?=\w)", re.IGNORECASE
)
_URL = re.compile(r"(?:(?:https?|ftp)://|www\.)[!-)+-;=?-Z\\^_a-~]+", re.IGNORECASE)
_VERBATIM: list[tuple[re.Pattern[str], Role]] = [
    (re.compile(r"<(code|kbd|samp|var)\b[^<>]{0,200}>.{0,500}?</\1>", re.DOTALL | re.IGNORECASE), "word"),
    (re.compile(r"<[a-zA-Z][a-zA-Z0-9+.-]{1,31}:[^<>\x00-\x20]{0,2000}>"), "word"),
    (re.compile(r"<[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[\w.-]{1,255}>"), "word"),
    (re.compile(r"</[a-zA-Z][\w-]{0,50}\s{0,50}>"), "close"),
    (
        re.compile(
            r"""<[a-zA-Z][\w-]{0,50}(?:\s{1,50}[\w:@.-]{1,100}(?:\s{0,50}=\s{0,50}(?:[^\s"'=<>`]{1,1000}"""
            r"""|'[^']{0,1000}'|"[^"]{0,1000}"))?+){0,50}\s{0,50}/?>"""
        ),
        "open",
    ),
    (re.compile(r"<!--.{0,2000}?-->|<\?.{0,1000}?\?>", re.DOTALL), "point"),
    (re.compile(r"\$\$.{1,1000}?\$\$|\$(?![\s$])[^$]{1,500}(?<![\s\\])\$(?!\d)", re.DOTALL), "word"),
    (re.compile(r"\{%.{0,500}?%\}|\{\{.{0,500}?\}\}", re.DOTALL), "word"),
    (re.compile(r"!?\[\[[^\[\]\n]{1,200}\]\](?!\(|\[(?!\[))"), "word"),  # a wiki's links
    (re.compile(r"\{[:#.][^{}\n]{1,200}\}|\[\^[^\]\[\s]{1,100}\]"), "point"),
    (re.compile(r"[\w.+-]{1,64}@\w[\w-]{0,60}(?:\.\w[\w-]{0,60}){1,5}"), "word"),
]
_FOOTNOTE = re.compile(r"\[\^[^\]\[\s]{1,100}\]:|:(?=[ \t])")
_CONTAINER = re.compile(r":{3,}")
_ADMONITION = re.compile(r"""(?:!!!|\?{3}\+?) ?[\w-]++(?: +[\w-]++)*+(?: +"[^"]*")?[ \t]*\Z""")
_EMPTY = re.compile(r"(?is)<(?:area|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b|.*/>\Z")
_RULES = "text newline escape backticks verbatim strikethrough emphasis link image entity"


class TooTangledError(Exception):
    """A paragraph takes more steps than any that was written to be read."""


class _InlineParser(ParserInline):
    """Finds what a paragraph consists of; a token's meta tells how it is written."""

    def __init__(self) -> None:
        super().__init__()
        self.steps_left = 0
        self._label_end = 0
        self.ruler.at("text", _text)
        self.ruler.at("newline", _newline)
        self.ruler.after("backticks", "verbatim", _verbatim)
        self.ruler.enableOnly(_RULES.split())
        self.ruler2.enableOnly(["balance_pairs", "strikethrough", "emphasis"])

    def spend(self, steps: int) -> None:
        """Count down, and give up at zero."""
        self.steps_left -= steps
        if self.steps_left < 0:
            raise TooTangledError

    def skipToken(self, state: StateInline) -> None:  # noqa: N802
        """Skip a token, as the parent does, and count."""
        self.spend(1)
        super().skipToken(state)

    def tokenize(self, state: StateInline) -> None:
        """Make tokens, as the parent does, and remember how each is written."""
        rules, end = self.ruler.getRules(""), state.posMax
        while state.pos < end:
            self.spend(1)
            begin, known = state.pos, len(state.tokens)
            if not (state.level < _NESTED and any(rule(state, False) for rule in rules)):
                state.push("text", "", 0).content = state.src[begin]
                state.pos = begin + 1
            for token in state.tokens[known:]:
                if not token.meta:
                    self._remember(token, state, begin)
        if state.pending:
            state.pushPending()
        self._label_end = end

    def _remember(self, token: Token, state: StateInline, begin: int) -> None:
        src, end = state.src, state.pos
        if token.type == "link_open":
            token.meta = {"raw": "["}
        elif token.type == "link_close":
            label = src[begin + 1 : self._label_end]
            token.meta = {"raw": _closing(src[self._label_end : end], label)}
        elif token.type == "image":
            label_end = state.md.helpers.parseLinkLabel(state, begin + 1, False)
            closing = _closing(src[label_end:end], src[begin + 2 : label_end])
            token.meta = {"raw": src[begin:end], "label": (begin + 2, label_end), "closing": closing}
        else:
            token.meta = {"raw": src[begin:end]}


def allow(markdown: MarkdownIt, length: int) -> None:
    """Set how many steps a text of `length` characters may take."""
    assert isinstance(markdown.inline, _InlineParser)
    markdown.inline.steps_left = 4 * length + 100_000


def parser() -> MarkdownIt:
    """Return a parser for CommonMark with GitHub's tables, footnotes, formulas and what encloses notes."""
    made = MarkdownIt("commonmark", {"maxNesting": _NESTED}).enable(["table", "strikethrough"])
    made.core.ruler.enableOnly(["normalize", "block"])
    made.block.ruler.before("reference", "footnote", _footnote, {"alt": ["paragraph", "reference"]})
    ends = ["paragraph", "reference", "blockquote", "list"]
    made.block.ruler.before("fence", "formula", _formula, {"alt": ends})
    made.block.ruler.before("fence", "container", _container, {"alt": ends})
    made.block.ruler.before("fence", "admonition", _admonition, {"alt": ends})
    inline = _InlineParser()
    made.inline = inline

    def bounded(find: str) -> object:
        def found(text: str, begin: int, end: int, *more: object) -> object:
            answer = getattr(helpers, find)(text, begin, min(end, begin + _LONGEST), *more)
            inline.spend(0 if answer.ok else 50)
            return answer

        return found

    made.helpers = SimpleNamespace(  # type: ignore[assignment]
        parseLinkLabel=helpers.parseLinkLabel,
        parseLinkDestination=bounded("parseLinkDestination"),
        parseLinkTitle=bounded("parseLinkTitle"),
    )
    # Targets are not judged and stay as they are written.
    made.validateLink = lambda url: True  # type: ignore[method-assign]
    made.normalizeLink = lambda url: url  # type: ignore[method-assign]
    return made


def _closing(raw: str, label: str) -> str:
    """Write a link by its text, [text] or [text][], so that it is found when the text is another."""
    return f"][{label}]" if raw in ("]", "][]") else raw


def _text(state: StateInline, silent: bool) -> bool:
    found = _STOP.search(state.src, state.pos, state.posMax)
    end = found.start() if found else state.posMax
    if end == state.pos:
        return False
    if not silent:
        state.push("text", "", 0).content = state.src[state.pos : end]
    state.pos = end
    return True


def _newline(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "\n":
        return False
    before = state.src[max(0, state.pos - 1000) : state.pos]
    spaces = len(before) - len(before.rstrip(" "))
    if not silent:
        token = state.push("hardbreak" if spaces >= 2 else "softbreak", "br", 0)
        token.meta = {"raw": " " * spaces + "\n"}
    state.pos += 1
    return True


def _verbatim(state: StateInline, silent: bool) -> bool:
    """Keep tags, formulas, templates and addresses as they are."""
    end, role = _url_end(state.src, state.pos, state.posMax), "word"
    if not end:
        if state.src[state.pos] not in "<${[!" and not state.src[state.pos].isalnum():
            return False
        state.md.inline.spend(10)  # type: ignore[attr-defined]
        for pattern, known in _VERBATIM:
            if found := pattern.match(state.src, state.pos, state.posMax):
                end, role = found.end(), known
                break
        else:
            return False
    if not silent:
        token = state.push("verbatim", "", 0)
        raw = state.src[state.pos : end]
        token.info = "point" if role == "open" and _EMPTY.match(raw) else role
        token.tag = re.findall(r"[\w-]+", raw)[0].lower() if token.info in ("open", "close") else ""
    state.pos = end
    return True


def _url_end(text: str, begin: int, end: int) -> int:
    """Return where an address without brackets ends, as GitHub sees it; 0 if there is none."""
    found = _URL.match(text, begin, end)
    if not found:
        return 0
    url = found.group()
    while True:
        shorter = url.rstrip("?!.,:;_~'\"\\")  # a backslash escapes what comes next
        if shorter.endswith(")") and shorter.count(")") > shorter.count("("):
            shorter = shorter[:-1]
        if shorter == url:
            break
        url = shorter
    return begin + len(url) if re.search(r"(?://|www\.)\w", url, re.IGNORECASE) else 0


def _footnote(state: StateBlock, line: int, end_line: int, silent: bool) -> bool:
    """Read `[^1]: text`, or `: text` below a word it explains, as a block of the text, indented by four.

    Otherwise the one would be a link's definition, the other a part of the paragraph before.
    """
    begin = state.bMarks[line] + state.tShift[line]
    found = _FOOTNOTE.match(state.src, begin, state.eMarks[line])
    if not found or state.is_code_block(line):
        return False
    if silent:
        return True
    kept = state.bMarks[line], state.tShift[line], state.sCount[line], state.parentType
    at = found.end()
    while at < state.eMarks[line] and state.src[at] in " \t":
        at += 1
    state.bMarks[line], state.tShift[line] = found.end(), at - found.end()
    state.blkIndent += 4
    state.sCount[line] = state.blkIndent
    state.push("footnote_open", "", 1)
    state.parentType = "footnote"
    state.md.block.tokenize(state, line, end_line)
    state.push("footnote_close", "", -1)
    state.blkIndent -= 4
    state.bMarks[line], state.tShift[line], state.sCount[line], state.parentType = kept
    return True


def _formula(state: StateBlock, line: int, end_line: int, silent: bool) -> bool:
    """Keep what stands between two lines $$, or from $$ to $$ over several lines."""
    begin = state.bMarks[line] + state.tShift[line]
    if not state.src.startswith("$$", begin) or state.is_code_block(line):
        return False
    text = state.src[begin + 2 : state.eMarks[line]].rstrip()
    last = line
    if not (text and text.endswith("$$")):
        if "$$" in text or state.env.get("no formula ends after", end_line) <= line:
            return False
        for last in range(line + 1, end_line):
            if state.src[state.bMarks[last] : state.eMarks[last]].rstrip().endswith("$$"):
                break
        else:
            state.env["no formula ends after"] = line
            return False
    if not silent:
        state.line = last + 1
        state.push("formula", "", 0)
    return True


def _container(state: StateBlock, line: int, end_line: int, silent: bool) -> bool:
    """Keep a line `::: tip` or `:::`, whatever else is in it; between the two is Markdown."""
    begin = state.bMarks[line] + state.tShift[line]
    if not _CONTAINER.match(state.src, begin, state.eMarks[line]) or state.is_code_block(line):
        return False
    if not silent:
        state.line = line + 1
        state.push("container", "", 0)
    return True


def _admonition(state: StateBlock, line: int, end_line: int, silent: bool) -> bool:
    """Keep a line `!!! note "Title"` or `??? note`; what is indented by four below it is Markdown."""
    begin = state.bMarks[line] + state.tShift[line]
    if state.src[begin : begin + 3] not in ("!!!", "???") or state.is_code_block(line):
        return False
    first = state.skipEmptyLines(line + 1)
    indent = state.blkIndent + 4
    if first >= end_line or state.sCount[first] < indent:
        return False
    if not _ADMONITION.match(state.src[begin : state.eMarks[line]]):
        return False
    if silent:
        return True
    last = first
    while last < end_line and (state.isEmpty(last) or state.sCount[last] >= indent):
        last += 1
    kept = state.lineMax, state.parentType
    state.push("admonition_open", "", 1)
    state.lineMax, state.parentType, state.blkIndent = last, "admonition", indent
    state.md.block.tokenize(state, first, last)
    state.blkIndent -= 4
    state.lineMax, state.parentType = kept
    state.push("admonition_close", "", -1)
    state.line = last
    return True
