import polib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.errors import DataError
from recollect.text.formats.gettext import read_po
from recollect.text.inline import plain

CATALOGUE = r"""# Translators: somebody
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"

#: src/main.c:12
#, c-format
msgid   "Open \"%s\""
msgstr "\"%s\" öffnen"

# translator's comment
#. programmer's comment
#, fuzzy, c-format
#| msgid "Save %d file"
msgctxt "menu"
msgid "Save file"
msgid_plural "Save %d files"
msgstr[0] "Datei"
msgstr[1] ""

#| msgid "Quit"
#, fuzzy
msgid "Leave"
msgstr "Beenden"

msgid ""
"\n"
"A first line that is quite long, and carries on, so that it has to be "
"wrapped.\n"
"A second.\n"
msgstr ""

#, fuzzy
#~ msgid "gone"
#~ msgstr "weg"
"""


def read(text, **options):
    return read_po(text.encode(), "sample.po", **options)


def render(text, *targets, **options):
    content = read(text, **options)
    given = [None if target is None else plain(target) for target in targets]
    return content.render(given + [None] * (len(content.units) - len(given))).decode()


def parsed(text):
    return {entry.msgid: entry for entry in polib.pofile(text + "\n")}


def test_messages_and_plurals_are_units_with_the_translations_that_hold():
    units = read(CATALOGUE).units
    assert [unit.source.text for unit in units] == [
        'Open "%s"',
        "Save file",
        "Save %d files",
        "Leave",
        "A first line that is quite long, and carries on, so that it has to be wrapped.\nA second.",
    ]
    assert [unit.target and unit.target.text for unit in units] == ['"%s" öffnen', None, None, None, None]
    assert units[0].where == "line 9 ('Open \"%s\"')"
    assert units[4].where == "line 27 ('A first line that is quite long, and ca…')"


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_nothing_new_changes_nothing(line_end, mark):
    data = (mark + CATALOGUE.replace("\n", line_end)).encode()
    content = read_po(data, "sample.po")
    assert content.render([None] * 5) == data
    assert content.render([unit.target for unit in content.units]) == data


def test_only_the_lines_of_a_translation_change():
    text = render(CATALOGUE, "%s aufmachen")
    assert text == CATALOGUE.replace(r'msgstr "\"%s\" öffnen"', 'msgstr "%s aufmachen"')
    crlf = render(CATALOGUE.replace("\n", "\r\n"), "%s aufmachen")
    assert crlf == text.replace("\n", "\r\n")


def test_a_new_translation_is_no_longer_fuzzy():
    text = render(CATALOGUE, None, "Datei sichern", "%d Dateien sichern", "Verlassen")
    assert "#, c-format\nmsgctxt" in text
    assert '\n\nmsgid "Leave"\nmsgstr "Verlassen"\n' in text
    assert text.count("fuzzy") == 1  # that of the obsolete message
    assert "#| " not in text
    assert parsed(text)["Save file"].msgstr_plural == {0: "Datei sichern", 1: "%d Dateien sichern"}


def test_a_plural_of_which_a_part_is_still_the_old_one_stays_fuzzy():
    text = render(CATALOGUE, None, None, "%d Dateien sichern")
    assert "#, fuzzy, c-format" in text
    assert parsed(text)["Save file"].msgstr_plural == {0: "Datei", 1: "%d Dateien sichern"}


def test_new_translations_can_be_marked_for_review():
    text = render(CATALOGUE, "neu", None, None, "Verlassen", "eins\nzwei", mark_fuzzy=True)
    assert '#, fuzzy, c-format\nmsgid   "Open' in text
    assert '#, fuzzy\nmsgid "Leave"\nmsgstr "Verlassen"' in text
    assert '\n\n#, fuzzy\nmsgid ""\n"\\n"\n' in text
    unchanged = read(CATALOGUE, mark_fuzzy=True)
    assert unchanged.render([unit.target for unit in unchanged.units]) == CATALOGUE.encode()


def test_line_ends_around_a_message_are_around_its_translation():
    entry = parsed(render(CATALOGUE, None, None, None, None, "Eins.\nZwei."))
    (wrapped,) = (entry for msgid, entry in entry.items() if msgid.startswith("\n"))
    assert wrapped.msgstr == "\nEins.\nZwei.\n"


PLURAL = 'msgid "a file"\nmsgid_plural "files"\nmsgstr[0] "{}"\nmsgstr[1] "{}"\nmsgstr[2] "{}"\n'


def header(forms):
    return f'msgid ""\nmsgstr "Plural-Forms: nplurals={forms}; plural=0;\\n"\n\n'


