import itertools
from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from recollect.batches.sentences import SentenceBatches, collate, collate_source
from recollect.batches.shard import Shard, ShardWriter
from recollect.text.vocabulary import BOS, EOS, PAD


class Sentences:
    """A shard in memory: sentence i is made of the number i + 4, so that it can be told from the others."""

    def __init__(self, lengths):
        self.source_lengths = np.array([source for source, _ in lengths], np.int32)
        self.target_lengths = np.array([target for _, target in lengths], np.int32)

    def __len__(self):
        return len(self.source_lengths)

    def source(self, pair):
        return np.full(self.source_lengths[pair], pair + 4)

    def target(self, pair):
        return np.full(self.target_lengths[pair], pair + 4)


pairs = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=60)
plans = st.fixed_dictionaries(
    {
        "batch": st.integers(1, 40),
        "unit": st.sampled_from(["tokens", "sentences"]),
        "window": st.integers(1, 5),
        "seed": st.integers(0, 9),
    }
)


# -- collating


def test_collate_by_hand():
    batch = collate([[5, 6, 7], [8]], [[9], [10, 11]])
    assert batch.source.tolist() == [[5, 6, 7, EOS], [8, EOS, PAD, PAD]]
    assert batch.lengths.tolist() == [4, 2]
    assert batch.previous.tolist() == [[BOS, 9, PAD], [BOS, 10, 11]]
    assert batch.target.tolist() == [[9, EOS, PAD], [10, 11, EOS]]
    assert batch.kept.tolist() == [[True, True, False], [True, True, True]]
    assert batch.source.dtype == batch.previous.dtype == batch.target.dtype == torch.long


def test_empty_sentences_are_their_end():
    batch = collate([[], [4]], [[5], []])
    assert batch.source.tolist() == [[EOS, PAD], [4, EOS]]
    assert batch.lengths.tolist() == [1, 2]
    assert batch.previous.tolist() == [[BOS, 5], [BOS, PAD]]
    assert batch.target.tolist() == [[5, EOS], [EOS, PAD]]
    assert batch.kept.tolist() == [[True, True], [True, False]]


def test_collate_source_is_the_source_of_collate():
    sources = [[5, 6], [], [7]]
    source, lengths = collate_source(sources)
    batch = collate(sources, [[4]] * 3)
    assert torch.equal(source, batch.source)
    assert torch.equal(lengths, batch.lengths)


def test_a_batch_moves_as_a_whole():
    batch = collate([[5]], [[6]], [[[7]]])
    moved = batch.to(torch.device("meta"))
    parts = [getattr(moved, name) for name in batch.__slots__ if name != "before"]
    assert {part.device.type for part in (*parts, moved.before.ids, moved.before.lengths)} == {"meta"}


@given(st.lists(st.tuples(*[st.lists(st.integers(4, 99), max_size=6)] * 2), min_size=1, max_size=6))
def test_collating_loses_nothing(sentences):
    batch = collate([source for source, _ in sentences], [target for _, target in sentences])
    for row, (source, target) in enumerate(sentences):
        assert batch.source[row, : batch.lengths[row]].tolist() == [*source, EOS]
        assert (batch.source[row, batch.lengths[row] :] == PAD).all()
        assert batch.target[row][batch.kept[row]].tolist() == [*target, EOS]
        assert batch.previous[row][batch.kept[row]].tolist() == [BOS, *target]
        assert (batch.target[row][~batch.kept[row]] == PAD).all()


# -- planning


@given(pairs, plans, st.integers(0, 5))
def test_every_sentence_comes_once_an_epoch(lengths, options, epoch):
    batches = SentenceBatches(Sentences(lengths), **options)
    seen = [int(index) for batch in batches.plan(epoch) for index in batch]
    assert sorted(seen) == list(range(len(lengths)))


@given(pairs, plans)
def test_no_batch_is_too_large(lengths, options):
    for batch in SentenceBatches(Sentences(lengths), **options).epoch(0):
        size = batch.target.numel() if options["unit"] == "tokens" else len(batch.target)
        assert size <= options["batch"] or (len(batch.target) == 1 and options["unit"] == "tokens")
        assert len(batch.target) > 0


@given(pairs, plans)
def test_batches_are_as_full_as_their_window_allows(lengths, options):
    """With one window for all there is a batch less than full for every length at most."""
    options |= {"unit": "sentences", "window": 60}
    sizes = [len(batch) for batch in SentenceBatches(Sentences(lengths), **options).plan(0)]
    assert sorted(sizes)[1:] == [options["batch"]] * (len(sizes) - 1)


