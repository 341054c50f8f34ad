"""Gated recurrent units, with the products of known inputs left to the caller so that they can be hoisted."""

import torch
from torch import Tensor, nn

from recollect.models.recurrence import gru_over_time

__all__ = ["GRU", "BidirectionalGRU", "gru_update", "orthogonal_gates"]


def gru_update(inputs: Tensor, recurrent: Tensor, state: Tensor) -> Tensor:
    """One GRU step from its two pre-activations (reset, update, candidate), each [..., 3 * hidden]."""
    size = state.shape[-1]
    inputs, recurrent = inputs.to(state.dtype), recurrent.to(state.dtype)  # which products may not have
    gates = torch.sigmoid(inputs[..., : 2 * size] + recurrent[..., : 2 * size])
    reset, update = gates[..., :size], gates[..., size:]
    candidate = torch.tanh(torch.addcmul(inputs[..., 2 * size :], reset, recurrent[..., 2 * size :]))
    return torch.lerp(candidate, state, update)


def orthogonal_gates(weight: Tensor) -> None:
    """Initialise the recurrent weights [3 * hidden, hidden] with one orthogonal matrix per gate."""
    for gate in weight.data.chunk(3):
        nn.init.orthogonal_(gate)


class BidirectionalGRU(nn.Module):
    """Two GRUs over a padded batch; padding never reaches a real position in either direction."""

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        self.forward_gru = GRU(inputs, hidden)
        self.backward_gru = GRU(inputs, hidden)

    def forward(self, inputs: Tensor, lengths: Tensor, initial: Tensor | None = None) -> Tensor:
        """Return [lane, position, 2 * hidden]; what stands beyond a length is meaningless.

        Both directions start from `initial` [lane, hidden], by default from zero.
        """
        # Reversing each sentence within its own length puts the padding behind it in both directions.
        positions = torch.arange(inputs.shape[1], device=inputs.device)
        mirrored = (lengths.unsqueeze(1) - 1 - positions).remainder(inputs.shape[1]).unsqueeze(-1)
        ahead = self.forward_gru(inputs, initial)
        back = self.backward_gru(inputs.gather(1, mirrored.expand_as(inputs)), initial)
        return torch.cat([ahead, back.gather(1, mirrored.expand_as(back))], -1)


class GRU(nn.Module):
    """One direction."""

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        self.gates_input = nn.Linear(inputs, 3 * hidden)
        self.gates_state = nn.Linear(hidden, 3 * hidden)
        nn.init.xavier_uniform_(self.gates_input.weight)
        orthogonal_gates(self.gates_state.weight)
        nn.init.zeros_(self.gates_input.bias)
        nn.init.zeros_(self.gates_state.bias)

    def forward(self, inputs: Tensor, initial: Tensor | None = None) -> Tensor:
        """Return the states [lane, time, hidden] over `inputs` [lane, time, input], by default from zero."""
        gates = self.gates_input(inputs.transpose(0, 1))
        states = gru_over_time(gates, self.gates_state.weight, self.gates_state.bias, initial)
        return states.transpose(0, 1)
