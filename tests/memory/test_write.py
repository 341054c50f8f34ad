"""Writing: tables by hand, and the fast writer against a slow one that goes word by word."""

from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.memory.match import DotMatch
from recollect.memory.policies import Write, first_in_first_out, least_recently_used
from recollect.memory.read import read
from recollect.memory.slots import EMPTY, Slots
from recollect.memory.write import Sentence, write

# -- policies on integers


def test_lru_takes_empty_slots_first():
    books = OrderedDict([(0, None), (1, None), (2, None)])
    assert least_recently_used(books, [7, 8]) == [Write(0, fresh=True), Write(1, fresh=True)]
    assert list(books.items()) == [(2, None), (0, 7), (1, 8)]


def test_lru_evicts_in_order_of_use_not_of_arrival():
    books = OrderedDict([(0, 5), (1, 6), (2, 7)])
    # 5 is used again, so that 6 is the next to go, then 7, then 5.
    found = least_recently_used(books, [5, 1, 2, 3])
    assert found == [Write(0, False), Write(1, True), Write(2, True), Write(0, True)]


def test_lru_evicts_within_the_sentence():
    """7 is thrown out by 8 and 9 and comes back: a fresh insert, no average."""
    books = OrderedDict([(0, 7), (1, 5)])
    assert least_recently_used(books, [8, 9, 7]) == [Write(0, True), Write(1, True), Write(0, True)]


def test_fifo_gives_every_word_a_slot_of_its_own():
    books = OrderedDict([(0, None), (1, None), (2, None)])
    found = first_in_first_out(books, [7, 7, 7, 8, 7])
    assert found == [Write(slot, True) for slot in (0, 1, 2, 0, 1)]
    assert list(books.items()) == [(2, 7), (0, 8), (1, 7)]


# -- tables: contexts are single numbers, states ten times as large


def remember(slots, sentence, contexts, policy=least_recently_used):
    keys = torch.tensor(contexts, dtype=torch.float).view(1, -1, 1)
    write(slots, keys, keys * 10, [Sentence(sentence, sentence)], policy)


def table(slots, lane=0):
    """Word, key and value of every filled slot."""
    assert torch.equal(slots.filled[lane], torch.from_numpy(slots.used[lane] != EMPTY))
    return [
        (int(slots.words[lane, i]), slots.keys[lane, i].item(), slots.values[lane, i].item())
        if full
        else None
        for i, full in enumerate(slots.filled[lane].tolist())
    ]


def single(size):
    return Slots.empty(1, size, key=1, value=1)


def test_repeated_words_are_averaged():
    slots = single(3)
    remember(slots, [7, 8, 7], [1, 2, 5])
    assert table(slots) == [(7, 3.0, 30.0), (8, 2.0, 20.0), None]
    remember(slots, [7, 9, 7], [4, 1, 0.5])  # (3 + 4) / 2 = 3.5, (3.5 + 0.5) / 2 = 2
    assert table(slots) == [(7, 2.0, 20.0), (8, 2.0, 20.0), (9, 1.0, 10.0)]
    assert slots.used[0].tolist() == [5, 1, 4]
    assert slots.sentence[0].tolist() == [1, 0, 1]
    assert (slots.clock[0], slots.sentences[0]) == (6, 2)
    assert slots.address[0].tolist() == [7, 8, 9]


def test_the_least_recently_used_word_goes():
    slots = single(2)
    remember(slots, [7, 8], [1, 2])
    remember(slots, [7], [3])
    remember(slots, [9], [4])  # 8 goes: 7 was updated since
    assert table(slots) == [(7, 2.0, 20.0), (9, 4.0, 40.0)]
    remember(slots, [8], [6])  # and now 7, written before 9
    assert table(slots) == [(8, 6.0, 60.0), (9, 4.0, 40.0)]


def test_reading_is_no_use():
    slots = single(2)
    remember(slots, [7, 8], [1, 0])
    recall = read(slots, torch.tensor([[[1000.0]]]), DotMatch())
    assert recall.match[0, 0].tolist() == [1.0, 0.0]  # 7 is read, and still the first to go
    remember(slots, [9], [4])
    assert [word for word, _, _ in table(slots)] == [9, 8]


def test_a_word_evicted_and_back_in_the_same_sentence_is_fresh():
    slots = single(2)
    remember(slots, [7, 8], [1, 2])
    remember(slots, [9, 5, 7], [3, 4, 6])  # 9 evicts 7, 5 evicts 8, 7 evicts 9
    assert table(slots) == [(7, 6.0, 60.0), (5, 4.0, 40.0)]


