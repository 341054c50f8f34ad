import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from recollect.errors import DataError
from recollect.text.formats.xliff import read_xliff
from recollect.text.inline import Inline, Mark, plain

FIRST = """<?xml version='1.0' encoding="UTF-8" ?>
<!-- a comment -->
<xliff version="1.2"  xmlns="urn:oasis:names:tc:xliff:document:1.2" xmlns:t="urn:tool">
  <file original="a.html" source-language="en" target-language='de' datatype="html">
    <body>
      <trans-unit id="1" xml:space="preserve" t:x="1">
        <source>Press <g id="1" ctype="bold">the <x id="2"/> key</g> &amp; wait<ph id="3">br</ph>.</source>
        <note>a note</note>
        <alt-trans><source>Press</source><target>Nein</target></alt-trans>
      </trans-unit>
      <trans-unit id="2"><source>Done</source><target state="final">Fertig</target></trans-unit>
      <trans-unit id="3">
        <source>Open</source>
        <target state="needs-review-translation" state-qualifier="fuzzy-match">Auf</target>
      </trans-unit>
      <trans-unit id="4"><source>Empty</source><target/></trans-unit>
      <group translate="no">
        <trans-unit id="5"><source>Recollect</source></trans-unit>
        <trans-unit id="6" translate="yes"><source>Yes</source></trans-unit>
      </group>
      <trans-unit id="7"><source><x id="1"/></source></trans-unit>
    </body>
  </file>
</xliff>
"""

SECOND = """<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="de"
       xmlns:mtc="urn:oasis:names:tc:xliff:matches:2.0">
 <file id="f1">
  <unit id="u1">
   <mtc:matches><mtc:match ref="#1"><source>Nearly</source><target>Fast</target></mtc:match></mtc:matches>
   <segment id="s1">
    <source>Hello <pc id="1">big <ph id="2" equiv="NAME"/></pc><sc id="3"/>world<ec startRef="3"/>!</source>
   </segment>
   <ignorable><source> </source></ignorable>
   <segment id="s2" state="initial" subState="x:y"><source>Bye</source><target>Bye</target></segment>
   <segment state="reviewed"><source>Yes</source><target>Ja</target></segment>
   <segment><source>No</source><target>Nein</target></segment>
  </unit>
  <unit id="u2" translate="no"><segment><source>Name</source></segment></unit>
 </file>
</xliff>"""


def read(text):
    return read_xliff(text.encode(), "sample.xlf")


def rendered(text, *targets):
    content = read(text)
    given = [plain(target) if isinstance(target, str) else target for target in targets]
    return content.render([*given, *[None] * (len(content.units) - len(given))]).decode()


def wrap(source, rest=""):
    return (
        '<xliff version="1.2"><file><body><trans-unit id="1">'
        f"<source>{source}</source>{rest}</trans-unit></body></file></xliff>"
    )


def test_units_of_the_first_version():
    units = read(FIRST).units
    assert [unit.source.text for unit in units] == ["Press the  key & wait.", "Done", "Open", "Empty", "Yes"]
    assert [unit.target and str(unit.target) for unit in units] == [None, "Fertig", None, None, None]
    assert units[0].where == "line 6 (unit '1')"
    assert units[0].source.marks == (
        Mark(6, '<g id="1" ctype="bold">', "open", 1),
        Mark(10, '<x id="2"/>', "word"),
        Mark(14, "</g>", "close", 1),
        Mark(21, '<ph id="3">br</ph>', "word"),
    )


def test_units_of_the_second_version():
    units = read(SECOND).units
    assert [unit.source.text for unit in units] == ["Hello big world!", "Bye", "Yes", "No"]
    assert [unit.target and str(unit.target) for unit in units] == [None, None, "Ja", "Nein"]
    assert [(mark.role, mark.pair) for mark in units[0].source.marks] == [
        ("open", 1),
        ("word", 0),
        ("close", 1),
        ("open", 2),
        ("close", 2),
    ]


@pytest.mark.parametrize("text", [FIRST, SECOND, FIRST.replace("\n", "\r\n"), "\ufeff" + FIRST])
def test_nothing_new_changes_nothing(text):
    content = read(text)
    assert content.render([None] * len(content.units)) == text.encode()
    assert content.render([unit.target for unit in content.units]) == text.encode()


