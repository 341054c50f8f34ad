"""Documents in, documents out: however they are dealt to lanes, interrupted or resumed."""

import math
import random

import numpy as np
import pytest
import torch

from recollect.decoding import translator as translator_module
from recollect.decoding.beam import Beam
from recollect.decoding.forced import force
from recollect.decoding.hypothesis import Hypothesis
from recollect.decoding.session import Session
from recollect.predict import predict
from recollect.text.vocabulary import BOS, EOS, UNK

WORDS = ["ba", "be", "bi", "bo", "bu", "da", "de", "di", "do", "du", "unheard"]

SPOKEN = ["ka", "ke", "ki", "ko", "ku", "la", "le", "li", "lo", "lu", "ma", "me"]


def sentence(chance):
    return " ".join(chance.choices(WORDS, k=chance.randint(1, 6)))


def corpus(sizes=(4, 1, 6, 3, 0, 5, 2, 3, 4), seed=5):
    """Documents of all sizes, an empty one and two empty sentences among them."""
    chance = random.Random(seed)
    documents = [[sentence(chance) for _ in range(size)] for size in sizes]
    documents[2][1] = ""
    documents[3][0] = "  "
    return documents


DOCUMENTS = corpus()


@pytest.fixture(scope="module")
def translator(make_translator):
    return make_translator(lanes=3)


@pytest.fixture(scope="module")
def found(translator):
    """What the translator says to DOCUMENTS."""
    return translator.translate_documents(DOCUMENTS)


@pytest.fixture(scope="module")
def alone(translator, found):
    """What it says without a memory."""
    said = translator.without_memory().translate_documents(DOCUMENTS)
    assert texts(said) != texts(found), "the memory must matter here"
    return said


def texts(documents):
    return [[translation.text for translation in document] for document in documents]


def assert_same(one, other):
    assert texts(one) == texts(other)
    for left, right in zip(one, other, strict=True):
        for a, b in zip(left, right, strict=True):
            assert a.tokens == b.tokens
            assert a.score == pytest.approx(b.score, abs=1e-4)


# -- documents and lanes


@pytest.mark.parametrize("lanes", [1, 2, 7, 20])
def test_lanes_change_nothing(translator, found, lanes):
    assert_same(translator.replaced(lanes=lanes).translate_documents(DOCUMENTS), found)


@pytest.mark.parametrize(
    "options", [{"fusion": "shallow"}, {"policy": "fifo"}, {"address": "word", "size": 25}]
)
def test_lanes_change_nothing_for_other_memories(make_translator, options):
    made = make_translator(2, memory=options, store_end=True)
    found = [made.replaced(lanes=lanes).translate_documents(DOCUMENTS) for lanes in (1, 4)]
    assert_same(*found)
    assert texts(found[0]) != texts(made.without_memory().translate_documents(DOCUMENTS))


def test_one_document_or_many(translator, found):
    assert_same(found, [translator.translate(document) for document in DOCUMENTS])
    assert [len(document) for document in found] == [len(document) for document in DOCUMENTS]


def test_documents_come_as_a_stream(translator):
    """Sentences of a document come in order, and no more documents are asked for than there are lanes."""
    asked, most = 0, 0

    def waiting():
        nonlocal asked
        for document in DOCUMENTS:
            asked += 1
            yield document

    seen = [[] for _ in DOCUMENTS]
    for item in translator.stream(waiting()):
        seen[item.document].append(item.sentence)
        finished = sum(len(found) == len(document) for found, document in zip(seen, DOCUMENTS, strict=True))
        most = max(most, asked - finished)
    assert seen == [list(range(len(document))) for document in DOCUMENTS]
    assert most <= 3 + 1  # the document just finished is replaced at the next tick


def test_nothing_to_translate(translator):
    assert translator.translate_documents([]) == []
    assert translator.translate_documents([[], []]) == [[], []]
    assert translator.translate([]) == []
    assert translator.without_memory().translate_documents([[], []]) == [[], []]


