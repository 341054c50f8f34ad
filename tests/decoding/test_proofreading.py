"""What a model of the other direction thinks of translations, and what comes of it."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from recollect.decoding import proofreading
from recollect.decoding import translator as translator_module
from recollect.decoding.beam import Beam
from recollect.decoding.hypothesis import Hypothesis
from recollect.decoding.proofreading import Proofreader
from recollect.decoding.session import Session

DOCUMENT = ["ba be", "", "bi da du", "bo", "be be di", "do du ba bi", "da", "ba be"]


@pytest.fixture(scope="module")
def back(make_model):
    return make_model(seed=7, source=16, target=14)


@pytest.fixture(scope="module")
def plain(make_translator):
    return make_translator(lanes=3)


@pytest.fixture(scope="module")
def make_proofreader(plain, back):
    def make(weight=0.5, reward=0.3):
        return Proofreader(back, plain.target_vocabulary, plain.source_vocabulary, weight, reward)

    return make


@pytest.fixture(scope="module")
def proofread(plain, make_proofreader):
    return plain.replaced(proofreader=make_proofreader())


def said(log_probability, *tokens):
    nothing = torch.zeros(0)
    return Hypothesis(list(tokens), log_probability, log_probability, nothing, nothing, [])


def log_probability_of(model, given, wanted):
    """By single steps: log P of `wanted` and its end after `given` and its end, no token's below LEAST."""
    source, lengths = torch.tensor([[*given, 3]]), torch.tensor([len(given) + 1])
    progress, last, total = model.start(source, lengths), 2, 0.0
    for token in [*wanted, 3]:
        step, progress = model.step(progress, torch.tensor([[last]]))
        total += max(float(model.predict(step)[0, 0, token]), proofreading.LEAST)
        last = token
    return total


def texts(translations):
    return [each.text for each in translations]


@pytest.mark.parametrize("least", [-100.0, -2.7])
def test_a_score_is_what_both_models_say_and_a_reward_for_every_token(
    plain, back, make_proofreader, monkeypatch, least
):
    monkeypatch.setattr(proofreading, "LEAST", least)
    found = [said(-1.0, 5, 6), said(-1.5, 7), said(-2.0, 8, 9, 10)]
    with torch.inference_mode():
        proofreader = make_proofreader(0.5, 0.3)
        rewarded = proofreader.rewarded(found)
        assert [each.score for each in rewarded] == pytest.approx([-0.1, -0.8, -0.9])
        given = [plain.target_vocabulary.decode(each.tokens) for each in rewarded]
        (ranked,) = proofreader.ranked(["ba be"], [given], [rewarded])
        wanted = plain.source_vocabulary.encode("ba be")
        expected = [
            each.log_probability
            + 0.5 * log_probability_of(back, each.tokens, wanted)
            + 0.3 * (len(each.tokens) + 1)
            for each in found
        ]
    assert [each.score for each in ranked] == pytest.approx(sorted(expected, reverse=True), abs=1e-4)
    best = found[max(range(3), key=lambda number: expected[number])]
    assert ranked[0].tokens == best.tokens
    assert ranked[0].log_probability == best.log_probability


@pytest.fixture
def of_opinion(monkeypatch):
    """Let every proofreader find these log probabilities of a source, given its translations one by one."""

    def set_opinions(*opinions):
        monkeypatch.setattr(proofreading, "score", lambda *_: [[each / 2, each / 2] for each in opinions])

    return set_opinions


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        ([0.0, 0.0], [([7, 8], -3.1), ([5, 6], -4.1)]),
        ([0.5, 0.0], [([7, 8], -3.1), ([5, 6], -3.6)]),
        ([2.5, 0.0], [([5, 6], -1.6), ([7, 8], -3.1)]),
        ([9.0, 0.0], [([5, 6], -1.1), ([7, 8], -3.1)]),  # no doubt is left, and nothing is gained
        ([0.0, 9.0], [([7, 8], -3.1), ([5, 6], -4.1)]),  # there was none
    ],
)
def test_its_doubts_count_as_far_as_they_go_beyond_what_the_memory_says(
    make_proofreader, of_opinion, raised, expected
):
    of_opinion(-6.2, -0.2)
    found = [said(-1.0, 5, 6), said(-3.0, 7, 8)]
    (ranked,) = make_proofreader(0.5).ranked(["ba"], [["ka ke", "ki ko"]], [found], lambda _: raised)
    assert [(each.tokens, pytest.approx(each.score)) for each in ranked] == expected


def test_one_token_that_it_does_not_believe_does_not_decide(make_proofreader, monkeypatch):
    monkeypatch.setattr(proofreading, "score", lambda *_: [[-40.0, -0.1], [-2.0, -2.0]])
    found = [said(-1.0, 5, 6), said(-3.0, 7, 8)]
    (ranked,) = make_proofreader(0.5).ranked(["ba"], [["ka ke", "ki ko"]], [found])
    assert [each.tokens for each in ranked] == [[5, 6], [7, 8]]
    assert ranked[0].score == pytest.approx(-1.0 + 0.5 * (proofreading.LEAST - 0.1))


