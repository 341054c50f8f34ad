"""The two time loops of training, forward and backward, by hand.

Autograd would compute a weight's gradient anew at every time step and add it up; here the loops keep only
what is truly sequential, and every product over all times is one large matrix product after them. Under
autocast the products are of lower precision, all else stays in single precision.
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import Function, once_differentiable

from recollect.models.precision import product_precision, single_precision

__all__ = ["attend_and_update", "gru_over_time"]


def gru_over_time(inputs: Tensor, weight: Tensor, bias: Tensor, initial: Tensor | None = None) -> Tensor:
    """Run a GRU over pre-activations `inputs` [time, lane, 3 * hidden].

    `weight` [3 * hidden, hidden] and `bias` are those of the recurrent side; `initial` [lane, hidden] is the
    state it starts from, zero if not given. Returns [time, lane, hidden].
    """
    precision = product_precision(weight)
    initial = None if initial is None else initial.to(weight.dtype)
    with single_precision(weight):
        states: Tensor = _GRU.apply(  # type: ignore[no-untyped-call]
            inputs.to(weight.dtype), weight, bias, initial, precision
        )
    return states


def attend_and_update(
    queries: Tensor,
    gates: Tensor,
    initial: Tensor,
    projected: Tensor,
    gated: Tensor,
    padding: Tensor,
    energy: Tensor,
    weight: Tensor,
    bias: Tensor,
) -> tuple[Tensor, Tensor]:
    """Run the decoder along known words: attend with the last state, then update it.

    queries     the words' part of the attention query            [time, lane, attention]
    gates       the words' part of the gates                      [time, lane, 3 * hidden]
    initial     s_0                                               [lane, hidden]
    projected   the annotations' part of the energies             [lane, position, attention]
    gated       the annotations' part of the gates                [lane, position, 3 * hidden]
    padding     true beyond the end of a source sentence          [lane, position]
    energy      of the attention's hidden layer, a sigmoid        [attention]
    weight      of the last state: gates, then query              [3 * hidden + attention, hidden]
    bias        of the last state's gates                         [3 * hidden]

    Returns states [time, lane, hidden] and attention weights [time, lane, position].
    """
    precision = product_precision(weight)
    queries, gates, initial, projected, gated = (
        each.to(weight.dtype) for each in (queries, gates, initial, projected, gated)
    )
    with single_precision(weight):
        states, weights = _Decoder.apply(  # type: ignore[no-untyped-call]
            queries, gates, initial, projected, gated, padding, energy, weight, bias, precision
        )
    return states, weights


class _Cell:
    """One GRU update on views of buffers that keep what its gradient needs."""

    def __init__(self, like: Tensor, hidden: int) -> None:
        times, lanes = like.shape[:2]
        self.hidden = hidden
        self.gates = like.new_empty(times, lanes, 3 * hidden)  # reset, update, candidate
        self.inner = like.new_empty(times, lanes, hidden)  # the recurrent part of the candidate

    def forward(self, time: int, inputs: Tensor, recurrent: Tensor, last: Tensor, out: Tensor) -> None:
        size, gates, inner = self.hidden, self.gates[time], self.inner[time]
        both, candidate = gates[:, : 2 * size], gates[:, 2 * size :]
        torch.add(inputs[:, : 2 * size], recurrent[:, : 2 * size], out=both)
        both.sigmoid_()
        inner.copy_(recurrent[:, 2 * size :])
        torch.addcmul(inputs[:, 2 * size :], both[:, :size], inner, out=candidate)
        candidate.tanh_()
        torch.lerp(candidate, last, both[:, size:], out=out)

    def backward(
        self, time: int, grad: Tensor, last: Tensor, to_inputs: Tensor, to_recurrent: Tensor
    ) -> None:
        """Turn d state into d inputs and d recurrent; `grad` becomes what skips to the last state."""
        size = self.hidden
        reset, update, candidate = self.gates[time].chunk(3, 1)
        inner = self.inner[time]
        to_candidate = to_inputs[:, 2 * size :]
        # s = n + z (s' - n)
        torch.sub(last, candidate, out=to_inputs[:, size : 2 * size]).mul_(grad)
        to_inputs[:, size : 2 * size].mul_(update).addcmul_(to_inputs[:, size : 2 * size], update, value=-1)
        torch.addcmul(grad, grad, update, value=-1, out=to_candidate)
        grad.mul_(update)
        to_candidate.sub_(to_candidate * candidate.square())
        torch.mul(to_candidate, reset, out=to_recurrent[:, 2 * size :])
        torch.mul(to_recurrent[:, 2 * size :], inner, out=to_inputs[:, :size])
        to_inputs[:, :size].addcmul_(to_inputs[:, :size], reset, value=-1)
        to_recurrent[:, : 2 * size] = to_inputs[:, : 2 * size]


class _GRU(Function):
    @staticmethod
    def forward(
        ctx: Any,
        inputs: Tensor,
        weight: Tensor,
        bias: Tensor,
        initial: Tensor | None,
        precision: torch.dtype,
    ) -> Tensor:
        times, lanes, _ = inputs.shape
        cell = _Cell(inputs, weight.shape[1])
        weight, bias = weight.to(precision), bias.to(precision)
        states = inputs.new_zeros(times + 1, lanes, cell.hidden)
        if initial is not None:
            states[0] = initial
        recurrent = weight.new_empty(lanes, 3 * cell.hidden)
        for time in range(times):
            torch.addmm(bias, states[time].to(precision), weight.t(), out=recurrent)
            cell.forward(time, inputs[time], recurrent, states[time], states[time + 1])
        ctx.cell = cell
        ctx.save_for_backward(states, weight)
        return states[1:]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_states: Tensor) -> tuple[Tensor | None, ...]:
        states, weight = ctx.saved_tensors
        to_inputs = torch.empty_like(ctx.cell.gates)
        to_recurrent = torch.empty_like(ctx.cell.gates)
        grad = torch.zeros_like(states[0])
        for time in reversed(range(len(grad_states))):
            grad.add_(grad_states[time])
            ctx.cell.backward(time, grad, states[time], to_inputs[time], to_recurrent[time])
            grad += to_recurrent[time].to(weight.dtype) @ weight
        flat = to_recurrent.flatten(0, 1)
        to_initial = grad if ctx.needs_input_grad[3] else None
        return to_inputs, _over_time(flat, states, weight.dtype), flat.sum(0), to_initial, None


def _over_time(to_recurrent: Tensor, states: Tensor, precision: torch.dtype) -> Tensor:
    """Return the gradient of the recurrent weights: one product over all times."""
    last = states[:-1].flatten(0, 1)
    return (to_recurrent.to(precision).t() @ last.to(precision)).to(states.dtype)


class _Decoder(Function):
    @staticmethod
    def forward(
        ctx: Any,
        queries: Tensor,
        gates: Tensor,
        initial: Tensor,
        projected: Tensor,
        gated: Tensor,
        padding: Tensor,
        energy: Tensor,
        weight: Tensor,
        bias: Tensor,
        precision: torch.dtype,
    ) -> tuple[Tensor, Tensor]:
        times, lanes, size = queries.shape
        cell = _Cell(gates, weight.shape[1])
        states = gates.new_empty(times + 1, lanes, cell.hidden)
        states[0] = initial
        weights = gates.new_empty(times, *padding.shape)
        hidden = gates.new_empty(times, *projected.shape)
        weight, bias = weight.to(precision), torch.cat([bias, bias.new_zeros(size)]).to(precision)
        recurrent = weight.new_empty(lanes, weight.shape[0])
        for time in range(times):
            torch.addmm(bias, states[time].to(precision), weight.t(), out=recurrent)
            query = recurrent[:, -size:] + queries[time]
            torch.add(projected, query.unsqueeze(1), out=hidden[time]).sigmoid_()
            energies = (hidden[time] @ energy).masked_fill_(padding, -torch.inf)
            torch.softmax(energies, -1, out=weights[time])
            inputs = torch.baddbmm(gates[time].unsqueeze(1), weights[time].unsqueeze(1), gated).squeeze(1)
            cell.forward(time, inputs, recurrent[:, :-size], states[time], states[time + 1])
        ctx.cell = cell
        ctx.save_for_backward(states, weights, hidden, gated, energy, weight)
        return states[1:], weights

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_states: Tensor, grad_weights: Tensor) -> tuple[Tensor | None, ...]:
        states, weights, hidden, gated, energy, weight = ctx.saved_tensors
        size = energy.shape[0]
        to_inputs = torch.empty_like(ctx.cell.gates)
        to_recurrent = to_inputs.new_empty(*to_inputs.shape[:2], weight.shape[0])
        to_hidden = torch.empty_like(hidden[0])
        to_projected = torch.zeros_like(hidden[0])
        to_energy = torch.zeros_like(energy)
        grad = torch.zeros_like(states[0])
        for time in reversed(range(len(grad_states))):
            grad.add_(grad_states[time])
            gates = to_recurrent[time, :, :-size]
            ctx.cell.backward(time, grad, states[time], to_inputs[time], gates)
            to_weights = torch.baddbmm(
                grad_weights[time].unsqueeze(2), gated, to_inputs[time].unsqueeze(2)
            ).squeeze(2)
            to_energies = torch._softmax_backward_data(to_weights, weights[time], -1, to_weights.dtype)
            to_energy.addmv_(hidden[time].flatten(0, 1).t(), to_energies.flatten())
            # d sigmoid; the factor `energy` waits until after the loop
            torch.addcmul(hidden[time], hidden[time], hidden[time], value=-1, out=to_hidden)
            to_hidden.mul_(to_energies.unsqueeze(2))
            to_projected.add_(to_hidden)
            torch.mul(to_hidden.sum(1), energy, out=to_recurrent[time, :, -size:])
            grad += to_recurrent[time].to(weight.dtype) @ weight
        flat = to_recurrent.flatten(0, 1)
        return (
            to_recurrent[:, :, -size:],
            to_inputs,
            grad,
            to_projected.mul_(energy),
            torch.bmm(weights.permute(1, 2, 0), to_inputs.transpose(0, 1)),
            None,
            to_energy,
            _over_time(flat, states, weight.dtype),
            flat[:, :-size].sum(0),
            None,
        )
