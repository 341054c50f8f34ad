"""RNNSearch rearranged for search: what words and annotations contribute is computed beforehand."""

from dataclasses import dataclass, fields, replace

import torch
from torch import Tensor
from torch.nn.functional import linear

from recollect.batches.before import Before
from recollect.errors import ModelError
from recollect.models.attention import needed_width, put_sentences
from recollect.models.gru import gru_update
from recollect.models.interface import Step, score_from_distribution
from recollect.models.products import make_product
from recollect.models.rnnsearch import RNNSearch

__all__ = ["PackedRNNSearch", "PackedStep"]


@dataclass(frozen=True, slots=True)
class Reading:
    """Sentences under way: the source with all that can be known of it, and each hypothesis's state."""

    vectors: Tensor  # h_j                                          [lane, position, context]
    projected: Tensor  # their part of the energies                 [lane, position, attention]
    mapped: Tensor  # their part of the gates, the readout, the rider  [lane, position, 3 * hidden + ...]
    padding: Tensor  # true beyond the end                          [lane, position]
    state: Tensor  # s_{t-1}                                        [lane, many, hidden]


@dataclass(frozen=True, slots=True)
class PackedStep(Step):
    """A step whose `previous` is not the last word's embedding but all that the readout takes from it and
    from the context: whatever a memory does to a step, it does to the state."""

    rider: Tensor  # a linear map of the context that somebody asked for  [..., rider]