def test_an_update_before_the_eviction_leaves_no_trace():
    slots = single(1)
    remember(slots, [7], [1])
    remember(slots, [7, 8, 7, 7], [3, 5, 2, 4])
    assert table(slots) == [(7, 3.0, 30.0)]
    remember(slots, [7, 7, 9], [1, 1, 8])
    assert table(slots) == [(9, 8.0, 80.0)]


def test_a_sentence_longer_than_the_memory():
    slots = single(2)
    remember(slots, [4, 5, 6, 7, 6, 8], [1, 2, 3, 4, 5, 6])
    # 6 takes slot 0, 7 slot 1; 6 again: (3 + 5) / 2; 8 evicts 7
    assert table(slots) == [(6, 4.0, 40.0), (8, 6.0, 60.0)]


def test_without_overwriting_words_queue():
    slots = single(3)
    remember(slots, [7, 7], [1, 2], first_in_first_out)
    assert table(slots) == [(7, 1.0, 10.0), (7, 2.0, 20.0), None]
    remember(slots, [7, 8], [3, 4], first_in_first_out)
    assert table(slots) == [(8, 4.0, 40.0), (7, 2.0, 20.0), (7, 3.0, 30.0)]


def test_words_and_addresses_differ():
    """Slots are found by address and named by token: two addresses of one piece are two slots."""
    slots = single(3)
    keys = torch.tensor([[[1.0], [2.0], [4.0]]])
    write(slots, keys, keys * 10, [Sentence([7, 7, 7], [70, 71, 70])], least_recently_used)
    assert table(slots) == [(7, 2.5, 25.0), (7, 2.0, 20.0), None]


def test_lanes_that_say_nothing_are_left_alone():
    slots = Slots.empty(3, 2, key=1, value=1)
    keys = torch.tensor([[[1.0]], [[2.0]], [[3.0]]])
    write(slots, keys, keys * 10, [Sentence([7], [7]), None, Sentence([], [])], least_recently_used)
    assert [table(slots, lane) for lane in range(3)] == [[(7, 1.0, 10.0), None], [None, None], [None, None]]
    assert slots.clock.tolist() == [1, 0, 0]
    assert slots.sentences.tolist() == [1, 0, 1]  # an empty sentence is one all the same
    write(slots, keys, keys, [None, None, None], least_recently_used)
    assert slots.sentences.tolist() == [1, 0, 1]


def test_what_is_written_is_cut_off_from_the_graph():
    slots = single(2)
    keys = torch.ones(1, 2, 1, requires_grad=True)
    write(slots, keys * 2, keys * 3, [Sentence([7, 7], [7, 7])], least_recently_used)
    assert not slots.keys.requires_grad
    assert not slots.values.requires_grad


# -- the reference


@dataclass
class Slot:
    address: int
    token: int
    key: torch.Tensor
    value: torch.Tensor
    used: int
    sentence: int


class SlowMemory:
    """One lane, written word by word as SPEC 2 says it."""

    def __init__(self, size):
        self.slots, self.clock, self.sentences = [None] * size, 0, 0

    def write(self, contexts, states, sentence, overwrite):
        for token, address, c, s in zip(sentence.tokens, sentence.addresses, contexts, states, strict=False):
            held = [slot.address if slot else None for slot in self.slots]
            if overwrite and address in held:
                at = held.index(address)
                slot = self.slots[at]
                c, s = (slot.key + c) / 2, (slot.value + s) / 2
            elif None in held:
                at = held.index(None)
            else:
                at = min(range(len(held)), key=lambda place: self.slots[place].used)
            self.slots[at] = Slot(address, token, c, s, self.clock, self.sentences)
            self.clock += 1
        self.sentences += 1


def assert_lane_equals(slots, lane, slow):
    assert slots.filled[lane].tolist() == [slot is not None for slot in slow.slots]
    assert (slots.clock[lane], slots.sentences[lane]) == (slow.clock, slow.sentences)
    for place, slot in enumerate(slow.slots):
        if slot is None:
            assert slots.used[lane, place] == EMPTY
            continue
        assert torch.equal(slots.keys[lane, place], slot.key)
        assert torch.equal(slots.values[lane, place], slot.value)
        assert slots.words[lane, place] == slot.token
        assert slots.address[lane, place] == slot.address
        assert slots.used[lane, place] == slot.used
        assert slots.sentence[lane, place] == slot.sentence


@st.composite
def histories(draw):
    """Rounds of sentences of up to five lanes: repeats, Nones, and more words than there are slots."""
    lanes, size = draw(st.integers(1, 5)), draw(st.integers(1, 30))
    words = st.integers(4, 4 + draw(st.sampled_from([2, size, 2 * size, 60])))
    sentence = st.one_of(st.none(), st.lists(words, max_size=draw(st.sampled_from([3, 10, 50]))))
    rounds = draw(st.lists(st.lists(sentence, min_size=lanes, max_size=lanes), min_size=1, max_size=5))
    return lanes, size, rounds


