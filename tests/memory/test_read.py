"""Reading: P_m(i) = softmax_i(c_t · k_i) over the filled slots, m_t = sum_i P_m(i) v_i."""

import math
from copy import deepcopy

import numpy as np
import pytest
import torch

from recollect.memory.match import AdditiveMatch, BilinearMatch, DotMatch, FlatnessMatch
from recollect.memory.read import read
from recollect.memory.slots import Slots

LOG2, LOG3 = math.log(2), math.log(3)


def small():
    """Three lanes of three slots: two filled, none filled, all filled; whatever is not filled is garbage."""
    slots = Slots.empty(3, 3, key=2, value=1)
    slots.keys[:] = torch.tensor(
        [
            [[0.0, 5.0], [LOG3, 0.0], [90.0, 90.0]],
            [[90.0, 90.0], [3.0, 4.0], [1.0, 1.0]],
            [[0.0, 0.0], [0.0, LOG2], [LOG3, 0.0]],
        ]
    )
    slots.values[:] = torch.tensor([[[4.0], [8.0], [1e9]], [[1e9], [1e9], [1e9]], [[6.0], [12.0], [-6.0]]])
    slots.words[:] = torch.tensor([[7, 8, 9], [7, 8, 9], [4, 5, 6]])
    slots.filled[:] = torch.tensor([[True, True, False], [False, False, False], [True, True, True]])
    return slots


def test_a_table_by_hand():
    queries = torch.tensor([[[1.0, 0.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], [[1.0, 1.0], [2.0, 0.0]]])
    recall = read(small(), queries, DotMatch())
    match = [
        [[1 / 4, 3 / 4, 0], [1 / 2, 1 / 2, 0]],  # exp of the scores: 1 and 3; 1 and 1
        [[0, 0, 0], [0, 0, 0]],  # an empty memory matches nothing
        [[1 / 6, 2 / 6, 3 / 6], [1 / 11, 1 / 11, 9 / 11]],  # 1, 2, 3; 1, 1, 9
    ]
    value = [[[7.0], [6.0]], [[0.0], [0.0]], [[1 + 4 - 3.0], [(6 + 12 - 54) / 11]]]
    torch.testing.assert_close(recall.match, torch.tensor(match))
    torch.testing.assert_close(recall.value, torch.tensor(value))
    assert recall.found.tolist() == [[True, True], [False, False], [True, True]]
    assert recall.words.tolist() == [[[7, 8, 9]] * 2, [[7, 8, 9]] * 2, [[4, 5, 6]] * 2]
    assert (recall.match[0, :, 2] == 0).all()  # an empty slot has no part at all
    assert (recall.value[1] == 0).all()


def test_only_what_is_kept():
    queries = torch.tensor([[[1.0, 0.0], [0.0, 0.0]]] * 3)
    recall = read(small(), queries, DotMatch())
    kept = torch.tensor([[False, True], [True, False], [True, True]])
    some = recall.where(kept)
    assert torch.equal(
        some.match, torch.stack([recall.match[lane] for lane in [(0, 1), (1, 0), (2, 0), (2, 1)]])
    )
    assert some.found.tolist() == [True, False, True, True]
    assert some.value.shape == (4, 1)
    assert some.words.tolist() == [[7, 8, 9], [7, 8, 9], [4, 5, 6], [4, 5, 6]]


def test_reading_is_pure():
    slots = small()
    before = deepcopy(slots)
    read(slots, torch.randn(3, 4, 2), DotMatch())
    for name in slots.__slots__:
        assert np.array_equal(np.asarray(getattr(slots, name)), np.asarray(getattr(before, name))), name


def test_large_scores_do_not_overflow():
    slots = small()
    slots.keys *= 1e4
    recall = read(slots, torch.full((3, 1, 2), 1e4), DotMatch())
    assert recall.match.isfinite().all()
    assert recall.match[0].tolist() == [[1.0, 0.0, 0.0]]
    assert recall.value[0].item() == 4.0


# -- the variants of matching, on one query and two keys

QUERY, KEYS = torch.tensor([[[1.0, 2.0]]]), torch.tensor([[[3.0, 1.0], [-1.0, 1.0]]])


def test_dot():
    assert DotMatch()(QUERY, KEYS).tolist() == [[[5.0, 1.0]]]


def test_flatness():
    assert FlatnessMatch(0.5)(QUERY, KEYS).tolist() == [[[2.5, 0.5]]]
    assert list(FlatnessMatch(0.5).parameters()) == []


def test_bilinear_is_the_dot_product_at_first():
    match = BilinearMatch(2)
    assert match(QUERY, KEYS).tolist() == [[[5.0, 1.0]]]
    with torch.no_grad():
        match.transform.copy_(torch.tensor([[0.0, 1.0], [2.0, 0.0]]))
    # c' T = (1, 2) T = (4, 1)
    assert match(QUERY, KEYS).tolist() == [[[13.0, -3.0]]]


def test_additive():
    match = AdditiveMatch(2, 1)
    with torch.no_grad():
        match.query.weight.copy_(torch.tensor([[1.0, 1.0]]))  # 3
        match.query.bias.fill_(-3.0)
        match.key.weight.copy_(torch.tensor([[0.5, 0.5]]))  # 2 and 0
        match.energy.fill_(2.0)
    assert match(QUERY, KEYS).flatten().tolist() == pytest.approx([2 * math.tanh(2), 0.0])


@pytest.mark.parametrize(
    "match",
    [DotMatch(), FlatnessMatch(0.3), BilinearMatch(5), AdditiveMatch(5, 3)],
    ids=lambda m: type(m).__name__,
)
def test_every_variant_scores_each_query_with_its_own_lane(match):
    torch.manual_seed(2)
    queries, keys = torch.randn(3, 4, 5), torch.randn(3, 6, 5)
    scores = match(queries, keys)
    assert scores.shape == (3, 4, 6)
    for lane in range(3):
        for many in range(4):
            alone = match(queries[lane, many].view(1, 1, 5), keys[lane : lane + 1])
            torch.testing.assert_close(scores[lane, many], alone[0, 0], rtol=0, atol=1e-5)


@pytest.mark.parametrize("top", [0, 2])
def test_which_words_follow_and_which_go_on_with_a_word(top):
    slots = small()
    slots.before[2] = torch.tensor([3, 3, 9])
    inside = torch.tensor([False] * 5 + [True, True])  # pieces 5 and 6 do not begin a word
    queries, previous = torch.tensor([[[9.0, 1.0]]] * 3), torch.full((3, 1), 3)
    recall = read(slots, queries, DotMatch(), previous, top=top, inside=inside.new_tensor([*inside, 0, 0, 0]))
    words = recall.words[2, 0].tolist()
    assert [words[at] for at in recall.follows[2, 0].nonzero()] == [word for word in words if word in (4, 5)]
    assert [words[at] for at in recall.continues[2, 0].nonzero()] == [word for word in words if word == 5]
    assert 5 in words
    assert not read(slots, queries, DotMatch(), previous, top=top).continues.any()
