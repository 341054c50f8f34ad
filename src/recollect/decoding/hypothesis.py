"""A finished translation of one sentence, with the vectors that a memory stores of it."""

from dataclasses import dataclass

from torch import Tensor

from recollect.batches.sentences import Ids
from recollect.text.specials import EOS

__all__ = ["Hypothesis"]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """Tokens without their end; vectors [time, ...] with it: `contexts[-1]` is where the end was decided."""

    tokens: list[int]
    log_probability: float
    score: float  # its rank: log probability normalised by length, or what proofreading gives
    contexts: Tensor  # c_t  [time, context]
    states: Tensor  # s_t    [time, state]
    aligned: list[int]  # the source position each token looked at most
    source: Ids = ()  # the source tokens, where they are known

    @property
    def looked_at(self) -> list[int]:
        """The source token that each token, and the end, looked at most: the end of the source beyond it."""
        return [int(self.source[place]) if place < len(self.source) else EOS for place in self.aligned]
