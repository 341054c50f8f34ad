"""What a comparison says, to people and to programs."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from recollect.errors import DataError
from recollect.evaluation import Lines, SignTest, as_dictionary, as_table, compare, verdict

REFERENCE = Lines(
    "reference.txt", [f"the {noun} is here again today ." for noun in ("cat", "dog", "sun")] * 6
)
GOOD = Lines("good.txt", REFERENCE.lines)
BAD = Lines("bad.txt", ["the cat was there yesterday ."] * 18)


def test_better_worse_and_same():
    assert verdict(compare(BAD, GOOD, [REFERENCE])).startswith(
        "good.txt is better than bad.txt (sign test p < 0.01"
    )
    assert verdict(compare(GOOD, BAD, [REFERENCE])).startswith(
        "bad.txt is worse than good.txt (sign test p < 0.01"
    )
    assert verdict(compare(GOOD, GOOD, [REFERENCE])) == (
        "No significant difference between good.txt and good.txt "
        "(sign test p = 1.0000, bootstrap p = 1.0000, randomisation p = 1.0000)."
    )


def test_tests_that_contradict_the_score_are_told():
    comparison = replace(compare(BAD, GOOD, [REFERENCE]), sign=SignTest(rises=1, falls=15, ties=2, p=0.0005))
    assert verdict(comparison).startswith("No clear winner: good.txt differs from bad.txt by +")


def test_table_signs_every_score():
    comparison = compare(BAD, GOOD, [REFERENCE])
    table = as_table(comparison).splitlines()
    assert [line.split("  ")[0] for line in table[:3]] == ["bad.txt", "good.txt", "difference"]
    assert all(comparison.system.signature in line for line in table[:2])
    assert "rises 18, falls 0, ties 0" in table[3]
    assert table[-1] == verdict(comparison)


def test_dictionary_survives_json():
    made = as_dictionary(compare(BAD, GOOD, [REFERENCE], seed=3))
    read = json.loads(json.dumps(made))
    assert read["system"]["score"] == pytest.approx(100)
    assert read["difference"] == pytest.approx(made["system"]["score"] - made["baseline"]["score"])
    assert read["bootstrap"]["seed"] == 3
    assert read["sign"] == {"rises": 18, "falls": 0, "ties": 0, "p": pytest.approx(2**-17)}


def test_all_sides_are_checked_at_once():
    with pytest.raises(DataError, match=r"bad\.txt has 18, short\.txt has 1, reference\.txt has 18"):
        compare(BAD, Lines("short.txt", ["a"]), [REFERENCE])


def test_importing_evaluation_stays_light():
    heavy = "{'torch', 'sacrebleu', 'sacremoses'}"
    code = f"import sys, recollect.evaluation; assert not {heavy} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