def test_targets_of_the_first_version_are_all_that_changes():
    _, key, _, line = (mark.raw for mark in read(FIRST).units[0].source.marks)
    target = Inline(
        "A < & B",
        (Mark(0, line), Mark(2, '<g id="1">', "open", 1), Mark(2, key), Mark(7, "</g>", "close", 1)),
    )
    text = rendered(FIRST, target, "Erledigt", "Öffnen", "Leer", "Ja")
    expected = (
        FIRST.replace(
            ".</source>\n",
            ".</source>\n        "
            f'<target state="translated">{line}A <g id="1">{key}&lt; &amp; B</g></target>\n',
        )
        .replace('<target state="final">Fertig', '<target state="translated">Erledigt')
        .replace(
            '<target state="needs-review-translation" state-qualifier="fuzzy-match">Auf',
            '<target state="translated">Öffnen',
        )
        .replace("<target/>", '<target state="translated">Leer</target>')
        .replace("Yes</source>", 'Yes</source><target state="translated">Ja</target>')
    )
    assert text == expected


def test_targets_of_the_second_version_are_all_that_changes():
    text = rendered(SECOND, read(SECOND).units[0].source, "Tschüss")
    source = SECOND[SECOND.index("Hello") : SECOND.index("!</source>") + 1]
    assert text == SECOND.replace("!</source>\n", f"!</source>\n    <target>{source}</target>\n").replace(
        'id="s1"', 'id="s1" state="translated"'
    ).replace('state="initial" subState="x:y"', 'state="translated"').replace(
        "<target>Bye", "<target>Tschüss"
    )
    assert [unit.target is not None for unit in read(text).units] == [True] * 4


@pytest.mark.parametrize(
    ("text", "there"), [(FIRST, " target-language='de'"), (SECOND, ' trgLang="de"')], ids=["1.2", "2.0"]
)
def test_a_target_language_that_is_missing_is_named_with_the_first_target(text, there):
    def translated(text, target, language):
        content = read_xliff(text.encode(), "sample.xlf", language)
        return content.render([target, *[None] * (len(content.units) - 1)]).decode()

    lacking = text.replace(there, "")
    whole = etree.fromstring(translated(text, plain("Neu"), "fr").encode())
    named = etree.fromstring(translated(lacking, plain("Neu"), "de").encode())
    assert [dict(element.attrib) for element in named.iter("*")] == [
        dict(element.attrib) for element in whole.iter("*")
    ]
    assert translated(lacking, None, "de") == lacking
    assert there.split("=")[0] not in translated(lacking, plain("Neu"), None)


def test_only_files_with_a_new_target_get_its_language():
    unit = '<body><trans-unit id="1"><source>a</source></trans-unit></body>'
    text = f'<xliff version="1.2"><file>{unit}</file><file>{unit}</file></xliff>'
    new = read_xliff(text.encode(), "x", "de").render([None, plain("b")]).decode()
    assert new.startswith('<xliff version="1.2"><file><body>')
    assert new.count('<file target-language="de">') == 1


def test_marks_of_a_translation_are_those_of_the_source():
    text = wrap('a <g id="1" ctype="b">b</g>', '<target>B <g id="1">A</g><x id="9"/></target>')
    (unit,) = read(text).units
    assert unit.target.marks == (
        *(mark for mark in unit.source.marks[:1]),
        Mark(3, "</g>", "close", 1),
        Mark(3, '<x id="9"/>'),
    )


def test_tags_that_cross_are_put_in_order():
    (unit,) = read(wrap('<g id="1">a</g> <g id="2">b</g>')).units
    first, first_end, second, second_end = unit.source.marks
    crossing = Inline.joined([second_end, first, "A", second, "B", first_end, "C"])
    target = etree.fromstring(rendered(wrap('<g id="1">a</g> <g id="2">b</g>'), crossing)).find(".//target")
    assert etree.tostring(target, encoding="unicode", with_tail=False) == (
        '<target state="translated"><g id="1">A<g id="2"/>B</g>C</target>'
    )
    crossing = Inline.joined([first, "A", second, "B", first_end, "C", second_end])
    assert '<g id="1">A<g id="2">BC</g></g>' in rendered(wrap('<g id="1">a</g> <g id="2">b</g>'), crossing)


