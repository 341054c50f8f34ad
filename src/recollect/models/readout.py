"""The output layer: from state, context and last word to a distribution over the next word."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn.functional import linear, pad

from recollect.models.interface import Step
from recollect.models.softmax import score_tokens

__all__ = ["Readout"]


class Readout(nn.Module):
    """o_t = tanh(W [s_t; c_t; y_{t-1}] + b), or maxout of two; then log softmax(W_o o_t + b)."""

    def __init__(self, inputs: int, size: int, tokens: int, *, dropout: float, kind: str) -> None:
        super().__init__()
        self.maxout = kind == "maxout"
        self.combine = nn.Linear(inputs, size * (2 if self.maxout else 1))
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(size, tokens)
        nn.init.xavier_uniform_(self.combine.weight)
        nn.init.normal_(self.output.weight, std=size**-0.5)

    def forward(self, step: Step) -> Tensor:
        """Return log P(y_t) [..., token]."""
        logits: Tensor = self.output(self.dropped(step))
        return logits.log_softmax(-1)

    def dropped(self, step: Step) -> Tensor:
        """Return o_t [..., readout], as training sees it."""
        dropped: Tensor = self.dropout(self.vector(step))
        return dropped

    def vector(self, step: Step) -> Tensor:
        """Return o_t [..., readout]."""
        return self.activate(self.combined(step))

    def combined(self, step: Step) -> Tensor:
        """Return W [s_t; c_t; y_{t-1}] + b."""
        # One product each: where only the state needs a gradient (pass two), only it gets one.
        sizes = [step.state.shape[-1], step.context.shape[-1], step.previous.shape[-1]]
        of_state, of_context, of_word = self.combine.weight.split_with_sizes(sizes, 1)
        combined = linear(step.state, of_state, self.combine.bias)
        return combined + linear(step.context, of_context) + linear(step.previous, of_word)

    def activate(self, combined: Tensor) -> Tensor:
        """Return tanh, or the larger of each two."""
        if self.maxout:
            return combined.view(*combined.shape[:-1], -1, 2).amax(-1)
        return torch.tanh(combined)

    def widened(self, weights: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
        """Return the weights of a narrower readout, filled up to this one's size; others as they are.

        What is new is combined as in this readout, and says nothing at first. A readout of another kind or of
        other inputs stays as it is, too.
        """
        found = dict(weights)
        output = found.get(prefix + "output.weight")  # a tied one has another name, and one size
        bias = found[prefix + "combine.bias"]
        if output is None or len(bias) != output.shape[1] * (2 if self.maxout else 1):
            return found
        for name, parameter in self.named_parameters():
            narrow, own = found.get(prefix + name), parameter.detach()
            if narrow is None or name.startswith("output") or narrow.shape[1:] != own.shape[1:]:
                continue
            found[prefix + name] = torch.cat([narrow, own[len(narrow) :].to(narrow.dtype)])
        more = self.output.in_features - output.shape[1]
        found[prefix + "output.weight"] = pad(output, (0, max(0, more)))
        return found

    def score(self, step: Step, targets: Tensor, smoothing: float) -> Tensor:
        """Return log P of `targets` alone, a share `smoothing` of it spread over all tokens."""
        vectors = self.dropped(step).flatten(0, -2)
        found = score_tokens(vectors, self.output.weight, self.output.bias, targets.flatten(), smoothing)
        return found.view_as(targets)
