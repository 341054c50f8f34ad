from hypothesis import given
from hypothesis import strategies as st

from recollect.memory.address import pair_addresses, piece_addresses, word_addresses
from recollect.text.vocabulary import EOS


def starts_word(token):
    """Ten and above begin a word, what is below goes on with it (the specials, too)."""
    return token >= 10


def test_a_piece_is_its_own_address():
    assert piece_addresses((5, 7, 5)) == [5, 7, 5]


def test_a_piece_belongs_to_its_word():
    play, ing, sing = 10, 5, 11
    first = word_addresses([play, ing, sing, ing, play, ing], [], starts_word)
    assert first[:2] == first[4:]  # the same word, wherever it stands
    assert first[1] != first[3]  # -ing of two words does not mix
    assert len(set(first)) == 4


def test_a_word_is_more_than_its_first_pieces():
    short, long = word_addresses([10, 5], [], starts_word), word_addresses([10, 5, 6], [], starts_word)
    assert not set(short) & set(long)


def test_places_in_a_word_are_told_apart():
    assert len(set(word_addresses([10, 5, 5, 5], [], starts_word))) == 4


def test_a_first_piece_without_a_start_begins_a_word_all_the_same():
    assert word_addresses([5, 6, 10], [], starts_word)[2] == word_addresses([10], [], starts_word)[0]
    assert word_addresses([], [], starts_word) == []


def test_the_end_of_a_sentence_is_not_part_of_its_last_word():
    """With store_end the last word keeps the address it has in the middle of a sentence."""
    alone = word_addresses([10, 5], [], starts_word)
    assert word_addresses([10, 5, EOS], [], starts_word)[:2] == alone
    assert word_addresses([10, 5, EOS], [], starts_word)[2] == word_addresses([11, EOS], [], starts_word)[1]


@given(st.lists(st.lists(st.integers(4, 9), max_size=3), max_size=5))
def test_addresses_do_not_depend_on_the_neighbours(rests):
    words = [[10 + number % 3, *rest] for number, rest in enumerate(rests)]
    together = word_addresses([token for word in words for token in word], [], starts_word)
    assert together == [address for word in words for address in word_addresses(word, [], starts_word)]
    assert all(-(2**63) <= address < 2**63 for address in together)  # the books are 64-bit integers


def test_a_pair_is_a_piece_and_what_it_looked_at():
    assert len(set(pair_addresses([5, 5, 6, 5], [8, 9, 8, 8]))) == 3
    assert pair_addresses([5], [8]) == pair_addresses([6, 5], [8, 8])[1:]