@pytest.mark.parametrize(
    ("forms", "expected"),
    [
        (None, {0: "one", 1: "many", 2: "many"}),
        ("INTEGER", {0: "one", 1: "many", 2: "many"}),
        (1, {0: "many"}),
        (2, {0: "one", 1: "many"}),
        (4, {0: "one", 1: "many", 2: "many", 3: "many"}),
    ],
)
def test_as_many_plural_forms_are_filled_as_the_header_says(forms, expected):
    said = ["many"] if forms == 1 else ["one", "many"]
    text = render((header(forms) if forms else "") + PLURAL.format("", "", ""), *said)
    assert parsed(text)["a file"].msgstr_plural == expected


def test_one_form_for_all_numbers_is_that_for_many():
    text = header(1) + 'msgid "a file"\nmsgid_plural "%d files"\nmsgstr[0] ""'
    assert [str(unit.source) for unit in read(text).units] == ["%d files"]
    assert render(text, None) == text
    assert render(text, "many") == text[:-2] + '"many"'


def test_different_plural_forms_that_are_there_stay():
    text = header(3) + PLURAL.format("plik", "pliki", "plików")
    content = read(text)
    assert [unit.target.text for unit in content.units] == ["plik", "pliki"]
    assert content.render([unit.target for unit in content.units]) == text.encode()
    assert read(header(3) + PLURAL.format("plik", "pliki", "")).units[1].target is None


def test_plural_forms_that_are_missing_are_filled_beside_those_that_are_there():
    text = header(3) + PLURAL.format("plik", "pliki", "")
    assert render(text, "x", "many") == header(3) + PLURAL.format("x", "pliki", "many")
    assert render(text, None, "many") == header(3) + PLURAL.format("plik", "pliki", "many")
    text = header(3) + PLURAL.format("", "", "plików")
    assert render(text, "one", "many") == header(3) + PLURAL.format("one", "many", "plików")
    fuzzy = text.replace('msgid "a', '#, fuzzy\nmsgid "a')
    assert render(fuzzy, "one", "many") == header(3) + PLURAL.format("one", "many", "many")


LONG = "word " * 40


def test_long_lines_are_wrapped_where_the_catalogue_wraps_them():
    wrapped = render(CATALOGUE, LONG)
    assert max(map(len, wrapped.splitlines())) <= 78
    assert parsed(wrapped)['Open "%s"'].msgstr == LONG
    unwrapped = f'msgid "{LONG}"\nmsgstr ""\n'
    assert render(unwrapped, LONG) == unwrapped.replace('""', f'"{LONG}"')
    assert render(unwrapped, f"{LONG}\nb") == unwrapped.replace('""', f'""\n"{LONG}\\n"\n"b"')


def test_other_charsets_are_read_and_written():
    text = CATALOGUE.replace("UTF-8", "ISO-8859-1")
    content = read_po(text.encode("latin-1"), "sample.po")
    assert content.units[0].target == plain('"%s" öffnen')
    out = content.render([plain("grüße"), *[None] * 4])
    assert out == text.replace(r"\"%s\" öffnen", "grüße").encode("latin-1")
    with pytest.raises(
        DataError, match=r"sample\.po, line 9 \('Open .* has '中', which ISO-8859-1 cannot hold"
    ):
        content.render([plain("中"), *[None] * 4])
    japanese = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=Shift_JIS\\n"\n\nmsgid "a"\nmsgstr "ソ"\n'
    assert read_po(japanese.encode("shift_jis"), "x").units[0].target == plain("ソ")  # its last byte is a \


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('msgid "a"\nmsgstr "cut', r"x\.po, line 2: strings stand between double quotes"),
        ('msgid "a"\n', r"x\.po, line 1: the message of line 1 has no msgstr; is the file complete\?"),
        ('msgid "a"\nmsgstr', r"line 2: the message of line 1 has a keyword without a string"),
        ('msgid "a"\n# no\nmsgstr "b"\n', "line 2: the message of line 1 has no msgstr"),
        ('msgid "a"b"\nmsgstr ""\n', "line 1: strings stand between"),
        ('msgstr "a"\n', "line 1: msgstr cannot stand here"),
        ('msgid "a"\nmsgid "b"\n', "line 2: msgid cannot stand here"),
        ('msgid "a"\nmsgid_plural "b"\nmsgstr "c"\n', "line 3: msgstr cannot stand here"),
        ('msgid "a"\nmsgid_plural "b"\nmsgstr[1] "c"\n', r"line 3: msgstr\[1\] stands where msgstr\[0\]"),
        ('"a"\n', "line 1: a string that belongs to no message"),
        ("\n<html>\n", "line 2: '<html>' is neither a part of a message nor a comment"),
        ('msgid "a"\nmsgstr "\0"\n', "line 2: has a NUL character"),
        (header(0), "its header says nplurals=0; from 1 to 9"),
        (header("9" * 5000), "its header says nplurals=99999999999999999999; from 1 to 9"),
    ],
)
def test_catalogues_that_cannot_be_trusted_are_refused(text, complaint):
    with pytest.raises(DataError, match=complaint):
        read_po(text.encode(), "x.po")


