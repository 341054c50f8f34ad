"""The aligner on made-up languages whose alignments are known."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.text.aligner import align, link_texts

WORDS = [first + second for first in "bcdfghklmn" for second in ("ala", "ebe", "iti", "omo", "unu")]
texts = st.text(st.sampled_from("ab 字词语，.!\n'-_%{}é\u0301"), max_size=20)


def corpus(sentences: int, seed: int) -> tuple[list[list[str]], list[list[str]], list[set[tuple[int, int]]]]:
    """Every word has one translation; some sentences come out with two words swapped, some with one added."""
    draw = random.Random(seed)
    frequency = [1 / (rank + 1) for rank in range(len(WORDS))]
    sources, targets, truth = [], [], []
    for _ in range(sentences):
        source = draw.choices(WORDS, frequency, k=draw.randint(3, 9))
        order = list(range(len(source)))
        if draw.random() < 0.5:
            at = draw.randrange(len(order) - 1)
            order[at], order[at + 1] = order[at + 1], order[at]
        target = [source[place].upper() for place in order]
        pairs = {(place, number) for number, place in enumerate(order)}
        if draw.random() < 0.3:
            target.append("PLEASE")
        sources.append(source)
        targets.append(target)
        truth.append(pairs)
    return sources, targets, truth


def f_measure(found: list[list[tuple[int, int]]], truth: list[set[tuple[int, int]]]) -> float:
    right = sum(len(set(one) & other) for one, other in zip(found, truth, strict=True))
    return 2 * right / (sum(map(len, found)) + sum(map(len, truth)))


def test_known_alignments_are_found() -> None:
    sources, targets, truth = corpus(300, seed=1)
    assert f_measure(align(sources, targets), truth) > 0.95


def test_few_sentences_are_enough_for_most_words() -> None:
    sources, targets, truth = corpus(40, seed=2)
    assert f_measure(align(sources, targets), truth) > 0.8


def test_the_same_texts_are_aligned_the_same_way() -> None:
    sources, targets, _ = corpus(50, seed=3)
    assert align(sources, targets) == align(sources, targets)


def test_nothing_and_almost_nothing() -> None:
    assert align([], []) == []
    assert align([[], ["a"], []], [[], [], ["b"]]) == [[], [], []]
    assert align([["a"]], [["b"]]) == [[(0, 0)]]


def test_links_are_in_characters_and_chinese_words_are_found() -> None:
    sources = ["图书馆很大。", "我在图书馆。", "他去图书馆了。", "我很大。"]
    targets = ["The library is big.", "I am in the library.", "He went to the library.", "I am big."]
    links = link_texts(sources, targets)
    for source, target, found in list(zip(sources, targets, links, strict=True))[:3]:
        said = [
            target[link.target_start : link.target_end]
            for link in found
            if source[link.source_start : link.source_end] == "图书馆"
        ]
        assert "library" in said


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(texts, texts), max_size=4))
def test_links_stay_inside_of_any_texts(pairs: list[tuple[str, str]]) -> None:
    sources, targets = [one for one, _ in pairs], [other for _, other in pairs]
    for source, target, links in zip(sources, targets, link_texts(sources, targets), strict=True):
        for link in links:
            assert 0 <= link.source_start < link.source_end <= len(source)
            assert 0 <= link.target_start < link.target_end <= len(target)
