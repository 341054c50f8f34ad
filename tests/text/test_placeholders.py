import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.inline import Inline, Mark
from recollect.text.placeholders import hold_placeholders


def held(text: str) -> list[str]:
    return [mark.raw for mark in hold_placeholders(Inline(text)).marks]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello %s and %d%%.", ["%s", "%d"]),
        ("100% sure", []),
        ("50% discount", []),  # no placeholder, though "% d" is one in C
        ("%(count)d files, %1$s", ["%(count)d", "%1$s"]),
        ("{0} of {total:,}", ["{0}", "{total:,}"]),
        ("a {not closed", []),
        ("${HOME} {{user.name}} #{x}", ["${HOME}", "{{user.name}}", "#{x}"]),
        ("See :py:func:`open` and ``x = 1``.", [":py:func:`open`", "``x = 1``"]),
        ("`link <https://a.b/c>`_ here", ["`link <https://a.b/c>`_"]),
        ("|release| is out", ["|release|"]),
        ("Go to https://example.com/a?b=c. Now", ["https://example.com/a?b=c"]),
        ("请看https://example.com/a。谢谢", ["https://example.com/a"]),
        ("请访问https://example.com获取更多信息。", ["https://example.com"]),
        ("到www.example.com下载", ["www.example.com"]),
        ("请看“https://example.com/a”", ["https://example.com/a"]),
        ("https://example.comをご覧ください", ["https://example.com"]),
        ("https://example.com/straße, www.a.b/x", ["https://example.com/straße", "www.a.b/x"]),
        ("me@example.org wrote", ["me@example.org"]),
        ("fish &amp; chips", ["&amp;"]),
        ("press <b>OK</b> <br/>", ["<b>", "</b>", "<br/>"]),
        ("a < b and c > d", []),
    ],
)
def test_what_is_held(text: str, expected: list[str]) -> None:
    assert held(text) == expected


def test_tags_that_open_and_close_are_pairs() -> None:
    marks = hold_placeholders(Inline("<i>a <b>c</b></i> <p>")).marks
    assert [(mark.raw, mark.role) for mark in marks] == [
        ("<i>", "open"),
        ("<b>", "open"),
        ("</b>", "close"),
        ("</i>", "close"),
        ("<p>", "point"),
    ]
    assert marks[0].pair == marks[3].pair != marks[1].pair == marks[2].pair


def test_marks_that_are_there_stay() -> None:
    given_marks = Inline("a %s b", (Mark(0, "<1>", "open", 7), Mark(6, "</1>", "close", 7)))
    found = hold_placeholders(given_marks)
    assert str(found) == "<1>a %s b</1>"
    assert [mark.raw for mark in found.marks] == ["<1>", "%s", "</1>"]


def test_marks_of_a_file_are_never_taken_for_tags() -> None:
    own = Mark(2, "<code>x</code>", "word", 5)
    assert hold_placeholders(Inline("a  b", (own,))).marks == (own,)


@given(st.text(alphabet="ab %s{}$`:<>/|&;#(). \n你好", max_size=60))
def test_nothing_is_lost(text: str) -> None:
    assert str(hold_placeholders(Inline(text))) == text


def test_long_lines_take_no_time() -> None:
    for text in (
        "{" * 200_000,
        "`" * 200_000,
        "%(" * 100_000,
        "<a " * 100_000,
        "a@" * 100_000,
        "&a" * 100_000,
    ):
        assert str(hold_placeholders(Inline(text))) == text
