import pytest

from recollect.text.placing import Link
from recollect.text.spelling import as_written, words_in

KEPT = {"same", "here", "frank", "tommy"}


def spelled(source: str, text: str, aside: str = "") -> str:
    """Every word speaks of every other, but for one that is about something else."""
    start = text.find(aside) if aside else len(text)
    links = [Link(0, len(source), 0, start), Link(0, len(source), start + len(aside), len(text))]
    return as_written(words_in(source, "LATIN"), text, links, lambda word: word.lower() in KEPT)


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        ("小Vito在哪", "Where's Victoria?", "Where's Vito?"),
        ("我喜欢Hugh和Carla", "I like Hough and Crala.", "I like Hugh and Carla."),
        ("Ferrari Roma在", "The Ferarri's Romma is here.", "The Ferrari's Roma is here."),
        ("你好 philly", "Hello, Phil.", "Hello, Philly."),
        ("Chris的书", "Christ's book.", "Chris's book."),
        ("Vito找Vito", "Veto looks for Veto.", "Vito looks for Vito."),
        ("Joe和Joan", "Joana saw Jow.", "Joan saw Joe."),  # each takes what is most like it
        ("用iPhone", "An Iphona.", "An iPhone."),
        ("Ｂｒｉａｎ来了", "Brin's here.", "Brian's here."),
        ("Mu\u0308ller来了", "Mullar's here.", "Müller's here."),
    ],
)
def test_what_is_misspelled_is_spelled_as_in_the_source(source, text, expected):
    assert spelled(source, text) == expected


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Sam 也一样", "Same here."),  # an ordinary word
        ("Sam 也一样", "It is the sami."),  # without a capital
        ("Tom和汤米", "He and Tommy."),  # a word to be kept
        ("打给Bob", "Call Anne."),  # nothing like it
        ("Ross在", "ROSS is here, Rose."),  # it is there
        ("Ross和Rose在", "Rose is here."),  # that is the other one
        ("Soprano一家", "The Sopranos."),
        ("Canada人", "He's Canadan."),
        ("Hardy没有", "Hadn't he?"),
        ("3pm来", "Pam's coming."),  # too short for a name
        ("罗斯在", "Rose is here."),
        ("DNA", ""),
    ],
)
def test_everything_else_stays(source, text):
    assert spelled(source, text) == text


def test_a_word_that_speaks_of_something_else_stays():
    assert spelled("Monica星期一来", "Morgan's here on Monday.") != "Morgan's here on Monday."
    assert spelled("Monica星期一来", "He's here on Monday.", aside="Monday") == "He's here on Monday."


def test_of_two_like_words_the_one_that_speaks_of_it_changes():
    source, text = "Rob和罗伯特", "Robert and Robert"
    links = [Link(0, 3, 0, 6), Link(4, 7, 11, 17)]
    assert as_written(words_in(source, "LATIN"), text, links, lambda word: False) == "Rob and Robert"


def test_only_words_of_the_targets_script_are_copied():
    assert [each.word for each in words_in("Где Brian Росс и А́нна", "LATIN")] == ["Brian"]
    assert [each.word for each in words_in("Где Brian Росс", "CYRILLIC")] == ["Где", "Росс"]
