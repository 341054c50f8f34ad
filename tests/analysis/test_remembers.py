"""What a memory remembers: the sentences it changed, the slots responsible, and what is counted of them."""

import csv
import json

import pytest

from recollect.analysis.explain import explain
from recollect.analysis.looked import count_looks
from recollect.analysis.remembers import changed_sentences, measure_remembers
from recollect.analysis.replay import as_said, replay, spoken
from recollect.analysis.snippets import cut_out, where_from
from recollect.evaluation.matches import KINDS
from recollect.text.document import ParallelDocument

DOCUMENTS = [
    ParallelDocument(
        "a",
        ("ba be bi", "bo bu ba", "da de", "be bi da", "du do", "ba be bi bo"),
        (("ka ke ki", "ko ku ka", "li ki", "ke ki li", "ku ko", "ka ke ki ko"),),
    ),
    ParallelDocument("b", ("di ba", "", "de di bu be"), (("ki ka", "", "li ku ke ko"),)),
]


@pytest.fixture(scope="module")
def translators(make_translator):
    # A gate that is wide open: the memory must have something to change.
    made = make_translator(memory={"fusion": "shallow", "match": "cosine", "temperature": 20.0}, seed=3)
    return {"base": made.without_memory(), "m": made}


def test_changed_sentences_are_those_that_differ(translators):
    said, base = (spoken(translators[name], DOCUMENTS) for name in ("m", "base"))
    found = changed_sentences(translators["m"], DOCUMENTS, said, base)
    differ = {
        (document.name, number + 1)
        for document, one, other in zip(DOCUMENTS, said, base, strict=True)
        for number in range(len(one))
        if one[number].text != other[number].text
    }
    assert differ, "this memory changes nothing: another seed is needed"
    assert {(each.document, each.sentence) for each in found} == differ
    assert [each.influence for each in found] == sorted((each.influence for each in found), reverse=True)
    by_place = {(each.document, each.sentence): each for each in found}
    words = explain(translators["m"], DOCUMENTS[0].source, said[0])
    for (document, sentence), each in by_place.items():
        if document == "a":
            gains = [
                max(0.0, word.probability - word.probability_alone)
                for word in words[sentence - 1].words
                if word.looks
            ]
            assert each.influence == pytest.approx(sum(gains))
        for word in each.words:
            assert word.probability > word.probability_alone
            for seen in word.seen:
                assert seen.sentence < sentence, "a memory holds what was said before"
                assert f"**{seen.word}**" in seen.target


def test_figures_and_files_agree(translators, tmp_path):
    found = measure_remembers(translators, DOCUMENTS, tmp_path)
    assert found["files"] == ["changed.md", "changed.json", "changed.csv"]
    rows = list(csv.DictReader((tmp_path / "changed.csv").open()))
    system = found["systems"]["m"]
    assert system["sentences"] == 9
    assert len(rows) == system["changed"] > 0
    assert system["nearer"] == sum(float(row["chrf_gain"]) > 0 for row in rows)
    assert system["farther"] == sum(float(row["chrf_gain"]) < 0 for row in rows)
    lists = json.loads((tmp_path / "changed.json").read_text())["m"]
    assert [each["output"] for each in lists] == [row["output"] for row in rows]
    for side in ("matches", "matches_by_chance"):
        assert sum(system[side][kind] for kind in KINDS) == pytest.approx(100)
    assert set(found["consistency"]) == {"base", "m"}
    assert "chrF" in (tmp_path / "changed.md").read_text()
    json.dumps(found)


def test_references_may_be_missing_and_base_too(translators, tmp_path):
    bare = [ParallelDocument(each.name, each.source, ()) for each in DOCUMENTS]
    found = measure_remembers({"m": translators["m"]}, bare, tmp_path)
    assert found["systems"]["m"]["changed"] > 0
    assert found["systems"]["m"]["nearer"] == 0
    assert "repeated words as in the reference" not in found["consistency"]["base"]


def test_looks_are_counted_by_kind(make_translator):
    """One slot only: what is looked at most is what was said last, and chance can do no better."""
    translator = make_translator(memory={"size": 1, "policy": "fifo"})
    given = as_said(translator, ["ku ka", "ka ki", "ka ki", "ku ki"])
    found = count_looks(replay(translator, ["ba"] * 4, given), translator.target_vocabulary)
    # remembered:  -,  ka after ku,  ki after ka,  ki after ka
    # said:        -,  ka ki,        ka ki,        ku ki
    # looked at:       ka/ki, ka/ka:exact          | phrase of ki after ka | exact of ki after ku
    assert found.most.words == 6
    assert found.most.sums == {"phrase": 1.0, "exact": 2.0, "fuzzy": 0.0, "none": 3.0}
    assert found.chance.sums == found.most.sums


def test_snippets_are_cut_at_words():
    text = "the quick brown fox jumps over the lazy dog and runs away"
    assert cut_out(text, 16, 19) == "the quick brown **fox** jumps over the lazy …"
    assert cut_out(text, 0, 3) == "**the** quick brown fox jumps …"
    assert cut_out(text, 53, 57) == "… the lazy dog and runs **away**"
    assert cut_out("然后中国队将比分扩大到了三比零", 2, 5) == "然后**中国队**将比分扩大到了三 …"
    assert cut_out("a", 0, 1) == "**a**"


def test_a_word_is_traced_to_its_sentence(make_translator):
    translator = make_translator()
    sentences = ["ba be", "bo bu"]
    said = translator.translate(sentences)
    piece = said[1].text.split()[0]
    origin = where_from(translator, sentences, said, 1, piece)
    assert origin.target.count("**") == origin.source.count("**") == 2 or "**" not in origin.source
    assert f"**{piece}**" in origin.target
    assert where_from(translator, sentences, said, 0, "never").target == said[0].text