def test_a_string_is_no_document(translator):
    with pytest.raises(TypeError, match="list of sentences"):
        translator.translate("ba be")


@pytest.mark.parametrize("empty", ["", "   ", "\t"])
def test_empty_sentences_leave_no_trace(translator, empty):
    document = DOCUMENTS[5]
    with_gaps = [empty, *document[:2], empty, empty, *document[2:], empty]
    for each in (translator, translator.without_memory()):
        found = each.translate(with_gaps)
        assert [item.text for item in found if item.text] == [item.text for item in each.translate(document)]
        for number in (0, 3, 4, len(with_gaps) - 1):
            assert (found[number].text, found[number].tokens, found[number].score) == ("", (), 0.0)


def test_without_memory_order_is_no_matter(translator):
    alone = translator.without_memory()
    document = DOCUMENTS[2] + DOCUMENTS[5]
    forwards, backwards = alone.translate(document), alone.translate(document[::-1])
    assert_same([forwards], [backwards[::-1]])
    assert_same([forwards], [[alone.translate([text])[0] for text in document]])
    remembered = translator.translate(document[::-1])[::-1]
    assert texts([translator.translate(document)]) != texts([remembered])


def test_without_memory_sentences_come_in_order(translator, monkeypatch):
    monkeypatch.setattr(translator_module, "WINDOW", 2)
    alone = translator.without_memory()
    items = list(alone.stream(DOCUMENTS))
    places = [(item.document, item.sentence) for item in items]
    assert places == [(d, s) for d, document in enumerate(DOCUMENTS) for s in range(len(document))]


def test_fusion_none_is_the_sentence_model(make_translator):
    made = make_translator(memory={"fusion": "none"})
    assert_same(made.translate_documents(DOCUMENTS), made.without_memory().translate_documents(DOCUMENTS))


# -- resuming


def interrupted(translator, after, **options):
    """Translate, stop after some sentences, and go on from the tokens of those."""
    done, first = {}, {}
    stream = translator.stream(DOCUMENTS, **options)
    for _ in range(after):
        item = next(stream)
        assert len(done.setdefault(item.document, [])) == item.sentence
        done[item.document].append(list(item.translation.tokens))
        first[item.document, item.sentence] = item.translation
    rest = list(translator.stream(DOCUMENTS, done=done, **options))
    places = [(item.document, item.sentence) for item in rest]
    assert not first.keys() & set(places)
    whole = first | {place: item.translation for place, item in zip(places, rest, strict=True)}
    assert len(whole) == after + len(rest) == sum(map(len, DOCUMENTS))
    return [[whole[d, s] for s in range(len(document))] for d, document in enumerate(DOCUMENTS)]


@pytest.mark.parametrize("after", [0, 1, 11, 20, 28])
def test_going_on_is_never_having_stopped(translator, found, after):
    assert_same(interrupted(translator, after), found)


@pytest.mark.parametrize("address", ["word", "pair"])
def test_going_on_with_other_addresses(make_translator, address):
    made = make_translator(memory={"address": address, "size": 4})
    assert_same(interrupted(made, 12), made.translate_documents(DOCUMENTS))


@pytest.mark.parametrize("options", [{"carry": True}, {"store_end": True}, {"memory": None}])
def test_going_on_with_other_options(translator, options):
    made = translator.replaced(**options)
    assert_same(interrupted(made, 12), made.translate_documents(DOCUMENTS))


def test_going_on_with_a_history(translator, found):
    """What a sentence was remembered as is the history's word, also for sentences done before."""
    history = [[" ".join(["ma", "me", "lu", "lo"][: 1 + n % 4]) for n, _ in enumerate(d)] for d in DOCUMENTS]
    whole = translator.translate_documents(DOCUMENTS, history)
    assert texts(whole) != texts(found)
    assert_same(interrupted(translator, 12, history=history), whole)


# -- history


SETTLED = {d: {n: "ka ke" for n in range(len(document)) if n % 3} for d, document in enumerate(DOCUMENTS)}


