"""The three tests: by hand, by brute force, beside sacreBLEU's, and under symmetries."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.significance import PairedTest

from recollect.errors import DataError
from recollect.evaluation import (
    Lines,
    ScoreOptions,
    SegmentStatistics,
    SignTest,
    approximate_randomisation,
    bootstrap,
    segment_statistics,
    sign_test,
)
from recollect.evaluation import significance as module
from recollect.evaluation.significance import binomial_two_sided

sentences = st.lists(st.sampled_from("abcd"), min_size=1, max_size=7).map(" ".join)
corpora = st.lists(st.tuples(sentences, sentences, sentences), min_size=1, max_size=8)


def statistics(output, reference):
    return segment_statistics(Lines("output", output), [Lines("reference", reference)], ScoreOptions())


def noisy(lines, rate, seed):
    chance = random.Random(seed)
    return [" ".join(w if chance.random() > rate else "x" for w in line.split()) for line in lines]


@pytest.fixture(scope="module")
def systems():
    chance = random.Random(1)
    reference = [" ".join(chance.choices("abcdefgh", k=chance.randint(4, 12))) for _ in range(150)]
    return reference, noisy(reference, 0.25, 2), noisy(reference, 0.2, 3)


def test_sign_test_by_hand():
    # Columns: lengths, matches of 1 to 4-grams, counts of 1 to 4-grams.
    baseline = [[8, 8, 4, 3, 2, 1, 8, 7, 6, 5]] * 4
    system = [
        [8, 8, 5, 3, 2, 1, 8, 7, 6, 5],  # one more word right: up
        [8, 8, 4, 3, 2, 0, 8, 7, 6, 5],  # one 4-gram fewer: down
        [8, 8, 4, 3, 2, 1, 8, 7, 6, 5],  # the same: stays
        [
            7,
            8,
            4,
            3,
            2,
            1,
            7,
            6,
            5,
            4,
        ],  # shorter: precision gains (32/31)(28/27)(24/23)(20/19) to the 1/4 = 4.2 %,
    ]  # brevity loses exp(1 - 32/31) = 3.2 %: up
    made = sign_test(SegmentStatistics(np.array(baseline), "s"), SegmentStatistics(np.array(system), "s"))
    assert made == SignTest(rises=2, falls=1, ties=1, p=1.0)


@settings(deadline=None, max_examples=60)
@given(corpora)
def test_sign_test_is_brute_force(corpus):
    reference, old, new = (list(side) for side in zip(*corpus, strict=True))
    before = sacrebleu.corpus_bleu(old, [reference], lowercase=True).score
    moves = []
    for i, sentence in enumerate(new):
        after = sacrebleu.corpus_bleu([*old[:i], sentence, *old[i + 1 :]], [reference], lowercase=True).score
        moves.append(0 if math.isclose(after, before, rel_tol=1e-11) else 1 if after > before else -1)
    made = sign_test(statistics(old, reference), statistics(new, reference))
    assert (made.rises, made.falls, made.ties) == (moves.count(1), moves.count(-1), moves.count(0))


@pytest.mark.parametrize(
    ("rises", "falls", "p"),
    [
        (0, 0, 1.0),
        (1, 0, 1.0),
        (5, 0, 2 / 32),
        (9, 1, 22 / 1024),
        (1, 9, 22 / 1024),
        (5, 5, 1.0),
        (8, 2, 112 / 1024),
    ],
)
def test_binomial_by_hand(rises, falls, p):
    assert binomial_two_sided(rises, falls) == pytest.approx(p, rel=1e-14)


@pytest.mark.parametrize(("n", "fewer"), [(1000, 450), (1001, 500), (3000, 1400), (3000, 10)])
def test_binomial_is_the_exact_sum(n, fewer):
    exact = Fraction(sum(math.comb(n, k) for k in range(fewer + 1)), 2 ** (n - 1))
    assert binomial_two_sided(fewer, n - fewer) == pytest.approx(min(1.0, float(exact)), rel=1e-12)


def test_binomial_of_a_hundred_thousand():
    # The normal approximation with continuity correction, z = (1000 - 1/2) / sqrt(100000 / 4).
    normal = math.erfc((1000 - 0.5) / math.sqrt(25_000) / math.sqrt(2))
    assert binomial_two_sided(49_000, 51_000) == pytest.approx(normal, rel=1e-3)
    assert binomial_two_sided(100_000, 0) == 0.0


def test_bootstrap_is_sacrebleus(systems, monkeypatch):
    reference, old, new = systems
    monkeypatch.setenv("SACREBLEU_SEED", "7")
    metric = sacrebleu.BLEU(lowercase=True)
    test = PairedTest([("old", old), ("new", new)], {"BLEU": metric}, [reference], "bs", n_samples=300)
    _, scores = test()
    made = bootstrap(statistics(old, reference), statistics(new, reference), seed=7, samples=300)
    assert made.p == pytest.approx(scores["BLEU"][1].p_value)
    difference = scores["BLEU"][1].score - scores["BLEU"][0].score
    assert made.interval.low < difference < made.interval.high


def test_randomisation_is_sacrebleus(systems, monkeypatch):
    reference, old, new = systems
    monkeypatch.setenv("SACREBLEU_SEED", "7")
    monkeypatch.setattr(module, "_RESAMPLED_CELLS", 1)  # many small batches draw what one large one does
    metric = sacrebleu.BLEU(lowercase=True)
    test = PairedTest([("old", old), ("new", new)], {"BLEU": metric}, [reference], "ar", n_samples=300)
    _, scores = test()
    made = approximate_randomisation(
        statistics(old, reference), statistics(new, reference), seed=7, trials=300
    )
    assert made.p == pytest.approx(scores["BLEU"][1].p_value)


def test_identical_systems_do_not_differ(systems):
    reference, old, _ = systems
    same = statistics(old, reference)
    assert sign_test(same, same) == SignTest(rises=0, falls=0, ties=150, p=1.0)
    assert bootstrap(same, same, seed=1, samples=50).p == 1.0
    assert approximate_randomisation(same, same, seed=1, trials=50).p == 1.0


def test_p_does_not_depend_on_who_is_called_the_baseline(systems):
    reference, old, new = (statistics(side, systems[0]) for side in systems)
    there, back = bootstrap(old, new, seed=1, samples=64), bootstrap(new, old, seed=1, samples=64)
    assert there.p == back.p
    assert there.interval.low == pytest.approx(-back.interval.high)
    assert (
        approximate_randomisation(old, new, seed=1, trials=64).p
        == approximate_randomisation(new, old, seed=1, trials=64).p
    )
    better, worse = sign_test(old, reference), sign_test(reference, old)
    assert better.falls == worse.rises == 0
    assert better.rises == worse.falls
    assert better.p == worse.p < 1e-9


def test_scores_made_differently_cannot_be_compared(systems):
    made = statistics(systems[1], systems[0])
    with pytest.raises(DataError, match="only scores made alike"):
        sign_test(made, SegmentStatistics(made.counts, "nrefs:3"))
