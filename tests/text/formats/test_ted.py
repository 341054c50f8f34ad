import lzma

import pytest

from recollect.errors import DataError
from recollect.text.corpora import read_documents, read_parallel

TALKS = """<?xml version="1.0" encoding="UTF-8"?>
<mteval>
<{set} setid="sample" srclang="english">
<doc docid="7" genre="lectures">
<url>http://example.org/7</url>
<description>About bees &amp; trees</description>
<talkid>7</talkid>
<title>Bees</title>
<seg id="1"> Bees dance . </seg>
<seg id="2"> &lt;Laughter&gt; </seg>
</doc>
<doc docid="9" genre="lectures">
<title>Silence</title>
<seg id="1"></seg>
<seg id="2"> Thank you . </seg>
</doc>
</{set}>
</mteval>
"""


def test_segments_are_sentences_and_metadata_is_not(tmp_path):
    path = tmp_path / "talks.en.xml.xz"
    path.write_bytes(lzma.compress(TALKS.replace("{set}", "srcset").encode()))
    first, second = read_documents(path)
    assert (first.name, first.sentences) == ("7", ("Bees dance .", "<Laughter>"))
    assert (second.name, second.sentences) == ("9", ("", "Thank you ."))


def test_source_and_reference_talks_are_paired(tmp_path):
    source, reference = tmp_path / "a.xml", tmp_path / "b.xml"
    source.write_text(TALKS.replace("{set}", "srcset"), encoding="utf-8")
    reference.write_text(TALKS.replace("{set}", "refset").replace("Bees dance", "蜜蜂跳舞"), encoding="utf-8")
    bees, silence = read_parallel(source, [reference])
    assert bees.references == (("蜜蜂跳舞 .", "<Laughter>"),)
    assert silence.source == ("", "Thank you .")


def test_talks_in_another_order_are_refused(tmp_path):
    source, reference = tmp_path / "a.xml", tmp_path / "b.xml"
    source.write_text(TALKS.replace("{set}", "srcset"), encoding="utf-8")
    reference.write_text(TALKS.replace("{set}", "refset").replace('docid="7"', 'docid="8"'), encoding="utf-8")
    with pytest.raises(DataError, match=r"document 1 is 7 in .*a\.xml and 8 in .*b\.xml"):
        read_parallel(source, [reference])


@pytest.mark.parametrize(
    "declaration",
    [
        "<!DOCTYPE mteval SYSTEM 'file:///etc/passwd'>",
        "<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]>",
    ],
)
def test_declarations_are_refused(tmp_path, declaration):
    path = tmp_path / "talks.xml"
    path.write_text(TALKS.replace("<mteval>", declaration + "<mteval>"), encoding="utf-8")
    with pytest.raises(DataError, match="line 2: document type and entity declarations are refused"):
        read_documents(path)


def test_broken_xml_names_the_line(tmp_path):
    path = tmp_path / "talks.xml"
    path.write_text(TALKS.replace("{set}", "srcset").replace("Bees dance", "Bees & dance"), encoding="utf-8")
    with pytest.raises(DataError, match="line 9: not well-formed XML"):
        read_documents(path)


def test_tagged_training_files_end_a_talk_at_their_metadata(tmp_path):
    path = tmp_path / "train.tags.en"
    path.write_text(
        "<url>http://example.org/7</url>\n<talkid>7</talkid>\n<title>Bees</title>\nBees dance .\n1 < 2 .\n"
        '<doc docid="9" genre="lectures">\n<description>None</description>\nThank you .\n</doc>\n',
        encoding="utf-8",
    )
    assert [document.sentences for document in read_documents(path)] == [
        ("Bees dance .", "1 < 2 ."),
        ("Thank you .",),
    ]


def test_a_plain_file_that_begins_with_text_keeps_its_tags(tmp_path):
    path = tmp_path / "html.en"
    path.write_text("Use this:\n<title>Bees</title>\n", encoding="utf-8")
    assert read_documents(path)[0].sentences == ("Use this:", "<title>Bees</title>")