def test_settled_sentences_are_kept_and_remembered(translator, found):
    """What a person has translated is not translated again; the rest is as after a correction."""
    stream = list(translator.stream(DOCUMENTS, settled=SETTLED))
    told = {(item.document, item.sentence): item.translation for item in stream}
    assert len(stream) == len(told) == sum(map(len, DOCUMENTS))
    others = [(d, n) for d, document in enumerate(DOCUMENTS) for n in range(len(document)) if not n % 3]
    assert any(told[d, n].score != found[d][n].score for d, n in others)
    for number, document in enumerate(DOCUMENTS):
        session = Session(translator)
        for n, sentence in enumerate(document):
            said = session.translate(sentence)
            if n in SETTLED[number]:
                assert told[number, n].text == "ka ke"
                session.correct(n, "ka ke")
            else:
                assert told[number, n].text == said.text
                assert told[number, n].score == pytest.approx(said.score, abs=1e-4)


@pytest.mark.parametrize("options", [{}, {"memory": None}, {"beam": Beam(size=1)}])
def test_going_on_with_settled_sentences(translator, options):
    made = translator.replaced(**options)
    whole = [[None] * len(document) for document in DOCUMENTS]
    for item in made.stream(DOCUMENTS, settled=SETTLED):
        whole[item.document][item.sentence] = item.translation
    assert_same(interrupted(made, 12, settled=SETTLED), whole)


def test_links_tell_which_words_belong_together(translator, found):
    for document, translations in zip(DOCUMENTS, found, strict=True):
        for sentence, translation in zip(document, translations, strict=True):
            for link in translator.links(sentence, translation):
                assert sentence[link.source_start : link.source_end].strip()
                assert 0 <= link.target_start <= link.target_end <= len(translation.text)


def test_our_own_words_as_history_are_the_default(translator, found):
    assert_same(translator.translate_documents(DOCUMENTS, history=texts(found)), found)


def test_another_history_tells(translator, found):
    given = [["ka ke"] * len(document) for document in DOCUMENTS]
    told = translator.translate_documents(DOCUMENTS, history=given)
    assert texts(told) != texts(found)
    for one, two in zip(told, found, strict=True):  # but not in the first sentence
        assert [item.text for item in one[:1]] == [item.text for item in two[:1]]


def test_a_history_may_have_gaps(translator, alone):
    """A sentence that the history leaves empty is not remembered."""
    nothing = [[""] * len(document) for document in DOCUMENTS]
    assert_same(translator.translate_documents(DOCUMENTS, history=nothing), alone)


# -- carrying on


def test_carried_on_documents_are_one(translator, found):
    carried = translator.replaced(carry=True, lanes=5).translate_documents(DOCUMENTS)
    as_one = translator.translate([text for document in DOCUMENTS for text in document])
    assert_same([[item for document in carried for item in document]], [as_one])
    scores = [[[item.score for item in document] for document in each] for each in (carried, found)]
    assert scores[0] != scores[1]


# -- what is remembered


def test_a_document_starts_with_an_empty_memory(found, alone):
    assert texts([document[:1] for document in found]) == texts([document[:1] for document in alone])


@pytest.mark.parametrize("store_end", [False, True])
def test_ends_are_stored_if_asked_for(translator, store_end):
    made = translator.replaced(store_end=store_end)
    slots = made.memory.empty(3)
    (hypothesis,) = force(made.model, [[5, 6]], [[7, 8]])
    made.remember(slots, {1: hypothesis, 2: None})
    assert slots.words[1][slots.filled[1]].tolist() == [7, 8, EOS][: 2 + store_end]
    assert slots.filled.any(1).tolist() == [False, True, False]
    assert torch.equal(slots.keys[1, 0], hypothesis.contexts[0])
    assert torch.equal(slots.values[1, 1], hypothesis.states[1])
    if store_end:
        assert torch.equal(slots.keys[1, 2], hypothesis.contexts[2])


