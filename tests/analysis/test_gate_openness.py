"""How far a memory is heard: averages by part, and the gates themselves against another way to them."""

import csv

import numpy as np
import pytest

from recollect.analysis.explain import explain
from recollect.analysis.gates import Heard, _cut, averages, heard, measure_gates
from recollect.text.document import ParallelDocument

DOCUMENTS = [
    ParallelDocument("a", ("ba be bi", "bo bu ba", "da de"), (("ka ke ki", "ko ku ka", "li"),)),
    ParallelDocument("b", ("be", "", "di da"), (("ke", "ki", "li ka ke ki"),)),
]


def test_averages_are_means_with_their_errors():
    first, second = averages(np.array([0.1, 0.5, 0.3, 0.4]), np.array([0, 0, 0, 2]))
    assert (first.place, first.words, second.place, second.words) == (0, 3, 2, 1)
    assert first.mean == pytest.approx(0.3)
    assert first.error == pytest.approx(0.2 / 3**0.5)  # deviations 0.2, 0.2, 0: variance 0.08 / 2
    assert (second.mean, second.error) == (pytest.approx(0.4), 0.0)


def test_a_sentence_is_cut_into_equal_parts():
    places = np.arange(10) / 10
    assert _cut(places, 10).tolist() == list(range(10))
    assert _cut(places, 3).tolist() == [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert _cut(np.array([0.0]), 3).tolist() == [0], "a single word begins a sentence"


@pytest.mark.parametrize("fusion", ["deep", "shallow"])
def test_gates_are_those_that_are_explained(make_translator, fusion):
    translator = make_translator(memory={"fusion": fusion})
    found = heard(translator, DOCUMENTS)
    wanted = [
        (word.gate, sentence)
        for document in DOCUMENTS
        for sentence, each in enumerate(
            explain(translator, document.source, translator.translate(document.source))
        )
        for word in each.words
        if sentence  # nothing is remembered before
    ]
    assert found.gate.tolist() == pytest.approx([gate for gate, _ in wanted], abs=1e-6)
    assert found.sentence.tolist() == [sentence for _, sentence in wanted]
    assert ((found.gate > 0) & (found.gate < 1)).all()
    assert ((found.place >= 0) & (found.place < 1)).all()


def test_references_are_gone_along_if_asked(make_translator):
    found = heard(make_translator(), DOCUMENTS, forced=True)
    assert found.sentence.tolist() == [1, 1, 1, 2, 2, 2, 2, 2]
    assert found.place.tolist() == [0, 1 / 3, 2 / 3, 0, 0, 0.25, 0.5, 0.75]


def test_figures_and_numbers_are_written(make_translator, tmp_path):
    translator = make_translator()
    translators = {"base": translator.without_memory(), "m": translator}
    found = measure_gates(translators, DOCUMENTS, tmp_path, forced=True)
    system = found["systems"]["m"]
    exact: Heard = heard(translator, DOCUMENTS, forced=True)
    assert system["mean"] == pytest.approx(exact.gate.mean())
    assert system["parts"]["beginning"] == pytest.approx(exact.gate[[0, 3, 4, 5]].mean())
    assert system["parts"]["middle"] == pytest.approx(exact.gate[[1, 6]].mean())
    assert system["parts"]["end"] == pytest.approx(exact.gate[[2, 7]].mean())
    assert system["over_document"] == {
        2: pytest.approx(exact.gate[:3].mean()),
        3: pytest.approx(exact.gate[3:].mean()),
    }
    assert set(found["files"]) == {"gates.png", "gates.svg", "gates.csv"}
    assert set(found["files"]) == {path.name for path in tmp_path.iterdir()}
    rows = list(csv.DictReader((tmp_path / "gates.csv").open()))
    sentences = {row["place"]: int(row["words"]) for row in rows if row["by"] == "sentence"}
    assert sentences == {"2": 3, "3": 5}
    assert "| m |" in found["markdown"]
