import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.errors import DataError
from recollect.text.subwords import SubwordVocabulary
from recollect.text.vocabulary import BOS, EOS, PAD, UNK, load_vocabulary

CHANCE = random.Random(5)
WORDS = [
    "the",
    "river",
    "remembers",
    "every",
    "stone",
    "walking",
    "walked",
    "walks",
    "never",
    "über",
    "naïve",
]
SENTENCES = [" ".join(CHANCE.choices(WORDS, k=CHANCE.randint(2, 8))).capitalize() + "." for _ in range(400)]
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="▁"))


@pytest.fixture(scope="module")
def written():
    return SubwordVocabulary.learn(SENTENCES, 330, written=True)


@pytest.fixture(scope="module")
def read():
    return SubwordVocabulary.learn(SENTENCES, 330, written=False)


def test_specials_have_their_ids_and_pieces_start_words(written):
    assert [written.piece(token) for token in (PAD, UNK, BOS, EOS)] == ["<pad>", "<unk>", "<s>", "</s>"]
    ids = written.encode("The river.")
    assert written.starts_word(ids[0])
    assert not written.starts_word(ids[-1])
    assert written.decode([BOS, *ids, EOS, PAD]) == "The river."


@settings(max_examples=200)
@given(TEXTS)
def test_any_text_can_be_spelled_out_again(written, read, text):
    for vocabulary in (written, read):
        ids = vocabulary.encode(text)
        assert vocabulary.decode(ids) == vocabulary.normalise(text)
        assert not {PAD, UNK, BOS, EOS} & set(ids)


def test_a_written_vocabulary_keeps_typography_and_a_read_one_folds_it(written, read):
    text = "“Ｗｅ”，\u3000never\u00a0①…\u200b"
    assert written.normalise(text) == "“Ｗｅ”， never ①…"
    assert read.normalise(text) == "“We”, never 1..."  # it knows no quotation mark at all


def test_what_is_only_read_may_look_like_something_known():
    quoted = [f'"{sentence}" - {sentence}' for sentence in SENTENCES]
    read = SubwordVocabulary.learn(quoted, 330, written=False)
    text, plain = "“The river” — 『walks』", '"The river" - "walks"'
    assert read.encode(text) == read.encode(plain)
    assert read.encode_many([text]) == [read.encode(plain)]
    assert read.normalise(text) == plain
    written = SubwordVocabulary.learn(quoted, 330, written=True)
    assert written.normalise(text) == text


def test_what_is_known_is_read_as_it_is(tmp_path):
    quoted = [f'"{sentence}" “{sentence}”' for sentence in SENTENCES]
    read = SubwordVocabulary.learn(quoted, 330, written=False)
    assert read.normalise("“The river” 「walks」") == '“The river” "walks"'
    read.save(tmp_path, "source")
    assert load_vocabulary(tmp_path, "source").normalise("«walks»") == '"walks"'
    read.save(tmp_path, "target")
    assert load_vocabulary(tmp_path, "target").normalise("«walks»") == "«walks»"


def test_many_texts_are_encoded_as_one_by_one(written):
    for texts in (SENTENCES[:20], SENTENCES):
        assert written.encode_many(texts) == [written.encode(text) for text in texts]
    assert written.encode_many([]) == []


def test_drawn_pieces_spell_the_same_text_and_depend_on_the_seed():
    chance = random.Random(5)
    texts = ["".join(chance.choices(["ka", "to", "mi", "ne", "lo"], k=8)) for _ in range(400)]
    vocabulary = SubwordVocabulary.learn(texts, 330, written=False)
    usual, drawn = vocabulary.encode_many(texts), vocabulary.draw_many(texts, seed=1)
    assert [vocabulary.decode(ids) for ids in drawn] == texts
    same = sum(one == other for one, other in zip(usual, drawn, strict=True))
    assert 0 < same < len(texts)  # the usual pieces are among the likely ones
    assert vocabulary.draw_many(texts, seed=1) == drawn != vocabulary.draw_many(texts, seed=2)
    assert vocabulary.draw_many([], seed=1) == []


@pytest.mark.parametrize("method", ["unigram", "bpe"])
def test_learning_is_deterministic_and_survives_saving(tmp_path, method):
    first = SubwordVocabulary.learn(SENTENCES, 310, written=True, method=method)
    second = SubwordVocabulary.learn(SENTENCES, 310, written=True, method=method)
    first.save(tmp_path, "source")
    second.save(tmp_path, "target")
    saved = [(tmp_path / f"{side}.subwords.model").read_bytes() for side in ("source", "target")]
    assert saved[0] == saved[1]
    loaded = load_vocabulary(tmp_path, "source")
    assert loaded.size == first.size
    assert loaded.encode(SENTENCES[0]) == first.encode(SENTENCES[0])


def test_impossible_sizes_and_damaged_files_are_explained(tmp_path):
    with pytest.raises(DataError, match="cannot learn 100 subwords from 400 sentences"):
        SubwordVocabulary.learn(SENTENCES, 100, written=True)
    (tmp_path / "source.subwords.model").write_bytes(b"nonsense")
    with pytest.raises(DataError, match="not a SentencePiece model"):
        load_vocabulary(tmp_path, "source")
