"""A baseline and a system scored against the same references, with three opinions on the difference."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.evaluation.bleu import Bleu, segment_statistics
from recollect.evaluation.lines import Lines, check_parallel
from recollect.evaluation.options import ScoreOptions
from recollect.evaluation.significance import (
    Bootstrap,
    Randomisation,
    SignTest,
    approximate_randomisation,
    bootstrap,
    sign_test,
)

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two scores and what the tests say about their difference."""

    baseline_name: str
    system_name: str
    baseline: Bleu
    system: Bleu
    sign: SignTest
    bootstrap: Bootstrap
    randomisation: Randomisation

    @property
    def difference(self) -> float:
        """How much BLEU the system gains over the baseline."""
        return self.system.score - self.baseline.score


def compare(
    baseline: Lines,
    system: Lines,
    references: Sequence[Lines],
    options: ScoreOptions = ScoreOptions(),
    *,
    seed: int = 12345,  # sacreBLEU's own, so that its command line repeats our resampling
) -> Comparison:
    """Score both and test the difference."""
    check_parallel([baseline, system, *references])
    old = segment_statistics(baseline, references, options)
    new = segment_statistics(system, references, options)
    return Comparison(
        baseline_name=baseline.name,
        system_name=system.name,
        baseline=Bleu.of(old),
        system=Bleu.of(new),
        sign=sign_test(old, new),
        bootstrap=bootstrap(old, new, seed=seed),
        randomisation=approximate_randomisation(old, new, seed=seed),
    )
