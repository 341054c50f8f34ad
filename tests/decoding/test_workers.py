import threading

import pytest
import torch

from recollect.decoding.workers import FEWEST, in_parts, merged


@pytest.fixture
def two_threads():
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(1)


def test_parts_come_back_in_order(two_threads):
    seen = []

    def work(part):
        seen.append((threading.current_thread().name, torch.get_num_threads(), len(part)))
        return [number * 10 for number in part]

    count = 2 * FEWEST + 1
    assert in_parts(work, count, torch.device("cpu")) == [number * 10 for number in range(count)]
    assert sorted(length for _, _, length in seen) == [FEWEST, FEWEST + 1]
    assert all(name.startswith("recollect") and threads == 1 for name, threads, _ in seen)
    assert torch.get_num_threads() == 2


@pytest.mark.parametrize(("threads", "count"), [(2, 2 * FEWEST - 1), (1, 100), (2, 0)])
def test_little_work_stays_together(threads, count):
    torch.set_num_threads(threads)
    try:
        assert in_parts(lambda part: [part], count, torch.device("cpu")) == [range(count)]
    finally:
        torch.set_num_threads(1)


def test_many_lanes_are_translated_as_few(make_translator, two_threads):
    made = make_translator(lanes=24)
    documents = [["ba be bi", "bo bu"[: 2 + number % 4], "da de di"] for number in range(24)]
    split = made.translate_documents(documents)
    torch.set_num_threads(1)
    whole = made.translate_documents(documents)
    tokens = [[[each.tokens for each in document] for document in found] for found in (split, whole)]
    assert tokens[0] == tokens[1]


def test_what_goes_wrong_in_a_part_is_told(two_threads):
    def work(part):
        raise ValueError(f"in {part}")

    with pytest.raises(ValueError, match="in range"):
        in_parts(work, 4 * FEWEST, torch.device("cpu"))


def test_merged_iterators_keep_their_own_order():
    found = list(merged([iter([(source, number) for number in range(50)]) for source in range(3)]))
    assert sorted(found) == [(source, number) for source in range(3) for number in range(50)]
    for source in range(3):
        assert [number for each, number in found if each == source] == list(range(50))


def test_what_goes_wrong_in_an_iterator_is_told():
    def broken():
        yield 1
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        list(merged([iter(range(5)), broken()]))


def test_abandoned_iterators_stop():
    ran = [0, 0]

    def endless(number):
        while True:
            ran[number] += 1
            yield number

    both = merged([endless(0), endless(1)])
    next(both)
    both.close()
    before = list(ran)
    assert list(merged([iter([1]), iter([2])])) in ([1, 2], [2, 1])  # the threads are free again
    assert ran == before
