"""Contrastive scoring: margins against likelihoods of whole documents, and how systems are compared."""

import csv

import pytest

from recollect.analysis.contrastive import Contrast, _judged, contrasts, margins, measure_contrastive
from recollect.context.second_attention import SecondAttentionRNNSearch
from recollect.errors import DataError
from recollect.text.document import ParallelDocument

SOURCE = ("ba be bi", "bo bu ba", "", "da de", "be bi da")
REFERENCE = ("ka ke ki", "ko ku ka", "ka", "li ki ka", "ke ki ku")
DOCUMENT = ParallelDocument("d", SOURCE, (REFERENCE,))


def systems(make_translator):
    made = make_translator()
    return {
        "base": made.without_memory(),
        "memory": made,
        "words": make_translator(memory={"fusion": "shallow"}),
        "jean": make_translator(model={"build": SecondAttentionRNNSearch}),
    }


def test_margins_are_differences_of_whole_likelihoods(make_translator):
    """Scoring the document with one sentence replaced, the history unchanged, comes to the same."""
    translators = systems(make_translator)
    pairs = contrasts(translators["base"], DOCUMENT)
    assert {pair.sentence for pair in pairs} == {1, 3, 4}, "an empty source cannot be scored"
    for translator in translators.values():
        true = translator.likelihood([SOURCE], [REFERENCE]).log_probability
        for pair, margin in zip(pairs, margins(translator, DOCUMENT, pairs), strict=True):
            replaced = [*REFERENCE]
            replaced[pair.sentence] = pair.false
            false = translator.likelihood([SOURCE], [replaced], [REFERENCE]).log_probability
            assert margin == pytest.approx(true - false, abs=1e-4)


def test_what_words_are_replaced_by(make_translator):
    base = make_translator().without_memory()
    vocabulary = base.target_vocabulary
    pairs = contrasts(base, DOCUMENT)
    for pair in pairs:
        true, false = pair.true.split(), pair.false.split()
        [place] = [place for place in range(len(true)) if true[place] != false[place]]
        assert (true[place], false[place]) == (pair.word, pair.other)
        if pair.against == "said":
            assert pair.other in " ".join(REFERENCE[: pair.sentence]).split()
            assert pair.other not in true
        else:
            # Nothing that counts as a word is likelier in that place, but the true one.
            other = [
                [*true[:place], word, *true[place + 1 :]] for word in ("ka", "ke", "ki", "ko", "ku", "li")
            ]
            scores = base.score(
                [SOURCE[pair.sentence]] * len(other), [" ".join(words) for words in other], None, [0]
            )
            by_word = {words[place]: score[place] for words, score in zip(other, scores, strict=True)}
            del by_word[pair.word]
            rival = by_word.get(pair.other)
            assert rival is None or rival == pytest.approx(max(by_word.values()))
            assert vocabulary.encode(pair.other)[0] > 3


def test_the_same_contrasts_every_time(make_translator):
    base = make_translator().without_memory()
    assert contrasts(base, DOCUMENT) == contrasts(base, DOCUMENT)


def test_systems_are_compared_pair_by_pair():
    pairs = [Contrast(0, "a", False, "b", "said", "", "")] * 4 + [
        Contrast(0, "a", True, "b", "rival", "", "")
    ]
    found = _judged(pairs, [1.0, 2.0, -1.0, 0.0, 3.0], [-1.0, 1.0, 1.0, -1.0, -1.0])
    assert found["said"] == {
        "right": 2, "total": 4, "share": 50.0, "margin": 0.5, "gained": 1, "lost": 1, "p": 1.0
    }  # fmt: skip
    assert found["rival"]["gained"] == found["names"]["gained"] == 1


def test_figures_are_written(make_translator, tmp_path):
    translators = systems(make_translator)
    found = measure_contrastive(translators, [DOCUMENT, DOCUMENT], tmp_path)
    rows = list(csv.DictReader((tmp_path / "contrastive.csv").open()))
    assert len(rows) == found["pairs"]
    for name in translators:
        right = sum(float(row[name]) > 0 for row in rows)
        kinds = found["systems"][name]
        assert right == kinds["said"]["right"] + kinds["rival"]["right"]
    assert found["systems"]["base"]["said"]["gained"] == 0
    assert "pronouns" in found["markdown"]


def test_what_cannot_be_contrasted_is_said(make_translator, tmp_path):
    translators = systems(make_translator)
    with pytest.raises(DataError, match="reference"):
        measure_contrastive(translators, [ParallelDocument("d", SOURCE, ())], tmp_path)
    with pytest.raises(DataError, match="no repeated words"):
        measure_contrastive(translators, [ParallelDocument("d", ("ba",), (("ka",),))], tmp_path)


def test_a_memory_prefers_what_it_remembers(make_translator):
    """A memory of words makes the repeated word likelier than the sentence model does."""
    made = make_translator(memory={"fusion": "shallow", "match": "cosine", "temperature": 20.0})
    document = ParallelDocument("d", ("ba", "ba"), (("ka", "ka"),))
    pairs = [pair for pair in contrasts(made.without_memory(), document) if pair.against == "rival"]
    with_memory, alone = margins(made, document, pairs), margins(made.without_memory(), document, pairs)
    assert sum(with_memory) > sum(alone)
