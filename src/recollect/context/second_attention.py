"""Jean et al. 2017: a second encoder and attention, over the source sentence before (SPEC 4)."""

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from recollect.batches.before import Before, collate_before
from recollect.models.attention import Annotations, Attention
from recollect.models.gru import BidirectionalGRU, gru_update
from recollect.models.interface import Step
from recollect.models.readout import Readout
from recollect.models.rnnsearch import Decoding, RNNSearch

__all__ = ["SecondAttentionRNNSearch"]


class SecondReadout(Readout):
    """A readout that takes the parts of another over and looks at a second context, too.

    A step's context holds both, one behind the other.
    """

    def __init__(self, first: Readout, context: int) -> None:
        nn.Module.__init__(self)
        self.maxout, self.combine = first.maxout, first.combine
        self.dropout, self.output = first.dropout, first.output
        self.second = nn.Linear(context, first.combine.out_features, bias=False)
        nn.init.xavier_uniform_(self.second.weight)

    def combined(self, step: Step) -> Tensor:
        """Return W [s_t; c_t; y_{t-1}] + b + W' c'_t."""
        context, second = step.context.chunk(2, -1)
        combined: Tensor = super().combined(replace(step, context=context)) + self.second(second)
        return combined


class SecondAttentionRNNSearch(RNNSearch):
    """RNNSearch with c'_t, a second context, in the decoder's GRU and in the readout.

    Its attention, e'_tj = v' tanh(B' s_{t-1} + A' h'_j + b'), looks at the sentence before; it is also told
    c_t if `told_context`, as in the original.
    """

    looks_back = 1

    def __init__(
        self,
        source_tokens: int,
        target_tokens: int,
        *,
        embedding: int,
        hidden: int,
        attention: int,
        told_context: bool = False,
        **options: Any,
    ) -> None:
        options |= {"embedding": embedding, "hidden": hidden, "attention": attention}
        super().__init__(source_tokens, target_tokens, **options)
        assert self.query_word is not None, "the decoder of two GRUs has no place for a second context"
        self.context_size = 4 * hidden  # c_t and c'_t
        self.second_encoder = BidirectionalGRU(embedding, hidden)
        self.second_attention = Attention(2 * hidden, attention)
        self.second_query_state = nn.Linear(hidden, attention, bias=False)
        self.second_query_context = nn.Linear(2 * hidden, attention, bias=False) if told_context else None
        self.second_gates = nn.Linear(2 * hidden, 3 * hidden, bias=False)
        self.readout = SecondReadout(self.readout, 2 * hidden)
        nn.init.zeros_(self.second_attention.annotation.bias)
        for layer in (self.second_query_state, self.second_query_context, self.second_gates):
            if layer is not None:
                nn.init.xavier_uniform_(layer.weight)

    def start(self, source: Tensor, lengths: Tensor, before: Before | None = None) -> Decoding:
        """Encode `source` and the sentence before it, and begin with s_0."""
        before = collate_before([[]] * len(source)).to(source.device) if before is None else before
        return replace(super().start(source, lengths), history=self._annotate_second(before))

    def _annotate_second(self, before: Before) -> Annotations:
        """Encode the last of the sentences before."""
        lanes = torch.arange(len(before.lengths), device=before.ids.device)
        last = (before.lengths > 0).sum(1) - 1
        ids, lengths = before.ids[lanes, last], before.lengths[lanes, last]
        vectors = self.second_encoder(self.embed(ids), lengths)
        padding = torch.arange(ids.shape[1], device=ids.device) >= lengths.unsqueeze(1)
        projected, gated = self.second_attention.project(vectors), self.second_gates(vectors)
        return Annotations(vectors, projected, gated, padding)

    def follow(self, progress: Decoding, last: Tensor, words: Tensor) -> Step:
        """Take single steps."""
        return self.follow_by_steps(progress, last, words)

    def advance(
        self, progress: Decoding, last: Tensor, word: Tensor, query: Tensor | None, gates: Tensor
    ) -> Step:
        """One step: attend to this sentence and to the one before; s_t = GRU(s_{t-1}; y_{t-1}, c_t, c'_t)."""
        state, annotations = progress.state, progress.annotations
        before: Annotations = progress.history
        weights = self.attention(annotations.projected, annotations.padding, self.query_state(state) + query)
        context = weights @ annotations.vectors
        asked = self.second_query_state(state)
        if self.second_query_context is not None:
            asked = asked + self.second_query_context(context)
        second = self.second_attention(before.projected, before.padding, asked)
        inputs = gates + weights @ annotations.gated + second @ before.gated
        state = gru_update(inputs, self.gates_state(state), state)
        return Step(state, torch.cat([context, second @ before.vectors], -1), word, weights, last)
