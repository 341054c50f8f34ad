"""RNNSearch: a bidirectional GRU encoder, attention fed with the last word, and a GRU decoder (SPEC 1)."""

from dataclasses import dataclass, fields, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from recollect.batches.before import Before
from recollect.models.attention import Annotations, Attention
from recollect.models.feed_forward import FeedForward
from recollect.models.gru import BidirectionalGRU, gru_update, orthogonal_gates
from recollect.models.interface import SentenceModel, Step
from recollect.models.readout import Readout
from recollect.models.recurrence import attend_and_update
from recollect.models.self_attention import SelfAttention

__all__ = ["Decoding", "RNNSearch"]


@dataclass(frozen=True, slots=True)
class Decoding:
    """Sentences under way: what was read, and how far each hypothesis has come."""

    annotations: Annotations
    state: Tensor  # s_{t-1}  [lane, many, hidden]
    history: Any = None  # what was read of the sentences before, if anything: it can `select` and `put` lanes


class RNNSearch(SentenceModel[Decoding]):
    """The paper's sentence model.

    `feed_forward` is the size of a layer that each annotation goes through, 0 for none; in `self_attention`
    layers after it annotations look at each other.
    `conditional` exchanges the decoder's GRU for two: the first takes the last word in, then attends,
    the second takes the context in.
    """

    def __init__(
        self,
        source_tokens: int,
        target_tokens: int,
        *,
        embedding: int,
        hidden: int,
        attention: int,
        dropout: float = 0.0,
        embedding_dropout: float = 0.0,
        embedding_std: float = 0.0625,
        readout: str = "tanh",
        readout_size: int | None = None,
        feed_forward: int = 0,
        self_attention: int = 0,
        conditional: bool = False,
        tied: bool = False,
    ) -> None:
        super().__init__()
        self.context_size, self.state_size, self.readout_size = 2 * hidden, hidden, readout_size or embedding
        self.source_embedding = nn.Embedding(source_tokens, embedding)
        self.target_embedding = nn.Embedding(target_tokens, embedding)
        self.embedding_dropout = nn.Dropout(embedding_dropout)
        self.encoder = BidirectionalGRU(embedding, hidden)
        self.feed_forward = FeedForward(2 * hidden, feed_forward) if feed_forward else None
        self.self_attention = nn.ModuleList(
            SelfAttention(2 * hidden, embedding_dropout) for _ in range(self_attention)
        )
        self.initial = nn.Linear(2 * hidden, hidden)
        self.attention = Attention(2 * hidden, attention)
        self.query_state = nn.Linear(hidden, attention, bias=False)
        self.query_word = None if conditional else nn.Linear(embedding, attention, bias=False)
        self.gates_word = nn.Linear(embedding, 3 * hidden)
        self.gates_context = nn.Linear(2 * hidden, 3 * hidden, bias=conditional)
        self.gates_state = nn.Linear(hidden, 3 * hidden)
        self.gates_between = nn.Linear(hidden, 3 * hidden) if conditional else None
        inputs = hidden + 2 * hidden + embedding
        self.readout = Readout(inputs, self.readout_size, target_tokens, dropout=dropout, kind=readout)
        self.tied = tied
        self.tie()
        self._initialise(embedding_std)

    def tie(self) -> None:
        """Make the output layer share the target embedding, if that is what the model does."""
        if self.tied:
            self.readout.output.weight = self.target_embedding.weight

    def _initialise(self, embedding_std: float) -> None:
        for embedding in (self.source_embedding, self.target_embedding):
            nn.init.normal_(embedding.weight, std=embedding_std)
        for layer in (self.initial, self.query_state, self.query_word, self.gates_word, self.gates_context):
            if layer is not None:
                nn.init.xavier_uniform_(layer.weight)
        for layer in (self.gates_state, self.gates_between):
            if layer is not None:
                orthogonal_gates(layer.weight)
        for name, parameter in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(parameter)

    def start(self, source: Tensor, lengths: Tensor, before: Before | None = None) -> Decoding:
        """Encode `source` and begin with s_0."""
        vectors, padding, state = self.encode(source, lengths)
        return Decoding(self.prepare(vectors, padding), state)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return annotations, where they are padding, and s_0 = tanh(W mean_j(h_j) + b)."""
        vectors, padding, mean = self.annotate(source, lengths)
        return vectors, padding, torch.tanh(self.initial(mean)).unsqueeze(1)

    def annotate(
        self, source: Tensor, lengths: Tensor, initial: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return annotations, where they are padding, and their mean [lane, context]."""
        vectors = self.encoder(self.embed(source), lengths, initial)
        if self.feed_forward is not None:
            vectors = self.feed_forward(vectors)
        padding = torch.arange(source.shape[1], device=source.device) >= lengths.unsqueeze(1)
        for layer in self.self_attention:
            vectors = layer(vectors, padding)
        total = vectors.masked_fill(padding.unsqueeze(-1), 0).sum(1)
        return vectors, padding, total / lengths.unsqueeze(1)

    def embed(self, source: Tensor) -> Tensor:
        """Return the embeddings of source tokens, as training sees them."""
        embedded: Tensor = self.embedding_dropout(self.source_embedding(source))
        return embedded

    def prepare(self, vectors: Tensor, padding: Tensor) -> Annotations:
        """Compute all that steps need of the annotations."""
        return Annotations(vectors, self.attention.project(vectors), self.gates_context(vectors), padding)

    def step(self, progress: Decoding, previous: Tensor) -> tuple[Step, Decoding]:
        """Attend with the last state and word, then update the state."""
        word = self.embedding_dropout(self.target_embedding(previous))
        query = None if self.query_word is None else self.query_word(word)
        step = self.advance(progress, previous, word, query, self.gates_word(word))
        return step, replace(progress, state=step.state)

    def advance(
        self, progress: Decoding, last: Tensor, word: Tensor, query: Tensor | None, gates: Tensor
    ) -> Step:
        """One step from the last word, its embedding and its (hoisted) products."""
        annotations, state = progress.annotations, progress.state
        recurrent = self.gates_state(state)
        if self.gates_between is None:
            assert query is not None
            weights = self.attention(
                annotations.projected, annotations.padding, self.query_state(state) + query
            )
            state = gru_update(gates + weights @ annotations.gated, recurrent, state)
        else:
            between = gru_update(gates, recurrent, state)
            weights = self.attention(annotations.projected, annotations.padding, self.query_state(between))
            state = gru_update(weights @ annotations.gated, self.gates_between(between), between)
        return Step(state, weights @ annotations.vectors, word, weights, last)

    def predict(self, step: Step) -> Tensor:
        """log softmax(W_o o_t + b)."""
        scores: Tensor = self.readout(step)
        return scores

    def readout_vector(self, step: Step) -> Tensor:
        """o_t."""
        return self.readout.vector(step)

    def score(self, step: Step, targets: Tensor, smoothing: float = 0.0) -> Tensor:
        """Like `predict`, for given tokens alone."""
        return self.readout.score(step, targets, smoothing)

    def select(self, progress: Decoding, lanes: Tensor, hypotheses: Tensor) -> Decoding:
        """Reorder the states; annotations are shared by a lane's hypotheses and move only with lanes."""
        state, everyone = progress.state, torch.arange(len(progress.state), device=lanes.device)
        annotations, history = progress.annotations, progress.history
        if not torch.equal(lanes, everyone):
            annotations = annotations.select(lanes)
            history = None if history is None else history.select(lanes)
        return Decoding(annotations, state[lanes.unsqueeze(1), hypotheses], history)

    def put(self, progress: Decoding, lanes: Tensor, other: Decoding) -> Decoding:
        """Replace sentences and their states."""
        progress.state[lanes] = other.state
        annotations, history = progress.annotations.put(lanes, other.annotations), progress.history
        history = None if history is None else history.put(lanes, other.history)
        return Decoding(annotations, progress.state, history)

    def rebuild(self, state: Tensor, context: Tensor, previous: Tensor) -> Step:
        """Look the words up again; the rest is given."""
        nowhere = state.new_zeros(*previous.shape, 0)
        return Step(state, context, self.target_embedding(previous), nowhere, previous)

    def unroll(self, source: Tensor, lengths: Tensor, previous: Tensor, before: Before | None = None) -> Step:
        """Teacher-forced steps: all that depends on words alone is computed for all times at once."""
        progress = self.start(source, lengths, before)
        words = self.embedding_dropout(self.target_embedding(previous))
        return self.follow(progress, previous, words)

    def follow(self, progress: Decoding, last: Tensor, words: Tensor) -> Step:
        """Return all steps along known tokens `last` and their embeddings `words` [lane, time, ...]."""
        if self.query_word is None:
            return self.follow_by_steps(progress, last, words)
        annotations, in_time = progress.annotations, words.transpose(0, 1)
        states, weights = attend_and_update(
            queries=linear(in_time, 2 * self.query_word.weight),
            gates=self.gates_word(in_time),
            initial=progress.state.squeeze(1),
            projected=annotations.projected,
            gated=annotations.gated,
            padding=annotations.padding,
            energy=2 * self.attention.energy,
            weight=torch.cat([self.gates_state.weight, 2 * self.query_state.weight]),
            bias=self.gates_state.bias,
        )
        attention = weights.transpose(0, 1)
        return Step(states.transpose(0, 1), attention @ annotations.vectors, words, attention, last)

    def follow_by_steps(self, progress: Decoding, last: Tensor, words: Tensor) -> Step:
        """Do the same one step at a time."""
        queries = None if self.query_word is None else self.query_word(words)
        gates = self.gates_word(words)
        steps = []
        for time in range(words.shape[1]):
            now = slice(time, time + 1)
            query = None if queries is None else queries[:, now]
            step = self.advance(progress, last[:, now], words[:, now], query, gates[:, now])
            progress = replace(progress, state=step.state)
            steps.append(step)
        return Step(*(torch.cat([getattr(step, each.name) for step in steps], 1) for each in fields(Step)))
