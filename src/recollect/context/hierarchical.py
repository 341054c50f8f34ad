"""Wang et al. 2017: a hierarchical RNN sums up the source sentences before (SPEC 4)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn

from recollect.batches.before import Before, collate_before
from recollect.models.attention import Annotations
from recollect.models.gru import GRU, gru_update
from recollect.models.interface import Step
from recollect.models.rnnsearch import Decoding, RNNSearch

__all__ = ["HierarchicalRNNSearch", "Summariser"]


@dataclass(frozen=True, slots=True)
class Added:
    """What a summary has to say to the decoder's gates, before it is asked."""

    gates: Tensor  # D [W^r, W^z, W^h]  [lane, 1, 3 * hidden]

    def select(self, lanes: Tensor) -> "Added":
        """Keep `lanes`."""
        return Added(self.gates[lanes])

    def put(self, lanes: Tensor, other: "Added") -> "Added":
        """Replace `lanes` by those of `other`, in place."""
        self.gates[lanes] = other.gates
        return self


class Summariser(nn.Module):
    """A GRU over the words of each sentence, and one over the sentences' last states: D is its last."""

    def __init__(self, embedding: int, hidden: int) -> None:
        super().__init__()
        self.sentence = GRU(embedding, hidden)
        self.document = GRU(hidden, hidden)

    def forward(self, before: Before, embed: Callable[[Tensor], Tensor]) -> Tensor:
        """Return D [lane, hidden]."""
        real = before.lengths > 0
        last = _at_ends(self.sentence(embed(before.ids[real])), before.lengths[real])
        sentences = last.new_zeros(*real.shape, last.shape[-1])
        sentences[real] = last
        return _at_ends(self.document(sentences), real.sum(1))


def _at_ends(states: Tensor, lengths: Tensor) -> Tensor:
    """Return the last of each row's states [row, time, hidden]."""
    return states[torch.arange(len(states), device=states.device), lengths - 1]


class HierarchicalRNNSearch(RNNSearch):
    """RNNSearch that knows D, a summary of the `sentences` before.

    `initial`: the encoder starts from D in both directions, the decoder from tanh(W [mean_j h_j; D] + b).
    `auxiliary`: D is one more input of the decoder's GRU, as it is (plain), or times a gate that looks at the
    last state, the context and D (gated).
    """

    def __init__(
        self,
        source_tokens: int,
        target_tokens: int,
        *,
        embedding: int,
        hidden: int,
        sentences: int = 3,
        initial: bool = False,
        auxiliary: Literal["none", "plain", "gated"] = "none",
        **options: Any,
    ) -> None:
        super().__init__(source_tokens, target_tokens, embedding=embedding, hidden=hidden, **options)
        assert self.query_word is not None, "the decoder of two GRUs has no place for a summary"
        self.looks_back = sentences
        self.summariser = Summariser(embedding, hidden)

        def layer(inputs: int, outputs: int, bias: bool = False) -> nn.Linear:
            made = nn.Linear(inputs, outputs, bias=bias)
            nn.init.xavier_uniform_(made.weight)
            if bias:
                nn.init.zeros_(made.bias)
            return made

        gated = auxiliary == "gated"
        self.initial_summary = layer(hidden, hidden) if initial else None
        self.gates_summary = layer(hidden, 3 * hidden) if auxiliary != "none" else None
        self.gate_state = layer(hidden, hidden) if gated else None
        self.gate_context = layer(2 * hidden, hidden) if gated else None
        self.gate_summary = layer(hidden, hidden, bias=True) if gated else None

    def start(self, source: Tensor, lengths: Tensor, before: Before | None = None) -> Decoding:
        """Sum up what was before, encode `source` and begin with s_0."""
        before = collate_before([[]] * len(source)).to(source.device) if before is None else before
        summary = self.summariser(before, self.embed)
        if self.initial_summary is None:
            vectors, padding, state = self.encode(source, lengths)
        else:
            vectors, padding, mean = self.annotate(source, lengths, summary)
            state = torch.tanh(self.initial(mean) + self.initial_summary(summary)).unsqueeze(1)
        annotations = self.prepare(vectors, padding)
        if self.gates_summary is None:
            return Decoding(annotations, state)
        gates = self.gates_summary(summary).unsqueeze(1)
        # Attention weights add up to one: what is added to every annotation is added to the context.
        if self.gate_context is None or self.gate_summary is None:
            return Decoding(_with_gated(annotations, annotations.gated + gates), state)
        asked = self.gate_context(vectors) + self.gate_summary(summary).unsqueeze(1)
        return Decoding(
            _with_gated(annotations, torch.cat([annotations.gated, asked], -1)), state, Added(gates)
        )

    def follow(self, progress: Decoding, last: Tensor, words: Tensor) -> Step:
        """Take single steps where there is a gate: it depends on the last state."""
        if self.gate_state is None:
            return super().follow(progress, last, words)
        return self.follow_by_steps(progress, last, words)

    def advance(
        self, progress: Decoding, last: Tensor, word: Tensor, query: Tensor | None, gates: Tensor
    ) -> Step:
        """One step: g = sigmoid(G1 s_{t-1} + G2 c_t + G3 D + b), s_t = GRU(s_{t-1}; y_{t-1}, c_t, g D)."""
        if self.gate_state is None:
            return super().advance(progress, last, word, query, gates)
        annotations, state, added = progress.annotations, progress.state, progress.history.gates
        weights = self.attention(annotations.projected, annotations.padding, self.query_state(state) + query)
        of_gates, asked = (weights @ annotations.gated).tensor_split([added.shape[-1]], -1)
        opened = torch.sigmoid(self.gate_state(state) + asked).repeat(1, 1, 3)
        inputs = torch.addcmul(gates + of_gates, opened, added)
        state = gru_update(inputs, self.gates_state(state), state)
        return Step(state, weights @ annotations.vectors, word, weights, last)


def _with_gated(annotations: Annotations, gated: Tensor) -> Annotations:
    return Annotations(annotations.vectors, annotations.projected, gated, annotations.padding)
