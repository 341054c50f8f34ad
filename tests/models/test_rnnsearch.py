"""RNNSearch against the formulas of SPEC 1, and its parts by hand."""

import math

import pytest
import torch
from torch import nn

from recollect.models.attention import Attention
from recollect.models.feed_forward import FeedForward
from recollect.models.interface import Step
from recollect.models.readout import Readout
from recollect.models.self_attention import SelfAttention

SOURCE, LENGTHS = torch.tensor([[5, 9, 4, 3], [7, 3, 0, 0]]), torch.tensor([4, 2])


def test_attention_by_hand():
    """e_tj = v' tanh(A h_j + query + b) with A = 1, b = 0 and v = log(3) / tanh(1)."""
    attention = Attention(1, 1)
    with torch.no_grad():
        attention.annotation.weight.fill_(1)
        attention.annotation.bias.fill_(0)
        attention.energy.fill_(math.log(3) / math.tanh(1))
    vectors = torch.tensor([[[1.0], [2.0], [77.0]]])
    padding = torch.tensor([[False, False, True]])
    weights = attention(attention.project(vectors), padding, torch.tensor([[[-1.0], [-2.0]]]))
    # energies 0 and log 3 for the first query, -log 3 and 0 for the second
    torch.testing.assert_close(weights, torch.tensor([[[0.25, 0.75, 0], [0.25, 0.75, 0]]]))


def one_step(state=0.5, context=1.0, previous=2.0):
    vectors = (torch.tensor([each]) for each in (state, context, previous))
    return Step(*vectors, torch.zeros(0), torch.tensor(4))


def test_readout_by_hand():
    readout = Readout(3, 1, 2, dropout=0.0, kind="tanh")
    with torch.no_grad():
        readout.combine.weight.copy_(torch.tensor([[2.0, 1.0, -1.0]]))  # 1 + 1 - 2 + b
        readout.combine.bias.fill_(1.0)
        readout.output.weight.copy_(torch.tensor([[math.log(3) / math.tanh(1)], [0.0]]))
        readout.output.bias.fill_(5.0)
    torch.testing.assert_close(readout(one_step()).exp(), torch.tensor([0.75, 0.25]))


def test_maxout_by_hand():
    readout = Readout(3, 1, 2, dropout=0.0, kind="maxout")
    with torch.no_grad():
        readout.combine.weight.copy_(torch.tensor([[2.0, 1.0, -1.0], [0.0, 0.0, 1.0]]))  # 0 and 2
        readout.combine.bias.copy_(torch.tensor([1.0, 0.0]))  # 1 and 2: the second wins
        readout.output.weight.copy_(torch.tensor([[math.log(3) / 2], [0.0]]))
        readout.output.bias.fill_(0.0)
    torch.testing.assert_close(readout(one_step()).exp(), torch.tensor([0.75, 0.25]))


@pytest.mark.parametrize("kind", ["tanh", "maxout"])
def test_a_widened_readout_says_what_the_narrow_one_said(make_model, kind):
    narrow, wide = make_model(readout=kind), make_model(readout=kind, readout_size=11)
    weights = wide.readout.widened(narrow.state_dict(), "readout.")
    wide.load_state_dict(weights)
    previous = torch.tensor([[2, 5], [8, 3]])
    expected = narrow.predict(narrow.unroll(SOURCE, LENGTHS, previous))
    torch.testing.assert_close(wide.predict(wide.unroll(SOURCE, LENGTHS, previous)), expected)
    vector = wide.readout_vector(wide.unroll(SOURCE, LENGTHS, previous))
    assert vector.shape[-1] == wide.readout_size == 11
    assert vector[..., narrow.readout_size :].abs().min() > 0  # what is new can learn


@pytest.mark.parametrize("kinds", [("tanh", "maxout"), ("maxout", "tanh")])
def test_a_readout_of_another_kind_is_not_taken_for_a_narrower_one(make_model, kinds):
    narrow, wide = (
        make_model(readout=kind, readout_size=size) for kind, size in zip(kinds, (6, 12), strict=True)
    )
    weights = narrow.state_dict()
    found = wide.readout.widened(weights, "readout.")
    assert all(torch.equal(each, weights[name]) for name, each in found.items())


def test_a_readout_is_not_made_narrower(make_model):
    narrow, wide = make_model(), make_model(readout_size=11)
    weights = narrow.readout.widened(wide.state_dict(), "readout.")
    assert weights["readout.output.weight"].shape == wide.readout.output.weight.shape


