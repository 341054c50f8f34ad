"""Sessions: sentence by sentence, corrected, saved and restored; the memory is always that of the record."""

import json
import random

import numpy as np
import pytest
import torch
from safetensors.torch import save

from recollect.decoding import session as session_module
from recollect.decoding.session import Session
from recollect.errors import ModelError

WORDS = ["ba", "be", "bi", "bo", "bu", "da", "de", "di", "do", "du"]


def document(size, seed=1):
    chance = random.Random(seed)
    return [" ".join(chance.choices(WORDS, k=chance.randint(1, 5))) for _ in range(size)]


@pytest.fixture(scope="module")
def translator(make_translator):
    return make_translator(3)


def begun(translator, sentences):
    session = Session(translator)
    return session, [session.translate(text) for text in sentences]


def assert_same_memory(one, other):
    left, right = one._slots, other._slots
    for name in ("words", "filled", "used", "sentence", "clock", "sentences"):
        assert np.array_equal(np.asarray(getattr(left, name)), np.asarray(getattr(right, name))), name
    full = left.filled[0]
    torch.testing.assert_close(left.keys[0, full], right.keys[0, full], rtol=0, atol=1e-5)
    torch.testing.assert_close(left.values[0, full], right.values[0, full], rtol=0, atol=1e-5)
    plain = [[(each.word, each.sentence, each.age) for each in side.memory] for side in (one, other)]
    assert plain[0] == plain[1]


def test_a_session_is_a_document_told_bit_by_bit(translator):
    sentences = document(12)
    sentences[4] = ""
    _, found = begun(translator, sentences)
    expected = translator.translate(sentences)
    assert [item.text for item in found] == [item.text for item in expected]
    assert [item.tokens for item in found] == [item.tokens for item in expected]
    assert [item.score for item in found] == pytest.approx([item.score for item in expected], abs=1e-4)
    assert [item.text for item in found] != [
        item.text for item in translator.without_memory().translate(sentences)
    ]


def test_the_record_says_what_became_of_each_sentence(translator):
    sentences = document(3)
    session, found = begun(translator, sentences)
    assert [each.source for each in session.sentences] == sentences
    assert [each.text for each in session.sentences] == [item.text for item in found]
    assert not any(each.corrected for each in session.sentences)
    session.correct(1, "ka ke")
    assert [each.corrected for each in session.sentences] == [False, True, False]
    assert session.sentences[1].text == "ka ke"
    assert session.sentences[1].tokens == (4, 5)


def fed(translator, sentences, translations):
    """A fresh session in which each sentence was given its translation as soon as it was said."""
    session = Session(translator)
    for number, (text, translation) in enumerate(zip(sentences, translations, strict=True)):
        session.translate(text)
        session.correct(number, translation)
    return session


@pytest.mark.parametrize("number", [0, 3, -1])
def test_a_correction_replaces_what_was_remembered(translator, number):
    sentences = document(6)
    session, found = begun(translator, sentences)
    session.correct(number, "ma me ma")
    said = [item.text for item in found]
    said[number] = "ma me ma"
    assert_same_memory(session, fed(translator, sentences, said))
    # The next sentence is translated with what was said, not with what had been found at first.
    expected = translator.translate_documents([[*sentences, "ba de"]], [[*said, ""]])[0][-1]
    assert session.translate("ba de").text == expected.text


def test_a_correction_is_seen_in_the_memory(translator):
    session, _ = begun(translator, ["ba be bi"])
    session.correct(0, "me ma me")
    assert [(each.word, each.sentence, each.age) for each in session.memory] == [("me", 0, 0), ("ma", 0, 1)]
    session.correct(0, "lu")
    assert [each.word for each in session.memory] == ["lu"]
    session.correct(0, "")
    assert session.memory == []
    assert session.sentences[0].tokens == ()


def test_the_memory_in_words(translator):
    session, _ = begun(translator, ["ba be", "", "bi bo"])
    session.correct(0, "ka ke ka")
    session.correct(2, "ke ki")
    assert [(each.word, each.sentence, each.age) for each in session.memory] == [
        ("ki", 2, 0),
        ("ke", 2, 1),
        ("ka", 0, 2),
    ]


def test_an_empty_sentence_is_a_sentence(translator):
    """The numbers in the memory are those of the record, also without corrections."""
    session, _ = begun(translator, ["", "ba be", " ", "bi bo"])
    assert {each.sentence for each in session.memory} <= {1, 3}
    assert session.memory[0].sentence == 3
    for each in session.memory:
        assert each.word in session.sentences[each.sentence].text.split()


@pytest.mark.parametrize("number", [3, 70])
def test_corrections_after_many_sentences(translator, monkeypatch, number):
    """Snapshots are taken every few sentences and thinned out as they become many."""
    monkeypatch.setattr(session_module, "SNAPSHOTS", 4)
    sentences = document(90)
    session, found = begun(translator, sentences)
    assert 1 < len(session._snapshots) <= 4
    assert session._spacing > 16
    said, fresh = [item.text for item in found], Session(translator)
    for again in (number, number + 2, 5):  # from one snapshot twice, and from the beginning
        session.correct(again, "ma me ma")
        said[again] = "ma me ma"
        fresh.reset()
        tokens = [translator.target_vocabulary.encode(text) for text in said]
        translator.refill(fresh._slots, 0, sentences, tokens)
        assert_same_memory(session, fresh)
    assert all(at <= 5 for at in session._snapshots)