class PackedRNNSearch:
    """Steps, predicts and selects like the RNNSearch it was made from, for inference only.

    `rider` [rider, context] is one more matrix wanted at every context: a mean of mapped annotations is the
    map of their mean, so it costs once per source token what it would cost at every step.
    """

    def __init__(self, model: RNNSearch, precision: str = "float32", rider: Tensor | None = None) -> None:
        if model.query_word is None:
            raise ModelError("the conditional decoder cannot be packed")
        self.model = model.eval()
        if precision == "int8" and model.readout.maxout:
            raise ModelError("int8 needs the tanh readout: the maxout readout has no bounds; use float16")
        hidden, words, readout = model.state_size, model.target_embedding.weight, model.readout
        of_state, of_context, of_word = readout.combine.weight.split_with_sizes(
            [hidden, model.context_size, words.shape[1]], 1
        )
        energy = 2 * model.attention.energy
        query = 2 * model.query_state.weight
        with torch.no_grad():
            gates, queries = model.gates_word(words), 2 * model.query_word(words)
            self.of_word = torch.cat([gates, queries, linear(words, of_word, readout.combine.bias)], 1)
            rider = of_context[:0] if rider is None else rider.detach()
            self.of_annotation = torch.cat([model.gates_context.weight, of_context, rider])
            self.of_state = make_product(
                torch.cat([model.gates_state.weight, query]),
                torch.cat([model.gates_state.bias, torch.zeros_like(energy)]),
                precision,
            )
            self.readout_of_state = make_product(of_state, None, precision)
            self.output = make_product(readout.output.weight, readout.output.bias, precision)
        self.energy = energy.detach()
        self._gates, self._query = slice(3 * hidden), slice(3 * hidden, 3 * hidden + len(energy))
        self._rest = slice(3 * hidden + len(energy), None)
        self._readout = slice(3 * hidden, 3 * hidden + len(of_context))

    def start(self, source: Tensor, lengths: Tensor, before: Before | None = None) -> Reading:
        """Encode `source` [lane, position] and begin one hypothesis for each."""
        vectors, padding, state = self.model.encode(source, lengths)
        mapped = linear(vectors, self.of_annotation)
        return Reading(vectors, self.model.attention.project(vectors), mapped, padding, state)

    def step(self, progress: Reading, previous: Tensor) -> tuple[PackedStep, Reading]:
        """Advance every hypothesis by its last token `previous` [lane, many]."""
        state, known = progress.state, self.of_word[previous]
        recurrent = self.of_state(state)
        query = recurrent[..., self._query].add_(known[..., self._query])
        hidden = (progress.projected.unsqueeze(1) + query.unsqueeze(2)).sigmoid_()
        energies = (hidden @ self.energy).masked_fill_(progress.padding.unsqueeze(1), -torch.inf)
        weights = energies.softmax(-1)
        mapped = weights @ progress.mapped
        inputs = mapped[..., self._gates].add_(known[..., self._gates])
        state = gru_update(inputs, recurrent[..., self._gates], state)
        rest = mapped[..., self._readout].add_(known[..., self._rest])
        rider = mapped[..., self._readout.stop :]
        step = PackedStep(state, weights @ progress.vectors, rest, weights, previous, rider)
        return step, replace(progress, state=state)

    def predict(self, step: Step) -> Tensor:
        """Return log P(y_t) [..., token] from a step, whose state a memory may have edited."""
        return self.words(self.readout_vector(step))

    def words(self, readout: Tensor) -> Tensor:
        """Return log P(y_t) [..., token] from o_t."""
        return self.output(readout).log_softmax(-1)

    def readout_vector(self, step: Step) -> Tensor:
        """Return o_t [..., readout]."""
        return self.model.readout.activate(self.readout_of_state(step.state).add_(step.previous))

    def select(self, progress: Reading, lanes: Tensor, hypotheses: Tensor) -> Reading:
        """Keep `lanes` [lane'] and, in each, `hypotheses` [lane', many'] (repeats allowed)."""
        state = progress.state[lanes.unsqueeze(1), hypotheses]
        if len(lanes) == len(progress.state) and bool((lanes.diff() == 1).all()):  # all of them, in order
            return replace(progress, state=state)
        longest = int((~progress.padding[lanes]).sum(1).max()) if len(lanes) else 0
        source = (progress.vectors, progress.projected, progress.mapped, progress.padding)
        vectors, projected, mapped, padding = (each[lanes, :longest] for each in source)
        return Reading(vectors, projected, mapped, padding, state)

    def put(self, progress: Reading, lanes: Tensor, other: Reading) -> Reading:
        """Replace `lanes` by those of `other`, which has as many hypotheses; may change `progress`."""
        width = needed_width(progress.padding, lanes, other.padding)
        vectors, projected, mapped = (
            put_sentences(getattr(progress, name), lanes, getattr(other, name), width)
            for name in ("vectors", "projected", "mapped")
        )
        padding = put_sentences(progress.padding, lanes, other.padding, width, filler=True)
        progress.state[lanes] = other.state
        return Reading(vectors, projected, mapped, padding, progress.state)

    def rebuild(self, state: Tensor, context: Tensor, previous: Tensor) -> PackedStep:
        """Return the step from its stored state and context and the tokens `previous` (no attention)."""
        mapped = linear(context, self.of_annotation[self._gates.stop :])
        rest, rider = mapped.tensor_split([self._readout.stop - self._readout.start], -1)
        rest = rest + self.of_word[previous][..., self._rest]
        return PackedStep(state, context, rest, state.new_zeros(*previous.shape, 0), previous, rider)

    def unroll(
        self, source: Tensor, lengths: Tensor, previous: Tensor, before: Before | None = None
    ) -> PackedStep:
        """Step along the tokens `previous` [lane, time], with the very arithmetic of the search."""
        progress, steps = self.start(source, lengths), []
        for time in range(previous.shape[1]):
            step, progress = self.step(progress, previous[:, time : time + 1])
            steps.append(step)
        together = (torch.cat([getattr(step, each.name) for step in steps], 1) for each in fields(PackedStep))
        return PackedStep(*together)

    def score(self, step: Step, targets: Tensor, smoothing: float = 0.0) -> Tensor:
        """Return log P(targets) [...]; see `SentenceModel.score`."""
        return score_from_distribution(self.predict(step), targets, smoothing)

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        return self.model.device
