import numpy as np
import pytest

from recollect.errors import DataError
from recollect.text import dictionary
from recollect.text.dictionary import learn_dictionary, load_dictionary, save_dictionary
from recollect.text.pairs import Pair


def pairs(*texts: tuple[str, str]) -> list[Pair]:
    return [Pair(source, target, line) for line, (source, target) in enumerate(texts, 1)]


def test_one_step_of_model_one_by_hand(monkeypatch):
    # Corpus: (a b, x y), (a, x); 0 is the empty word, a = 1, b = 2, x = 1, y = 2.
    monkeypatch.setattr(dictionary, "_ITERATIONS", 1)
    givens = [np.array([1, 2]), np.array([1])]
    words = [np.array([1, 2]), np.array([1])]
    table = dictionary._model_one(givens, words, 3, 3)
    learned = {
        (int(given), int(word)): float(chance)
        for given, word, chance in zip(table.given, table.word, table.probability, strict=True)
    }
    # Every p is 1/2 at first, so a word is shared equally: by three in the first pair, by two in the second.
    x_owed, y_owed = 1 / 3 + 1 / 2, 1 / 3
    assert learned == pytest.approx(
        {
            (0, 1): x_owed / (x_owed + y_owed),
            (0, 2): y_owed / (x_owed + y_owed),
            (1, 1): x_owed / (x_owed + y_owed),
            (1, 2): y_owed / (x_owed + y_owed),
            (2, 1): 1 / 2,
            (2, 2): 1 / 2,
        }
    )


def test_translations_emerge_from_a_toy_corpus():
    corpus = pairs(
        ("das haus", "the house"),
        ("das buch", "the book"),
        ("ein buch", "a book"),
        ("ein haus", "a house"),
        ("das auto", "the car"),
        ("ein auto", "a car"),
        ("einmalig", "unique"),
    )
    assert learn_dictionary(corpus) == {
        "das": "the",
        "haus": "house",
        "buch": "book",
        "ein": "a",
        "auto": "car",
    }


def test_chunks_change_nothing(monkeypatch):
    corpus = pairs(*[(f"s{n % 7} s{n % 5} s{n % 3}", f"t{n % 7} t{n % 3} t{n % 5}") for n in range(60)])
    whole = learn_dictionary(corpus)
    monkeypatch.setattr(dictionary, "_CHUNK", 7)
    assert learn_dictionary(corpus) == whole
    assert whole["s6"] == "t6"


def test_nothing_to_learn_from_gives_an_empty_dictionary():
    assert learn_dictionary([]) == {}
    assert learn_dictionary(pairs(("a", "b"))) == {}


def test_a_dictionary_survives_saving(tmp_path):
    words = {"汤姆": "tom", "x\u2060": "é"}
    save_dictionary(words, tmp_path / "dictionary.tsv")
    assert load_dictionary(tmp_path / "dictionary.tsv") == words
    (tmp_path / "dictionary.tsv").write_text("a\tb\nc\n")
    with pytest.raises(DataError, match="line 2: expected"):
        load_dictionary(tmp_path / "dictionary.tsv")
