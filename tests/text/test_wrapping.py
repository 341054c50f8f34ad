import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.inline import Inline, Mark, plain
from recollect.text.wrapping import share, width, wrap

WORDS = st.text(st.sampled_from("abc ,.你好。（"), max_size=200).map(lambda text: " ".join(text.split()))


def rows(text: str, **options) -> list[str]:
    return [str(row) for row in wrap(plain(text), **options)]


def shared(text: str, *weights: int) -> list[str]:
    return [str(part) for part in share(plain(text), weights)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [""]),
        ("Just one line.", ["Just one line."]),
        ("a" * 50, ["a" * 50]),
        (
            "The quick brown fox jumps over the lazy dog again",
            ["The quick brown fox jumps", "over the lazy dog again"],
        ),
        (
            "When the rain stopped, the children ran out into the wet garden",
            ["When the rain stopped,", "the children ran out into the wet garden"],
        ),
        (
            "今天下午我们要去城里最大的图书馆，还要把上个月借的书都还掉",
            ["今天下午我们要去城里最大的图书馆，", "还要把上个月借的书都还掉"],
        ),
    ],
)
def test_lines_are_two_at_most_and_even(text, expected):
    assert rows(text) == expected


def test_what_two_lines_cannot_hold_takes_as_many_as_it_needs():
    found = rows("word " * 21)
    assert [width(row) for row in found] == [34, 34, 34]


def test_a_dash_takes_part_of_the_first_line():
    text = "a" * 20 + " " + "b" * 20
    assert rows(text) == [text]
    assert len(rows(text, taken=2)) == 2


def test_marks_keep_their_words():
    said = Inline(
        "The quick brown fox jumps over the lazy dog again",
        (Mark(26, "<i>", "open", 1), Mark(30, "</i>", "close", 1), Mark(49, "{x}", "point")),
    )
    assert [str(row) for row in wrap(said)] == [
        "The quick brown fox jumps",
        "<i>over</i> the lazy dog again{x}",
    ]


def test_words_are_shared_in_proportion_and_parted_after_punctuation():
    assert shared("one two three four", 1, 1) == ["one two", "three four"]
    assert shared("one two three four", 1, 3) == ["one", "two three four"]
    assert shared("I came home late, but nobody was there at all", 5, 6) == [
        "I came home late,",
        "but nobody was there at all",
    ]
    assert shared("我昨天很晚才回家，可是家里一个人也没有", 1, 1) == [
        "我昨天很晚才回家，",
        "可是家里一个人也没有",
    ]


def test_no_cue_is_empty_while_there_are_words():
    assert shared("a b c", 100, 1, 1) == ["a", "b", "c"]
    assert shared("a b c", 1, 1, 100) == ["a", "b", "c"]
    assert shared("一二三四", 1, 1, 1, 1) == ["一", "二", "三", "四"]
    assert shared("alone", 1, 1, 1) == ["alone", "", ""]
    assert shared("", 1, 1) == ["", ""]


@given(WORDS, st.lists(st.integers(0, 50), min_size=1, max_size=4))
def test_nothing_is_lost_and_the_order_is_kept(text, weights):
    said = Inline(text, tuple(Mark(at, f"<{at}>", "point") for at in range(0, len(text), 7)))
    for parts in (share(said, weights), wrap(said)):
        assert "".join(part.text for part in parts).replace(" ", "") == text.replace(" ", "")
        assert [mark.raw for part in parts for mark in part.marks] == [mark.raw for mark in said.marks]
    assert len(share(said, weights)) == len(weights)
