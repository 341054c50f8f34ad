"""Translating with models that look back: a sentence sees those before it in its own document, no others."""

import random

import pytest

from recollect.context.hierarchical import HierarchicalRNNSearch
from recollect.context.second_attention import SecondAttentionRNNSearch
from recollect.decoding.beam import Beam
from recollect.decoding.session import Session
from recollect.errors import ModelError

WORDS = ["ba", "be", "bi", "bo", "bu", "da", "de", "di", "do", "du"]
RIVALS = {
    "both": {"build": HierarchicalRNNSearch, "sentences": 2, "initial": True, "auxiliary": "gated"},
    "auxiliary": {"build": HierarchicalRNNSearch, "sentences": 3, "auxiliary": "plain"},
    "jean": {"build": SecondAttentionRNNSearch},
}


def document(size, seed):
    chance = random.Random(seed)
    return [" ".join(chance.choices(WORDS, k=chance.randint(1, 6))) for _ in range(size)]


DOCUMENTS = [document(4, 1), ["  ", *document(3, 2)], [], document(1, 3), [*document(2, 4), "", "ba de"]]
GIVEN = [["ka ke" for _ in sentences] for sentences in DOCUMENTS]


@pytest.fixture(scope="module", params=RIVALS)
def translator(request, make_translator):
    return make_translator(model=RIVALS[request.param], lanes=4, beam=Beam(size=2, max_length=6))


def details(document):
    return [(each.tokens, pytest.approx(each.score, abs=1e-5)) for each in document]


def test_lanes_change_nothing(translator):
    found = translator.translate_documents(DOCUMENTS)
    one_by_one = translator.replaced(lanes=1)
    for sentences, said in zip(DOCUMENTS, found, strict=True):
        assert details(one_by_one.translate(sentences)) == details(said)


def test_only_sentences_of_the_same_document_are_seen(translator):
    """Another document before, or a session, changes nothing; other sentences before do."""
    for number in (0, 4):
        sentences = DOCUMENTS[number]
        alone = translator.translate(sentences)
        assert details(translator.translate_documents([DOCUMENTS[1], sentences])[1]) == details(alone)
        session = Session(translator)
        assert details([session.translate(text) for text in sentences]) == details(alone)
    seen = translator.model.looks_back
    changed = ["du du du", *DOCUMENTS[0][1:]]
    one, two = (translator.likelihood([[*side]], [GIVEN[0]]) for side in (DOCUMENTS[0], changed))
    assert one.log_probability != pytest.approx(two.log_probability, abs=1e-5)
    last = [translator.search(["ba be"], before=[each])[0][0].score for each in ([], changed[:seen])]
    assert last[0] != pytest.approx(last[1], abs=1e-6)


def test_what_is_seen(translator):
    seen = translator.model.looks_back
    sentences = ["a", "b", " ", "c", "d"]
    assert translator.sentences_before(sentences, 0) == []
    assert translator.sentences_before(sentences, 1) == ["a"]
    assert translator.sentences_before(sentences, 4) == ["a", "b", "c"][-seen:]
    assert translator.sentences_before(sentences, 3) == ["a", "b"][-seen:]


def test_likelihood_is_that_of_forcing_and_of_searching(translator):
    lanes = translator.likelihood(DOCUMENTS, GIVEN)
    alone = [translator.likelihood([one], [given]) for one, given in zip(DOCUMENTS, GIVEN, strict=True)]
    assert lanes.log_probability == pytest.approx(sum(each.log_probability for each in alone), rel=1e-5)
    assert lanes.tokens == sum(each.tokens for each in alone)
    sentences = DOCUMENTS[0]
    before = [translator.sentences_before(sentences, number) for number in range(len(sentences))]
    forced = translator.force(sentences, GIVEN[0], before)
    found = translator.likelihood([sentences], [GIVEN[0]])
    assert found.log_probability == pytest.approx(sum(each.log_probability for each in forced), rel=1e-5)
    (best,) = translator.search(sentences[-1:], before=before[-1:])[0]
    words = translator.target_vocabulary
    text = " ".join(words.piece(token) for token in best.tokens)
    if words.encode(text) == best.tokens:
        scores = translator.score(sentences[-1:], [text], None, [0], before[-1:])
        assert sum(scores[0]) == pytest.approx(best.log_probability, rel=1e-4)


def test_an_interrupted_translation_goes_on_with_what_was_before(translator):
    whole = translator.translate(DOCUMENTS[0])
    done = {0: [each.tokens for each in whole[:2]]}
    rest = [item.translation for item in translator.stream(DOCUMENTS[:1], done=done)]
    assert details(rest) == details(whole[2:])


def test_it_has_no_memory_besides(translator, make_memory):
    with pytest.raises(ModelError, match="has no memory"):
        translator.replaced(memory=make_memory(translator.model))