def test_the_memory_is_asked_also_where_neither_would_have_chosen_what_it_speaks_for(
    make_proofreader, of_opinion
):
    """The proofreader's favourite is too far behind to be said; of the others it prefers the wrong one."""
    of_opinion(-4.0, -8.0, 0.0)
    found = [said(-1.0, 5), said(-1.1, 6), said(-9.0, 7)]
    ranking = make_proofreader(0.5)
    (ranked,) = ranking.ranked(["ba"], [["ka", "ke", "ki"]], [found], lambda _: [0.0, 5.0, 0.0])
    assert [each.tokens for each in ranked] == [[6], [5], [7]]
    (ranked,) = ranking.ranked(["ba"], [["ka", "ke", "ki"]], [found])
    assert [each.tokens for each in ranked] == [[5], [6], [7]]


def test_the_memory_is_asked_only_where_it_could_change_what_is_said(plain, make_proofreader):
    asked = []

    def raised(number):
        asked.append(number)
        return [0.0, 0.0]

    sources = ["ba be", "bi", "do du ba bi", "da", "bo be", "be be di"]
    found = [[said(-1.0, 5, 6), said(-1.01, 7)] for _ in sources]
    texts = [["ka ke", "ki"] for _ in sources]
    ranked = make_proofreader().ranked(sources, texts, found, raised)
    changed = [number for number, each in enumerate(ranked) if each[0].tokens != [5, 6]]
    assert asked == changed
    assert 0 < len(changed) < len(sources)


@pytest.mark.parametrize(
    ("options", "lowers"),
    [({}, True), ({"fusion": "shallow", "key": ["readout"], "match": "cosine"}, False)],
)
def test_a_memory_speaks_for_what_it_makes_likelier(
    make_translator, make_proofreader, monkeypatch, options, lowers
):
    """By as much as forced decoding finds, with the memory and without; never for less than nothing."""
    seen = []
    ranking = Proofreader.ranked

    def ranked(self, sources, texts, found, raised):
        seen.extend(zip(texts[0], raised(0), strict=True))
        return ranking(self, sources, texts, found, raised)

    monkeypatch.setattr(Proofreader, "ranked", ranked)
    translator = make_translator(memory=options, lanes=1, proofreader=make_proofreader())
    slots = translator.memory.empty(1, torch.device("cpu"))
    translator.search([DOCUMENT[2]], slots)
    assert [raised for _, raised in seen] == pytest.approx([0.0] * len(seen), abs=1e-4)  # it is empty
    translator.remember(slots, {0: translator.force(DOCUMENT[2:3], ["lo ma le"])[0]})
    added = []
    for source in filter(None, DOCUMENT):
        seen.clear()
        translator.search([source], slots)
        alone, remembering = (
            np.array([sum(each.score([source], [text], slots, [0])[0]) for text, _ in seen])
            for each in (translator.without_memory(), translator)
        )
        added.append(remembering - alone)
        assert [raised for _, raised in seen] == pytest.approx(added[-1].clip(min=0), abs=1e-3)
    assert np.concatenate(added).max() > 1.0
    assert (np.concatenate(added).min() < -0.1) == lowers


def test_every_sentence_has_the_word_of_its_own_memory(make_translator, make_proofreader):
    """Also where a batch is cut into parts, a thread each."""
    options = {"fusion": "shallow", "key": ["readout"], "match": "cosine"}
    translator = make_translator(memory=options, proofreader=make_proofreader(2.0))
    sources = [
        f"{one} {other} {one}" for one in ("ba", "be", "bi", "bo") for other in ("da", "de", "di", "do")
    ]
    slots = translator.memory.empty(len(sources), torch.device("cpu"))
    heard = dict(enumerate(translator.force(sources[8:], ["ka ke ki", "lo ma", "me me lu le", "ku"] * 2), 8))
    translator.remember(slots, heard)
    alone = [
        translator.search([source], slots.view([lane]))[0][0].score for lane, source in enumerate(sources)
    ]
    torch.set_num_threads(2)
    try:
        together = translator.search(sources, slots)
    finally:
        torch.set_num_threads(1)
    assert [each[0].score for each in together] == pytest.approx(alone, abs=1e-4)
    unheard = translator.search(sources)
    assert [each[0].score for each in unheard] != pytest.approx(alone, abs=1e-2)


def test_sources_do_not_touch_one_another(plain, make_proofreader):
    sources = ["ba be", "bi", "do du ba bi", "bi"]
    found = [
        [said(-1.0, 5, 6), said(-1.1, 7)],
        [said(-0.5, 9)],
        [said(-3.0, 5, 5, 5, 8), said(-1.0, 6, 11)],
        [],
    ]
    given = [[plain.target_vocabulary.decode(each.tokens) for each in some] for some in found]
    proofreader = make_proofreader()
    together = proofreader.ranked(sources, given, found)
    alone = [
        proofreader.ranked([one], [some], [few])[0]
        for one, some, few in zip(sources, given, found, strict=True)
    ]
    for one, other in zip(together, alone, strict=True):
        assert [each.tokens for each in one] == [each.tokens for each in other]
        assert [each.score for each in one] == pytest.approx([each.score for each in other], abs=1e-4)


