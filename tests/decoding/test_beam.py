"""Beam search on a fake model: a table of transition probabilities made by hand or drawn, no modules."""

import math
from collections import deque
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.decoding.beam import Beam, Search, search
from recollect.models.interface import Step
from recollect.text.vocabulary import BOS, EOS, PAD, UNK

A, B, C = 4, 5, 6


@dataclass
class Walk:
    """Where each hypothesis stands: its lane's number and the tokens so far."""

    lanes: list
    paths: list  # [lane][many] tuples


class Table:
    """A model whose next-word distribution is looked up by (sentence, tokens so far).

    Steps carry the lane and the path, so that what the search gathers can be told exactly.
    """

    def __init__(self, probabilities, tokens=7):
        self.probabilities, self.tokens, self.paths = probabilities, tokens, []
        self.calls = []  # the lanes still under way at each time

    def start(self, source, lengths, before=None):
        return Walk(list(range(len(source))), [[()] for _ in range(len(source))])

    def step(self, progress, previous):
        assert previous.shape == (len(progress.paths), len(progress.paths[0]))
        paths = [
            [(*path, token) for path, token in zip(*both, strict=True)]
            for both in zip(progress.paths, previous.tolist(), strict=True)
        ]
        numbers = torch.tensor([[self._number(path) for path in lane] for lane in paths], dtype=torch.float)
        lanes = torch.tensor(progress.lanes, dtype=torch.float).view(-1, 1, 1).expand(*numbers.shape, 1)
        attention = torch.nn.functional.one_hot(numbers.long() % 3, 3).float()
        step = Step(numbers.unsqueeze(2), lanes, numbers.unsqueeze(2), attention, previous)
        return step, Walk(progress.lanes, paths)

    def select(self, progress, lanes, hypotheses):
        return Walk(
            [progress.lanes[lane] for lane in lanes.tolist()],
            [
                [progress.paths[lane][hypothesis] for hypothesis in some]
                for lane, some in zip(lanes.tolist(), hypotheses.tolist(), strict=True)
            ],
        )

    def put(self, progress, lanes, other):
        for place, number, paths in zip(lanes.tolist(), other.lanes, other.paths, strict=True):
            assert len(paths) == len(progress.paths[place])
            progress.lanes[place], progress.paths[place] = number, paths
        return progress

    def _number(self, path):
        self.paths.append(path)
        return len(self.paths) - 1

    def __call__(self, step, alive):
        """The distribution: it is told which lanes are alive, and the step must be theirs."""
        self.calls.append(alive.tolist())
        assert step.context[:, 0, 0].tolist() == alive.tolist()
        rows = [
            [self.row(int(lane), self.paths[int(number)][1:]) for number in numbers]
            for lane, numbers in zip(alive, step.state[..., 0], strict=True)
        ]
        return torch.tensor(rows, dtype=torch.float)

    def row(self, lane, path):
        given = self.probabilities(lane, path)
        return [math.log(given[token]) if given.get(token) else -math.inf for token in range(self.tokens)]


def find(table, beam, lanes=1, source_length=2):
    source = torch.full((lanes, source_length + 1), A)
    return search(table, table, source, torch.full((lanes,), source_length + 1), beam)


def tokens_of(found):
    return [hypothesis.tokens for hypothesis in found]


# -- by hand: the greedy first word is the worse one

GARDEN = {
    (): {A: 0.6, B: 0.4},
    (A,): {A: 0.5, B: 0.5},
    (B,): {EOS: 0.9, A: 0.1},
    (A, A): {EOS: 1.0},
    (A, B): {EOS: 1.0},
    (B, A): {EOS: 1.0},
}


def garden(lane, path):
    return GARDEN.get(path, {})  # hypotheses without probability are stepped, too


def test_a_beam_of_one_is_led_down_the_garden_path():
    ((best,),) = find(Table(garden), Beam(size=1, length_penalty=0.0))
    assert best.tokens in ([A, A], [A, B])
    assert best.log_probability == pytest.approx(math.log(0.3))


def test_a_beam_of_two_is_not():
    ((best,),) = find(Table(garden), Beam(size=2, length_penalty=0.0))
    assert best.tokens == [B]
    assert best.log_probability == pytest.approx(math.log(0.36))
    assert best.score == best.log_probability


