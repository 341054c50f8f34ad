"""A session's memory: however it came about, it is the one that its record asks for."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.decoding.remembered import remembered_words
from recollect.serving.record import Forgotten, Sentence
from recollect.serving.replay import OF_A_PIN, Past, Recollection, Rules
from recollect.text.glossary import Term

SOURCES, TARGETS = ["ba be", "bi", "bo bu da", "de di do", "du ba"], ["ka ke ki", "ko", "ku la", "le li lo"]
PLAIN = Rules(memory=True, glossary=(), pins=(), forgotten=())


def sentence(source: int, target: int, human: bool = False, settled: int = 0) -> Sentence:
    state = "corrected" if human else "machine"
    return Sentence(SOURCES[source % 5], TARGETS[target % 4], state, settled=settled)


sentences = st.builds(sentence, st.integers(0, 4), st.integers(0, 3), st.booleans())
pasts = st.lists(sentences, max_size=9)


def catch_up(memory: Recollection, past: Past, most: int = 3) -> None:
    for _ in range(20):
        if not memory.approach(past, most):
            return
    raise AssertionError("it does not get there")


def content(memory: Recollection) -> Counter:
    """What is remembered, wherever it stands."""
    slots = memory.slots
    assert slots is not None
    filled = np.flatnonzero(slots.filled[0].numpy())
    return Counter(
        (
            int(slots.words[0, place]),
            int(slots.origin[0, place]),
            int(slots.used[0, place]),
            int(slots.sentence[0, place]),
            int(slots.written[0, place]),
            bool(slots.pinned[0, place]),
            tuple(np.round(slots.keys[0, place].numpy(), 3).tolist()),
        )
        for place in filled
    )


def afresh(translator, past: Past) -> Counter:
    memory = Recollection(translator)
    catch_up(memory, past, most=99)
    return content(memory)


@pytest.fixture(scope="module")
def translators(make_translator):
    return {policy: make_translator(memory={"policy": policy, "size": 9}) for policy in ("lru", "fifo")}


@pytest.mark.parametrize("policy", ["lru", "fifo"])
@settings(max_examples=8)
@given(st.lists(pasts, min_size=3, max_size=3))
def test_a_memory_follows_whatever_becomes_of_its_past(translators, policy, versions):
    """Corrected, undone, cut off, gone on: the same as if it had been written from the beginning."""
    translator = translators[policy]
    memory = Recollection(translator)
    for version in versions:
        past = Past("one", PLAIN, version)
        catch_up(memory, past)
        assert memory.is_after(past)
        assert content(memory) == afresh(translator, past)


def test_its_size_is_that_of_all_it_holds(make_translator, monkeypatch):
    translator = make_translator(memory={"size": 9})
    long = [Sentence("ba", " ".join(["ka"] * count), "corrected") for count in (1, 200, 300, 400)]
    memory = Recollection(translator)
    catch_up(memory, Past("one", PLAIN, long[:1]))
    alone, a_word = memory.size, next(iter(memory._notes.values())).size
    catch_up(memory, Past("one", PLAIN, long))
    assert memory.size >= alone + 900 * a_word // 2
    assert memory._noted == sum(note.size for note in memory._notes.values())
    monkeypatch.setattr("recollect.serving.replay.NOTED", 500 * a_word // 2)
    memory = Recollection(translator)
    catch_up(memory, Past("one", PLAIN, long))
    assert len(memory._notes) == 1
    assert memory._noted == sum(note.size for note in memory._notes.values())


@settings(max_examples=8)
@given(pasts, pasts)
def test_a_look_at_another_time_changes_nothing(translators, now, other):
    translator = translators["lru"]
    memory = Recollection(translator)
    past, then = Past("one", PLAIN, now), Past("one", PLAIN, other)
    catch_up(memory, past)
    before = content(memory)
    aside = memory.as_of(then)
    catch_up(aside, then)
    assert content(aside) == afresh(translator, then)
    assert content(memory) == before
    assert memory.is_after(past)


@pytest.mark.parametrize("many", [1, 5, 40])
def test_what_has_left_the_memory_again_is_passed_over(make_translator, many):
    """A long document is not gone through from its beginning if its memory holds but its end."""
    translator = make_translator(memory={"policy": "fifo", "size": 9})
    past = Past("one", PLAIN, [sentence(n, n + n // 3) for n in range(many)])
    short, long = Recollection(translator), Recollection(translator)
    forced = 0
    while short.approach(past, 1):
        forced += 1
    assert forced < 10
    for count in range(many):  # one by one: there is nothing to pass over
        long.approach(Past("one", PLAIN, past.sentences[: count + 1]), 1)
    assert content(short) == content(long)
    assert (short.slots.clock == long.slots.clock).all()


def test_without_memory_nothing_is_remembered(make_translator):
    memory = Recollection(make_translator())
    catch_up(memory, Past("one", Rules(False, (), (), ()), [sentence(1, 1), sentence(2, 2)]))
    assert not memory.slots.filled.any()
    catch_up(memory, Past("one", PLAIN, [sentence(1, 1), sentence(2, 2)]))
    assert memory.slots.filled.any()


def words(memory: Recollection, translator) -> list:
    return remembered_words(memory.slots, translator.target_vocabulary)


def test_a_glossary_is_there_from_the_start_and_stays(make_translator):
    translator = make_translator(memory={"size": 10, "policy": "fifo"})
    memory = Recollection(translator)
    rules = Rules(True, (Term("ba", "ma me"), Term("be", "lu")), (), ())
    past = [sentence(n, n) for n in range(20)]
    catch_up(memory, Past("one", rules, past))
    kept = [each for each in words(memory, translator) if each.origin == "glossary"]
    assert [(each.word, each.sentence, each.pinned) for each in kept] == [
        ("ma", -1, True),
        ("me", -1, True),
        ("lu", -1, True),
    ]
    assert memory.slots.filled.all()
    assert memory.slots.sentences[0] == 20


def test_a_pinned_word_stays_with_the_last_times_it_was_said(make_translator):
    translator = make_translator(memory={"size": 100, "policy": "fifo"})
    rules = Rules(True, (), ("ko",), ())
    memory = Recollection(translator)
    catch_up(memory, Past("one", rules, [sentence(n, 1 if n < 7 else 2) for n in range(60)]), 99)
    found = [each for each in words(memory, translator) if each.word == "ko"]
    assert [each.sentence for each in found] == list(range(7 - OF_A_PIN, 7))
    assert all(each.pinned for each in found)
    catch_up(memory, Past("one", PLAIN, [sentence(n, 1 if n < 7 else 2) for n in range(60)]), 99)
    assert not [each for each in words(memory, translator) if each.word == "ko"]


def test_a_forgotten_word_is_gone_until_a_person_says_it(make_translator):
    translator = make_translator(memory={"size": 50})
    rules = Rules(True, (), (), (Forgotten("ko", 5),))
    memory = Recollection(translator)
    said = [sentence(1, 1), sentence(2, 0), sentence(3, 1, human=True, settled=4)]
    catch_up(memory, Past("one", rules, said))
    assert {each.word for each in words(memory, translator)} == {"ka", "ke", "ki"}
    catch_up(memory, Past("one", rules, [*said, sentence(4, 1, human=True, settled=6)]))
    (found,) = [each for each in words(memory, translator) if each.word == "ko"]
    assert (found.sentence, found.origin) == (3, "correction")


def test_a_model_without_memory_can_be_told_anything(make_translator):
    translator = make_translator().without_memory()
    memory = Recollection(translator)
    past = Past("one", PLAIN, [sentence(1, 1)] * 3)
    assert memory.approach(past, 1) == 0
    assert memory.slots is None
    assert memory.as_of(past).approach(past, 1) == 0


def test_a_past_holds_as_long_as_nothing_in_it_changes(make_record):
    record = make_record("ba", "be", "bi")
    past = Past.of(record, 2)
    record.correct(3, "ko")
    assert past.holds(record)
    record.correct(2, "ko")
    assert not past.holds(record)