def test_snapshots_are_the_memory_at_their_time(translator):
    sentences = document(40)
    session, _ = begun(translator, sentences)
    assert sorted(session._snapshots) == [16, 32]
    for at, snapshot in session._snapshots.items():
        before, _ = begun(translator, sentences[:at])
        assert np.array_equal(before._slots.used, snapshot.used)
        assert torch.equal(before._slots.keys, snapshot.keys)


def test_a_correction_replays_no_more_than_it_must(translator, monkeypatch):
    session, _ = begun(translator, document(40))
    replayed = []
    monkeypatch.setattr(translator, "refill", lambda slots, lane, texts, *rest: replayed.append(len(texts)))
    session.correct(35, "ka")
    session.correct(31, "ka")
    session.correct(3, "ka")
    assert replayed == [8, 24, 40]


@pytest.mark.parametrize("number", [5, -6, 99])
def test_there_is_no_such_sentence(translator, number):
    session, found = begun(translator, document(5))
    with pytest.raises(IndexError, match="the session has 5"):
        session.correct(number, "ka")
    assert [each.text for each in session.sentences] == [item.text for item in found]
    with pytest.raises(IndexError):
        Session(translator).correct(0, "ka")


def test_a_saved_session_goes_on_where_it_was(translator):
    sentences = document(30)
    sentences[3] = ""
    session, _ = begun(translator, sentences[:20])
    session.correct(7, "ma 'unknown' me")
    restored = Session.restore(translator, session.save())
    assert restored.sentences == session.sentences
    assert_same_memory(restored, session)
    for text in sentences[20:]:
        assert restored.translate(text) == session.translate(text)
    for number in (25, 24, 2):
        for each in (restored, session):
            each.correct(number, "lu lo")
        assert restored.sentences == session.sentences
        assert_same_memory(restored, session)


def test_restoring_does_not_tie_two_sessions_together(translator):
    session, _ = begun(translator, document(3))
    data = session.save()
    one, two = (Session.restore(translator, data) for _ in range(2))
    one.translate("ba be bi bo")
    assert two.sentences == session.sentences
    assert_same_memory(two, session)
    assert_same_memory(Session.restore(translator, data), session)


def test_an_empty_session_is_saved_too(translator):
    restored = Session.restore(translator, Session(translator).save())
    assert restored.sentences == []
    assert restored.memory == []
    assert restored.translate("ba").text == translator.translate(["ba"])[0].text


def test_reset_begins_another_document(translator):
    session = Session.restore(translator, begun(translator, document(4))[0].save())
    session.reset()
    assert session.sentences == []
    assert session.memory == []
    other = document(6, seed=2)
    assert [session.translate(text).text for text in other] == [
        item.text for item in translator.translate(other)
    ]
    session.correct(5, "ka")  # snapshots of the other document are gone
    assert_same_memory(session, fed(translator, other, [each.text for each in session.sentences]))


def session_bytes(**notes):
    return save({}, {"format": "recollect-session-1", "sentences": "[]"} | notes)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"nonsense",
        b"\xff" * 100,
        save({}),
        save({"keys": torch.zeros(1)}, {"some": "thing"}),
        session_bytes(format="recollect-session-9"),
        session_bytes(sentences="["),
        session_bytes(sentences=json.dumps([["ba", "ka"]])),
    ],
    # The bytes themselves differ between processes, and workers must agree on the names of tests.
    ids=["empty", "text", "ones", "no notes", "other notes", "other format", "half a list", "short sentence"],
)
def test_bad_bytes(translator, data):
    with pytest.raises(ModelError, match="no saved session"):
        Session.restore(translator, data)


def test_cut_off_bytes(translator):
    data = begun(translator, document(3))[0].save()
    for end in (4, 100, len(data) - 1):
        with pytest.raises(ModelError, match="no saved session"):
            Session.restore(translator, data[:end])


def test_a_session_of_another_memory(translator, make_translator):
    data = begun(translator, document(3))[0].save()
    with pytest.raises(ModelError, match="restore it with the model it came from"):
        Session.restore(make_translator(3, memory={"size": 9}), data)


def test_a_session_without_a_memory(translator):
    alone = translator.without_memory()
    sentences = document(6)
    session, found = begun(alone, sentences)
    assert [item.text for item in found] == [item.text for item in alone.translate(sentences)]
    session.correct(2, "ka")
    assert session.memory == []
    restored = Session.restore(alone, session.save())
    assert restored.sentences == session.sentences
    with pytest.raises(ModelError, match="restore it with the model it came from"):
        Session.restore(translator, session.save())
