"""A document said again: the same steps as at first, for models with a memory and models that look back."""

import pytest
import torch

from recollect.analysis.explain import explain
from recollect.analysis.replay import as_said, replay
from recollect.context.hierarchical import HierarchicalRNNSearch
from recollect.context.second_attention import SecondAttentionRNNSearch
from recollect.predict import predict
from recollect.text.vocabulary import EOS

SENTENCES = ["ba be bi", "bo bu", "", "da de ba", "be du do di"]
GIVEN = ["ka ke ki", "ko ku la", "le", "ka li", ""]
RIVALS = {
    "both": {"build": HierarchicalRNNSearch, "sentences": 2, "initial": True, "auxiliary": "gated"},
    "jean": {"build": SecondAttentionRNNSearch},
}


@torch.inference_mode()
def total(translator, sentences, translations):
    """Log P of what was said, by way of the replay."""
    found = 0.0
    for said in replay(translator, sentences, translations):
        scores = predict(translator.searched, said.step, translator.memory, said.slots)[0]
        found += float(scores.gather(1, torch.tensor([*said.tokens, EOS]).unsqueeze(1)).sum())
    return found


@pytest.mark.parametrize("rival", RIVALS)
def test_a_rival_sees_the_sentences_before_again(make_translator, rival):
    translator = make_translator(model=RIVALS[rival])
    sentences, given = SENTENCES[:2] + SENTENCES[3:4], GIVEN[:2] + GIVEN[3:4]
    wanted = translator.likelihood([sentences], [given]).log_probability
    assert total(translator, sentences, as_said(translator, given)) == pytest.approx(wanted, rel=1e-5)
    explained = explain(translator, sentences, as_said(translator, given))
    before = [translator.sentences_before(sentences, number) for number in range(3)]
    for number, each in enumerate(explained):
        source, target = sentences[number : number + 1], given[number : number + 1]
        [scores] = translator.score(source, target, None, [0], [before[number]])
        likely = [word.probability for word in each.words]
        assert likely == pytest.approx(torch.tensor(scores[:-1]).exp().tolist(), rel=1e-4)
        assert all(word.looks == () and word.gate == 0 for word in each.words)


def test_a_memory_is_written_and_read_again(make_translator):
    translator = make_translator()
    sentences, given = SENTENCES[:2] + SENTENCES[3:4], GIVEN[:2] + GIVEN[3:4]
    wanted = translator.likelihood([sentences], [given], origin=0).log_probability
    assert total(translator, sentences, as_said(translator, given)) == pytest.approx(wanted, rel=1e-5)


def test_sentences_without_words_are_counted_and_not_said(make_translator):
    translator = make_translator()
    seen = []
    for said in replay(translator, SENTENCES, as_said(translator, GIVEN)):
        seen.append((said.number, int(said.slots.sentences[0]), said.step.last.shape[1]))
    assert seen == [(0, 0, 4), (1, 1, 4), (3, 3, 3)]


def test_long_documents_are_cut_without_a_seam(make_translator):
    translator = make_translator(memory={"size": 500, "policy": "fifo"})
    sentences, given = ["ba be"] * 70, ["ka ke"] * 70
    last = None
    for said in replay(translator, sentences, as_said(translator, given)):
        last = said.number, int(said.slots.filled.sum())
    assert last == (69, 69 * 2)
