"""Proofreading: what search has found is ranked anew, also by how well the source follows from it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from recollect.decoding.forced import SENTENCES_AT_ONCE, score
from recollect.decoding.hypothesis import Hypothesis
from recollect.models.interface import SearchModel
from recollect.text.vocabulary import Vocabulary

__all__ = ["CANDIDATES", "Proofreader"]

CANDIDATES = 3  # of a sentence, to be looked over; of more it chooses hardly better (decision 0017)
LEAST = -6.0  # log P that a token of the source has at least: one name it does not believe must not decide


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
        raised: Callable[[int], Sequence[float]] | None = None,
    ) -> list[list[Hypothesis]]:
        """Return each source's rewarded hypotheses, whose texts are given, by what it thinks of them too.

        Its doubts about a translation (how much less it adds to this one's score than to that of the one it
        likes best) count only as far as they go beyond what a memory has added to log P: that a captain is
        called a skipper here it cannot know. `raised` says how much the memory has added to each hypothesis
        of a source, given its number; it is asked only where that could change which one comes first.
        """
        doubtful = [number for number, each in enumerate(texts) if len(set(each)) > 1]
        pairs = [(sources[number], text) for number in doubtful for text in dict.fromkeys(texts[number])]
        follows = dict(zip(pairs, self._follows(pairs), strict=True))
        ranked = [list(each) for each in found]
        for number in doubtful:
            some = found[number]
            added = [self.weight * follows[sources[number], text] for text in texts[number]]
            most = max(added)
            if raised is not None and some[1].score + most > some[0].score + added[0]:
                added = [min(each + more, most) for each, more in zip(added, raised(number), strict=True)]
            scored = [replace(each, score=each.score + more) for each, more in zip(some, added, strict=True)]
            ranked[number] = sorted(scored, key=lambda each: each.score, reverse=True)  # stable
        return ranked

    def _follows(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return log P(source | translation) of each pair of them, no token's below LEAST."""
        given = self.source_vocabulary.encode_many([text for _, text in pairs])
        wanted = self.target_vocabulary.encode_many([source for source, _ in pairs])
        order = sorted(range(len(pairs)), key=lambda n: (len(wanted[n]), len(given[n])))  # little padding
        totals = [0.0] * len(pairs)
        for start in range(0, len(order), SENTENCES_AT_ONCE):
            batch = order[start : start + SENTENCES_AT_ONCE]
            scores = score(self.model, [given[n] for n in batch], [wanted[n] for n in batch])
            for number, each in zip(batch, scores, strict=True):
                totals[number] = sum(max(token, LEAST) for token in each)
        return totals
