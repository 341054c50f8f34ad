"""How good a translation is, and whether a difference between two is real."""

from recollect.evaluation.bleu import Bleu, SegmentStatistics, bleu, segment_statistics
from recollect.evaluation.chrf import Chrf, chrf
from recollect.evaluation.compare import Comparison, compare
from recollect.evaluation.lines import Lines
from recollect.evaluation.options import ScoreOptions
from recollect.evaluation.report import as_dictionary, as_table, verdict
from recollect.evaluation.significance import (
    Bootstrap,
    Randomisation,
    SignTest,
    approximate_randomisation,
    bootstrap,
    sign_test,
)

__all__ = [
    "Bleu",
    "Bootstrap",
    "Chrf",
    "Comparison",
    "Lines",
    "Randomisation",
    "ScoreOptions",
    "SegmentStatistics",
    "SignTest",
    "approximate_randomisation",
    "as_dictionary",
    "as_table",
    "bleu",
    "bootstrap",
    "chrf",
    "compare",
    "segment_statistics",
    "sign_test",
    "verdict",
]
