"""Proofreading: what search has found is ranked anew, also by how well the source follows from it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from recollect.decoding.forced import SENTENCES_AT_ONCE, score
from recollect.decoding.hypothesis import Hypothesis
from recollect.models.interface import SearchModel
from recollect.text.vocabulary import Vocabulary

__all__ = ["CANDIDATES", "Proofreader"]

CANDIDATES = 3  # of a sentence, to be looked over; of more it chooses hardly better (decision 0017)


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

    def rewarded(self, found: Sequence[Hypothesis]) -> list[Hypothesis]:
        """Return a source's hypotheses with a reward for every token in their scores, best first."""
        scored = [
            replace(each, score=each.log_probability + self.reward * (len(each.tokens) + 1)) for each in found
        ]
        return sorted(scored, key=lambda each: each.score, reverse=True)  # stable

    def ranked(
        self,
        sources: Sequence[str],
        texts: Sequence[Sequence[str]],
        found: Sequence[Sequence[Hypothesis]],
        vouched: Callable[[int], Sequence[float]] | None = None,
    ) -> list[list[Hypothesis]]:
        """Return each source's rewarded hypotheses, whose texts are given, by what it thinks of them too.

        Against what a memory speaks for its doubts count only as far as they go beyond the logarithm of the
        factor by which the memory raised its probability: that a boss is called a skipper it cannot know.
        `vouched` gives those of one source, by its number, and is asked where it would change what is said.
        """
        doubtful = [number for number, each in enumerate(texts) if len(set(each)) > 1]
        pairs = [(sources[number], text) for number in doubtful for text in dict.fromkeys(texts[number])]
        follows = dict(zip(pairs, self._follows(pairs), strict=True))
        ranked = [list(each) for each in found]
        for number in doubtful:
            some = found[number]
            opinions = [self.weight * follows[sources[number], text] for text in texts[number]]
            ranked[number] = _best_first(some, opinions)
            if vouched is not None and ranked[number][0].tokens != some[0].tokens:
                most = max(opinions)
                excused = [
                    min(most - one, raised) for one, raised in zip(opinions, vouched(number), strict=True)
                ]
                ranked[number] = _best_first(
                    some, [sum(each) for each in zip(opinions, excused, strict=True)]
                )
        return ranked

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


def _best_first(found: Sequence[Hypothesis], more: Sequence[float]) -> list[Hypothesis]:
    scored = [replace(each, score=each.score + some) for each, some in zip(found, more, strict=True)]
    return sorted(scored, key=lambda each: each.score, reverse=True)  # stable
