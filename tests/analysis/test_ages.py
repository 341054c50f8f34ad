"""Matching probabilities by age: hand-computed averages, and order and sums along real steps."""

import csv
import sys

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.analysis.ages import ENOUGH, Ages, average_by_age, draw_ages, match_by_age, measure_ages
from recollect.analysis.replay import Said, as_said, replay
from recollect.errors import DataError, ModelError, RecollectError
from recollect.memory.read import Recall
from recollect.memory.slots import EMPTY, Slots
from recollect.text.document import ParallelDocument

DOCUMENT = ParallelDocument(
    "d", ("ba be bi", "bo bu ba", "da de", "be bi da"), (("ka ke ki", "ko ku ka", "li ki", "ke ki li"),)
)


def said(used, match, places=None):
    """A sentence whose memory and matches are given; the end looks at nothing that counts."""
    slots = Slots.empty(1, len(used), key=1, value=1)
    slots.used[0] = used
    slots.filled[0] = torch.tensor(used) != EMPTY
    table = torch.tensor([*match, match[0][::-1]]).unsqueeze(0)
    nothing = torch.zeros(1)
    where = torch.tensor([*places, places[0]]) if places else torch.arange(len(used)).expand(table.shape[1:])
    recall = Recall(nothing, table, *[nothing] * 8, where.unsqueeze(0))
    return Said(0, [4] * len(match), None, slots, recall)


def test_the_most_recent_slot_comes_first():
    found = match_by_age(said([5, 9, 7], [[0.5, 0.3, 0.2], [0.0, 0.1, 0.9]]))
    assert found == pytest.approx(np.array([[0.3, 0.2, 0.5], [0.1, 0.9, 0.0]]))


def test_slots_that_were_not_read_have_no_share():
    found = match_by_age(said([5, 9, 7, EMPTY], [[0.75, 0.25]], places=[[2, 0]]))
    assert found == pytest.approx(np.array([[0.0, 0.75, 0.25, 0.0]]))


def test_only_words_said_with_a_full_memory_count():
    full = [said([1, 2], [[0.25, 0.75]] * ENOUGH), said([4, 3], [[0.75, 0.25]] * ENOUGH)]
    found = average_by_age([said([1, EMPTY], [[1.0, 0.0]]), *full])
    assert found.probabilities == pytest.approx((0.75, 0.25))
    assert (found.words, found.least, found.nearest_half) == (2 * ENOUGH, 2, 1)


def test_a_memory_that_is_never_full_is_averaged_where_it_is_fullest():
    one = [said([1, EMPTY, EMPTY], [[1.0, 0.0, 0.0]] * 3)]
    two = [said([1, 2, EMPTY], [[0.6, 0.4, 0.0]])]
    found = average_by_age([*one, *two])
    assert (found.words, found.least) == (1, 2)
    assert found.probabilities == pytest.approx((0.4, 0.6, 0.0))
    assert found.even == pytest.approx((1 / 2, 1 / 2, 0.0))  # nothing can be looked for in an empty slot
    both = average_by_age([said([1, 2, EMPTY], [[0.6, 0.4, 0.0]]), said([1, 2, 3], [[0.6, 0.4, 0.0]])])
    assert (both.words, both.least) == (1, 3)


def test_an_even_share_is_one_of_the_filled_slots():
    # Nine words with two of four slots filled, one with three: the fullest quarter are all but none.
    some = [
        said([1, 2, 3, EMPTY], [[0.5, 0.5, 0.0, 0.0]]),
        said([1, 2, EMPTY, EMPTY], [[1.0, 0.0, 0.0, 0.0]] * 9),
    ]
    found = average_by_age(some)
    assert (found.words, found.least) == (10, 2)
    assert found.even == pytest.approx(((9 / 2 + 1 / 3) / 10, (9 / 2 + 1 / 3) / 10, 1 / 30, 0.0))
    assert sum(found.even) == pytest.approx(1)


def test_documents_of_one_sentence_tell_nothing():
    with pytest.raises(DataError, match="several sentences"):
        average_by_age([said([EMPTY, EMPTY], [[0.0, 0.0]])])


@settings(max_examples=25)
@given(st.lists(st.lists(st.sampled_from(["ka", "ke", "ki", "ko"]), min_size=1, max_size=4), min_size=2,
                max_size=6), st.sampled_from(["lru", "fifo"]))  # fmt: skip
def test_shares_add_up_to_one_and_ages_are_those_of_the_books(make_translator, lines, policy):
    translator = make_translator(memory={"size": 3, "policy": policy})
    texts = [" ".join(words) for words in lines]
    for each in replay(translator, ["ba be"] * len(texts), as_said(translator, texts)):
        found = match_by_age(each)
        if each.number:
            assert found.sum(1) == pytest.approx(np.ones(len(each.tokens)), abs=1e-5)
            last = each.slots.words[0, int(each.slots.used[0].argmax())]
            assert int(last) == translator.target_vocabulary.encode(texts[each.number - 1])[-1]
            read = each.recall.match[0, : len(each.tokens), int(each.slots.used[0].argmax())]
            assert found[:, 0] == pytest.approx(read.numpy())
        else:
            assert not found.any()


def test_a_figure_has_a_panel_a_size_and_a_line_a_domain(make_translator, tmp_path):
    translators = {
        "base": make_translator().without_memory(),
        "small": make_translator(memory={"size": 3}),
        "large": make_translator(memory={"size": 30}),
    }
    found = measure_ages(translators, [DOCUMENT], tmp_path, forced=True)
    assert set(found["series"]) == {"small", "large"}
    for each in found["series"].values():
        assert len(each["probabilities"]) == each["size"]
        assert sum(each["probabilities"]) == pytest.approx(1, abs=1e-5)
    assert found["series"]["large"]["least_filled"] < 30
    assert found["files"] == ["ages.png", "ages.svg", "ages.csv"]
    assert (tmp_path / "ages.png").read_bytes().startswith(b"\x89PNG")
    text = (tmp_path / "ages.svg").read_text()
    assert "3 slots" in text
    assert "30 slots" in text
    rows = list(csv.DictReader((tmp_path / "ages.csv").open()))
    assert [(row["size"], row["age"]) for row in rows] == [
        (str(size), str(age)) for size in (3, 30) for age in range(1, size + 1)
    ]
    assert "| small | 3 |" in found["markdown"]


def test_domains_are_named_and_the_same_figure_is_the_same_file(tmp_path):
    def ages(shares):
        return Ages(tuple(shares), 9, len(shares), (1 / len(shares),) * len(shares))

    large = ages([1 / 300] * 300)
    series = {"Subtitle": {4: ages([0.4, 0.3, 0.2, 0.1]), 300: large}, "TED": {4: ages([0.25] * 4)}}
    draw_ages(series, tmp_path / "a")
    draw_ages(series, tmp_path / "b")
    assert "Subtitle" in (tmp_path / "a" / "ages.svg").read_text()
    assert "averages of 3" in (tmp_path / "a" / "ages.svg").read_text()
    for name in ("ages.svg", "ages.csv"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_without_matplotlib_there_is_a_sentence(make_translator, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(RecollectError, match=r"pip install recollect\[figures\]"):
        measure_ages({"m": make_translator()}, [DOCUMENT], tmp_path)


def test_without_a_memory_there_is_nothing_to_see(make_translator, tmp_path):
    with pytest.raises(ModelError, match="base has none"):
        measure_ages({"base": make_translator().without_memory()}, [DOCUMENT], tmp_path)
