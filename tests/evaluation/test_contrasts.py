"""Contrasts: which words are repeated, what they are replaced by, and how the sentence then reads."""

import random

from hypothesis import given
from hypothesis import strategies as st

from recollect.evaluation.contrasts import another_word, repeated_words, with_other_word

DOCUMENT = [
    "Ada found the harbour.",
    "A harbour is where Ada and Bob met.",
    "Did Ada sing? Ada did. Harbours!",
]


def test_words_said_before_are_found_once_a_sentence():
    found = repeated_words(DOCUMENT)
    assert [(each.sentence, each.word, each.name) for each in found] == [
        (1, "harbour", False),
        (1, "Ada", True),
        (2, "Ada", True),
    ]
    assert [DOCUMENT[each.sentence][each.start : each.end] for each in found] == ["harbour", "Ada", "Ada"]
    assert found[0].said == ("found",), "not what the sentence says itself"
    assert set(found[2].said) == {"found", "Bob", "met"}, "harbour stands there, in the plural"


def test_names_are_replaced_by_what_looks_like_names():
    ada = repeated_words(DOCUMENT)[2]
    assert {another_word(ada, random.Random(seed)) for seed in range(9)} == {"Bob"}
    assert with_other_word(DOCUMENT[2], ada, "Bob") == "Did Bob sing? Ada did. Harbours!"


def test_capitals_stay_where_they_were():
    [again] = repeated_words(["we met Bob", "Met?"])
    assert with_other_word("Met?", again, "found") == "Found?"
    [again] = repeated_words(["Harbours", "two harbours"])
    assert with_other_word("two harbours", again, "Ships") == "two ships"
    assert with_other_word("two harbours", again, "IBM") == "two IBM"


def test_where_there_is_nothing_else_there_is_no_contrast():
    [again] = repeated_words(["Ada", "Ada"])
    assert another_word(again, random.Random(1)) is None
    assert repeated_words([]) == []


@given(st.lists(st.text("ab ,.'A", max_size=12), max_size=6))
def test_a_contrast_changes_one_stretch_and_nothing_else(document):
    for each in repeated_words(document):
        line = document[each.sentence]
        assert line[each.start : each.end] == each.word
        assert any(each.word.lower() in earlier.lower() for earlier in document[: each.sentence])
        changed = with_other_word(line, each, "zzz")
        assert changed.lower() == (line[: each.start] + "zzz" + line[each.end :]).lower()
