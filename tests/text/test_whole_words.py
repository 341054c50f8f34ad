import pytest

from recollect.text.whole_words import whole_words


class Pieces:
    """Tokens that are their own pieces."""

    def piece(self, token):
        return token

    def starts_word(self, token):
        return token.startswith("▁")


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        ("▁Xi ao ming , ▁come", ["Xiaoming", ",", "come"]),
        ("▁I ' m ▁here .", ["I'm", "here", "."]),
        ("▁well - known ▁( no ) w", ["well-known", "(", "no", ")", "w"]),
        ("▁ 王 小明 ▁ok", ["王", "小明", "ok"]),
        ("▁na <0xC3> <0xAF> ve", ["na<0xC3><0xAF>ve"]),
        ("", []),
    ],
)
def test_pieces_that_make_words(pieces, words):
    tokens = pieces.split()
    found = ["".join(tokens[at] for at in word).replace("▁", "") for word in whole_words(tokens, Pieces())]
    assert [each for each in found if each] == words