def test_several_outputs_are_remembered_if_asked_for(translator):
    """The best one last, so that it is the most recent; they are one sentence."""
    hypotheses = force(translator.model, [[5, 6]] * 3, [[7, 8], [9], [10]])
    for k_best, expected in ((1, [7, 8]), (2, [9, 7, 8]), (5, [10, 9, 7, 8])):
        made = translator.replaced(k_best=k_best)
        slots = made.memory.empty(1)
        made.remember_best(slots, 0, hypotheses)
        order = np.argsort(slots.used[0][slots.filled[0].numpy()])
        assert slots.words[0][slots.filled[0]][order].tolist() == expected
        assert slots.sentences.tolist() == [1]


def test_the_search_finds_as_many_as_are_remembered(translator):
    """One sentence's outputs are the same however many are kept; the next one looks at other slots."""
    sentences = ["ba be bi", "bo bu da", "de di do"]
    found = [translator.replaced(k_best=many).translate(sentences) for many in (1, 3)]
    assert [len(document[0].alternatives) for document in found] == [0, 2]
    assert found[0][0].tokens == found[1][0].tokens
    assert [each.score for each in found[0][1:]] != [each.score for each in found[1][1:]]


def test_a_lane_counts_its_sentences_also_the_empty_ones(translator):
    slots = translator.memory.empty(2)
    (hypothesis,) = force(translator.model, [[5, 6]], [[7]])
    translator.remember(slots, {0: None})
    translator.remember(slots, {0: hypothesis, 1: None})
    assert slots.sentences.tolist() == [2, 1]
    assert slots.sentence[0, 0] == 1
    again = translator.memory.empty(2)
    translator.refill(again, 0, ["", "be bi"], [(), (7,)])
    assert again.sentences.tolist() == [2, 0]
    assert again.sentence[0, 0] == 1


# -- text


def hypothesis(tokens, aligned, score=-1.0):
    return Hypothesis(tokens, score, score, torch.zeros(0, 1), torch.zeros(0, 1), aligned)


def test_unknown_words_are_looked_up_or_copied(translator):
    made = translator.replaced(dictionary={"Anna": "ANNA"})
    found = made.express("Anna ba Berta", [hypothesis([UNK, 4, UNK, UNK], [0, 1, 2, 3, 3])])
    assert found.text == "ANNA ka Berta Berta"  # the last looks at the end of the source
    assert found.tokens == (UNK, 4, UNK, UNK)
    assert translator.express("Anna ba", [hypothesis([UNK, 4], [0, 1, 2])]).text == "<unk> ka"
    assert str(found) == found.text


def test_alternatives_follow_the_best(translator):
    found = translator.express("ba", [hypothesis([4], [0, 0], -1), hypothesis([5], [0, 0], -2)])
    assert (found.text, found.score) == ("ka", -1)
    assert [(item.text, item.score) for item in found.alternatives] == [("ke", -2)]
    made = translator.replaced(beam=Beam(size=4, n_best=3, max_length=6))
    best = made.translate(DOCUMENTS[0])[0]
    assert len(best.alternatives) == 2
    assert best.score >= best.alternatives[0].score >= best.alternatives[1].score


# -- likelihood


@torch.no_grad()
def slow_likelihood(translator, documents, translations, history):
    """Sentence by sentence and step by step, one document after the other."""
    model, memory = translator.model, translator.memory
    total, count = 0.0, 0
    for document, said, remembered in zip(documents, translations, history, strict=True):
        slots = memory.empty(1)
        for text, translation, heard in zip(document, said, remembered, strict=True):
            source = translator.source_vocabulary.encode(text)
            target = translator.target_vocabulary.encode(translation)
            progress = model.start(torch.tensor([[*source, EOS]]), torch.tensor([len(source) + 1]))
            for previous, token in zip([BOS, *target], [*target, EOS], strict=True):
                step, progress = model.step(progress, torch.tensor([[previous]]))
                total += predict(model, step, memory, slots)[0, 0, token].item()
                count += 1
            tokens = translator.target_vocabulary.encode(heard)
            (found,) = force(model, [source], [tokens])
            step = model.rebuild(found.states[None], found.contexts[None], torch.tensor([[BOS, *tokens]]))
            memory.write(slots, step, [tokens], model)
    return total, count


