import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.inline import Inline, Mark
from recollect.text.placeholders import hold_placeholders
from recollect.text.placing import Link, place_marks


def word_links(source: str, target: str, pairs: dict[str, str]) -> list[Link]:
    """Links between words that occur once."""
    return [
        Link(source.index(a), source.index(a) + len(a), target.index(b), target.index(b) + len(b))
        for a, b in pairs.items()
    ]


def placed(marked: str, target: str, pairs: dict[str, str]) -> str:
    source = hold_placeholders(Inline(marked))
    return str(place_marks(source, target, word_links(source.text, target, pairs)))


def test_a_pair_follows_its_words() -> None:
    pairs = {"red": "rouge", "car": "voiture", "the": "la"}
    assert placed("the <b>red</b> car", "la voiture rouge", pairs) == "la voiture <b>rouge</b>"


def test_a_placeholder_stands_apart_from_words() -> None:
    pairs = {"Hello": "Bonjour", ".": "."}
    assert placed("Hello %s.", "Bonjour.", pairs) == "Bonjour %s."
    assert placed("Hello %s again", "Encore bonjour", {"Hello": "bonjour", "again": "Encore"}) == (
        "%s Encore bonjour"
    )


def test_a_placeholder_that_touches_a_word_still_does() -> None:
    assert placed("file-%s", "fichier-", {"file": "fichier", "-": "-"}) == "fichier-%s"


def test_between_placeholders_there_is_what_was() -> None:
    assert placed("open %s %s now", "now open", {"open": "open", "now": "now"}) == "%s %s now open"
    assert placed("open %s%s now", "now open", {"open": "open", "now": "now"}) == "%s%s now open"


@pytest.mark.parametrize(
    ("marked", "target", "pairs", "expected"),
    [
        ("Error: %s", "ERROR:", {"Error": "ERROR", ":": ":"}, "ERROR: %s"),
        ("错误：%s", "Error:", {"错误": "Error", "：": ":"}, "Error: %s"),
        ("错误（%s）", "Error ()", {"错误": "Error", "（": "(", "）": ")"}, "Error (%s)"),
        ("%s（旧）", "(old)", {"旧": "old", "（": "(", "）": ")"}, "%s (old)"),
        ("Error: %s", "错误：", {"Error": "错误", ":": "："}, "错误：%s"),
        ('Open "{f}": %s', 'OPEN "":', {"Open": "OPEN", '":': '":', ":": ":"}, 'OPEN "{f}": %s'),
        ("Open »{f}« %s", "OPEN »«", {"Open": "OPEN", "«": "«"}, "OPEN »{f}« %s"),
        ("Say %s", 'SAY "', {"Say": "SAY"}, 'SAY "%s'),
        ("{a} - {b}: done", "- : DONE", {"-": "-", ":": ":", "done": "DONE"}, "{a} - {b}: DONE"),
        ("%s > %s", ">", {">": ">"}, "%s > %s"),
        ("(note: %s)", "(NOTE:)", {"note": "NOTE", ":": ":", ")": ")"}, "(NOTE: %s)"),
        ("%s (new)", "(NEW)", {"(": "(", "new": "NEW"}, "%s (NEW)"),
        ("关于 %s 的书", "'s book", {"的": "'s", "书": "book", "关于": "'"}, "%s's book"),
        ("打开 %s ，关闭", ", close", {"，": ",", "关闭": "close", "打开": ","}, "%s, close"),
        ("id=%s;", "ID=;", {"id": "ID", "=": "=", ";": ";"}, "ID=%s;"),
    ],
)
def test_a_placeholder_stands_apart_from_signs_where_it_did(
    marked: str, target: str, pairs: dict[str, str], expected: str
) -> None:
    assert placed(marked, target, pairs) == expected


def test_a_pair_around_a_placeholder_stands_apart_like_it() -> None:
    pairs = {"Error": "ERROR", ":": ":"}
    assert placed("<b>Error:</b> %s", "ERROR:", pairs) == "<b>ERROR:</b> %s"
    assert placed("Error: <b>%s</b>", "ERROR:", pairs) == "ERROR: <b>%s</b>"
    assert placed("<b>%s</b> files", "FILES", {"files": "FILES"}) == "<b>%s</b> FILES"


def test_pairs_stay_nested() -> None:
    pairs = {"a": "z", "b": "y", "c": "x"}
    found = placed("<i>a <b>b</b></i> c", "x y z", pairs)
    assert found == "x <i><b>y</b> z</i>"


def test_words_that_are_not_linked_lose_no_marks() -> None:
    assert placed("a <b>b</b> %s c", "something else", {}).count("%s") == 1


def test_chinese_needs_no_spaces() -> None:
    assert placed("打开 %s 文件", "打开文件", {"打开": "打开", "文件": "文件"}) == "打开%s文件"


def test_an_end_without_its_beginning_closes_what_came_before() -> None:
    source = Inline("a b", (Mark(1, "</b>", "close", 3),))
    assert str(place_marks(source, "A B", word_links("a b", "A B", {"a": "A", "b": "B"}))) == "A</b> B"


@st.composite
def cases(draw: st.DrawFn) -> tuple[Inline, str, list[Link]]:
    pieces: list[str | Mark] = []
    opened: list[int] = []
    for number in range(draw(st.integers(0, 8))):
        kind = draw(st.sampled_from(["text", "open", "close", "point", "word"]))
        if kind == "text":
            pieces.append(draw(st.text(alphabet="ab 你.", min_size=1, max_size=6)))
        elif kind == "close":
            pair = opened.pop() if opened else 100 + number
            pieces.append(Mark(0, f"</{number}>", "close", pair))
        else:
            if kind == "open":
                opened.append(number)
            pieces.append(Mark(0, f"<{number}>", kind, number if kind == "open" else 0))  # type: ignore[arg-type]
    source = Inline.joined(pieces)
    target = draw(st.text(alphabet="xy 好.", max_size=12))
    links = [
        Link(
            *sorted(draw(st.tuples(*[st.integers(0, len(source.text))] * 2))),
            *sorted(draw(st.tuples(*[st.integers(0, len(target))] * 2))),
        )
        for _ in range(draw(st.integers(0, 5)))
    ]
    return source, target, links


@given(cases())
def test_every_mark_comes_back_once_and_pairs_are_nested(case: tuple[Inline, str, list[Link]]) -> None:
    source, target, links = case
    found = place_marks(source, target, links)
    assert sorted(mark.raw for mark in found.marks) == sorted(mark.raw for mark in source.marks)
    assert found.text.replace(" ", "") == target.replace(" ", "")
    both = {mark.pair for mark in source.marks if mark.role == "open"}
    both &= {mark.pair for mark in source.marks if mark.role == "close"}
    stack = []
    for mark in found.marks:
        if mark.pair not in both:
            continue
        if mark.role == "open":
            stack.append(mark.pair)
        elif mark.role == "close":
            assert stack.pop() == mark.pair


@given(cases())
def test_the_same_text_has_the_same_marks(case: tuple[Inline, str, list[Link]]) -> None:
    source, _, links = case
    assert place_marks(source, source.text, links) == source
