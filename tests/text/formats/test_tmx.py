import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from recollect.errors import DataError
from recollect.text.formats.tmx import read_tmx, write_tmx
from recollect.text.inline import Inline, Mark, plain

MEMORY = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4">
  <header creationtool="x" creationtoolversion="1" segtype="sentence" o-tmf="x" adminlang="en" srclang="EN-us"
    datatype="plaintext"/>
  <body>
    <tu tuid="7">
      <tuv xml:lang="en-US"><seg>A <bpt i="1" type="b">[b]</bpt>bold<ept i="1">/b</ept> word<ph/></seg></tuv>
      <tuv xml:lang="de-DE"><prop type="p">q</prop><seg>Ein Wort</seg></tuv>
    </tu>
    <tu>
      <note>n</note>
      <tuv xml:lang="en-US">
        <seg>Only <hi type="term">here</hi></seg>
      </tuv>
    </tu>
    <tu><tuv xml:lang="de-DE"><seg/></tuv><tuv xml:lang="EN_US"><seg>Empty</seg></tuv></tu>
    <tu><tuv xml:lang="de-DE"><seg>Nur deutsch</seg></tuv></tu>
  </body>
</tmx>
"""


def read(text, *languages):
    return read_tmx(text.encode(), "sample.tmx", *languages)


def test_units_are_what_the_source_language_has():
    units = read(MEMORY).units
    assert [unit.source.text for unit in units] == ["A bold word", "Only here", "Empty"]
    assert [unit.target and str(unit.target) for unit in units] == ["Ein Wort", None, None]
    assert [unit.where for unit in units] == ["line 7 (unit '7')", "line 11", "line 17"]
    assert units[0].source.marks == (
        Mark(2, '<bpt i="1" type="b">[b]</bpt>', "open", 1),
        Mark(6, '<ept i="1">/b</ept>', "close", 1),
        Mark(11, "<ph/>", "word"),
    )


@pytest.mark.parametrize("languages", [(), ("en",), ("en", "de"), ("EN", "DE-de"), ("en-US", "fr")])
def test_nothing_new_changes_nothing(languages):
    content = read(MEMORY, *languages)
    assert content.render([None] * 3) == MEMORY.encode()
    assert content.render([unit.target for unit in content.units]) == MEMORY.encode()


def test_translations_are_put_where_they_are_missing():
    content = read(MEMORY)
    here = content.units[1].source.marks
    target = Inline("Nur hier", (Mark(4, here[0].raw, "open", 1), Mark(8, here[1].raw, "close", 1)))
    out = content.render([None, target, plain("Leer & <so>")]).decode()
    assert out == MEMORY.replace(
        "      </tuv>\n    </tu>",
        '      </tuv>\n      <tuv xml:lang="de-DE"><seg>Nur <hi type="term">hier</hi></seg></tuv>\n    </tu>',
    ).replace("<seg/>", "<seg>Leer &amp; &lt;so&gt;</seg>")
    assert [unit.target is not None for unit in read(out).units] == [True] * 3


def test_another_language_is_added_and_an_old_translation_replaced():
    out = read(MEMORY, "en", "fr").render([plain("Un"), None, None]).decode()
    assert '</tuv>\n      <tuv xml:lang="fr"><seg>Un</seg></tuv>\n    </tu>' in out
    assert [unit.target and unit.target.text for unit in read(out, "en", "fr").units] == ["Un", None, None]
    assert read(MEMORY).render([plain("Neu"), None, None]).decode() == MEMORY.replace("Ein Wort", "Neu")


def test_old_memories_name_their_languages_otherwise():
    old = MEMORY.replace("xml:lang", "lang").replace('version="1.4"', 'version="1.1"')
    assert '<tuv lang="de-DE"><seg>X</seg></tuv>' in read(old).render([None, plain("X"), None]).decode()


def test_sixteen_bits_are_kept():
    text = MEMORY.replace("UTF-8", "UTF-16").replace("\n", "\r\n")
    content = read_tmx(text.encode("utf-16"), "x")
    assert content.render([None] * 3) == text.encode("utf-16")
    assert content.render([None, None, plain("中")]) == text.replace("<seg/>", "<seg>中</seg>").encode(
        "utf-16"
    )


@pytest.mark.parametrize(
    ("text", "languages", "complaint"),
    [
        ("", (), r"sample\.tmx, line 1: not well-formed XML"),
        (MEMORY[:-30], (), r"line \d+: not well-formed XML"),
        ("<tmx/>", (), r"line 1: <tmx> is not a translation memory"),
        ("<xliff version='1.2'/>", (), "line 1: <xliff> is not a translation memory; <tmx> with a <body>"),
        (MEMORY, ("fr",), r"has nothing in 'fr'; name one of those it has \(en-US, de-DE, EN_US\)"),
        (MEMORY.replace("EN-us", "*all*"), (), r"names no source language; name one of .* \(en-US, de-DE"),
        (MEMORY.replace(">Ein", ">Ein").replace('de-DE"><seg>Nur', 'fr"><seg>Nur'), (), "it has de-DE, fr"),
        (MEMORY.replace("de-DE", "en-US"), (), "the target language is not clear; name one"),
        (
            MEMORY.replace('"tmx14.dtd"', '"a" [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]'),
            (),
            "line 2: document type",
        ),
        (MEMORY.replace("Empty", "&nbsp;"), (), "line 17: the entity &nbsp; is unknown; write the character"),
        (MEMORY.replace("Empty", "<hi>" * 9999), (), "line 17: elements are nested more than 200 deep"),
        (MEMORY.replace("Empty", "\0"), (), "line 17: not well-formed XML"),
    ],
)
def test_memories_that_cannot_be_trusted_are_refused(text, languages, complaint):
    with pytest.raises(DataError, match=complaint) as caught:
        read(text, *languages)
    assert len(str(caught.value)) < 200


def test_another_encoding_than_the_file_says_is_refused():
    with pytest.raises(DataError, match="x, line 17: is not valid UTF-8"):
        read_tmx(MEMORY.replace("Empty", "Öde").encode("latin-1"), "x")


def test_a_very_long_line_is_quick():
    content = read(
        write_tmx([("a" * 5_000_000, "b"), *[("c d", "e f")] * 10_000], "en", "de").decode().replace("\n", "")
    )
    content.render([unit.source for unit in content.units])


texts = st.text(
    st.characters(
        codec="utf-8", categories=["L", "N", "P", "S", "Z", "M"], include_characters="\t\n\r<>&]'\""
    )
)


@settings(max_examples=60)
@given(st.lists(st.tuples(texts, texts)))
def test_pairs_that_are_written_are_read(pairs):
    data = write_tmx(pairs, "en", "zh")
    read = [tuple(seg.text or "" for seg in tu.iter("seg")) for tu in etree.fromstring(data).iter("tu")]
    assert read == pairs
    content = read_tmx(data, "x", "en", "zh")
    found = [(unit.source.text, unit.target.text if unit.target else "") for unit in content.units]
    assert found == [(a, b if b.strip() else "") for a, b in pairs if a]


def test_characters_that_xml_cannot_hold_are_refused():
    with pytest.raises(DataError, match=r"pair 2 .* U\+0000, which XML cannot hold"):
        write_tmx([("a", "b"), ("a", "\0")], "en", "de")
    with pytest.raises(DataError, match=r"sample\.tmx, line 11: its translation has the character U\+D800"):
        read(MEMORY).render([None, plain("\ud800"), None])


def test_a_memory_can_be_read_the_other_way_round():
    units = read(MEMORY, "de", "en").units
    assert [unit.source.text for unit in units] == ["Ein Wort", "Nur deutsch"]
    assert [unit.target and unit.target.text for unit in units] == ["A bold word", None]
