"""Proofreading: of all that search has found, what the source would best be a translation of comes first."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from recollect.decoding.forced import SENTENCES_AT_ONCE, score
from recollect.decoding.hypothesis import Hypothesis
from recollect.models.interface import SearchModel
from recollect.text.vocabulary import Vocabulary

__all__ = ["Proofreader"]


@dataclass(frozen=True, slots=True)
class Proofreader:
    """A model of the other direction, and how much its opinion counts.

    A sentence model alone likes what is frequent and short, whatever it leaves out; from what leaves
    something out, the source does not follow.
    """

    model: SearchModel
    source_vocabulary: Vocabulary  # of the language translated into
    target_vocabulary: Vocabulary  # of the language translated from
    weight: float  # of log P(source | translation), besides log P(translation | source)
    reward: float  # for every token of the translation

    def ranked(
        self, sources: Sequence[str], texts: Sequence[Sequence[str]], found: Sequence[Sequence[Hypothesis]]
    ) -> list[list[Hypothesis]]:
        """Return each source's hypotheses, whose texts are given, best first, with their new scores."""
        doubtful = [number for number, each in enumerate(texts) if len(set(each)) > 1]
        pairs = [(sources[number], text) for number in doubtful for text in dict.fromkeys(texts[number])]
        follows = dict(zip(pairs, self._follows(pairs), strict=True))
        ranked = [list(each) for each in found]
        for number in doubtful:
            scored = [
                replace(each, score=self._score(each, follows[sources[number], text]))
                for each, text in zip(found[number], texts[number], strict=True)
            ]
            ranked[number] = sorted(scored, key=lambda each: each.score, reverse=True)  # stable
        return ranked

    def _score(self, found: Hypothesis, follows: float) -> float:
        return found.log_probability + self.weight * follows + self.reward * (len(found.tokens) + 1)

    def _follows(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return log P(source | translation) of each pair of them."""
        given = self.source_vocabulary.encode_many([text for _, text in pairs])
        wanted = self.target_vocabulary.encode_many([source for source, _ in pairs])
        order = sorted(range(len(pairs)), key=lambda n: (len(wanted[n]), len(given[n])))  # little padding
        totals = [0.0] * len(pairs)
        for start in range(0, len(order), SENTENCES_AT_ONCE):
            some = order[start : start + SENTENCES_AT_ONCE]
            scores = score(self.model, [given[n] for n in some], [wanted[n] for n in some])
            for number, each in zip(some, scores, strict=True):
                totals[number] = sum(each)
        return totals
