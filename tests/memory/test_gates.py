"""The gate on figures, and mixing that looks at few words."""

import math

import pytest
import torch

from recollect.memory.fusion import ShallowFusion
from recollect.memory.gates import FeatureGate, Opinion, together
from recollect.memory.read import Recall, Weighing

ALONE = torch.tensor([[0.7, 0.1, 0.1, 0.05, 0.05], [0.2, 0.2, 0.2, 0.2, 0.2]]).log()


class Speaks:
    def predict(self, step):
        return ALONE


def recall(scores, words, **changes):
    scores, words = torch.tensor(scores), torch.tensor(words)
    nothing = torch.zeros_like(words)
    given = {
        "value": torch.zeros(len(words), 0),
        "match": scores.softmax(-1),
        "words": words,
        "found": torch.ones(len(words), dtype=torch.bool),
        "scores": scores,
        "follows": nothing.bool(),
        "continues": nothing.bool(),
        "origin": nothing,
        "age": nothing,
        "fill": torch.full((len(words),), 3),
        "places": nothing,
    }
    return Recall(**given | changes)


FOUND = recall([[0.9, 0.9, 0.1], [0.5, 0.2, 0.1]], [[4, 4, 1], [2, 3, 2]])


def test_slots_of_the_same_word_speak_together():
    shares = together(FOUND)
    match = FOUND.match
    torch.testing.assert_close(shares[0], torch.stack([match[0, 0] * 2, match[0, 0] * 2, match[0, 2]]))
    torch.testing.assert_close(
        shares[1], torch.stack([match[1, 0] + match[1, 2], match[1, 1], match[1, 0] + match[1, 2]])
    )


def test_the_figures():
    match = torch.tensor([[0.5, 0.3, 0.2]])
    given = recall(
        [[0.9, 0.8, 0.1]],
        [[4, 1, 4]],
        match=match,
        follows=torch.tensor([[True, False, False]]),
        age=torch.tensor([[3, 9, 9]]),
        origin=torch.tensor([[1, 0, 1]]),
    )
    opinion = Opinion.of(ALONE[:1], given)
    figures = FeatureGate().read(given, opinion)[0].tolist()
    expected = [
        0.9,  # the best fit
        0.7,  # word 4 has 0.5 and 0.2
        math.log(0.7) / 3,  # the model is sure of word 0
        math.log(0.05) / 5,  # and thinks little of word 4
        0.0,  # so they do not agree
        1.0,  # word 4 came after this very word
        0.0,  # and is no piece of it
        math.log(4) / 3,  # three sentences ago
        math.log(4) / 5,  # three slots are full
        0.3,
        0.7,  # a person's words
        0.0,
        0.0,
    ]
    assert figures == pytest.approx(expected)


def test_fusion_by_figures_is_normalised_and_mixes_as_it_says():
    torch.manual_seed(2)
    fusion = ShallowFusion(1, 1, features=True)
    found = fusion(None, FOUND, Speaks())
    torch.testing.assert_close(found.exp().sum(-1), torch.ones(2))
    share = torch.sigmoid(fusion.gate(FOUND, Opinion.of(ALONE, FOUND)))
    spoken = torch.zeros(2, 5).scatter_add(1, FOUND.words, FOUND.match)
    torch.testing.assert_close(found.exp(), (1 - share) * ALONE.exp() + share * spoken)
    targets = torch.tensor([4, 0])
    torch.testing.assert_close(
        fusion.score(None, FOUND, targets, Speaks()), found.gather(1, targets.unsqueeze(1)).squeeze(1)
    )


def test_a_memory_that_is_empty_or_silenced_leaves_the_model_alone():
    fusion = ShallowFusion(1, 1, features=True)
    empty = recall([[0.0], [0.0]], [[1], [1]], match=torch.zeros(2, 1), found=torch.tensor([False] * 2))
    assert torch.equal(fusion(None, empty, Speaks()), ALONE)
    assert torch.equal(fusion(None, FOUND.zeroed(), Speaks()), ALONE)


def test_weighing_prefers_what_it_has_learned_to():
    weighing = Weighing(10.0)
    given = recall([[0.5, 0.5, -math.inf]], [[1, 2, 3]])
    torch.testing.assert_close(weighing(given), torch.tensor([[0.5, 0.5, 0.0]]))
    with torch.no_grad():
        weighing.follows.fill_(math.log(3))
        weighing.continues.fill_(math.log(3))
        weighing.decay.fill_(1.0)
        weighing.origin[1] = math.log(2)
    cases = {
        "follows": torch.tensor([[True, False, False]]),
        "continues": torch.tensor([[True, False, False]]),
        "age": torch.tensor([[0, 2, 0]]),  # log(1 + 2)
    }
    for name, value in cases.items():
        found = weighing(recall([[0.5, 0.5, -math.inf]], [[1, 2, 3]], **{name: value}))
        torch.testing.assert_close(found, torch.tensor([[0.75, 0.25, 0.0]]))
    found = weighing(recall([[0.5, 0.5, -math.inf]], [[1, 2, 3]], origin=torch.tensor([[1, 0, 1]])))
    torch.testing.assert_close(found, torch.tensor([[2 / 3, 1 / 3, 0.0]]))


def test_empty_slots_do_not_spoil_the_gradient():
    weighing = Weighing(10.0)
    weighing(recall([[0.5, 0.2, -math.inf]], [[1, 2, 3]]))[0, 0].backward()
    for parameter in weighing.parameters():
        assert parameter.grad.isfinite().all()
    assert weighing.temperature.grad > 0
