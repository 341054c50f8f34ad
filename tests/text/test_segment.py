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
