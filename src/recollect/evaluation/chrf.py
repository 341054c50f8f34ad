"""chrF, the character n-gram score, as sacreBLEU computes and signs it."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.evaluation.lines import Lines, check_parallel

__all__ = ["Chrf", "chrf", "sentence_chrf"]


@dataclass(frozen=True, slots=True)
class Chrf:
    """A corpus's chrF and the signature that lets others repeat it."""

    score: float
    signature: str

    def __str__(self) -> str:
        return f"chrF {self.score:.2f} | {self.signature}"


def chrf(hypothesis: Lines, references: Sequence[Lines], *, lowercase: bool = True) -> Chrf:
    """The corpus chrF of a hypothesis against one or more references written in the same style."""
    from sacrebleu.metrics.chrf import CHRF

    check_parallel([hypothesis, *references])
    metric = CHRF(lowercase=lowercase)
    score = metric.corpus_score(list(hypothesis.lines), [list(side.lines) for side in references])
    return Chrf(float(score.score), str(metric.get_signature()))


def sentence_chrf(hypothesis: Lines, references: Sequence[Lines], *, lowercase: bool = True) -> list[float]:
    """Return the chrF of every single sentence: by the best of its references."""
    from sacrebleu.metrics.chrf import CHRF

    check_parallel([hypothesis, *references])
    metric = CHRF(lowercase=lowercase)
    versions = zip(*(side.lines for side in references), strict=True)
    return [
        float(metric.sentence_score(line, list(wanted)).score)
        for line, wanted in zip(hypothesis.lines, versions, strict=True)
    ]