def test_where_there_is_no_choice_nothing_is_asked(plain, make_proofreader):
    one, same = [said(-1.0, 5)], [said(-1.0, 5, 6), said(-2.0, 5, 6)]
    ranked = make_proofreader().ranked(["ba", "be"], [["ka"], ["ka ke", "ka ke"]], [one, same])
    assert ranked == [one, same]


def test_it_changes_what_is_said_and_what_is_remembered(plain, proofread):
    usual, chosen = plain.translate(DOCUMENT), proofread.translate(DOCUMENT)
    assert texts(usual) != texts(chosen)
    session = Session(proofread)
    assert texts(session.translate(text) for text in DOCUMENT) == texts(chosen)


@pytest.mark.parametrize("lanes", [1, 4])
def test_documents_side_by_side_are_as_one_by_one(proofread, lanes):
    documents = [DOCUMENT, DOCUMENT[::-1], DOCUMENT[2:5], []]
    found = proofread.replaced(lanes=lanes).translate_documents(documents)
    for each, document in zip(found, documents, strict=True):
        assert texts(each) == texts(proofread.translate(document))


def test_without_a_memory_it_is_asked_too(plain, proofread):
    alone = proofread.without_memory()
    assert alone.proofreader is proofread.proofreader
    assert texts(alone.translate(DOCUMENT)) != texts(plain.without_memory().translate(DOCUMENT))


def test_greedy_search_leaves_it_nothing_to_choose(plain, proofread):
    one = Beam(size=1, max_length=6)
    for memory in (plain.memory, None):
        greedy = plain.replaced(beam=one, memory=memory).translate(DOCUMENT)
        assert texts(proofread.replaced(beam=one, memory=memory).translate(DOCUMENT)) == texts(greedy)


@pytest.mark.parametrize(
    ("beam", "found"),
    [(Beam(size=8), 3), (Beam(size=2), 2), (Beam(size=1), 1), (Beam(size=8, n_best=5), 5)],
)
def test_it_sees_three_translations_or_what_is_asked_for(proofread, beam, found):
    assert proofread.replaced(beam=beam).candidates == replace(beam, n_best=found)


def test_alternatives_come_in_its_order(proofread):
    wide = proofread.replaced(beam=Beam(size=3, n_best=3, max_length=6))
    for best in wide.without_memory().translate(DOCUMENT):
        scores = [best.score, *(each.score for each in best.alternatives)]
        assert scores == sorted(scores, reverse=True)
    (first,) = wide.without_memory().translate(DOCUMENT[:1])
    assert first.text == proofread.without_memory().translate(DOCUMENT[:1])[0].text
    assert len(first.alternatives) == 2


def test_of_several_outputs_those_it_likes_best_are_remembered(plain, proofread):
    """With k-best remembering, the memory holds as many outputs as asked for, the proofreader's."""
    two = proofread.replaced(k_best=2)
    notes = []
    remembering = two.remember

    def remember(slots, hypotheses, origin=0):
        notes.extend(each.tokens for each in hypotheses.values() if each is not None)
        remembering(slots, hypotheses, origin)

    two.remember = remember
    two.translate(DOCUMENT[:1])
    wide = proofread.replaced(beam=replace(proofread.beam, n_best=3))
    (found,) = wide.search(DOCUMENT[:1])
    assert notes == [found[1].tokens, found[0].tokens]  # the best one last


def test_a_respelled_name_is_judged_as_it_will_be_said(plain, proofread, monkeypatch):
    """Spelling comes first: what is ranked is what a reader gets, at the price of what search found."""
    asked = []

    def respell(translator, source, found, slots, before):
        better = translator.target_vocabulary.encode("ka ke ki ko")
        return [replace(each, tokens=better) if number == 1 else each for number, each in enumerate(found)]

    ranking = Proofreader.ranked

    def ranked(self, sources, texts, found, raised):
        asked.append((texts[0], [each.score for each in found[0]]))
        return ranking(self, sources, texts, found, raised)

    monkeypatch.setattr(translator_module, "spelled", respell)
    monkeypatch.setattr(Proofreader, "ranked", ranked)
    with torch.inference_mode():
        proofread.without_memory().search(["ba be bi"])
        before = proofread.replaced(proofreader=None, memory=None, beam=proofread.candidates).search_ids(
            [proofread.source_vocabulary.encode("ba be bi")]
        )[0]
    ((texts_asked, scores),) = asked
    assert texts_asked[1] == "ka ke ki ko"
    expected = sorted((each.log_probability + 0.3 * (len(each.tokens) + 1) for each in before), reverse=True)
    assert scores == pytest.approx(expected, abs=1e-4)