def test_scores_are_divided_by_the_length_with_its_end():
    ((best, second, third, fourth),) = find(Table(garden), Beam(size=9, length_penalty=1.0, n_best=4))
    assert [best.score, second.score] == pytest.approx([math.log(0.3) / 3] * 2)
    assert third.tokens == [B]
    assert third.score == pytest.approx(math.log(0.36) / 2)
    assert fourth.tokens == [B, A]
    assert fourth.score == pytest.approx(math.log(0.04) / 3)


def test_what_is_gathered_belongs_to_the_path():
    table = Table(garden)
    for hypothesis in find(table, Beam(size=9, n_best=4))[0]:
        path = (BOS, *hypothesis.tokens)
        numbers = hypothesis.states[:, 0].long().tolist()
        assert [table.paths[number] for number in numbers] == [path[: n + 1] for n in range(len(path))]
        assert hypothesis.aligned == [number % 3 for number in numbers]
        assert hypothesis.contexts.shape == (len(path), 1)


def test_the_end_alone_is_a_translation():
    ((best,),) = find(Table(lambda lane, path: {EOS: 1.0}), Beam(size=3))
    assert best.tokens == []
    assert best.log_probability == 0.0
    assert best.contexts.shape == (1, 1)


def test_an_end_takes_no_place_in_the_beam():
    """The end is the best of the first step; the two words behind it go on, and the second one wins."""
    table = {(): {EOS: 0.4, A: 0.31, B: 0.29}, (A,): {EOS: 0.1, A: 0.9}, (B,): {EOS: 1.0}}
    ((best,),) = find(Table(lambda lane, path: table.get(path, {})), Beam(size=2, length_penalty=1.0))
    assert best.tokens == [B]


def test_a_dead_end_is_left_for_a_worse_way_out():
    """After A nothing is possible at all; B leads to the end."""
    found = find(
        Table(lambda lane, path: {(): {A: 0.9, B: 0.1}, (A,): {}, (B,): {EOS: 1.0}}[path]), Beam(size=2)
    )
    assert tokens_of(found[0]) == [[B]]


def test_where_nothing_can_end_there_is_no_hypothesis():
    assert find(Table(lambda lane, path: {A: 1.0}), Beam(size=2, max_length=3)) == [[]]


# -- drawn tables


def drawn(seed, words=(A, B), certain=0.0):
    """A distribution for every lane and path, the same at every call; PAD, BOS and UNK have their share."""

    def probabilities(lane, path):
        chance = np.random.default_rng((seed, lane, *path))
        support = [PAD, UNK, BOS, EOS, *words]
        weights = chance.dirichlet([0.7] * len(support))
        weights[support.index(EOS)] += certain * len(path)
        return dict(zip(support, weights / weights.sum(), strict=True))

    return probabilities


def everything(probabilities, lane, beam, words):
    """Every sequence of up to `max_length` words, with its score."""
    found = []
    for length in range(beam.min_length, beam.max_length + 1):
        for path in product(words, repeat=length):
            steps = [probabilities(lane, path[:n])[token] for n, token in enumerate((*path, EOS))]
            total = math.fsum(map(math.log, steps))
            found.append((total / (length + 1) ** beam.length_penalty, list(path)))
    return sorted(found, reverse=True)


@settings(max_examples=50, derandomize=True)  # single precision may decide a near tie otherwise
@given(
    st.integers(0, 999),
    st.sampled_from([0.0, 0.5, 1.0, 2.0]),
    st.integers(0, 2),
    st.integers(2, 4),
    st.integers(1, 5),
)
def test_a_wide_beam_finds_the_best_of_all(seed, penalty, shortest, longest, n_best):
    """Nothing falls out of the beam: the n best are those of exhaustive search, in order."""
    words = (UNK, A, B)  # the unknown word is a word
    beam = Beam(150, penalty, min_length=shortest, max_length=longest, n_best=n_best)
    table = Table(drawn(seed))
    found = find(table, beam, lanes=2)
    for lane, hypotheses in enumerate(found):
        expected = everything(table.probabilities, lane, beam, words)[:n_best]
        assert tokens_of(hypotheses) == [path for _, path in expected]
        assert [each.score for each in hypotheses] == pytest.approx(
            [score for score, _ in expected], abs=1e-4
        )