@pytest.mark.parametrize(
    ("source", "text", "roles"),
    [
        ('a<bpt id="1">&lt;b></bpt>b<ept id="1">x</ept>', "ab", ["open", "close"]),
        ('a<bx id="1" rid="7"/>b<ex id="2" rid="7"/>', "ab", ["open", "close"]),
        ('a<bx id="1"/>b', "ab", ["point"]),
        ('a<x id="1" ctype="lb"/>b<x id="INTERPOLATION"/>', "ab", ["point", "word"]),
        ('a<it id="1" pos="open">&lt;b></it>b', "ab", ["point"]),
        ('a<mrk mtype="protected">kept</mrk>b', "ab", ["word"]),
        ('a<mrk mtype="term">b</mrk>', "ab", ["open", "close"]),
        ('a<ph id="1">x<sub>not looked into</sub></ph>b', "ab", ["word"]),
        ('a<g id="1"/>b', "ab", ["point"]),
        ('a<u:v xmlns:u="urn:u">c</u:v>b', "ab", ["point"]),
        ("a<!-- c --><![CDATA[<b>]]><?p i?>", "a<b>", []),
    ],
)
def test_roles_of_inline_elements(source, text, roles):
    (unit,) = read(wrap(source)).units
    assert (unit.source.text, [mark.role for mark in unit.source.marks]) == (text, roles)
    out = etree.fromstring(rendered(wrap(source), unit.source))
    assert "".join(out.find(".//target").itertext()) == "".join(out.find(".//source").itertext())
    assert len(list(out.find(".//target").iter("*"))) == len(list(out.find(".//source").iter("*")))


SEGMENTED = (
    "A. B. C.",
    '<seg-source><mrk mtype="seg" mid="1">A.</mrk> <mrk mtype="seg" mid="2">B.</mrk></seg-source>',
)


def test_segments_are_units():
    text = wrap(*SEGMENTED)
    assert [unit.source.text for unit in read(text).units] == ["A.", "B."]
    both = '<mrk mtype="seg" mid="1">X.</mrk> <mrk mtype="seg" mid="2">Y.</mrk>'
    both = f'<target state="translated">{both}</target>'
    assert rendered(text, "X.", "Y.") == text.replace("</seg-source>", "</seg-source>" + both)
    one = rendered(text, None, "Y.")
    assert (
        '<target state="needs-translation"><mrk mtype="seg" mid="1"></mrk> <mrk mtype="seg" mid="2">Y.' in one
    )
    assert [unit.target for unit in read(one).units] == [None, None]
    known = read(rendered(text, "X.", "Y."))
    assert [str(unit.target) for unit in known.units] == ["X.", "Y."]
    assert known.render([None, plain("Z.")]).decode() == rendered(text, "X.", "Z.")


def test_segments_inside_of_other_elements_are_not_taken_apart():
    text = wrap("A. B.", '<seg-source><g id="1"><mrk mtype="seg" mid="1">A.</mrk></g> B.</seg-source>')
    assert [unit.source.text for unit in read(text).units] == ["A. B."]


def test_prefixes_and_attributes_of_the_source_are_kept():
    text = FIRST.replace("xmlns=", "xmlns:l=").replace("<source>Yes", '<source xml:space="preserve">Yes')
    for name in (
        "xliff",
        "file",
        "body",
        "trans-unit",
        "source",
        "target",
        "note",
        "group",
        "g",
        "x",
        "ph",
        "alt-trans",
    ):
        for end in (" ", ">", "/>"):
            text = text.replace(f"<{name}{end}", f"<l:{name}{end}").replace(
                f"</{name}{end}", f"</l:{name}{end}"
            )
    assert '<l:target xml:space="preserve" state="translated">Ja</l:target>' in rendered(
        text, None, None, None, None, "Ja"
    )


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1", "shift_jis"])
def test_other_encodings_are_kept(encoding):
    text = FIRST.replace("UTF-8", encoding)
    content = read_xliff(text.encode(encoding), "x")
    assert content.render([None] * 5) == text.encode(encoding)
    out = content.render([None, plain("中ü"), None, None, None])
    assert [target.text for target in etree.fromstring(out).iter("{*}target")][1] == "中ü"


