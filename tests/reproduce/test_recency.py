"""Whether a memory looks at the most recent slots, by figures made up by hand."""

import pytest

from recollect.analysis.ages import Ages
from recollect.reproduce.looking import recency


def ages(shares, filled=None):
    size, filled = len(shares), filled or len(shares)
    return Ages(tuple(shares), 100, filled, tuple((age < filled) / filled for age in range(size)))


def verdicts(found):
    return [each["verdict"] for each in recency(found)]


def test_a_full_memory():
    first, second = 0.3, (1 - 0.3) / 9
    (found,) = recency({10: ages([first, *[second] * 9])})
    assert found["sentence"] == (
        "Of 10 slots, the most recent 1 get 30.0% of the probability, 3.00 times their even share. Agrees."
    )
    assert verdicts({10: ages([0.01, *[0.11] * 9])}) == ["disagrees"]


def test_empty_slots_make_no_memory_look_back_less():
    """Of 100 slots 5 are filled, and get the same each: the most recent 10 have everything, as they must."""
    (found,) = recency({100: ages([0.2] * 5 + [0.0] * 95, filled=5)})
    assert found["verdict"] is None
    assert "Of 100 slots (with 5 filled or more), the most recent 10 get 100.0%" in found["sentence"]
    assert found["sentence"].endswith("1.00 times their even share. This tells nothing.")
    # 20 filled, the most recent 10 have a third: twice their share of all slots, less than that of these.
    assert verdicts({100: ages([1 / 30] * 10 + [2 / 30] * 10 + [0.0] * 80, filled=20)}) == ["disagrees"]


@pytest.mark.parametrize(("first", "verdict"), [(0.35, "agrees"), (0.25, "disagrees")])
def test_larger_memories_among_those_that_were_full(first, verdict):
    small = ages([0.3, *[0.7 / 9] * 9])
    large = ages([first / 2] * 2 + [(1 - first) / 18] * 18)
    never_full = ages([1.0] + [0.0] * 39, filled=1)
    found = recency({20: large, 10: small, 40: never_full})
    assert [each["verdict"] for each in found] == ["agrees", "agrees", None, verdict]
    assert f"here 3.00 (10 slots), {10 * first:.2f} (20 slots)." in found[-1]["sentence"]
    assert len(recency({10: small, 40: never_full})) == 2
