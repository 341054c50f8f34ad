"""Reports of a check: nothing is lost in them, and nothing in a text becomes more than text."""

import io
import json
from html.parser import HTMLParser

from bilingual import CHINESE, units
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.evaluation.check import Check, check
from recollect.evaluation.check_report import as_html, as_json, summary, write_table
from recollect.text.aligner import link_texts

PAIRS = [*CHINESE[:-1], (CHINESE[-1][0], "This time [/red] Mary brought a <script>alert(1)</script>.")]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Page(HTMLParser):
    """Notes the tags of a page, and complains about those that do not nest."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.addresses: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.addresses += [value or "" for name, value in attributes if name in ("src", "href")]
        if tag not in ("meta", "br"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag


def checked(pairs: list[tuple[str, str]]) -> Check:
    return check(units(pairs), link_texts)


def test_plain_lines_where_there_is_no_terminal() -> None:
    file = io.StringIO()
    write_table(checked(PAIRS), file)
    lines = file.getvalue().splitlines()
    assert lines[0] == "inconsistent\t安德烈\tname\tAndrei\t4\tline 1, line 2, line 3, line 7"
    assert lines[1] == "inconsistent\t安德烈\tname\tAndrew\t2\tline 4, line 6"
    assert lines[2].startswith("error\tplaceholders\tline 8\t")
    assert lines[-1] == summary(checked(PAIRS))
    assert lines[-1] == "8 texts, 3 repeated terms: 1 inconsistent, 1 errors, 0 warnings"


def test_tables_on_a_terminal() -> None:
    file = Terminal()
    write_table(checked(PAIRS), file)
    assert "Terms with more than one translation" in file.getvalue()
    assert "Andrew" in file.getvalue()
    nothing = Terminal()
    write_table(checked([]), nothing)
    assert nothing.getvalue() == "0 texts, 0 repeated terms: 0 inconsistent, 0 errors, 0 warnings\n"


def test_json_has_everything() -> None:
    found = json.loads(as_json(checked(PAIRS)))
    assert (found["texts"], found["inconsistent"], found["errors"]) == (8, 1, 1)
    (first, *others) = found["terms"]
    assert (first["term"], first["consistent"]) == ("安德烈", False)
    assert {term["term"] for term in others if term["consistent"]} == {"玛丽", "图书馆"}
    place = first["renderings"][1]["places"][0]
    assert (place["unit"], place["where"]) == (4, "line 4")
    assert PAIRS[3][1][slice(*place["target"])] == "Andrew"
    assert found["findings"][0]["where"] == "line 8"


def test_the_page_is_whole_escaped_and_alone() -> None:
    text = as_html(checked(PAIRS), "a <b> & c")
    page = Page(text)
    assert "script" not in page.tags
    assert page.addresses == []
    assert "&lt;script&gt;" in text
    assert "<title>a &lt;b&gt; &amp; c</title>" in text
    assert "<mark>Andrew</mark>" in text


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(*[st.text(st.sampled_from("<>&\"'script/ =字%s1?"), max_size=20)] * 2), max_size=3))
def test_no_text_breaks_the_page(pairs: list[tuple[str, str]]) -> None:
    assert "script" not in Page(as_html(checked(pairs), "any")).tags
