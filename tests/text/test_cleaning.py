"""What is left out of a corpus, and what must not be."""

import pytest

from recollect.text.cleaning import Cleaning, survey
from recollect.text.pairs import DocumentEnd, Pair
from recollect.text.problems import Kind

WORDS = [first + second for first in "灯船邮河" for second in "塔长局流"]


def episode(name: str, length: int = 40) -> list[Pair | DocumentEnd]:
    """Return a document of telling sentences, all its own."""
    lines = [
        (
            f"{name}说第{n}天{WORDS[n % 16]}旁边的{WORDS[n * 7 % 16]}已经没有了",
            f"{name} said on day {n} that one was gone.",
        )
        for n in range(length)
    ]
    return [*(Pair(source, target, n) for n, (source, target) in enumerate(lines, 1)), DocumentEnd()]


CORPUS = [*episode("王"), *episode("李"), *episode("赵")]


def kept(items: list[Pair | DocumentEnd]) -> list[Kind | None]:
    return [fault for item, fault in survey(items).clean(items) if isinstance(item, Pair)]


def test_an_ordinary_corpus_is_left_alone():
    usual = survey(CORPUS)
    assert (usual.source_script, usual.target_script, usual.repeated) == ("CJK", "LATIN", {})
    assert kept(CORPUS) == [None] * 120


@pytest.mark.parametrize(
    ("source", "target", "fault"),
    [
        ("他昨天没有来", "He did not come.", None),
        ("维多利亚打来电话了", "VIC called about the CD.", None),
        ("VSOP白兰地一瓶", "One bottle of VSOP brandy.", None),
        ("七百块", "$700.", None),
        ("佩妮带谢尔顿去家中", "第三季第16集 没有字幕", Kind.WRONG_SCRIPT),
        ("Where are you going", "Where are you going?", Kind.WRONG_SCRIPT),
        ("<i>还是收获礼物</i>", "Or receiving a present.", Kind.MARKUP),
        (r"{\an8}第一集在这里", "The first part is here.", Kind.MARKUP),
        ("不是叫了卷凰屠绰穑\ufffd", "Not that guy again, is it?", Kind.MARKUP),
        ("带她去公园怎么样", r"I was thinking of\nthe park.", Kind.MARKUP),
        (
            "好",
            "Then he went home and told his mother and his sister all that had happened.",
            Kind.ODD_LENGTHS,
        ),
        ("他昨天回家以后把发生的一切都告诉了母亲和姐姐还有邻居们", "Ok.", Kind.ODD_LENGTHS),
        ("a < b 的时候就停下来", "Stop when a < b.", None),
    ],
)
def test_faults(source, target, fault):
    usual = Cleaning("CJK", "LATIN", ratio=0.76, deviation=0.25)  # as in a corpus of subtitles
    assert usual.fault(Pair(source, target, 1)) == fault


def test_an_episode_that_comes_again_is_left_out_even_if_it_was_touched():
    again = [
        item if isinstance(item, DocumentEnd) or n % 2 else Pair(item.source + "啊", item.target, item.line)
        for n, item in enumerate(episode("王"))
    ]
    faults = kept([*CORPUS, *again])
    assert faults == [None] * 120 + [Kind.REPEATED_DOCUMENT] * 40


def test_a_repetition_of_a_repetition_names_the_first():
    assert survey([*episode("王")] * 3).repeated == {1: 0, 2: 0}


def test_formulas_that_everybody_uses_make_no_repetition():
    formulas = [
        Pair(f"前情提要以下内容可能引起不适请谨慎{n}观看", "Previously on the show.", n) for n in range(30)
    ]
    documents = [[*formulas, *episode(name)] for name in "王李赵钱孙周吴郑"]
    assert set(kept([item for document in documents for item in document])) == {None}


def test_short_documents_are_not_judged():
    assert set(kept([*episode("王", 10)] * 2)) == {None}


def test_an_empty_corpus():
    assert survey([]).fault(Pair("好", "Fine.", 1)) is None


@pytest.mark.parametrize(
    ("target", "spaced"),
    [
        ("Oh,my God.", "Oh, my God."),
        ("I...was not", "I... was not"),
        ("1,000 of them, e.g.,his", "1,000 of them, e.g.,his"),
        ("P!nk", "P!nk"),
        ("你好,世界", "你好,世界"),
    ],
)
def test_a_space_that_lacks_after_a_sign_is_put_back(target, spaced):
    ((item, fault),) = Cleaning().clean([Pair("好", target, 1)])
    assert (item, fault) == (Pair("好", spaced, 1), None)
