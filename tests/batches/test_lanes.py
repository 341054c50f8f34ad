import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recollect.batches.lanes import Tick, document_groups, ticks

lengths = st.lists(st.integers(1, 9), max_size=30)


def test_ticks_by_hand():
    assert list(ticks([range(3, 5), range(0), range(10, 13)])) == [
        Tick([0, 2], [3, 10]),
        Tick([0, 2], [4, 11]),
        Tick([2], [12]),
    ]
    assert list(ticks([])) == []


@given(lengths)
def test_every_document_advances_in_order(sizes):
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(int)
    documents = [range(starts[i], starts[i + 1]) for i in range(len(sizes))]
    seen = [[] for _ in documents]
    for tick in ticks(documents):
        assert tick.lanes == sorted(set(tick.lanes))
        for lane, sentence in zip(tick.lanes, tick.sentences, strict=True):
            seen[lane].append(sentence)
    assert seen == [list(document) for document in documents]


@given(lengths, st.integers(1, 8), st.integers(0, 9), st.integers(0, 9))
def test_groups_hold_every_document_once(sizes, lanes, seed, epoch):
    groups = document_groups(np.array(sizes, np.int64), lanes, seed, epoch)
    assert sorted(int(number) for group in groups for number in group) == list(range(len(sizes)))
    assert all(0 < len(group) <= lanes for group in groups)
    assert len(groups) == -(-len(sizes) // lanes)


@given(lengths, st.integers(1, 8), st.integers(0, 9))
def test_groups_are_alike_in_length(sizes, lanes, seed):
    array = np.array(sizes, np.int64)
    spans = sorted(
        (array[group].min(), array[group].max()) for group in document_groups(array, lanes, seed, 0)
    )
    for (_, before), (after, _) in itertools.pairwise(spans):
        assert before <= after


def test_groups_are_the_same_for_the_same_seed_and_epoch():
    array = np.array([3] * 20)
    dealt = [
        [group.tolist() for group in document_groups(array, 4, seed, epoch)]
        for seed, epoch in [(1, 0), (1, 0), (1, 1), (2, 0)]
    ]
    assert dealt[0] == dealt[1]
    assert dealt[0] != dealt[2] != dealt[3] != dealt[0]
