"""Drafting ahead changes the speed, never the translation."""

from dataclasses import replace

import pytest

from recollect.assemble import packed

DOCUMENTS = [
    ["ba be bi", "bo", "", "bu da", "de di do du", "ba ba", "be bo bu", "du do", "di", "da de ba"],
    ["bo bo bo", "ba", "be du", "du be", "ba bi bo"],
]


@pytest.mark.parametrize("form", ["model", "float32", "float16"])
@pytest.mark.parametrize("fusion", ["deep", "shallow"])
@pytest.mark.parametrize("documents", [1, 2])
def test_greedy_output_is_that_of_one_sentence_after_the_other(
    make_translator, form, fusion, documents, monkeypatch
):
    made = make_translator(memory={"spread": 3.0, "fusion": fusion, "size": 6})
    if form != "model":
        made = packed(made, form)
    greedy = made.replaced(beam=replace(made.beam, size=1))
    searched = []
    monkeypatch.setattr(
        "recollect.decoding.translator.Translator.search_ids", _counting(type(made).search_ids, searched)
    )
    drafted = greedy.replaced(lanes=8).translate_documents(DOCUMENTS[:documents])
    assert max(searched) > documents  # several sentences of a document at once
    searched.clear()
    stepwise = greedy.replaced(lanes=documents).translate_documents(DOCUMENTS[:documents])
    assert max(searched) == documents
    assert [[item.tokens for item in each] for each in drafted] == [
        [item.tokens for item in each] for each in stepwise
    ]
    for ours, theirs in zip(drafted, stepwise, strict=True):
        assert [item.score for item in ours] == pytest.approx([item.score for item in theirs], abs=1e-3)


def test_the_memory_does_change_drafts(make_translator):
    """Else the test above would show nothing."""
    made = make_translator(memory={"spread": 3.0, "size": 6})
    greedy = made.replaced(beam=replace(made.beam, size=1), lanes=8)
    with_memory, without = (each.translate(DOCUMENTS[0]) for each in (greedy, greedy.without_memory()))
    changed = [one.tokens != other.tokens for one, other in zip(with_memory, without, strict=True)]
    assert any(changed)
    assert not all(changed)


def _counting(search, counts):
    def counted(self, texts, slots=None):
        counts.append(len(texts))
        return search(self, texts, slots)

    return counted
