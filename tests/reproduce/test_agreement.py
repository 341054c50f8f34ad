"""Agreement with the paper, worked out by hand."""

import pytest

from recollect.reproduce.agreement import judge
from recollect.reproduce.experiment import Expected


def expected(relation, within=None):
    return Expected(system="ours", relation=relation, other="base", figure="test_bleu", within=within)


@pytest.mark.parametrize(
    ("relation", "ours", "p", "verdict"),
    [
        ("above", (31.0, 30.0), 0.01, "agrees"),
        ("above", (31.0, 30.0), 0.3, "leans"),
        ("above", (29.0, 30.0), 0.3, "open"),
        ("above", (29.0, 30.0), 0.01, "disagrees"),
        ("below", (29.0, 30.0), 0.01, "agrees"),
        ("below", (31.0, 30.0), None, "disagrees"),
        ("like", (31.0, 30.0), 0.3, "agrees"),
        ("like", (31.0, 30.0), 0.01, "disagrees"),
    ],
)
def test_verdicts(relation, ours, p, verdict):
    assert judge(expected(relation), ours, p, (None, None)).verdict == verdict


@pytest.mark.parametrize(("speed", "verdict"), [(96.0, "agrees"), (104.0, "agrees"), (90.0, "disagrees")])
def test_like_within_a_share(speed, verdict):
    assert judge(expected("like", 0.05), (speed, 100.0), None, (None, None), relative=True).verdict == verdict


def test_the_sentence_has_both_differences():
    found = judge(expected("above"), (31.25, 30.0), 0.0321, (34.3, 32.92))
    assert found.difference == 1.25
    assert found.paper_difference == pytest.approx(1.38)
    assert found.sentence == (
        "ours should be above base (+1.38 in the paper): here +1.25, sign test p = 0.032. Agrees."
    )


def test_speeds_are_compared_as_shares():
    found = judge(expected("above"), (300.0, 100.0), None, (1163.9, 300.2), relative=True)
    assert found.sentence == "ours should be above base (+288% in the paper): here +200%. Agrees."


def test_what_cannot_be_told_apart_is_not_called_equal():
    found = judge(expected("like"), (31.0, 30.0), 0.3, (None, None))
    assert found.sentence.endswith("no significant difference.")


@pytest.mark.parametrize(("p", "word"), [(0.3, "Not significant"), (0.01, "Significant")])
def test_of_what_the_paper_does_not_compare_there_is_no_verdict(p, word):
    found = judge(expected("beside"), (31.0, 30.0), p, (None, None))
    assert found.verdict is None
    assert found.sentence.startswith("ours beside base: here +1.00, sign test p = ")
    assert found.sentence.endswith(f". {word}. The paper has nothing on this.")