def test_a_batch_that_fits_exactly_is_full():
    """Four words and their end: two sentences make ten tokens, three make fifteen."""
    shard = Sentences([(3, 4)] * 12)
    for batch, sizes in [(10, [2] * 6), (14, [2] * 6), (15, [3] * 4), (4, [1] * 12)]:
        plan = SentenceBatches(shard, batch=batch, unit="tokens", window=50, seed=1).plan(0)
        assert [len(indices) for indices in plan] == sizes


@given(pairs, plans, st.integers(0, 5))
def test_an_epoch_is_the_same_every_time(lengths, options, epoch):
    one, two = (SentenceBatches(Sentences(lengths), **options) for _ in range(2))
    list(two.plan(epoch + 1))  # what was drawn before does not matter
    assert [batch.tolist() for batch in one.plan(epoch)] == [batch.tolist() for batch in two.plan(epoch)]


def test_epochs_and_seeds_differ():
    shard = Sentences([(length, length) for length in range(1, 41)])
    orders = {
        tuple(tuple(batch.tolist()) for batch in SentenceBatches(
            shard, batch=4, unit="sentences", window=3, seed=seed
        ).plan(epoch))
        for seed in range(3)
        for epoch in range(3)
    }  # fmt: skip
    assert len(orders) == 9


@given(pairs, plans, st.integers(0, 30))
def test_skipping_drops_the_first_batches(lengths, options, skip):
    batches = SentenceBatches(Sentences(lengths), **options)
    whole, rest = list(batches.epoch(3)), list(batches.epoch(3, skip=skip))
    assert len(rest) == max(0, len(whole) - skip)
    for one, two in zip(whole[skip:], rest, strict=True):
        assert torch.equal(one.source, two.source)
        assert torch.equal(one.target, two.target)


@given(pairs, plans)
def test_inside_a_window_lengths_are_alike(lengths, options):
    """In one window no sentence stands between two of another batch: sorted, the batches do not overlap."""
    shard = Sentences(lengths)
    batches = SentenceBatches(shard, **options | {"window": 60 * 13})
    spans = sorted(
        (shard.target_lengths[batch].min(), shard.target_lengths[batch].max()) for batch in batches.plan(0)
    )
    for (_, before), (after, _) in itertools.pairwise(spans):
        assert before <= after


def test_the_window_is_measured_in_batches():
    """Windows of two batches of ten sentences: sentences are sorted among twenty, not among all."""
    shard = Sentences([(5, length) for length in range(1, 101)])
    plan = list(SentenceBatches(shard, batch=10, unit="sentences", window=2, seed=1).plan(0))
    assert len(plan) == 10
    for first in range(0, 10, 2):
        lower, upper = sorted((plan[first], plan[first + 1]), key=lambda batch: batch[0])
        lengths = shard.target_lengths[np.concatenate([lower, upper])]
        assert (np.diff(lengths) > 0).all()
    assert any(np.ptp(shard.target_lengths[batch]) > 20 for batch in plan)


def test_the_order_of_batches_tells_nothing_of_their_lengths():
    shard = Sentences([(5, length) for length in range(1, 101)])
    firsts = Counter()
    for epoch in range(20):
        plan = list(SentenceBatches(shard, batch=50, unit="sentences", window=2, seed=1).plan(epoch))
        firsts[int(shard.target_lengths[plan[0]].mean()) > 50] += 1
    assert set(firsts) == {True, False}


@pytest.mark.parametrize("unit", ["tokens", "sentences"])
def test_batches_come_from_a_shard(tmp_path, unit):
    with ShardWriter(tmp_path / "train", 99, 99) as writer:
        for number in range(20):
            writer.add([number + 4] * (number % 3 + 1), [number + 50] * (number % 4 + 1))
    shard = Shard.open(tmp_path / "train")
    found = []
    for batch in SentenceBatches(shard, batch=9, unit=unit, window=2, seed=1).epoch(0):
        for row in range(len(batch.source)):
            source = batch.source[row, : batch.lengths[row] - 1].tolist()
            found.append((source, batch.target[row][batch.kept[row]][:-1].tolist()))
    expected = [(shard.source(pair).tolist(), shard.target(pair).tolist()) for pair in range(20)]
    assert sorted(found) == sorted(expected)