@settings(max_examples=60)
@given(
    st.integers(0, 999),
    st.integers(1, 6),
    st.integers(1, 4),
    st.integers(0, 5),
    st.integers(1, 7),
    st.sampled_from([0.0, 1.0]),
)
def test_what_holds_of_every_result(seed, size, n_best, shortest, longest, penalty):
    beam = Beam(size, penalty, min_length=shortest, max_length=longest, n_best=n_best, banned=(PAD, BOS, UNK))
    table = Table(drawn(seed, words=(A, B, C)))
    for lane, hypotheses in enumerate(find(table, beam, lanes=3)):
        assert 1 <= len(hypotheses) <= n_best
        scores = [each.score for each in hypotheses]
        assert scores == sorted(scores, reverse=True)
        assert len({tuple(each.tokens) for each in hypotheses}) == len(hypotheses)
        for each in hypotheses:
            assert shortest <= len(each.tokens) <= max(shortest, longest)
            assert not set(each.tokens) & {PAD, BOS, UNK, EOS}
            path = [*each.tokens, EOS]
            steps = [table.row(lane, tuple(path[:n]))[token] for n, token in enumerate(path)]
            assert each.log_probability == pytest.approx(sum(steps), abs=1e-4)
            assert each.score == pytest.approx(sum(steps) / len(path) ** penalty, abs=1e-4)
            assert len(each.contexts) == len(each.states) == len(each.aligned) == len(path)


@settings(max_examples=40)
@given(st.integers(0, 999), st.integers(1, 5), st.integers(1, 3), st.sampled_from([0.0, 0.3]))
def test_a_lane_does_not_depend_on_the_others(seed, size, n_best, certain):
    """Lanes end at different times and leave the batch; the rest go on as if they were alone."""
    probabilities = drawn(seed, certain=certain)
    beam = Beam(size, max_length=9, n_best=n_best)
    table = Table(probabilities)
    together = find(table, beam, lanes=6)
    for before, after in zip(table.calls, table.calls[1:], strict=False):
        assert set(after) <= set(before)
    for lane, hypotheses in enumerate(together):
        (alone,) = find(Table(lambda _, path, lane=lane: probabilities(lane, path)), beam)
        assert tokens_of(alone) == tokens_of(hypotheses)
        assert [each.score for each in alone] == pytest.approx([each.score for each in hypotheses])
        for each in hypotheses:
            assert (each.contexts == lane).all()  # vectors are the lane's own
            path = [table.paths[int(number)] for number in each.states[:, 0]]
            assert path[-1] == (BOS, *each.tokens)


@settings(max_examples=60)
@given(st.integers(0, 999), st.integers(1, 4), st.integers(1, 2), st.integers(1, 4))
def test_rows_that_take_one_sentence_after_the_other(seed, size, n_best, width):
    """Whatever its neighbours are in the middle of, each sentence is translated as if it were alone."""
    sentences, beam = 9, Beam(size, max_length=7, n_best=n_best)
    probabilities = drawn(seed, certain=0.3)
    table = Table(probabilities)
    lengths = torch.full((width,), 3)

    def begun(numbers):
        return Walk(list(numbers), [[()] for _ in numbers])

    def distribution(step, rows):
        return table(step, step.context[:, 0, 0].long().numpy())

    under_way, waiting, found = Search(table, distribution, beam), deque(range(width, sentences)), {}
    under_way.begin(begun(range(width)), lengths)
    who = dict(enumerate(range(width)))
    while len(under_way.rows):
        for row, hypotheses in under_way.advance().items():
            found[who[row]] = hypotheses
            if waiting:
                who[row] = waiting.popleft()
                under_way.put([row], begun([who[row]]), lengths[:1])
            else:
                under_way.drop([row])
    assert sorted(found) == list(range(sentences))
    for number, hypotheses in found.items():
        (alone,) = find(Table(lambda _, path, number=number: probabilities(number, path)), beam)
        assert tokens_of(alone) == tokens_of(hypotheses)
        assert [each.score for each in alone] == pytest.approx([each.score for each in hypotheses])
        for each in hypotheses:
            assert (each.contexts == number).all()
            assert table.paths[int(each.states[-1, 0])] == (BOS, *each.tokens)
    assert len(under_way._traces) <= 8, "what nobody needs any more is let go"