BOMB = """<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>
<xliff version="1.2"><file><body><trans-unit><source>&c;</source></trans-unit></body></file></xliff>"""


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", r"x, line 1: not well-formed XML \(no element found\); is the file complete\?"),
        (FIRST[:700].encode(), r"x, line \d+: not well-formed XML"),
        (FIRST.replace("Done", "D\0ne").encode(), r"x, line 11: not well-formed XML \(invalid token\)"),
        (
            FIRST.replace("Done", "Dön").encode("latin-1"),
            "x, line 11: is not valid UTF-8; correct the encoding",
        ),
        (FIRST.replace("UTF-8", "klingon").encode(), "x, line 1: the encoding 'klingon' cannot be read"),
        (FIRST.replace("UTF-8", "utf-16").encode(), "x, line 1: the encoding 'utf-16' cannot be read"),
        (FIRST.replace("UTF-8", "rot13").encode(), "x, line 1: the encoding 'rot13' cannot be read"),
        (FIRST.encode("utf-16")[:-1], "x, line 1: is not valid utf-16-le|x, line .*: is not valid utf-16-le"),
        (BOMB.encode(), r"x, line 1: document type and entity declarations are refused"),
        (b"<!DOCTYPE xliff SYSTEM 'file:///etc/passwd'><xliff version='1.2'/>", "x, line 1: document type"),
        (wrap("&nbsp;").encode(), r"x, line 1: not well-formed XML \(undefined entity\)"),
        (
            wrap("<g>" * 5000 + "a" + "</g>" * 5000).encode(),
            "x, line 1: elements are nested more than 200 deep",
        ),
        (b"<html/>", 'x, line 1: the file begins with <html> and version=""; <xliff version="1.2"> or'),
        (b'<xliff version="3.0"/>', 'x, line 1: the file begins with <xliff> and version="3.0"'),
    ],
)
def test_files_that_cannot_be_trusted_are_refused(data, complaint):
    with pytest.raises(DataError, match=complaint) as caught:
        read_xliff(data, "x")
    assert len(str(caught.value)) < 200


def test_characters_that_xml_cannot_hold_are_refused():
    with pytest.raises(
        DataError, match=r"sample\.xlf, line 6 \(unit '1'\): its translation has the character U\+0001"
    ):
        rendered(FIRST, "\x01")


@pytest.mark.parametrize("filling", ["a", "<x id='1'/>", "&amp;", "<![CDATA[a]]>"])
def test_a_very_long_line_is_quick(filling):
    text = wrap(
        "a" + filling * (5_000_000 // len(filling) // (10 if "<" in filling else 1)),
        f"<target{' ' * 99999}/>",
    )
    content = read(text)
    content.render([content.units[0].source])


def test_many_units_in_one_line_are_quick():
    unit = "<trans-unit id='1'><source>a</source></trans-unit>"
    text = f"<xliff version='1.2'><file><body>{unit * 20_000}</body></file></xliff>"
    content = read(text)
    content.render([plain("b")] * 20_000)


texts = st.text(
    st.characters(
        codec="utf-8", categories=["L", "N", "P", "S", "Z", "M"], include_characters="\t\n\r<>&]'\""
    )
)


@settings(max_examples=60)
@given(texts.filter(bool), st.sampled_from([0, 1]))
def test_any_translation_is_read_back_as_it_was_given(text, place):
    sample, unit = ((FIRST, 1), (SECOND, 1))[place]
    targets = [None] * len(read(sample).units)
    targets[unit] = plain(text)
    out = read(sample).render(targets)
    assert text in [target.text for target in etree.fromstring(out).iter("{*}target")]
    again = read_xliff(out, "x")
    assert again.units[unit].target == plain(text)
    # Without targets and states the files are the same.
    assert _without_targets(out) == _without_targets(sample.encode())


def _without_targets(data):
    root = etree.fromstring(data)
    for element in root.iter("{*}target", "{*}segment"):
        element.attrib.pop("state", None)
        element.attrib.pop("subState", None)
        if element.tag.endswith("target"):
            element.text = ""
    return etree.tostring(root, method="c14n")
