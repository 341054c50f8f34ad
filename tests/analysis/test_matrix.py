"""The matching matrix: rows that add up to one, slots in order, and the sentence that is asked for."""

import csv

import numpy as np
import pytest

from recollect.analysis.explain import Explained, Look, Word, explain
from recollect.analysis.matrix import matching_matrix, measure_matrix, telling
from recollect.analysis.replay import as_said
from recollect.errors import DataError
from recollect.text.document import ParallelDocument

SOURCE = ("ba be bi", "bo bu ba", "da de du")
GIVEN = ("ka ke ki", "ko ku ka", "li ki ku ka")
DOCUMENTS = [ParallelDocument("a", ("di", "do"), (("lo", "lo"),)), ParallelDocument("b", SOURCE, (GIVEN,))]


def test_rows_add_up_to_one_and_slots_are_the_most_recent_first(make_translator):
    translator = make_translator()
    found = matching_matrix(translator, SOURCE, as_said(translator, GIVEN), 2)
    assert found.words == ("li", "ki", "ku", "ka")
    # ka is said twice, and its slot is renewed.
    assert [(slot.word, slot.sentence) for slot in found.slots] == [
        ("ka", 1), ("ku", 1), ("ko", 1), ("ki", 0), ("ke", 0)
    ]  # fmt: skip
    assert found.match.shape == (4, 5)
    assert found.match.sum(1) == pytest.approx(np.ones(4), abs=1e-5)
    explained = explain(translator, SOURCE, as_said(translator, GIVEN))[2]
    for row, gate, word in zip(found.match, found.gates, explained.words, strict=True):
        assert gate == pytest.approx(word.gate)
        best = int(row.argmax())
        look = word.looks[0]
        assert (look.word, look.sentence) == (found.slots[best].word, found.slots[best].sentence)
        assert look.share == pytest.approx(row[best], abs=1e-4)


def test_slots_that_were_not_read_are_there_without_a_share(make_translator):
    translator = make_translator(memory={"top": 2, "match": "cosine", "policy": "fifo", "size": 8})
    found = matching_matrix(translator, SOURCE, as_said(translator, GIVEN), 2)
    assert found.match.shape == (4, 6)
    assert (found.match > 0).sum(1).tolist() == [2, 2, 2, 2]


def word(probability, alone, *shares):
    looks = tuple(Look("x", 0, share, "own") for share in shares)
    return Word("▁x", 0.5, "▁y", probability, alone, looks)


def test_what_is_telling():
    dull, keen, lost = word(0.5, 0.5, 0.9), word(0.7, 0.3, 0.5, 0.2), word(0.1, 0.6, 0.9)
    assert telling(Explained("", "", (dull, keen, keen, lost))) == pytest.approx(2 * 0.4 * 0.5)
    assert telling(Explained("", "", (keen, keen))) == 0, "too short"
    assert telling(Explained("", "", (keen,) * 30)) == 0, "too long"
    assert telling(Explained("", "", (word(0.9, 0.1),) * 5)) == 0, "nothing was looked at"


def test_a_sentence_is_found_by_its_number(make_translator, tmp_path):
    translators = {"m": make_translator()}
    found = measure_matrix(translators, DOCUMENTS, tmp_path, sentence=5, forced=True)
    assert found["systems"]["m"]["document"] == "b"
    assert found["systems"]["m"]["sentence"] == 3
    assert found["systems"]["m"]["output"] == GIVEN[2]
    assert found["files"] == ["matrix.png", "matrix.svg", "matrix.csv"]
    rows = list(csv.DictReader((tmp_path / "matrix.csv").open()))
    assert len(rows) == 4 * 5
    assert [row["remembered_word"] for row in rows[:5]] == ["ka", "ku", "ko", "ki", "ke"]
    assert sum(float(row["probability"]) for row in rows[:5]) == pytest.approx(1, abs=1e-4)
    assert f"- reference: {GIVEN[2]}" in found["examples"]
    with pytest.raises(DataError, match="no sentence 9: there are 5"):
        measure_matrix(translators, DOCUMENTS, tmp_path, sentence=9)
    with pytest.raises(DataError, match="nothing is remembered yet"):
        measure_matrix(translators, DOCUMENTS, tmp_path, sentence=3, forced=True)


def test_a_sentence_is_chosen(make_translator, tmp_path):
    translators = {
        "base": make_translator().without_memory(),
        "one": make_translator(),
        "two": make_translator(memory={"fusion": "shallow"}),
    }
    found = measure_matrix(translators, DOCUMENTS, tmp_path, forced=True)
    assert {each["sentence"] for each in found["systems"].values()} == {3}, "the only one long enough"
    assert "matrix-2.svg" in found["files"]
