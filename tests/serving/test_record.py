"""The record of a session: what people do to it, what the machine does, and the way back."""

from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.serving.reasons import Looked, Reason, changed_words
from recollect.serving.record import Record, Said, Sentence
from recollect.serving.refusals import MissingError, WrongError
from recollect.serving.store import Kept
from recollect.text.glossary import Term


def record(*sources: str) -> Record:
    made = Record("an id", "an owner", "a name", 1.0, 1.0, ("zh", "en"), "a model")
    made.append(Sentence(source) for source in sources)
    return made


def say(one: Record, *texts: str) -> None:
    """Let the machine say what is due, in order."""
    for text in texts:
        place = one.next_to_translate()
        assert place is not None
        one.translated(place, Said(text, tuple(range(len(text))), (0,) * (len(text) + 1)))
    one.rest_is_done()


def stored(one: Record, items: dict[str, bytes]) -> Record:
    """Store what has changed among `items`, and read it again."""
    change = one.change(now=2.0)
    for name in change.removed:
        del items[name]
    items |= change.put
    one.revision += 1
    return Record.of(Kept(one.revision, items), one.model)


def texts(one: Record) -> list[str | None]:
    return [each.text for each in one.sentences]


def test_a_correction_makes_the_machine_say_the_rest_anew():
    one = record("a", "b", "c", "d")
    say(one, "A", "B", "C", "D")
    one.correct(2, "B!")
    assert [one.sentences[1].text, one.sentences[1].state] == ["B!", "corrected"]
    assert one.next_to_translate() == 2
    assert one.waiting == 2
    assert one.followed() is None
    say(one, "C", "D!")
    followed = one.followed()
    assert followed is not None
    assert (followed.what, followed.because, followed.places) == ("correction of sentence 2", 2, (3,))
    assert (one.sentences[3].before, one.sentences[3].text) == ("D", "D!")
    assert one.next_to_translate() is None


def test_what_a_person_has_settled_stays():
    one = record("a", "b", "c")
    say(one, "A", "B", "C")
    one.confirm(2)
    one.correct(1, "A!")
    say(one, "C!")
    assert texts(one) == ["A!", "B", "C!"]


def test_a_second_correction_while_the_first_is_being_followed():
    """What is told in the end is told in one: from what was there before both."""
    one = record("a", "b", "c", "d")
    say(one, "A", "B", "C", "D")
    one.correct(1, "A!")
    say(one, "B!")
    one.correct(1, "A?")
    say(one, "B?", "C?", "D")
    followed = one.followed()
    assert followed is not None
    assert followed.places == (1, 2)
    assert [one.sentences[place].before for place in followed.places] == ["B", "C"]


def test_a_sentence_that_comes_back_to_what_it_was_is_no_news_in_the_end():
    one = record("a", "b")
    say(one, "A", "B")
    one.correct(1, "A!")
    say(one, "B!")
    one.undo()
    say(one, "A", "B")
    assert texts(one) == ["A", "B"]
    one.correct(1, "A!")
    one.correct(1, "A?")
    say(one, "B")
    followed = one.followed()
    assert followed is not None
    assert followed.places == ()


def test_undo_goes_all_the_way_back():
    one = record("a", "b", "c")
    say(one, "A", "B", "C")
    one.correct(1, "A!")
    one.confirm(2)
    one.pin("C")
    one.forget("B")
    one.set_terms([Term("a", "A")])
    undone = []
    while one.steps:
        undone.append(one.undo().what)
    assert undone == [
        "change of the glossary",
        "forgetting of 'B'",
        "pinning of 'C'",
        "confirmation of sentence 2",
        "correction of sentence 1",
    ]
    assert texts(one) == ["A", "B", "C"]
    assert not any(each.human for each in one.sentences)
    assert (one.pins, one.forgotten, one.glossary) == ((), (), ())
    assert one.waiting == 3, "the machine has to say it all anew"
    with pytest.raises(WrongError, match="nothing to undo"):
        one.undo()


def test_mistakes_are_told():
    one = record("a")
    with pytest.raises(MissingError, match="no sentence 2: the session has sentences 1 to 1"):
        one.correct(2, "B")
    with pytest.raises(WrongError, match="not translated yet"):
        one.confirm(1)
    with pytest.raises(WrongError, match="no translation in this session says 'x'"):
        one.pin("x")
    with pytest.raises(WrongError, match="'x' is not pinned"):
        one.unpin("x")


