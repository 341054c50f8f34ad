"""Renamed names: the same everywhere in what people said, strange to the document, ours left alone."""

import pytest

from recollect.config import Config
from recollect.errors import ConfigError
from recollect.memory.slots import CORRECTION, OWN
from recollect.renaming import rename
from recollect.text.words import WordVocabulary
from recollect.training.past import Past, Tutorial

LINES = [
    ["we saw Ann today", "who is Ann ?", "and Bob ?", "he likes Bob and Ann"],
    ["call Zoe now", "no , call Yan", "why Yan ?"],
]
VOCABULARY = WordVocabulary({word: 1 for lines in LINES for line in lines for word in line.split()})


def tutorials():
    found = []
    for lines in LINES:
        targets = [VOCABULARY.encode(line) for line in lines]
        past = [
            Past([5], target, OWN if number == 1 else CORRECTION) for number, target in enumerate(targets)
        ]
        found.append(Tutorial([([5], target) for target in targets], past))
    return found


def said(tutorial):
    return [VOCABULARY.decode(target) for _, target in tutorial.pairs]


def test_repeated_names_become_those_of_other_documents():
    first, second = rename(tutorials(), VOCABULARY, 0.999, seed=1)
    new = said(first)
    names = [new[0].split()[2], new[2].split()[1]]  # of Ann and of Bob
    assert set(names) <= {"Zoe", "Yan"}
    assert new[3] == f"he likes {names[1]} and {names[0]}"
    assert new[1] == f"who is {names[0]} ?"
    assert said(second)[0] == "call Zoe now", "Zoe comes but once"
    assert said(second)[1].removeprefix("no , call ") in ("Ann", "Bob")
    past = [VOCABULARY.decode(each.target) for each in first.past]
    assert past == [new[0], "who is Ann ?", new[2], new[3]], "what we said ourselves stays"
    assert [each.origin for each in first.past] == [each.origin for each in tutorials()[0].past]


def test_a_share_of_none_changes_nothing_and_one_document_has_no_strangers():
    assert rename(tutorials(), VOCABULARY, 0.0, seed=1) == tutorials()
    alone = tutorials()[:1]
    assert rename(alone, VOCABULARY, 0.999, seed=1) == alone


def test_only_what_people_said_is_renamed():
    with pytest.raises((ConfigError, ValueError), match="renamed"):
        Config.model_validate({"pass_two": {"renamed": 0.5, "history": "foreign"}})
