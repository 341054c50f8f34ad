"""Kinds of matches between a word and a remembered one, and their shares."""

import pytest

from recollect.evaluation.matches import KINDS, Shares, is_content, kind_of_match


@pytest.mark.parametrize(
    ("pair", "kind"),
    [
        (("▁team", "▁Chinese", "▁team", "▁chinese"), "phrase"),
        (("▁Team", "▁the", "▁team", "▁Chinese"), "exact"),
        (("▁opportunities", "▁the", "▁opportunity", "▁the"), "fuzzy"),
        (("▁feel", "▁I", "▁felt", "▁I"), "none"),  # spelling knows nothing of irregular verbs
        (("▁opportunity", "▁an", "▁course", "▁a"), "none"),
        ((".", "▁it", ",", "▁it"), "none"),
        ((".", "▁it", ".", "▁it"), "phrase"),
    ],
)
def test_kinds(pair, kind):
    assert kind_of_match(*pair) == kind


def test_shares_are_of_all_words():
    shares = Shares()
    assert shares.of("exact") == 0
    shares.add([("exact", 1.0)])
    shares.add([("exact", 0.25), ("none", 0.75)])
    assert shares.words == 2
    assert [shares.of(kind) for kind in KINDS] == [0, 62.5, 0, 37.5]


def test_what_carries_more_than_grammar():
    assert [is_content(piece) for piece in ("▁team", "team", "▁the", "s", "▁", ".", "▁12", "▁don't")] == [
        True, True, False, False, False, False, False, False
    ]  # fmt: skip
