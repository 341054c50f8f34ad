"""Fusion by hand: gates of one unit, vocabularies of three words."""

import math

import pytest
import torch

from recollect.memory.fusion import AuxiliaryFusion, DeepFusion, NoFusion, ShallowFusion
from recollect.memory.read import Recall
from recollect.models.interface import Step

LOG3 = math.log(3)


class Speaks:
    """A sentence model that says what it is told to."""

    def __init__(self, predict):
        self.predict = predict


def set_gate(fusion, state, context, value):
    with torch.no_grad():
        fusion.gate.state.weight.copy_(torch.tensor(state))
        fusion.gate.context.weight.copy_(torch.tensor(context))
        fusion.gate.value.weight.copy_(torch.tensor(value))


def step(state, context):
    return Step(
        torch.tensor(state),
        torch.tensor(context),
        torch.zeros(len(state), 1),
        torch.zeros(len(state), 0),
        torch.zeros(len(state), dtype=torch.long),
    )


def recall(value, match=None, words=None, found=None):
    value = torch.tensor(value)
    match = torch.ones(len(value), 1) if match is None else torch.tensor(match)
    words = torch.zeros(match.shape, dtype=torch.long) if words is None else torch.tensor(words)
    found = torch.tensor([True] * len(value) if found is None else found)
    nothing = torch.zeros_like(words)
    never = nothing.bool()
    return Recall(value, match, words, found, match, *[never] * 2, nothing, nothing, nothing[:, 0], nothing)


def test_the_deep_gate():
    """lambda = sigmoid(2 s + c - m / 2) = sigmoid(log 3) = 3/4; s~ = s / 4 + 3 m / 4."""
    fusion = DeepFusion(1, 1)
    set_gate(fusion, [[2.0]], [[1.0]], [[-0.5]])
    found = fusion.mix(step([[1.0], [1.0]], [[LOG3], [-LOG3]]), recall([[4.0], [4.0]]))
    torch.testing.assert_close(found, torch.tensor([[0.25 + 3.0], [0.75 + 1.0]]))


def test_auxiliary_context_is_added_to_the_whole_state():
    """lambda = 3/4 as above; s~ = s + 3/4 A m with A = 2; an empty memory leaves s alone."""
    fusion = AuxiliaryFusion(1, 1)
    set_gate(fusion, [[2.0]], [[1.0]], [[-0.5]])
    with torch.no_grad():
        fusion.auxiliary.weight.fill_(2.0)
    steps = step([[1.0], [1.0]], [[LOG3], [LOG3]])
    found = fusion.mix(steps, recall([[4.0], [4.0]], found=[True, False]))
    torch.testing.assert_close(found, torch.tensor([[1.0 + 6.0], [1.0]]))


def test_the_deep_gate_is_a_vector():
    """Two units, each with its own share: U s = (0, s_1 + s_2), V c = (c, 0), W m = (0, -m_1)."""
    fusion = DeepFusion(1, 2)
    set_gate(fusion, [[0.0, 0.0], [1.0, 1.0]], [[1.0], [0.0]], [[0.0, 0.0], [-1.0, 0.0]])
    found = fusion.mix(step([[1.0, 3.0]], [[LOG3]]), recall([[4.0, 8.0]]))
    # gates: sigmoid(log 3) = 3/4 and sigmoid(1 + 3 - 4) = 1/2
    torch.testing.assert_close(found, torch.tensor([[0.25 + 3.0, 1.5 + 4.0]]))


def test_deep_fusion_predicts_from_the_mixed_state_alone():
    fusion = DeepFusion(1, 1)
    set_gate(fusion, [[2.0]], [[1.0]], [[-0.5]])
    seen = []

    def predict(given):
        seen.append(given)
        return torch.zeros(1, 3)

    before = step([[1.0]], [[LOG3]])
    assert torch.equal(fusion(before, recall([[4.0]]), Speaks(predict)), torch.zeros(1, 3))
    assert seen[0].state.item() == pytest.approx(3.25)
    assert seen[0].context is before.context
    assert seen[0].previous is before.previous
    assert before.state.item() == 1.0


def test_deep_fusion_of_an_empty_memory_is_the_state_itself():
    fusion = DeepFusion(1, 1)
    given = step([[0.1], [0.7]], [[1.0], [1.0]])
    found = fusion.mix(given, recall([[0.0], [9.0]], found=[False, True]))
    assert torch.equal(found[0], given.state[0])
    assert not torch.equal(found[1], given.state[1])


VOCABULARY = torch.tensor([[0.5, 0.25, 0.25]]).log()


def test_shallow_fusion():
    """l = 3/4; slots hold the words 2, 0, 2 (and an empty slot says 0, with no weight)."""
    fusion = ShallowFusion(1, 1)
    set_gate(fusion, [[2.0]], [[1.0]], [[-0.5]])
    given = recall([[4.0]], [[0.2, 0.5, 0.3, 0.0]], [[2, 0, 2, 0]])
    found = fusion(step([[1.0]], [[LOG3]]), given, Speaks(lambda _: VOCABULARY)).exp()
    expected = [0.25 * 0.5 + 0.75 * 0.5, 0.25 * 0.25, 0.25 * 0.25 + 0.75 * (0.2 + 0.3)]
    torch.testing.assert_close(found, torch.tensor([expected]))


def test_shallow_fusion_is_stable_where_the_gate_is_shut_or_open():
    """l = sigmoid(±200) and log P = -300 are beyond single precision as probabilities."""
    fusion = ShallowFusion(1, 1)
    set_gate(fusion, [[0.0]], [[1.0]], [[0.0]])
    vocabulary = torch.tensor([[0.0, -300.0, -300.0]])
    given = recall([[0.0]], [[1.0]], [[1]])
    shut = fusion(step([[0.0]], [[-200.0]]), given, Speaks(lambda _: vocabulary))
    torch.testing.assert_close(shut, torch.tensor([[0.0, -200.0, -300.0]]))
    opened = fusion(step([[0.0]], [[200.0]]), given, Speaks(lambda _: vocabulary))
    torch.testing.assert_close(opened, torch.tensor([[-200.0, 0.0, -500.0]]))


def test_shallow_fusion_has_finite_gradients():
    fusion = ShallowFusion(2, 2)
    given = recall([[0.0, 0.0], [1.0, 2.0]], [[0.0, 0.0], [1.0, 0.0]], [[0, 0], [1, 0]], [False, True])
    steps = step([[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.0], [3.0, 4.0]])
    scores = fusion(steps, given, Speaks(lambda _: VOCABULARY.expand(2, 3)))
    scores[:, 1].sum().backward()
    for parameter in fusion.parameters():
        assert parameter.grad.isfinite().all()
        assert parameter.grad.abs().max() > 0


def test_no_fusion_is_the_sentence_model():
    assert NoFusion()(step([[1.0]], [[1.0]]), recall([[4.0]]), Speaks(lambda _: VOCABULARY)) is VOCABULARY
