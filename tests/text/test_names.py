import pytest

from recollect.text.names import learn_names, names_in
from recollect.text.pairs import DocumentEnd, Pair

SAYINGS = {
    "我告诉了{}": "I told {}.",
    "昨天{}来了": "Yesterday {} came.",
    "你喜欢{}吗": "Do you like {}?",
    "走吧{}": "Let's go, {}.",
    "他和{}走了": "He left with {}.",
}
NAMES = {"罗斯": "Ross", "布莱克伍德": "Blackwood", "瑞秋": "Rachel"}


def corpus(people=NAMES):
    """All that can be said of everybody; one name comes once, and never in the source."""
    for form, name in people.items():
        for source, target in SAYINGS.items():
            yield Pair(source.format(form), target.format(name), 1)
        yield DocumentEnd()
    yield Pair("他也喜欢", "He likes it, says Monica.", 1)
    yield DocumentEnd()


def test_names_are_learned_with_what_the_source_calls_them():
    assert learn_names(corpus, seed=1) == {name: [form] for form, name in NAMES.items()}


def test_two_ways_to_write_a_name_are_both_learned():
    def twice():
        yield from corpus({**NAMES, "阿洛斯": "Ross"})
        yield Pair("罗斯在", "Here, Ross.", 1)

    assert learn_names(twice, seed=1)["Ross"] == ["罗斯", "阿洛斯"]  # the more frequent first


def test_a_way_to_write_a_name_belongs_to_one_name():
    def couple():
        yield from corpus()
        for source, target in list(SAYINGS.items())[:3]:
            yield Pair(source.format("索恩"), target.format("Thorne"), 1)
            yield Pair(source.format("索恩"), target.format("Emily Thorne"), 1)

    assert learn_names(couple, seed=1) == {
        **{name: [form] for form, name in NAMES.items()},
        "Thorne": ["索恩"],
    }


def test_letters_beside_chinese_characters_are_a_word():
    people = {**NAMES, "Lasermite": "Lasermite"}

    def mixed():
        for form, name in people.items():
            yield from (Pair(f"OK{form}", f"OK, {name}.", 1) for _ in range(3))

    # Cut at other places, the ways would be `Laserm` and none.
    assert learn_names(lambda: (*corpus(people), *mixed()), seed=1) == {
        name: [form] for form, name in people.items()
    }


def test_a_word_that_also_stands_without_a_capital_is_no_name():
    def ordinary():
        yield from corpus()
        for number in range(100, 110):
            yield Pair(f"{number}", "they ross the ross.", number)

    assert "Ross" not in learn_names(ordinary, seed=1)


def test_names_between_words_are_whole_words():
    sayings = {"я видел {}": "I saw {}.", "это {} там": "It is {} there.", "а {} где": "And {} is where?"}

    def russian():
        for form, name in {"Росс": "Ross", "Анна": "Anna", "Пётр": "Peter"}.items():
            for source, target in sayings.items():
                yield Pair(source.format(form), target.format(name), 1)

    assert learn_names(russian, seed=1) == {"Ross": ["Росс"], "Anna": ["Анна"], "Peter": ["Пётр"]}


def test_a_corpus_without_names_has_none():
    assert learn_names(lambda: iter([Pair("好", "fine", 1), DocumentEnd()]), seed=1) == {}


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Ross told Rachel.", {"Rachel"}),
        ("I met Mr. Blackwood. He saw Ann.", {"Blackwood", "Ann"}),
        ('No! "Phoebe!" I said, OK?', set()),
    ],
)
def test_names_have_a_capital_and_open_no_sentence(line, names):
    assert names_in(line) == names
