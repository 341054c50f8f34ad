"""A comparison for people, as a table and one sentence, and for programs, as a dictionary."""

from dataclasses import asdict
from typing import Any

from recollect.evaluation.bleu import Bleu
from recollect.evaluation.compare import Comparison

__all__ = ["as_dictionary", "as_table", "verdict"]

_LEVELS = (0.01, 0.05)  # the paper's


def as_dictionary(comparison: Comparison) -> dict[str, Any]:
    """Every figure of the comparison, fit for JSON."""
    return {
        **asdict(comparison),
        "difference": comparison.difference,
        "verdict": verdict(comparison),
    }


def as_table(comparison: Comparison) -> str:
    """Both scores with their signatures, the difference, the three tests and the verdict."""
    sign, boot, shuffled = comparison.sign, comparison.bootstrap, comparison.randomisation
    interval = f"95 % interval {boot.interval.low:+.2f} to {boot.interval.high:+.2f}"
    rows = [
        [comparison.baseline_name, _score(comparison.baseline)],
        [comparison.system_name, _score(comparison.system)],
        ["difference", f"{comparison.difference:+6.2f}  {interval} ({_resampling(boot.samples, boot.seed)})"],
        ["sign test", f"{_p(sign.p)}  rises {sign.rises}, falls {sign.falls}, ties {sign.ties}"],
        ["paired bootstrap", f"{_p(boot.p)}  {_resampling(boot.samples, boot.seed)}"],
        ["approximate randomisation", f"{_p(shuffled.p)}  {_resampling(shuffled.trials, shuffled.seed)}"],
    ]
    width = max(len(name) for name, _ in rows)
    return "\n".join([*(f"{name:<{width}}  {figures}" for name, figures in rows), "", verdict(comparison)])


def verdict(comparison: Comparison) -> str:
    """One sentence: the sign test decides, as in the paper, and the other tests are quoted beside it."""
    system, baseline = comparison.system_name, comparison.baseline_name
    sign, gain = comparison.sign, comparison.difference
    opinions = (
        f"sign test {_level(sign.p)}, bootstrap {_p(comparison.bootstrap.p)}, "
        f"randomisation {_p(comparison.randomisation.p)}"
    )
    if sign.p >= max(_LEVELS):
        return f"No significant difference between {system} and {baseline} ({opinions})."
    if (gain > 0) != (sign.rises > sign.falls):
        return (
            f"No clear winner: {system} differs from {baseline} by {gain:+.2f} BLEU, "
            f"but single sentences rise {sign.rises} times and fall {sign.falls} times ({opinions})."
        )
    return f"{system} is {'better' if gain > 0 else 'worse'} than {baseline} ({opinions})."


def _score(bleu: Bleu) -> str:
    precisions = "/".join(f"{precision:.1f}" for precision in bleu.precisions)
    return (
        f"{bleu.score:6.2f}  {precisions}  brevity {bleu.brevity_penalty:.3f}  "
        f"length {bleu.length_ratio:.3f}  {bleu.signature}"
    )


def _resampling(times: int, seed: int) -> str:
    return f"{times} times, seed {seed}"


def _p(p: float) -> str:
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.4f}"


def _level(p: float) -> str:
    return next((f"p < {level}" for level in _LEVELS if p < level), _p(p))
