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
        ("Try `foo --help' for more information about `bar'.", []),
        ("Try `%s --help' (or `-h'/`-?') and `code`", ["%s", "`code`"]),
        ("He said ``one'' and ``two''.", []),
        ("`print('a', 'b')` and `don't`", ["`print('a', 'b')`", "`don't`"]),
        ("``a`b`` and ```c``` and `d`", ["``a`b``", "```c```", "`d`"]),
        ("`not alike``", []),
        ("`x`_ and `y`__", ["`x`_", "`y`__"]),
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
        ("Size %dx%d pixels", ["%d", "%d"]),
        ("took %ds, %.1fMB, %ldms", ["%d", "%.1f", "%ld"]),
        ("Hello %user, %url", []),  # whatever it is, it is not %u
        ("%<PRIuMAX> bytes, %5<PRId64>", ["%<PRIuMAX>", "%5<PRId64>"]),
        ("since %Y-%m-%d %H:%M.", ["%Y-%m-%d %H:%M"]),
        ("%A, %d %B %Y at %I:%M %p", ["%A, %d %B %Y", "%I:%M %p"]),
        ("%Y-%m-%dT%H:%M:%S", ["%Y-%m-%dT%H:%M:%S"]),
        ("%Y年%m月%d日", ["%Y", "%m", "%d"]),
        ("%d of %s: %m", ["%d", "%s", "%m"]),
        ("%1 of %2 (%L1%)", ["%1", "%2", "%L1"]),
        ("50% of it, 100 %, 5%1, %50 or %5,3", []),
        ("<0>new mail</0> and <1/>", ["<0>", "</0>", "<1/>"]),
        ("I <3 you > me", []),
        (
            "You have {n, plural, =0 {none} one {# item} other {# items}}.",
            [
                "{n, plural, =0 {none} one {# item} other {# items}}",
            ],
        ),
        (
            "{who, select, male {He has {n, plural, one {# cat of {owner}} other {#}}} other {They}} now",
            [
                "{who, select, male {He has {n, plural, one {# cat of {owner}} other {#}}} other {They}}",
            ],
        ),
        (
            "{n, selectordinal,\n one {#st}\n other {#th}\n} time",
            [
                "{n, selectordinal,\n one {#st}\n other {#th}\n}",
            ],
        ),
        ("{n, number} in {n, plural, one {it", ["{n, number}"]),
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


def test_numbered_tags_are_pairs_too() -> None:
    marks = hold_placeholders(Inline("<0>new <1>mail</1></0> <2/>")).marks
    assert [(mark.role, mark.pair) for mark in marks] == [
        ("open", 2),
        ("open", 1),
        ("close", 1),
        ("close", 2),
        ("point", 0),
    ]


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
        "`a' " * 50_000,
        "{a, plural, " * 20_000,
        "{a, plural, {}" * 20_000,
        "{a, plural, " + "{}" * 100_000,
        "%d " * 100_000,
        "%Y-" * 100_000,
    ):
        assert str(hold_placeholders(Inline(text))) == text