@pytest.mark.parametrize("charset", ["klingon", "utf-16", "rot13", "unicode_escape", "idna", "utf-8-sig"])
def test_charsets_of_no_use_are_refused(charset):
    text = f'msgid ""\nmsgstr "Content-Type: text/plain; charset={charset}\\n"\n'
    with pytest.raises(DataError, match=f"x: the charset '{charset}' of its header cannot be read"):
        read_po(text.encode(), "x")


def test_another_encoding_than_the_header_says_is_refused():
    with pytest.raises(DataError, match=r"x, line 10: is not valid UTF-8; convert"):
        read_po(CATALOGUE.encode("latin-1"), "x")
    with pytest.raises(DataError, match=r"x, line 1: "):
        read_po(CATALOGUE.encode("utf-16"), "x")


def test_an_empty_catalogue_and_a_template_are_catalogues():
    assert read_po(b"", "x").render([]) == b""
    assert len(read(CATALOGUE.replace("UTF-8", "CHARSET")).units) == 5


@pytest.mark.parametrize("filling", ["a", '\\"'])
def test_very_long_lines_are_quick(filling):
    text = f'msgid "{filling * (5_000_000 if filling == "a" else 1_000_000)}"\nmsgstr ""\n'
    content = read(text)
    content.render([content.units[0].source])


def test_a_very_long_message_in_many_lines_is_quick():
    text = 'msgid ""\n' + '"some words of it "\n' * 250_000 + 'msgstr ""\n'
    assert len(read(text).units[0].source.text) == 17 * 250_000


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=120)
# Without the characters at which polib, but not gettext, ends a line.
words = st.text(
    st.characters(
        codec="utf-8", exclude_characters="\0\x1c\x1d\x1e\x85\u2028\u2029", exclude_categories=["Cs"]
    ),
    min_size=1,
    max_size=200,
)


@st.composite
def catalogues(draw):
    po = polib.POFile(wrapwidth=draw(st.sampled_from([0, 40, 78])))
    po.metadata = {"Content-Type": "text/plain; charset=UTF-8"}
    for number in range(draw(st.integers(1, 4))):
        entry = polib.POEntry(
            msgid=f"{number}{draw(words)}",
            msgctxt=draw(st.none() | words),
            flags=draw(st.lists(st.sampled_from(["fuzzy", "c-format"]), unique=True)),
            obsolete=draw(st.booleans()),
            comment=draw(st.sampled_from(["", "for programmers"])),
            previous_msgid=draw(st.none() | words),
        )
        if draw(st.booleans()):
            entry.msgid_plural = draw(words)
            entry.msgstr_plural = {0: draw(texts), 1: draw(words)}
        else:
            entry.msgstr = draw(words | st.just(""))
        po.append(entry)
    return str(po)


@settings(max_examples=40)
@given(catalogues())
def test_generated_catalogues_come_back_byte_for_byte(text):
    content = read(text)
    assert content.render([None] * len(content.units)) == text.encode()
    assert content.render([unit.target for unit in content.units]) == text.encode()


@given(words, st.booleans())
def test_any_translation_is_read_back_as_it_was_given(translation, wrap):
    core = translation.strip("\r\n")
    template = 'msgid "\\na\\n"\nmsgstr ""\n\nmsgid "b"\nmsgstr "c"\n'
    template += "" if wrap else f'\nmsgid "{LONG}"\nmsgstr ""\n'
    text = render(template, translation)
    assert parsed(text)["\na\n"].msgstr == f"\n{core}\n"
    assert parsed(text)["b"].msgstr == "c"
    assert read(text).units[0].target == (plain(core) if core else None)


@given(texts)
def test_our_own_reading_knows_every_character(translation):
    core = translation.strip("\r\n")
    assert read(render('msgid "a"\nmsgstr ""\n', translation)).units[0].target == (
        plain(core) if core else None
    )