def made_up(documents, seed):
    """Translations of one to four words that have nothing to do with their sources."""
    chance = random.Random(seed)
    return [
        [" ".join(chance.choices(SPOKEN, k=chance.randint(1, 4))) for _ in document] for document in documents
    ]


def test_likelihood_step_by_step(translator):
    documents = [[text for text in document if text.strip()] for document in DOCUMENTS]
    given, other = (made_up(documents, seed) for seed in (3, 4))
    for history in (None, other):
        found = translator.likelihood(documents, given, history)
        total, count = slow_likelihood(translator, documents, given, given if history is None else history)
        assert found.tokens == count
        assert found.log_probability == pytest.approx(total, rel=1e-5)
        assert found.perplexity == pytest.approx(math.exp(-total / count), rel=1e-4)
    default, with_history = (translator.likelihood(documents, given, history) for history in (given, other))
    assert default.log_probability == translator.likelihood(documents, given).log_probability
    assert default.log_probability != pytest.approx(with_history.log_probability, rel=1e-3)


def test_likelihood_does_not_depend_on_lanes_or_order(translator, found):
    given = texts(found)
    whole = translator.likelihood(DOCUMENTS, given)
    for lanes in (1, 20):
        dealt = translator.replaced(lanes=lanes).likelihood(DOCUMENTS, given)
        assert dealt.tokens == whole.tokens
        assert dealt.log_probability == pytest.approx(whole.log_probability, rel=1e-5)
    turned = translator.likelihood(DOCUMENTS[::-1], given[::-1])
    assert turned.log_probability == pytest.approx(whole.log_probability, rel=1e-5)
    each = [
        translator.likelihood([document], [said]) for document, said in zip(DOCUMENTS, given, strict=True)
    ]
    assert sum(item.log_probability for item in each) == pytest.approx(whole.log_probability, rel=1e-5)


def test_likelihood_without_memory_is_that_of_its_sentences(translator, alone):
    given, made = texts(alone), translator.without_memory()
    single = made.likelihood([[t] for d in DOCUMENTS for t in d], [[t] for d in given for t in d])
    whole = made.likelihood(DOCUMENTS, given)
    assert whole.tokens == single.tokens
    assert whole.log_probability == pytest.approx(single.log_probability, rel=1e-5)
    assert translator.likelihood(DOCUMENTS, given).log_probability != pytest.approx(whole.log_probability)


def test_the_score_of_a_translation_is_its_likelihood(translator):
    """The best hypothesis in the memory of the moment scores what forced decoding says."""
    slots = translator.memory.empty(1)
    for text in DOCUMENTS[5]:
        ((found,),) = translator.search([text], slots)
        said = translator.target_vocabulary.decode(found.tokens)
        (scores,) = translator.score([text], [said], slots, [0])
        assert found.log_probability == pytest.approx(sum(scores), abs=1e-3)
        translator.remember(slots, {0: found})


def test_nothing_has_no_likelihood(translator):
    found = translator.likelihood([], [])
    assert (found.log_probability, found.tokens, found.perplexity) == (0.0, 0, 1.0)


def test_search_leaves_the_memory_alone(translator):
    slots = translator.memory.empty(2)
    (heard,) = force(translator.model, [[5, 6]], [[7, 8]])
    translator.remember(slots, {0: heard})
    before = slots.select(np.arange(2))
    found = translator.search(["ba be", ""], slots)
    assert len(found[0]) == 1
    assert found[1] == []
    for name in slots.__slots__:
        assert np.array_equal(np.asarray(getattr(slots, name)), np.asarray(getattr(before, name)))
