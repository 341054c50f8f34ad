"""Is one system really better than another: sign test, paired bootstrap and approximate randomisation."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recollect.errors import DataError
from recollect.evaluation.bleu import SegmentStatistics, bleu_figures

__all__ = [
    "Bootstrap",
    "Interval",
    "Randomisation",
    "SignTest",
    "approximate_randomisation",
    "binomial_two_sided",
    "bootstrap",
    "sign_test",
]

_RESAMPLED_CELLS = 1 << 22  # how many (trial, segment) pairs are held at once


@dataclass(frozen=True, slots=True)
class SignTest:
    """How many single sentences of the system would lift or lower the baseline's corpus BLEU."""

    rises: int
    falls: int
    ties: int  # dropped from the binomial
    p: float  # two-sided


@dataclass(frozen=True, slots=True)
class Interval:
    """From low to high, both included."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Paired bootstrap resampling: how often chance alone makes a difference as large as the one seen."""

    p: float  # two-sided
    interval: Interval  # 95 % of the resampled differences, system - baseline
    samples: int
    seed: int


@dataclass(frozen=True, slots=True)
class Randomisation:
    """Approximate randomisation: how often swapping outputs at random differs as much as the systems do."""

    p: float  # two-sided
    trials: int
    seed: int


def sign_test(baseline: SegmentStatistics, system: SegmentStatistics) -> SignTest:
    """The sign test of Collins, Koehn and Kucerova (2005)."""
    _check_comparable(baseline, system)
    total = baseline.counts.sum(axis=0)
    before = bleu_figures(total).score
    after = bleu_figures(total - baseline.counts + system.counts).score  # [segment]
    # Equal scores may differ in the last bits, by their place in a vectorised loop.
    tied = np.isclose(after, before, rtol=1e-12, atol=0.0)
    rises = int((~tied & (after > before)).sum())
    falls = int((~tied & (after < before)).sum())
    return SignTest(rises, falls, int(tied.sum()), binomial_two_sided(rises, falls))


def binomial_two_sided(rises: int, falls: int) -> float:
    """The probability of a split at least this uneven if rises and falls were equally likely.

    >>> binomial_two_sided(9, 1)  # 2 * (1 + 10) / 2**10
    0.021484375
    """
    n, fewer = rises + falls, min(rises, falls)
    # P(X <= fewer) = C(n, fewer) / 2^n * (1 + fewer / (n - fewer + 1) + ...): exact integers, then a series.
    series = term = 1.0
    for k in range(fewer, 0, -1):
        term *= k / (n - k + 1)
        series += term
        if term < series * 1e-18:
            break
    return min(1.0, 2 * (math.comb(n, fewer) / (1 << n)) * series)


def bootstrap(
    baseline: SegmentStatistics, system: SegmentStatistics, *, seed: int, samples: int = 1000
) -> Bootstrap:
    """Paired bootstrap resampling (Koehn 2004), drawn and judged as in sacreBLEU.

    sacreBLEU's own takes its seed from the environment and sums in 32 bits; the draws here are the same.
    """
    _check_comparable(baseline, system)
    segments = len(baseline.counts)
    rng = np.random.default_rng(seed)
    differences = []
    for rows in _batches(samples, segments):
        draws = rng.choice(segments, size=(rows, segments), replace=True)
        flat = (draws + segments * np.arange(rows)[:, None]).ravel()
        weights = np.bincount(flat, minlength=rows * segments).reshape(rows, segments).astype(np.float64)
        old, new = (bleu_figures(weights @ side.counts).score for side in (baseline, system))
        differences.append(new - old)
    resampled = np.concatenate(differences)  # [sample]
    spread = np.abs(resampled) - np.abs(resampled).mean()
    low, high = np.percentile(resampled, [2.5, 97.5])
    p = _share_reaching(spread, abs(_difference(baseline, system)))
    return Bootstrap(p, Interval(float(low), float(high)), samples, seed)


def approximate_randomisation(
    baseline: SegmentStatistics, system: SegmentStatistics, *, seed: int, trials: int = 10_000
) -> Randomisation:
    """Approximate randomisation (Riezler and Maxwell 2005), shuffled as in sacreBLEU."""
    _check_comparable(baseline, system)
    segments = len(baseline.counts)
    rng = np.random.default_rng(seed)
    both = baseline.counts.sum(axis=0) + system.counts.sum(axis=0)
    differences = []
    for rows in _batches(trials, segments):
        kept = rng.integers(2, size=(rows, segments), dtype=np.bool_)
        one = kept @ baseline.counts.astype(np.float64) + ~kept @ system.counts.astype(np.float64)
        differences.append(bleu_figures(one).score - bleu_figures(both - one).score)
    shuffled = np.abs(np.concatenate(differences))  # [trial]
    return Randomisation(_share_reaching(shuffled, abs(_difference(baseline, system))), trials, seed)


def _check_comparable(baseline: SegmentStatistics, system: SegmentStatistics) -> None:
    if len(baseline.counts) != len(system.counts) or baseline.signature != system.signature:
        raise DataError(
            "only scores made alike can be compared, but the baseline has "
            f"{len(baseline.counts)} segments ({baseline.signature}) and the system "
            f"{len(system.counts)} ({system.signature})"
        )


def _difference(baseline: SegmentStatistics, system: SegmentStatistics) -> float:
    old, new = (bleu_figures(side.counts.sum(axis=0)).score for side in (baseline, system))
    return float(new - old)


def _share_reaching(chance: NDArray[np.float64], seen: float) -> float:
    # sacreBLEU asks for > and so finds a system significantly different from itself; >= gives it p = 1.
    reaching = int((chance >= seen - 1e-9).sum())  # less what rounding may add
    return (reaching + 1) / (len(chance) + 1)


def _batches(trials: int, segments: int) -> Iterator[int]:
    # By 32 rows: numpy draws booleans 32 to a word, so the batches continue one stream as one draw would.
    most = max(32, _RESAMPLED_CELLS // segments // 32 * 32)
    for start in range(0, trials, most):
        yield min(most, trials - start)
