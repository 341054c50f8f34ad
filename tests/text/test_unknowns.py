import pytest

from recollect.text.unknowns import replace_unknowns


def test_unknown_words_are_translated_or_copied():
    source = ["汤姆", "见过", "Zoë"]
    assert replace_unknowns(["<unk>", "met", "<unk>", "."], source, [0, 1, 2, 2], {"汤姆": "tom"}) == [
        "tom",
        "met",
        "Zoë",
        ".",
    ]


def test_every_target_word_needs_its_alignment():
    with pytest.raises(ValueError, match="zip"):
        replace_unknowns(["<unk>", "met"], ["a"], [0], {})
