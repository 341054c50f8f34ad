import pytest

from recollect.text.pairs import DocumentEnd, Pair
from recollect.text.variants import Shares, Variants

NAMES = {"Ross": ["罗斯", "Росс"], "Rachel": ["瑞秋"], "Geller": ["盖勒"], "Joey": ["乔伊"]}
ALL = 0.999999


def vary(pairs, *, seed=1, **shares):
    items = [Pair(source, target, number) for number, (source, target) in enumerate(pairs, 1)]
    *found, end = Variants(Shares(**shares), NAMES, seed).vary([*items, DocumentEnd()])
    assert end == DocumentEnd()
    return [(pair.source, pair.target) for pair in found]


def test_without_shares_nothing_changes():
    pairs = [("罗斯 你好", "Hello, Ross,"), ("再见", "goodbye.")]
    assert vary(pairs) == pairs


def test_lines_of_one_sentence_are_put_together():
    pairs = [
        ("昨天的客人", "The guest of yesterday,"),
        ("你认识吗", "did you know him?"),
        ("我认识", "I did."),
    ]
    found = {tuple(vary(pairs, joined=ALL, seed=seed)) for seed in range(40)}
    together = ("昨天的客人 你认识吗", "The guest of yesterday, did you know him?")
    assert found == {
        (together, pairs[2]),
        (("昨天的客人 你认识吗 我认识", "The guest of yesterday, did you know him? I did."),),
    }


def test_lines_put_together_do_not_grow_without_end():
    pairs = [("一二三四", "one, two, three, four,")] * 40
    found = vary(pairs, joined=ALL)
    assert max(len(target) for _, target in found) < 201
    assert " ".join(source for source, _ in found).split() == ["一二三四"] * 40


def test_names_stand_as_in_the_target_and_the_same_throughout():
    pairs = [
        ("罗斯·盖勒在吗", "Is Ross Geller there?"),
        ("罗斯走了 罗斯", "Ross's gone. Ross!"),
        ("他走了", "Ross left."),
    ]
    seen = set()
    for seed in range(60):
        (first, here), (second, gone), last = vary(pairs, written_names=ALL, seed=seed)
        given, family = here.removeprefix("Is ").removesuffix(" there?").split()
        assert first == f"{given} {family}在吗"
        assert (second, gone) == (f"{given}走了 {given}", f"{given}'s gone. {given}!")
        assert last == pairs[2]  # no name in the source: nothing to write
        seen.add(given)
    assert seen == set(NAMES)  # its own, and others


def test_a_name_stands_apart_from_words_beside_it():
    found = vary([("Mr罗斯2号", "Mr. Ross number two")], written_names=ALL, seed=3)
    source, target = found[0]
    name = target.split()[1]
    assert source == f"Mr {name} 2号"


@pytest.mark.parametrize(
    ("source", "target", "with_stops", "without"),
    [
        ("好 走吧", "OK. Let's go.", "好，走吧。", "好 走吧"),
        ("真的吗", "Really?", "真的吗？", "真的吗？"),
        ("快跑", "Run!", "快跑！", "快跑！"),
        ("如果你来", "If you come,", "如果你来，", "如果你来"),
        (
            "- 我爱 New York 的 好",
            "- I love New York's. Good.",
            "- 我爱 New York 的，好。",
            "- 我爱 New York 的 好",
        ),
        ("等等", "Wait...", "等等", "等等"),
        ("真的？", "Really?", "真的？", "真的？"),
        ("Ross", "Ross.", "Ross", "Ross"),
    ],
)
def test_the_source_gets_the_punctuation_of_the_target(source, target, with_stops, without):
    found = {vary([(source, target)], punctuated=ALL, seed=seed)[0] for seed in range(20)}
    assert found == {(with_stops, target), (without, target)}


def test_all_three_at_once():
    pairs = [("如果罗斯来", "If Ross comes,"), ("我走 罗斯", "I leave. Ross!"), ("真的吗", "Really?")]
    found = {
        tuple(vary(pairs, joined=ALL, written_names=ALL, punctuated=ALL, seed=seed)) for seed in range(200)
    }
    assert (("如果Ross来，我走，Ross！", "If Ross comes, I leave. Ross!"), ("真的吗？", "Really?")) in found
    assert (("如果Ross来 我走 Ross！真的吗？", "If Ross comes, I leave. Ross! Really?"),) in found


def test_a_name_is_a_whole_word_where_spaces_part_words():
    pairs = [("Росс поехал в Россию", "Ross went to Russia.")]
    (source, target), *_ = vary(pairs, written_names=ALL)
    assert source == f"{target.split()[0]} поехал в Россию"


def test_chinese_lines_are_not_put_together_for_want_of_a_full_stop():
    pairs = [("Let's go.", "我们走吧"), ("Come on.", "快点")]
    assert vary(pairs, joined=ALL) == pairs


def test_a_corpus_without_documents_is_changed_in_parts():
    pairs = [("真的吗", "Really?")] * 40_000
    changed = sum(source == "真的吗？" for source, _ in vary(pairs, punctuated=0.5))
    assert 2_000 <= changed <= 38_000
    assert changed % 2_000 == 0


def test_some_documents_change_and_always_the_same_ones():
    document = [Pair("真的吗", "Really?", 1), DocumentEnd()]
    variants = Variants(Shares(punctuated=0.3), NAMES, seed=5)
    first, second = list(variants.vary(document * 200)), list(variants.vary(document * 200))
    assert first == second
    assert 35 < sum(item == Pair("真的吗？", "Really?", 1) for item in first) < 85