def test_what_can_be_undone_has_a_bound(monkeypatch):
    monkeypatch.setattr("recollect.serving.record.MOST_STEPS", 3)
    one, items = record("a", "b"), {}
    for number in range(10):
        one.correct(number % 2 + 1, f"text {number}")
        again = stored(one, items)
        assert again.steps == one.steps
    assert sorted(items) == ["head", "rules", "s0", "s1", "u7", "u8", "u9"]
    for number in range(3):
        again.undo()
        again = stored(again, items)
        assert len(again.steps) == 2 - number
    assert [each.text for each in again.sentences] == ["text 6", "text 5"]
    with pytest.raises(WrongError, match="nothing to undo"):
        again.undo()
    assert sorted(items) == ["head", "rules", "s0", "s1"]


def test_a_pinned_word_that_nobody_says_any_more_can_be_unpinned():
    one = record("a", "b")
    say(one, "A came", "B")
    one.pin("came")
    say(one, "B")
    one.correct(1, "A went")
    say(one, "B")
    one.unpin("came")
    assert one.pins == ()
    assert one.next_to_translate() is None, "it was in nobody's memory"
    one.undo()
    assert one.pins == ("came",)


def test_words_that_are_pinned_and_forgotten():
    one = record("a", "b", "c")
    say(one, "Anna", "came", "Anna")
    one.pin("came")
    assert one.next_to_translate() == 2, "only what comes after it can change"
    one.forget("came")
    assert one.pins == ()
    assert [each.word for each in one.forgotten] == ["came"]
    one.pin("came")
    assert one.forgotten == ()
    one.unpin("came")
    assert one.pins == ()


def test_the_memory_is_switched():
    one = record("a", "b")
    say(one, "A", "B")
    one.switch_memory(True)
    assert one.waiting == 0
    one.switch_memory(False)
    assert one.waiting == 2
    assert not one.steps


actions = st.lists(
    st.one_of(
        st.tuples(st.just("correct"), st.integers(1, 4), st.sampled_from(["A B", "B", "C"])),
        st.tuples(st.just("confirm"), st.integers(1, 4)),
        st.tuples(st.just("pin"), st.sampled_from("AB")),
        st.tuples(st.just("forget"), st.sampled_from("AB")),
        st.tuples(st.just("set_terms"), st.sampled_from([[], [Term("a", "A")]])),
        st.tuples(st.just("switch_memory"), st.booleans()),
        st.tuples(st.just("undo")),
        st.tuples(st.just("machine"), st.sampled_from(["A", "B", "A B"])),
        st.tuples(st.just("more")),
    ),
    max_size=25,
)


def do(one: Record, action: tuple) -> None:
    name, *arguments = action
    if name == "machine":
        place = one.next_to_translate()
        if place is not None:
            why = (Reason("A", 0, 1, 0.5, (Looked("B", 1, 0.9, "own"),)),)
            one.translated(place, Said(arguments[0], (5, 6), (0, 1, 2), why))
        else:
            one.rest_is_done()
    elif name == "more":
        one.append([Sentence("more", gap="\n")])
    else:
        try:
            getattr(one, name)(*arguments)
        except (WrongError, MissingError):
            return


@given(actions)
def test_whatever_was_done_is_there_after_reading_it_again(done):
    one, items = record("a", "b", "c"), dict[str, bytes]()
    for action in done:
        do(one, action)
        again = stored(one, items)
        mine, theirs = asdict(one), asdict(again)
        assert mine == theirs
        assert set(items) == {
            "head",
            "rules",
            *(f"s{n}" for n in range(len(one.sentences))),
            *(f"u{n}" for n in range(len(one.steps))),
        }


@given(actions)
def test_undoing_everything_leaves_nothing_of_what_people_did(done):
    one = record("a", "b", "c")
    for action in done:
        do(one, action)
    while one.steps:
        one.undo()
    assert not any(each.human for each in one.sentences)
    assert (one.pins, one.forgotten, one.glossary) == ((), (), ())


def test_tokens_of_another_model_are_dropped():
    one, items = record("a"), dict[str, bytes]()
    say(one, "A")
    stored(one, items)
    other = Record.of(Kept(1, items), "another model")
    assert (other.sentences[0].text, other.sentences[0].tokens, other.sentences[0].aligned) == ("A", (), ())


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("Where is the king?", "Where is Xiaoming?", ["Xiaoming"]),
        ("He came.", "He came.", []),
        ("He's here.", "She's here now.", ["She's", "now"]),
        ("他来了", "她来了", ["她"]),
        ("", "All new", ["All", "new"]),
    ],
)
def test_changed_words(before, after, words):
    assert [after[start:end] for start, end in changed_words(before, after)] == words
