import pytest

from recollect.text.spelling import as_written

ORDINARY = {"same", "here", "okay", "frank", "go", "call"}


def spelled(source: str, text: str, script: str = "LATIN") -> str:
    return as_written(source, text, script, ORDINARY.__contains__)


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        ("小Vito在哪", "Where's Victoria?", "Where's Vito?"),
        ("我喜欢Hugh和Carla", "I like Hough and Crala.", "I like Hugh and Carla."),
        ("Ferrari Roma在", "The Ferarri's Romma is here.", "The Ferrari's Roma is here."),
        ("你好 philly", "Hello, Phil.", "Hello, Philly."),
        ("Chris的书", "Christ's book.", "Chris's book."),
        ("Vito找Vito", "Veto looks for Veto.", "Vito looks for Vito."),
        ("Jo和Joan", "Joana saw Joa.", "Joan saw Jo."),  # each takes what is most like it
    ],
)
def test_what_is_misspelled_is_spelled_as_in_the_source(source, text, expected):
    assert spelled(source, text) == expected


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Sam 也一样", "Same here."),  # an ordinary word at the beginning
        ("Sam 也一样", "It is the sami."),  # without a capital
        ("打给Bob", "Call Anne."),  # nothing like it
        ("Ross在", "ROSS is here, Rose."),  # it is there
        ("Ross和Rose在", "Rose is here."),  # that is the other one
        ("X在", "Xu is here."),  # a letter is no name
        ("罗斯在", "Rose is here."),
        ("DNA", ""),
    ],
)
def test_everything_else_stays(source, text):
    assert spelled(source, text) == text


def test_only_words_of_the_targets_script_are_copied():
    assert spelled("Где Brian Росс", "Where's Brin Росз?") == "Where's Brian Росз?"
