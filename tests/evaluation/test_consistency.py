"""Terms and their translations, and the mechanical checks, on texts made by hand."""

import pytest
from bilingual import CHINESE, GERMAN, units
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.evaluation.check import Check, check
from recollect.evaluation.mechanics import Finding, mechanical_findings
from recollect.text.aligner import link_texts
from recollect.text.inline import Inline, Mark, plain
from recollect.text.translated import Translated


def checked(pairs: list[tuple[str, str]]) -> Check:
    return check(units(pairs), link_texts)


def renderings(found: Check) -> dict[str, dict[str, int]]:
    return {term.text: {each.text: each.count for each in term.renderings} for term in found.terms}


# -- terms


def test_a_name_rendered_in_two_ways() -> None:
    found = checked(CHINESE)
    assert [term.text for term in found.inconsistent] == ["安德烈"]
    (term,) = found.inconsistent
    assert (term.kind, term.count) == ("name", 6)
    assert renderings(found)["安德烈"] == {"Andrei": 4, "Andrew": 2}
    assert [each.unit for each in term.renderings[1].occurrences] == [3, 5]
    assert [CHINESE[each.unit][1][slice(*each.target)] for each in term.renderings[1].occurrences] == [
        "Andrew",
        "Andrew",
    ]


def test_consistent_ones_are_known_but_not_reported() -> None:
    found = renderings(checked(CHINESE))
    assert found["玛丽"] == {"Mary": 5}
    assert found["图书馆"] == {"library": 3}


def test_a_term_rendered_in_two_ways_through_inflection_and_case() -> None:
    found = checked(GERMAN)
    assert [term.text for term in found.inconsistent] == ["folder"]
    assert renderings(found)["folder"] == {"Ordner": 5, "Verzeichnis": 2}
    assert renderings(found)["server"] == {"Server": 3}
    assert renderings(found)["editor"] == {"Editor": 3}


def test_a_name_in_a_script_without_capitals() -> None:
    back = [(target, source) for source, target in CHINESE]
    back += [("There Mary was alone.", "那里只有玛莉。"), ("He asked Mary again.", "他又问了玛莉。")]
    found = checked(back)
    assert renderings(found)["Mary"] == {"玛丽": 5, "玛莉": 2}
    assert renderings(found)["library"] == {"图书馆": 3}


def test_different_terms_with_one_rendering_are_not_reported() -> None:
    pairs = [(one.replace("This folder", "This directory"), other) for one, other in GERMAN]
    assert all(term.text != "directory" for term in checked(pairs).inconsistent)


def test_a_repeated_sentence_translated_in_two_ways() -> None:
    pairs = [
        ("Press any key now.", "Jetzt eine Taste drücken."),
        ("Press any key now.", "Bitte Taste drücken!"),
    ]
    (term,) = checked(pairs).inconsistent
    assert (term.kind, term.count) == ("sentence", 2)
    assert checked([pairs[0], (pairs[0][0], "jetzt eine Taste drücken")]).inconsistent == []
    other = ("Press %s and %s key now.", "Jetzt %s und %s drücken.")
    assert (
        checked([other, (other[0].replace("and %s", "and %d"), "Drücken Sie %s und %d.")]).inconsistent == []
    )


def test_programs_teach_nothing_about_terms() -> None:
    program = (
        "def folder():\n    return open(folder)\n",
        "def folder():\n    return open(folder) # öffnen\n",
    )
    found = checked([*GERMAN, *[program] * 5])
    assert renderings(found)["folder"] == {"Ordner": 5, "Verzeichnis": 2}


# -- mechanics


def said(source: str, target: str) -> list[tuple[str, str]]:
    return [(each.severity, each.check) for each in found_in(source, target)]


def found_in(source: str, target: str) -> list[Finding]:
    # Beside usual texts, so that the document has scripts and final signs.
    usual = CHINESE if any("\u4e00" <= character <= "\u9fff" for character in source) else GERMAN
    return [
        each for each in mechanical_findings(units([*usual, (source, target)])) if each.unit == len(usual)
    ]


def test_numbers() -> None:
    assert said("There were 35 of them.", "Es waren 53.") == [("error", "numbers")]
    assert "35" in found_in("There were 35 of them.", "Es waren 53.")[0].message
    assert said("It cost 1,234.50 dollars.", "Es kostete 1.234,50 Dollar.") == []
    assert said("There were 3 of them.", "Es waren drei.") == []
    assert said("There were 347 of them.", "Es waren viele.") == [("error", "numbers")]
    assert said("他有5万元。", "He has 50,000 yuan.") == []
    assert said("他今年三十五岁。", "He is 35 this year.") == []
    assert said("他今年三十五岁。", "He is thirty-five this year.") == []
    assert said("在20世纪90年代。", "In the 1990s.") == []


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Take 0.125 mg.", "Nehmen Sie 125 mg."),  # a zero is no thousand
        ("Pay 12.5% tax.", "Zahlen Sie Steuern."),  # nobody spells out a fraction
        ("It needs version 3.11 of it.", "Es braucht eine neue Fassung."),
    ],
)
def test_lost_fractions(source: str, target: str) -> None:
    assert said(source, target) == [("error", "numbers")]


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("投资2万亿元。", "It is 2 trillion yuan."),
        ("有10多万人。", "There are over 100,000 people."),
        ("有1亿2000万人。", "There are 120 million people."),
        ("他花了3万5千元。", "He spent 35,000 yuan."),
        ("5 million dollars.", "5 millions de dollars."),
        ("10,000 people came.", "10 000 personnes sont venues."),
        ("On March 5, 2024.", "Am 05.03.2024."),
        ("0,5 and 1,000.", "0.5 und 1.000."),
    ],
)
def test_the_same_number_otherwise_written(source: str, target: str) -> None:
    assert said(source, target) == []