def test_a_layer_after_the_encoder_by_hand():
    layer = FeedForward(2, 2)
    annotations = torch.tensor([[[0.5, -1.0], [2.0, 0.0]]])
    torch.testing.assert_close(layer(annotations), annotations)  # it has learned nothing yet
    with torch.no_grad():
        layer.within.weight.copy_(torch.tensor([[1.0, 1.0], [2.0, 0.0]]))  # -0.5, 1 and 2, 4
        layer.within.bias.zero_()
        layer.back.weight.copy_(torch.tensor([[1.0, 0.0], [1.0, -1.0]]))  # 0, -1 and 2, -2
        layer.back.bias.copy_(torch.tensor([0.0, 0.25]))
    torch.testing.assert_close(layer(annotations), torch.tensor([[[0.5, -1.75], [4.0, -1.75]]]))


def test_annotations_look_at_each_other_by_hand():
    """Where a query asks nothing, all that is no padding is looked at alike."""
    layer = SelfAttention(2, 0.0).requires_grad_(False)
    annotations, padding = torch.tensor([[[3.0, 1.0], [0.0, 2.0], [7.0, 9.0]]]), torch.tensor([[0, 0, 1]]) > 0
    torch.testing.assert_close(layer(annotations, padding), annotations)  # it has learned nothing yet
    queries, keys, values = layer.look.weight.tensor_split(3)
    layer.look.bias.zero_()
    queries.zero_()
    values.zero_()
    values[0, 0] = 1  # what is found of the three, normalised, is 1 and -1: their mean is 0
    layer.found.weight[:, 0] = torch.tensor([10.0, 20.0])
    layer.found.bias.zero_()
    normed = torch.tensor([1.0, -1.0]) / (1 + 1e-5) ** 0.5
    torch.testing.assert_close(layer.before_looking(annotations)[0, :2, 0], normed)
    torch.testing.assert_close(layer(annotations, padding), annotations)
    queries[0, 0] = keys[0, 0] = 8  # energies 64 / 8 of the like, -64 / 8 of the other: each finds itself
    changed = layer(annotations, padding)[0, :2]
    torch.testing.assert_close(changed, torch.tensor([[13.0, 21.0], [-10.0, -18.0]]), rtol=1e-4, atol=1e-3)
    annotations[0, 2] = torch.tensor([50.0, -8.0])
    torch.testing.assert_close(layer(annotations, padding)[0, :2], changed)


@pytest.mark.parametrize("conditional", [False, True])
def test_a_step_follows_the_formulas(make_model, conditional):
    model = make_model(conditional=conditional).requires_grad_(False)
    progress = model.start(SOURCE, LENGTHS)
    step, _ = model.step(progress, torch.tensor([[2], [8]]))
    for lane, word in enumerate([2, 8]):
        length = int(LENGTHS[lane])
        h = progress.annotations.vectors[lane, :length]
        y = model.target_embedding.weight[word]
        s = torch.tanh(model.initial(h.mean(0)))
        torch.testing.assert_close(progress.state[lane, 0], s)
        if conditional:
            s = cell(model.gates_word, model.gates_state)(y.unsqueeze(0), s.unsqueeze(0))[0]
        query = model.query_state.weight @ s
        if not conditional:
            query = query + model.query_word.weight @ y
        alpha = (torch.tanh(model.attention.annotation(h) + query) @ model.attention.energy).softmax(0)
        c = alpha @ h
        torch.testing.assert_close(step.context[lane, 0], c)
        if conditional:
            s = cell(model.gates_context, model.gates_between)(c.unsqueeze(0), s.unsqueeze(0))[0]
        else:
            both = nn.Linear(11 + 5, 15)
            both.weight = nn.Parameter(
                torch.cat([model.gates_word.weight, model.gates_context.weight], 1), requires_grad=False
            )
            both.bias = model.gates_word.bias
            s = cell(both, model.gates_state)(torch.cat([y, c]).unsqueeze(0), s.unsqueeze(0))[0]
        torch.testing.assert_close(step.state[lane, 0], s)


def cell(inputs, recurrent):
    """PyTorch's own GRU cell with our weights."""
    made = nn.GRUCell(inputs.weight.shape[1], recurrent.weight.shape[1])
    made.weight_ih, made.bias_ih = inputs.weight, inputs.bias
    made.weight_hh, made.bias_hh = recurrent.weight, recurrent.bias
    return made


def test_tied_weights_are_one_tensor(make_model):
    model = make_model(tied=True)
    assert model.readout.output.weight is model.target_embedding.weight
    assert "readout.output.weight" not in dict(model.named_parameters())
