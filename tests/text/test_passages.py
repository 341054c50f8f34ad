import re
from collections.abc import Sequence

import pytest

from recollect.text.formats.content import Unit
from recollect.text.inline import Inline, Mark
from recollect.text.passages import Passages, Spoken
from recollect.text.placing import Link


class Paragraphs:
    """A file of paragraphs, for these tests."""

    def __init__(self, *units: Unit) -> None:
        self.units = units

    def render(self, targets: Sequence[Inline | None]) -> bytes:
        shown = [
            str(unit.source) if target is None else str(target)
            for unit, target in zip(self.units, targets, strict=True)
        ]
        return "|".join(shown).encode()


def passages(*texts: str, language: str = "en") -> Passages:
    return Passages(Paragraphs(*(Unit(Inline(text), f"unit {n}") for n, text in enumerate(texts))), language)


def word_by_word(sentence: str) -> Spoken:
    """Each word becomes its upper-case self."""
    links, at = [], 0
    for word in sentence.split():
        at = sentence.index(word, at)
        links.append(Link(at, at + len(word), at, at + len(word)))
        at += len(word)
    return Spoken(" ".join(sentence.upper().split()), links if "  " not in sentence else shifted(sentence))


def shifted(sentence: str) -> list[Link]:
    links, at, to = [], 0, 0
    for word in sentence.split():
        at = sentence.index(word, at)
        links.append(Link(at, at + len(word), to, to + len(word)))
        at, to = at + len(word), to + len(word) + 1
    return links


def test_the_same_words_give_the_same_file() -> None:
    made = passages("One %s here. Two  there!", "", "{name}", "3.14", language="en")
    assert made.sentences == ["One  here.", "Two  there!"]
    assert (
        made.render([Spoken(text) for text in made.sentences])
        == "|".join(["One %s here. Two  there!", "", "{name}", "3.14"]).encode()
    )


def test_placeholders_come_back_between_their_words() -> None:
    made = passages("Open %s now. Then {name}, close it.")
    spoken = [word_by_word(sentence) for sentence in made.sentences]
    assert made.render(spoken) == b"OPEN %s NOW. THEN {name}, CLOSE IT."


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Usage: foo\n  -h  show help\n\n  -v  show version", 3),
        ("Not found:\n%s", 1),
        ("%s\nnot found", 1),
        ("Not found:\n%s\nTry again", 2),
        ("Not found:\r\n  %s, {name}\r\nTry %s\r\n%s again\r\n", 3),
        ("<b>One\nTwo</b>\n<br/>\nThree", 3),
    ],
)
def test_lines_and_what_stands_alone_in_them_are_kept(text: str, sentences: int) -> None:
    made = passages(text)
    assert len(made.sentences) == sentences
    assert not any("\n" in sentence for sentence in made.sentences)
    spoken = [word_by_word(sentence) for sentence in made.sentences]
    expected = re.sub(
        r"%s|\{name\}|</?\w+/?>|(\w)", lambda found: found[0].upper() if found[1] else found[0], text
    )
    assert re.sub(" +", " ", made.render(spoken).decode()) == re.sub(" +", " ", expected)


def test_a_mark_of_the_file_alone_in_the_last_line_stays_there() -> None:
    made = Passages(Paragraphs(Unit(Inline("Not found:\n", (Mark(11, "<x/>"),)), "x")), "en")
    assert made.sentences == ["Not found:"]
    assert made.render([Spoken("NOT FOUND:")]) == b"NOT FOUND:\n<x/>"


def test_marks_of_the_file_stay_marks_and_placeholders_become_text() -> None:
    bold = Inline("see it", (Mark(0, "<1>", "open", 1), Mark(3, "</1>", "close", 1)))
    made = Passages(Paragraphs(Unit(bold, "x"), Unit(Inline("%s go %s"), "y")), "en")
    targets: list[Inline | None] = []
    made.content.render = lambda given: targets.extend(given) or b""  # type: ignore[attr-defined,method-assign]
    made.render([word_by_word(sentence) for sentence in made.sentences])
    assert targets[0] == Inline("SEE IT", bold.marks)
    assert targets[1] == Inline("%s GO %s")


def test_what_a_person_has_translated_is_kept_and_known() -> None:
    units = [
        Unit(Inline("One. Two."), "a", target=Inline("Eins. Zwei.")),
        Unit(Inline("Three. Four."), "b", target=Inline("Drei und vier.")),
        Unit(Inline("Five."), "c"),
    ]
    made = Passages(Paragraphs(*units), "en")
    assert made.sentences == ["One.", "Two.", "Three. Four.", "Five."]
    assert made.settled == {0: "Eins.", 1: "Zwei.", 2: "Drei und vier."}
    assert [made.where(n) for n in range(4)] == ["a", "a", "b", "c"]
    assert made.render([Spoken("")] * 3 + [Spoken("Fünf.")]) == "One. Two.|Three. Four.|Fünf.".encode()


def test_long_sentences_are_translated_in_parts() -> None:
    made = passages("word " * 30)
    assert len(made.sentences) > 1
    assert made.render([Spoken(text) for text in made.sentences]) == b"word " * 30
