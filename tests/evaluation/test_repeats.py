from recollect.evaluation import repeats as module
from recollect.evaluation.repeats import repeats


def test_words_said_before_are_counted(monkeypatch):
    monkeypatch.setattr(module, "COMMON", 1)
    references = [["the Captain left", "the captain 's boat , the old boat", "the boat left"], ["the boat"]]
    outputs = [["a captain left", "the skipper 's boat", "the BOAT went"], ["a boat"]]
    # Due: `captain` in the second sentence, `boat` and `left` in the third; the other document starts anew.
    found = repeats(outputs, references)
    assert (found.right, found.total) == (1, 3)
    assert str(found) == "repeated words 33.3% (1 of 3)"


def test_history_may_be_another():
    common = [first + second for first in "abcdefghij" for second in "klmnopqrstuvwxyz"]
    references = [[" ".join(common[:150] * 3), "term b", "term c"]]
    outputs = [["", "", "term"]]
    assert repeats(outputs, references).total == 1
    assert repeats(outputs, references, [["", "none", "none"]]).total == 0


def test_nothing_to_repeat():
    assert repeats([["a"]], [["b"]]).accuracy == 0.0
