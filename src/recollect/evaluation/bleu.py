"""Case-insensitive 4-gram NIST BLEU: counted by sacreBLEU per segment, aggregated late, always signed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.evaluation.lines import Lines, check_parallel
from recollect.evaluation.options import ScoreOptions
from recollect.evaluation.reference_style import (
    detokenised_to_reference_style,
    reference_style_name,
    unescaped,
)

__all__ = ["Bleu", "BleuFigures", "SegmentStatistics", "bleu", "bleu_figures", "segment_statistics"]

_ORDERS = 4


@dataclass(frozen=True, slots=True)
class SegmentStatistics:
    """All that BLEU ever asks about a hypothesis, and how it was counted.

    Columns: hypothesis length, reference length, four matched n-gram counts, four n-gram counts.
    """

    counts: NDArray[np.int64]  # [segment, 10]
    signature: str


@dataclass(frozen=True, slots=True)
class BleuFigures:
    """BLEU and its factors for any number of corpora at once."""

    score: NDArray[np.float64]  # 0 to 100  [...]
    precisions: NDArray[np.float64]  # 0 to 100  [..., order]
    brevity_penalty: NDArray[np.float64]  # [...]


@dataclass(frozen=True, slots=True)
class Bleu:
    """A corpus's BLEU, the factors it is made of, and the signature that lets others repeat it."""

    score: float
    precisions: tuple[float, ...]  # 0 to 100, orders 1 to 4
    brevity_penalty: float
    length_ratio: float  # hypothesis / reference
    signature: str

    @classmethod
    def of(cls, statistics: SegmentStatistics) -> "Bleu":
        """The corpus score of the segments' statistics."""
        totals = statistics.counts.sum(axis=0)
        figures = bleu_figures(totals)
        return cls(
            score=float(figures.score),
            precisions=tuple(figures.precisions.tolist()),
            brevity_penalty=float(figures.brevity_penalty),
            length_ratio=float(totals[0] / max(totals[1], 1)),
            signature=statistics.signature,
        )

    def __str__(self) -> str:
        return f"BLEU {self.score:.2f} | {self.signature}"


def bleu(hypothesis: Lines, references: Sequence[Lines], options: ScoreOptions = ScoreOptions()) -> Bleu:
    """The corpus BLEU of a hypothesis against one or more references."""
    return Bleu.of(segment_statistics(hypothesis, references, options))


def segment_statistics(
    hypothesis: Lines, references: Sequence[Lines], options: ScoreOptions = ScoreOptions()
) -> SegmentStatistics:
    """Each segment's lengths and n-gram counts, as sacreBLEU counts them."""
    from sacrebleu.metrics.bleu import BLEU

    check_parallel([hypothesis, *references])
    moses = options.tokenise == "moses"
    outputs = detokenised_to_reference_style(hypothesis.lines) if moses else hypothesis.lines
    targets = [unescaped(side.lines) if moses else side.lines for side in references]
    # We take the counts, not the sentence scores; effective order only quiets a warning about the latter.
    metric = BLEU(
        lowercase=options.lowercase,
        tokenize="none" if moses else options.tokenise,
        effective_order=True,
        force=True,
    )
    rows = []
    for output, *alternatives in zip(outputs, *targets, strict=True):
        counted = metric.sentence_score(output, alternatives)
        rows.append([counted.sys_len, counted.ref_len, *counted.counts, *counted.totals])
    signature = metric.get_signature()
    signature.update("eff", "no")
    if moses:
        signature.update("tok", reference_style_name())
    return SegmentStatistics(np.array(rows, dtype=np.int64), str(signature))


def bleu_figures(totals: NDArray[Any]) -> BleuFigures:
    """BLEU from summed statistics [..., 10], smoothed like mteval-v13a: the n-th empty order is 1/2^n."""
    hypothesis, reference = totals[..., 0], totals[..., 1]
    matched, counted = totals[..., 2 : 2 + _ORDERS], totals[..., 2 + _ORDERS :]
    empty = (matched == 0) & (counted > 0)
    smoothed = np.where(empty, 0.5 ** np.cumsum(empty, axis=-1), matched)
    any_match = matched.sum(axis=-1, keepdims=True) > 0
    precisions = np.where(any_match, smoothed / np.maximum(counted, 1), 0.0)
    # The tiny floor penalises a hypothesis without words wholly, without dividing by zero.
    penalty = np.exp(np.minimum(1 - reference / np.maximum(hypothesis, 1e-9), 0.0))
    # A corpus without a single 4-gram scores 0: there is nothing to smooth.
    scored = precisions.min(axis=-1) > 0
    logarithms = np.log(np.where(precisions > 0, precisions, 1.0)).mean(axis=-1)
    score = np.where(scored, 100 * penalty * np.exp(logarithms), 0.0)
    return BleuFigures(score, 100 * precisions, penalty)
