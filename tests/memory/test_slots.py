import numpy as np
import pytest
import torch

from recollect.memory.policies import first_in_first_out, least_recently_used
from recollect.memory.slots import EMPTY, Slots
from recollect.memory.write import Sentence, write


def filled(lanes=3):
    """Memories of four slots that have taken one, two and three words."""
    slots = Slots.empty(lanes, 4, key=2, value=1)
    torch.manual_seed(1)
    sentences = [Sentence(list(range(10, 11 + lane)), list(range(20, 21 + lane))) for lane in range(lanes)]
    write(slots, torch.randn(lanes, 3, 2), torch.randn(lanes, 3, 1), sentences, least_recently_used)
    return slots


def assert_equal(one, other):
    for name in one.__slots__:
        left, right = getattr(one, name), getattr(other, name)
        assert type(left) is type(right), name
        assert left.dtype == right.dtype, name
        assert np.array_equal(np.asarray(left), np.asarray(right)), name


def test_empty():
    slots = Slots.empty(2, 3, key=5, value=4)
    assert (slots.lanes, slots.size) == (2, 3)
    assert slots.keys.shape == (2, 3, 5)
    assert slots.values.shape == (2, 3, 4)
    assert not slots.filled.any()
    assert (slots.used == EMPTY).all()


def test_select_copies_lanes_in_the_given_order():
    slots = filled()
    some = slots.select(np.array([2, 0, 2]))
    assert some.lanes == 3
    for row, lane in enumerate([2, 0, 2]):
        for name in slots.__slots__:
            assert np.array_equal(
                np.asarray(getattr(some, name)[row]), np.asarray(getattr(slots, name)[lane])
            )
    before = slots.select(np.arange(3))
    for name in some.__slots__:
        getattr(some, name)[:] = 1
    assert_equal(slots, before)


def test_select_nothing():
    assert filled().select(np.array([], dtype=np.int64)).lanes == 0


@pytest.mark.parametrize("policy", [least_recently_used, first_in_first_out])
def test_a_cleared_lane_is_as_good_as_new(policy):
    slots, other = filled(), Slots.empty(3, 4, key=2, value=1)
    before = slots.select(np.arange(3))
    slots.clear(1)
    assert slots.filled.any(1).tolist() == [True, False, True]
    for lane in (0, 2):
        assert_equal(slots.select(np.array([lane])), before.select(np.array([lane])))
    contexts, states = torch.randn(3, 6, 2), torch.randn(3, 6, 1)
    sentence = [None, Sentence([11, 10, 11, 30], [21, 20, 21, 40]), None]
    for each in (slots, other):
        write(each, contexts, states, sentence, policy)
    for name in ("filled", "used", "sentence", "clock", "sentences"):
        assert np.array_equal(np.asarray(getattr(slots, name))[1], np.asarray(getattr(other, name))[1]), name
    used = slots.filled[1]
    for name in ("keys", "values", "words"):
        assert torch.equal(getattr(slots, name)[1, used], getattr(other, name)[1, used]), name


def test_tensors_round_trip():
    slots = filled()
    tensors = slots.tensors()
    assert all(isinstance(tensor, torch.Tensor) and tensor.is_contiguous() for tensor in tensors.values())
    assert set(tensors) == set(slots.__slots__)
    assert_equal(Slots.from_tensors(tensors), slots)


def test_the_books_of_a_restored_memory_are_its_own():
    slots = filled()
    tensors = slots.tensors()
    restored = Slots.from_tensors(tensors)
    restored.used[:] = 99
    assert (slots.used != 99).all()
    assert (tensors["used"] != 99).all()


def test_lanes_of_several_memories_together():
    slots = filled()
    apart = [slots.select(np.array([lane])) for lane in (2, 0, 1)]
    assert_equal(Slots.together(apart), slots.select(np.array([2, 0, 1])))


def test_a_forgotten_slot_is_empty_and_the_others_close_ranks():
    slots = filled()
    before = slots.select(np.array([2]))
    slots.forget(2, np.array([False, True, False, True]))
    assert slots.filled[2].tolist() == [True, True, False, False]
    for name in ("keys", "words", "before", "written"):
        assert torch.equal(getattr(slots, name)[2, :2], getattr(before, name)[0, [0, 2]]), name
    assert slots.used[2].tolist() == [0, 2, EMPTY, EMPTY]
    assert slots.clock[2] == 3


def test_pins_leave_half_of_the_slots_free():
    slots = filled()
    slots.pin(2, np.array([True, True, True, True]))
    assert slots.pinned[2].tolist() == [False, True, True, False]  # the last two that were written
    slots.pin(2, np.array([True, False, False, False]))
    assert slots.pinned[2].tolist() == [True, False, False, False]
    assert not slots.pinned[:2].any()


def test_a_memory_saved_without_pins_has_none():
    tensors = filled().tensors()
    del tensors["pinned"]
    assert_equal(Slots.from_tensors(tensors), filled())