def test_placeholders_and_addresses() -> None:
    assert said("Hello {name}.", "Hallo {name}.") == []
    assert said("Hello {name}.", "Hallo {nam}.") == [("error", "placeholders")]
    assert said("%s of %s.", "%s von.") == [("error", "placeholders")]
    assert said("<b>Bold</b> text.", "Fetter Text.") == [("error", "placeholders")]
    assert said("<b>Bold</b> &amp; text.", "<B>Fett</B> und Text.") == []
    assert said("See :ref:`this <there>`.", "Siehe :ref:`das hier <there>`.") == []
    assert said("See :term:`object`.", "Siehe :term:`Objekt <object>`.") == []
    assert said("Hello {name}\nWelcome back.", "Hallo\nWillkommen zurück.") == [("error", "placeholders")]
    assert said("Delete the file (%s)\nThis is final.", "Löschen\nEndgültig.") == [("error", "placeholders")]
    assert said(">>> print('%s' % {x})", ">>> print('%s' % {y})") == []
    assert said("%s of %s.", "%2$s: %1$s.") == []
    assert said("On %Y-%m-%d it was.", "Am %d.%m.%Y war es.") == []
    assert said("On %Y-%m-%d it was.", "Am %d.%m. war es.") == [("error", "placeholders")]
    forms = "{n, plural, one {# file} other {# files}}", "{n, plural, other {# Dateien}}"
    assert said(f"There: {forms[0]}.", f"Hier: {forms[1]}.") == []
    assert said(f"There: {forms[0]}.", "Hier: Dateien.") == [("error", "placeholders")]
    assert said("%s of %d.", "%2$s: %1$d.") == [("error", "placeholders")]
    assert said("See https://a.org/en.", "Siehe https://a.org/de.") == [("warning", "addresses")]
    marked = Translated(Inline("a b.", (Mark(0, "<x/>", "point"),)), plain("c d."), "unit 1")
    assert [each.check for each in mechanical_findings([marked])] == ["placeholders"]


def test_final_signs_only_where_the_document_keeps_them() -> None:
    assert said("Is it?", "Ist es so.") == [("warning", "final sign")]
    assert said("他是谁？”", "Who is he?”") == []
    subtitles = [("他是谁", "Who is he?"), ("我很好", "I am fine."), ("走吧", "Let's go!")] * 5
    assert mechanical_findings(units(subtitles)) == []


def test_nothing_new_or_nothing_at_all() -> None:
    assert said("Not translated here.", "Not translated here.") == [("warning", "untranslated")]
    assert said("没有翻译。", "没有翻译。") == [("error", "untranslated")]
    assert said("今天天气很好，我们有3个。", "今天天气很好，我们有3个。") == [("error", "untranslated")]
    assert said("没有翻译。", "It was 没有.") == [("warning", "script")]
    assert said("没有翻译。", "没有翻译啊。") == [("error", "script")]
    assert said("Something.", " ") == [("error", "empty")]
    assert said("x_y = f(1)", "x_y = f(1)") == []
    assert said("42", "42") == []


def test_a_document_that_is_its_own_translation() -> None:
    copied = [("没有翻译。", "没有翻译。"), ("今天很好。", "今天很好。")]
    assert [each.severity for each in mechanical_findings(units(copied))] == ["error", "error"]


def test_doubled_words_brackets_and_white_space() -> None:
    assert said("他在房间里。", "He is in the the room.") == [("warning", "doubled word")]
    assert said("No, no, never never.", "Nein, niemals niemals.") == []
    assert said("The (old) folder.", "Der (alte Ordner.") == [("warning", "balance")]
    assert said("“The” folder.", "„Der“ Ordner.") == []
    assert said("（旧）文件。", "The (old) file.") == []
    assert said("Folder: ", "Ordner:") == [("warning", "white space")]


# -- properties

texts = st.text(
    st.sampled_from("ab AB 12 三字词的？?.!:(){}<>/b%s`“\"' \n\t&;_*=é\u0301\u202e\ud7ff,."), max_size=25
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.one_of(texts, st.text(max_size=12)), texts), max_size=5))
def test_any_texts_can_be_checked(pairs: list[tuple[str, str]]) -> None:
    found = checked(pairs)
    for term in found.terms:
        assert term.count >= sum(each.count for each in term.renderings)
        for rendering in term.renderings:
            for place in rendering.occurrences:
                assert found.sources[place.unit][slice(*place.source)].strip()
                assert found.targets[place.unit][slice(*place.target)].strip()
    assert all(0 <= each.unit < len(pairs) for each in found.findings)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=20), max_size=5))
def test_a_perfect_copy_has_no_error_but_that_it_is_one(lines: list[str]) -> None:
    found = checked([(line, line) for line in lines])
    assert {each.check for each in found.findings} <= {"untranslated"}
    assert found.terms == ()


def test_levels_of_failure() -> None:
    inconsistent, wrong = checked(CHINESE), checked([("There are 347.", "Es sind 437.")])
    careless = checked([("Is it?", "Ist es so.")])
    assert [inconsistent.fails(level) for level in ("never", "error", "inconsistency", "warning")] == [
        False,
        False,
        True,
        True,
    ]
    assert wrong.fails("error")
    assert wrong.fails("inconsistency")
    assert not careless.fails("inconsistency")
    assert careless.fails("warning")
    assert not checked([]).fails("warning")