@settings(max_examples=60)
@given(st.integers(0, 999), st.integers(1, 4), st.integers(1, 2), st.lists(st.integers(0, 3), min_size=3))
def test_sentences_that_come_in_beside_others(seed, size, n_best, arrivals):
    """However many come in at each step, each sentence is translated as if it were alone."""
    beam = Beam(size, max_length=7, n_best=n_best)
    probabilities = drawn(seed, certain=0.3)
    table = Table(probabilities)

    def distribution(step, rows):
        return table(step, step.context[:, 0, 0].long().numpy())

    under_way, found, who, came = Search(table, distribution, beam), {}, {}, 0
    coming = deque(arrivals)
    while coming or len(under_way.rows):
        if coming and (count := coming.popleft()):
            numbers = range(came, came + count)
            rows = under_way.join(Walk(list(numbers), [[()] for _ in numbers]), torch.full((count,), 3))
            assert not set(rows) & set(under_way.rows[: -len(rows)].tolist())
            who |= dict(zip(rows, numbers, strict=True))
            came += count
        if len(under_way.rows):
            ended = under_way.advance()
            found |= {who[row]: hypotheses for row, hypotheses in ended.items()}
            under_way.drop(list(ended))
    assert sorted(found) == list(range(sum(arrivals)))
    for number, hypotheses in found.items():
        (alone,) = find(Table(lambda _, path, number=number: probabilities(number, path)), beam)
        assert tokens_of(alone) == tokens_of(hypotheses)
        for each in hypotheses:
            assert (each.contexts == number).all()


def test_finished_lanes_leave():
    """Lane 0 ends at once, lane 1 after one word, lane 2 after two."""
    table = Table(lambda lane, path: {EOS: 1.0} if len(path) == lane else {A: 1.0})
    assert [tokens_of(each) for each in find(table, Beam(size=1), lanes=3)] == [[[]], [[A]], [[A, A]]]
    assert table.calls == [[0, 1, 2], [1, 2], [2]]


@settings(max_examples=40)
@given(st.integers(0, 999))
def test_a_beam_of_one_is_greedy(seed):
    table = Table(drawn(seed, words=(A, B, C)))
    for lane, (found,) in enumerate(find(table, Beam(size=1, max_length=6), lanes=3)):
        path = []
        while True:
            row = np.array(table.row(lane, tuple(path)))
            row[[PAD, BOS]] = -np.inf
            token = int(row.argmax()) if len(path) < 6 else EOS
            if token == EOS:
                break
            path.append(token)
        assert found.tokens == path


# -- lengths


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [10, 10, 60, 200]),  # three times the source, ten at least, 200 at most
        ({"max_ratio": 1.5}, [10, 10, 30, 150]),
        ({"max_length": 20}, [10, 10, 20, 20]),
        ({"max_length": 4}, [4, 4, 4, 4]),
        ({"min_length": 30}, [30, 30, 60, 200]),
        ({"min_length": 30, "max_length": 20}, [30, 30, 30, 30]),
    ],
)
def test_how_long_a_translation_may_be(options, expected):
    assert Beam(**options).longest(torch.tensor([0, 3, 20, 100])).tolist() == expected


def test_the_source_decides_how_long_each_lane_may_be():
    """The end is next to impossible, so that every lane goes on as long as it may."""
    table = Table(lambda lane, path: {A: 1 - 1e-9, EOS: 1e-9})
    lengths = torch.tensor([8, 2, 5])  # with their ends
    beam = Beam(size=1, max_ratio=2.0)
    found = search(table, table, torch.full((3, 8), A), lengths, beam)
    assert [len(each[0].tokens) for each in found] == [14, 10, 10]


def test_the_search_goes_on_while_a_longer_hypothesis_can_win():
    """Length normalisation can favour a late end, even where the first beats all others of its time."""

    def probabilities(lane, path):
        return {EOS: 0.7, A: 0.3} if not path else {A: 0.99, EOS: 0.01} if len(path) < 8 else {EOS: 1.0}

    ((best,),) = find(Table(probabilities), Beam(size=12, length_penalty=1.0))
    assert best.tokens == [A] * 8
    ((best,),) = find(Table(probabilities), Beam(size=12, length_penalty=0.0))
    assert best.tokens == []
