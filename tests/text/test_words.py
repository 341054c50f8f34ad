import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.errors import DataError
from recollect.text.vocabulary import EOS, PAD, UNK, load_vocabulary
from recollect.text.words import WordCounts, WordVocabulary, split_words

words = st.text(st.characters(codec="utf-8", exclude_characters="&"), min_size=1).filter(
    lambda text: text.split() == [text]
)


def vocabulary_of(text: str, size: int) -> WordVocabulary:
    counts = WordCounts()
    counts.add(text)
    return WordVocabulary.most_frequent(counts.counts, size)


def test_the_most_frequent_words_win_and_of_equals_the_first():
    vocabulary = vocabulary_of("b a c a d b c", size=2)
    assert [vocabulary.piece(token) for token in range(vocabulary.size)] == [
        "<pad>",
        "<unk>",
        "<s>",
        "</s>",
        "b",
        "a",
    ]
    assert vocabulary.encode("a  b c") == [5, 4, UNK]
    assert vocabulary.decode([5, UNK, 4, EOS, PAD]) == "a <unk> b"
    assert vocabulary.starts_word(4)
    assert not vocabulary.starts_word(EOS)


def test_a_special_in_the_text_is_only_an_unknown_word():
    vocabulary = vocabulary_of("<s> <s> <unk> a", size=10)
    assert vocabulary.size == 5
    assert vocabulary.encode("<s> a") == [UNK, 4]


def test_escapes_of_the_moses_tokeniser_are_undone():
    vocabulary = vocabulary_of("it &apos;s &#91; r&amp;b &#93; &amp;apos; &copy;", size=10)
    assert (
        vocabulary.decode(vocabulary.encode("it 's [ r&b ] &amp;apos; &copy;"))
        == "it 's [ r&b ] &apos; &copy;"
    )
    assert split_words("it 's &quot;") == ["it", "'s", '"']


@example(["<s>"])
@given(st.lists(words, min_size=1))
def test_known_words_survive_encoding_saving_and_loading(tmp_path_factory, sentence):
    folder = tmp_path_factory.mktemp("words")
    text = " ".join(word for word in sentence if word not in ("<pad>", "<unk>", "<s>", "</s>"))
    vocabulary_of(text, size=1000).save(folder, "source")
    loaded = load_vocabulary(folder, "source")
    assert loaded.decode(loaded.encode(text)) == text
    assert loaded.encode_many([text, ""]) == [loaded.encode(text), []]


def test_counting_forgets_the_rarest_words_when_there_are_too_many():
    counts = WordCounts(limit=3)
    counts.add("a a b b c")
    counts.add("d")
    assert counts.counts == {"a": 2, "b": 2}


def test_a_damaged_file_names_the_line(tmp_path):
    (tmp_path / "source.words.tsv").write_text("a\t3\nb\n")
    with pytest.raises(DataError, match="line 2"):
        load_vocabulary(tmp_path, "source")


def test_an_empty_folder_has_no_vocabulary(tmp_path):
    with pytest.raises(DataError, match=r"neither target\.words\.tsv nor target\.subwords\.model"):
        load_vocabulary(tmp_path, "target")
