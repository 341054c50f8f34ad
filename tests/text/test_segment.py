import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.inline import Inline
from recollect.text.segment import join_sentences, split_sentences


def cut(text: str, language: str, **options: int) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text, language, **options)]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "en",
            "Dr. Wu left at 3.5 p.m. today. Did she?  Yes!",
            ["Dr. Wu left at 3.5 p.m. today.", "Did she?", "Yes!"],
        ),
        ("zh", "你好。我是小明！你在哪里？好", ["你好。", "我是小明！", "你在哪里？", "好"]),
        ("en", "", []),
        ("en", "  \n ", []),
    ],
)
def test_sentences(language: str, text: str, expected: list[str]) -> None:
    assert cut(text, language) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Line one\nLine two", ["Line one", "Line two"]),
        ("Usage: tea\r\n  -h  help\r\n\r\n  -v  version", ["Usage: tea", "-h  help", "-v  version"]),
        ("apples\npears", ["apples", "pears"]),
        ("苹果\n梨", ["苹果", "梨"]),
        ("This line is long enough to have been wrapped, as it is in\n- a list", None),
        ("This line is long enough to have been wrapped, as it is in\n\ntwo paragraphs", None),
        ("This line is long enough, but it says that there follows:\nsomething", None),
        ("  brew    make tea of the leaves that are in the pot now\n  pour    fill a cup", None),
    ],
)  # fmt: skip
def test_no_sentence_goes_over_the_end_of_a_line(text: str, expected: list[str] | None) -> None:
    assert cut(text, "en") == (expected or [line.strip() for line in text.splitlines() if line])


@pytest.mark.parametrize(
    "text",
    [
        "This is prose that somebody wrapped where a line was full,\nwhatever the words.",
        "* This is an item that somebody wrapped where a line was\n  full, whatever the words.",
        "这一段文字是有人写满了一行之后才换行的所以它在下一行\n还没有说完",
    ],
)
def test_prose_that_is_wrapped_is_one_sentence(text: str) -> None:
    assert cut(text, "zh" if text[0] == "这" else "en") == [text]


def test_long_sentences_are_cut_between_clauses() -> None:
    text = "他走进房间，看了看四周，没有说话；然后他坐下来，打开了一本旧书"
    assert cut(text, "zh", longest=20) == [
        "他走进房间，看了看四周，没有说话；",
        "然后他坐下来，打开了一本旧书",
    ]
    assert all(len(part) <= 10 for part in cut("word " * 30, "en", longest=10))
    assert all(len(part) <= 10 for part in cut("字" * 99, "zh", longest=10))


@given(
    st.text(alphabet="ab .,。！？，\n“”3 你好", max_size=80),
    st.sampled_from(["en", "zh"]),
    st.integers(1, 30),
)
def test_joined_again_it_is_the_text(text: str, language: str, longest: int) -> None:
    spans = split_sentences(text, language, longest)
    assert str(join_sentences(text, spans, [Inline(text[start:end]) for start, end in spans])) == text
    assert "".join(text.split()) == "".join("".join(text[start:end].split()) for start, end in spans)


def test_white_space_is_that_of_the_translation() -> None:
    text = "你好。再见。"
    english = [Inline("Hello."), Inline("Bye.")]
    assert str(join_sentences(text, split_sentences(text, "zh"), english)) == "Hello. Bye."
    text = "Hello. Bye.\n"
    chinese = [Inline("你好。"), Inline("再见。")]
    assert str(join_sentences(text, split_sentences(text, "en"), chinese)) == "你好。再见。\n"


def test_a_huge_line_is_cut_without_delay() -> None:
    for text in ("a" * 2_000_000, "一" * 1_000_000, "a, " * 500_000):
        assert max(end - start for start, end in split_sentences(text, "en", 400)) <= 400
