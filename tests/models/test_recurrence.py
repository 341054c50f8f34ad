"""The loops written by hand against the same loops left to autograd."""

import torch
from torch.autograd import gradcheck

from recollect.models.gru import gru_update
from recollect.models.recurrence import attend_and_update, gru_over_time

TIMES, LANES, POSITIONS, HIDDEN, ATTENTION = 4, 3, 5, 3, 2
PADDING = torch.arange(POSITIONS) >= torch.tensor([[5], [1], [3]])


def random(*shape):
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


def gru_inputs():
    torch.manual_seed(1)
    return random(TIMES, LANES, 3 * HIDDEN), random(3 * HIDDEN, HIDDEN), random(3 * HIDDEN)


def decoder_inputs():
    torch.manual_seed(2)
    return {
        "queries": random(TIMES, LANES, ATTENTION),
        "gates": random(TIMES, LANES, 3 * HIDDEN),
        "initial": random(LANES, HIDDEN),
        "projected": random(LANES, POSITIONS, ATTENTION),
        "gated": random(LANES, POSITIONS, 3 * HIDDEN),
        "padding": PADDING,
        "energy": random(ATTENTION),
        "weight": random(3 * HIDDEN + ATTENTION, HIDDEN),
        "bias": random(3 * HIDDEN),
    }


def plain_decoder(queries, gates, initial, projected, gated, padding, energy, weight, bias):
    state, states, attention = initial, [], []
    for query, words in zip(queries, gates, strict=True):
        recurrent = state @ weight.T
        hidden = torch.sigmoid(projected + (query + recurrent[:, 3 * HIDDEN :]).unsqueeze(1))
        weights = (hidden @ energy).masked_fill(padding, -torch.inf).softmax(-1)
        inputs = words + torch.einsum("lp,lpg->lg", weights, gated)
        state = gru_update(inputs, recurrent[:, : 3 * HIDDEN] + bias, state)
        states.append(state)
        attention.append(weights)
    return torch.stack(states), torch.stack(attention)


def test_a_gru_is_its_update_again_and_again():
    inputs, weight, bias = gru_inputs()
    states = gru_over_time(inputs, weight, bias)
    last = torch.zeros(LANES, HIDDEN, dtype=torch.float64)
    for time in range(TIMES):
        last = gru_update(inputs[time], last @ weight.T + bias, last)
        torch.testing.assert_close(states[time], last)


def test_the_gradient_of_a_gru():
    assert gradcheck(gru_over_time, gru_inputs())


def test_a_gru_may_start_anywhere():
    inputs, weight, bias = gru_inputs()
    initial = random(LANES, HIDDEN)
    first = gru_update(inputs[0], initial @ weight.T + bias, initial)
    torch.testing.assert_close(gru_over_time(inputs, weight, bias, initial)[0], first)
    assert gradcheck(gru_over_time, (inputs, weight, bias, initial))


def test_a_decoder_attends_and_updates():
    inputs = decoder_inputs()
    for ours, plain in zip(attend_and_update(**inputs), plain_decoder(**inputs), strict=True):
        torch.testing.assert_close(ours, plain)


def test_the_gradient_of_a_decoder():
    inputs = decoder_inputs()
    assert gradcheck(lambda *values: attend_and_update(*values), tuple(inputs.values()))


def test_padding_gets_no_gradient():
    inputs = decoder_inputs()
    states, weights = attend_and_update(**inputs)
    (states.sum() + weights.square().sum()).backward()
    for name in ("projected", "gated"):
        reached = inputs[name].grad.abs().sum(-1) > 0
        assert reached.any()
        assert not reached[PADDING].any()
