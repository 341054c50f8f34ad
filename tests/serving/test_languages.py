"""Languages by code, and by what a text looks like."""

from itertools import pairwise

import pytest

from recollect.serving.languages import NAMES, detect, language_name


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("你好", "zh"),
        ("我们在哪里见面？", "zh"),
        ("臺灣是個美麗的地方", "zh"),
        ("Where is Anna? I have been waiting for an hour.", "en"),
        ("Das ist ein Satz.", "de"),
        ("これはペンです", "ja"),
        ("Je ne sais pas où elle est.", "fr"),
    ],
)
def test_what_a_text_looks_like(text: str, code: str) -> None:
    found = detect([text])
    assert found[0].language == code
    assert 50 < found[0].confidence <= 100
    assert all(earlier.confidence >= later.confidence for earlier, later in pairwise(found))


@pytest.mark.parametrize("text", ["", "  ", "123", "?!", "\ud800"])
def test_nothing_to_tell_by(text: str) -> None:
    assert detect([text]) == []


def test_texts_of_one_kind_are_judged_together() -> None:
    assert detect(["ok", "我们走吧。", "123"])[0].language == "zh"


def test_names() -> None:
    assert language_name("zh-Hans") == "Chinese"
    assert language_name("tlh") == "tlh"
    assert len(NAMES) > 40
