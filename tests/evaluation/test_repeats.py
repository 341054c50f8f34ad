from recollect.evaluation import repeats as module
from recollect.evaluation.repeats import repeated_names, repeats


def test_words_said_before_are_counted(monkeypatch):
    monkeypatch.setattr(module, "COMMON", 1)
    references = [["the Captain left", "the captain 's boat , the old boat", "the boat left"], ["the boat"]]
    outputs = [["a captain left", "the skipper 's boat", "the BOAT went"], ["a boat"]]
    # Due: `captain` in the second sentence, `boat` and `left` in the third; the other document starts anew.
    found = repeats(outputs, references)
    assert (found.right, found.total) == (1, 3)
    assert str(found) == "repeated words 33.3% (1 of 3)"


def test_very_common_words_are_no_terms():
    common = [first + second for first in "abcdefghij" for second in "klmnopqrstuvwxyz"]
    references = [[" ".join(common[:150] * 3), "term ak", "term al"]]
    assert repeats([["", "", "term"]], references).total == 1


def test_nothing_to_repeat():
    assert repeats([["a"]], [["b"]]).accuracy == 0.0


def test_names_said_before():
    references = [
        ["Anna is here.", "I saw Anna. Then Peter came, and Anna left.", '"Peter," said Anna.', "Anna!"]
    ]
    outputs = [["", "I saw Ana and Anna.", "Pete, said Anna", "anna"]]
    # Due: Anna in the second and third; Peter opens the third, and Anna the fourth.
    found = repeated_names(outputs, references)
    assert (found.right, found.total) == (2, 2)
    assert repeated_names([["", "", ""]], [["", "x Anna", "y Anna"]]).total == 1
    assert repeated_names([["", ""]], [["you and I", "so am I"]]).total == 0