@settings(max_examples=250)
@given(histories(), st.booleans(), st.integers(0, 2**16))
def test_the_fast_writer_equals_the_slow_one_to_the_last_bit(history, overwrite, seed):
    lanes, size, rounds = history
    numbers = torch.Generator().manual_seed(seed)
    slots = Slots.empty(lanes, size, key=3, value=2)
    slow = [SlowMemory(size) for _ in range(lanes)]
    for number, sentences in enumerate(rounds):
        longest = max([1, *(len(sentence) for sentence in sentences if sentence)])
        contexts = torch.randn(lanes, longest + 1, 3, generator=numbers)
        states = torch.randn(lanes, longest + 1, 2, generator=numbers)
        addressed = [
            None if tokens is None else Sentence(tokens, [7 * token for token in tokens])
            for tokens in sentences
        ]
        write(slots, contexts, states, addressed, least_recently_used if overwrite else first_in_first_out)
        for lane, sentence in enumerate(addressed):
            if sentence is not None:
                slow[lane].write(contexts[lane], states[lane], sentence, overwrite)
        if number == 2:
            slots.clear(0)
            slow[0] = SlowMemory(size)
        for lane in range(lanes):
            assert_lane_equals(slots, lane, slow[lane])
            stored = slots.address[lane][slots.used[lane] != EMPTY].tolist()
            assert len(stored) <= size
            assert not overwrite or len(set(stored)) == len(stored)


def test_the_slow_writer_knows_the_tables():
    slow, slots = SlowMemory(2), single(2)
    for sentence, contexts in [([7, 8], [1, 2]), ([9, 5, 7, 7], [3, 4, 6, 2]), ([5, 8], [1, 1])]:
        keys = torch.tensor(contexts, dtype=torch.float).view(-1, 1)
        slow.write(keys, keys * 10, Sentence(sentence, sentence), overwrite=True)
        remember(slots, sentence, contexts)
        assert_lane_equals(slots, 0, slow)
    assert [(slot.token, slot.key.item()) for slot in slow.slots] == [(8, 1.0), (5, 2.5)]


@pytest.mark.parametrize("policy", [least_recently_used, first_in_first_out])
def test_lanes_do_not_touch_each_other(policy):
    torch.manual_seed(1)
    contexts, states = torch.randn(2, 3, 8, 4), torch.randn(2, 3, 8, 2)
    sentences = [[[4, 5, 4], [6, 7, 8, 9, 6], None], [[5, 9], [6, 6], [4, 4, 4, 4]]]
    order = [2, 0, 1]
    one, two = (Slots.empty(3, 3, key=4, value=2) for _ in range(2))
    for c, s, said in zip(contexts, states, sentences, strict=True):
        addressed = [tokens and Sentence(tokens, tokens) for tokens in said]
        write(one, c, s, addressed, policy)
        write(two, c[order], s[order], [addressed[lane] for lane in order], policy)
    assert torch.equal(one.keys[order], two.keys)
    assert torch.equal(one.values[order], two.values)
    assert torch.equal(one.words[order], two.words)
    assert (one.used[order] == two.used).all()


# -- pins


@pytest.mark.parametrize("policy", [least_recently_used, first_in_first_out])
def test_what_is_pinned_is_never_written_over_and_does_not_age(policy):
    slots = single(4)
    remember(slots, [7, 8], [1, 2], policy)
    slots.pin(0, np.array([True, False, False, False]))
    for start in range(10, 30, 3):
        remember(slots, [start, 7, start + 2], [start, 4, 5], policy)
        assert table(slots)[0] == (7, 1.0, 10.0)
        assert slots.written[0, 0] == slots.written[0].max()
    assert slots.filled.all()


@settings(max_examples=50)
@given(
    st.lists(st.lists(st.integers(1, 9), max_size=7), max_size=6),
    st.sampled_from([least_recently_used, first_in_first_out]),
    st.lists(st.booleans(), min_size=6, max_size=6),
)
def test_the_slots_that_are_not_pinned_are_a_smaller_memory(sentences, policy, chosen):
    slots, small = single(6), None
    remember(slots, [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6], policy)
    slots.pin(0, np.array(chosen))
    free = (~slots.pinned[0]).nonzero()[0]
    small = single(len(free))
    kept = [int(slots.words[0, each]) for each in free]
    remember(small, kept, kept, policy)
    for sentence in sentences:
        for each in (slots, small):
            remember(each, sentence, [float(word) for word in sentence], policy)
    assert [table(slots)[each] for each in free] == table(small)
