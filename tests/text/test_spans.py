import pytest

from recollect.text.spans import piece_spans
from recollect.text.subwords import SubwordVocabulary

TEXTS = ["the cat sat on the mat", "a dog, a cat and the rat", "cats & dogs — 你好，猫！", "Zürich 42"]


@pytest.fixture(scope="module", params=[True, False], ids=["written", "read"])
def vocabulary(request: pytest.FixtureRequest) -> SubwordVocabulary:
    return SubwordVocabulary.learn([*TEXTS[:2] * 20], 300, written=request.param)


@pytest.mark.parametrize("text", [*TEXTS, "  the   cat ", "", "日本語", "ＡＢ，", "“the cat” — 『sat』"])
def test_spans_cover_all_words_in_order(text: str, vocabulary: SubwordVocabulary) -> None:
    pieces = [vocabulary.piece(token) for token in vocabulary.encode(text)]
    spans = piece_spans(text, pieces)
    assert len(spans) == len(pieces)
    assert "".join(text[start:end] for start, end in spans) == "".join(text.split())


def test_unknown_words_take_their_place() -> None:
    assert piece_spans("a strange word", ["a", "<unk>", "word"]) == [(0, 1), (2, 9), (10, 14)]


def test_dropped_characters_are_stepped_over() -> None:
    assert piece_spans("a\u200bb c", ["▁a", "b", "▁c"]) == [(0, 1), (2, 3), (4, 5)]


def test_lookalikes_are_at_the_same_place() -> None:
    assert piece_spans("“go” home", ['▁"go', '"', "▁home"]) == [(0, 3), (3, 4), (5, 9)]
    assert piece_spans("5″ go", ["▁5", '"', "▁go"]) == [(0, 1), (1, 2), (3, 5)]
    assert piece_spans("a´b go", ["▁a", "´b", "▁go"])[-1] == (4, 6)
