import contextlib
import io
import zipfile

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from recollect.errors import DataError
from recollect.text.formats.content import Content
from recollect.text.formats.docx import read_docx
from recollect.text.inline import Inline

NAMESPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
)
NOTES = f"""<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<w:footnotes {NAMESPACES}>
<w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>
<w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t xml:space="preserve"> A note.</w:t></w:r></w:p>
</w:footnote></w:footnotes>"""


def package(body: str, **parts: str) -> bytes:
    """A small document: the content of its body, and further parts by the name of their file."""
    packed = io.BytesIO()
    document = f"<w:document {NAMESPACES}><w:body>{body}<w:sectPr/></w:body></w:document>"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", document)
        for name, text in parts.items():
            archive.writestr(f"word/{name}.xml", text)
    return packed.getvalue()


def units(data: bytes) -> list[str]:
    return [str(unit.source) for unit in read_docx(data, "a.docx").units]


def text_of(data: bytes, part: str = "word/document.xml") -> str:
    return zipfile.ZipFile(io.BytesIO(data)).read(part).decode()


def body_of(data: bytes) -> str:
    """What is between the body's tags, without namespaces."""
    return text_of(data).split("<w:body>")[1].split("<w:sectPr/>")[0]


def upper(content: Content) -> list[Inline]:
    return [Inline(unit.source.text.upper(), unit.source.marks) for unit in content.units]


def sample() -> bytes:
    document = docx.Document()
    document.add_heading("The bees", 1)
    paragraph = document.add_paragraph("They dance in ")
    paragraph.add_run("the ").bold = True
    paragraph.add_run("sun").bold = True
    paragraph.add_run(" and ")
    paragraph.add_run("sleep").italic = True
    paragraph.add_run(" at night.")
    link = parse_xml(
        f'<w:hyperlink {nsdecls("w", "r")} r:id="rId1">'
        '<w:r><w:rPr><w:u w:val="single"/></w:rPr><w:t>here</w:t></w:r></w:hyperlink>'
    )
    linked = document.add_paragraph("Look ")
    linked._p.append(link)
    linked.add_run(" now")
    document.add_paragraph("First", style="List Bullet")
    document.add_paragraph("Second", style="List Bullet")
    table = document.add_table(2, 2)
    table.cell(0, 0).text = "Cell one"
    inner = table.cell(1, 1).add_table(1, 1)
    inner.cell(0, 0).text = "Inner cell"
    document.add_paragraph("42")
    section = document.sections[0]
    section.different_first_page_header_footer = True
    section.header.paragraphs[0].text = "A header"
    section.first_page_header.paragraphs[0].text = "First header"
    section.footer.paragraphs[0].text = "A footer"
    saved = io.BytesIO()
    document.save(saved)
    with zipfile.ZipFile(saved, "a") as archive:
        archive.writestr("word/footnotes.xml", NOTES)
    return saved.getvalue()


def test_paragraphs_in_reading_order():
    content = read_docx(sample(), "bees.docx")
    assert [(unit.where, str(unit.source)) for unit in content.units][:5] == [
        ("paragraph 1", "The bees"),
        ("paragraph 2", "They dance in <1>the sun</1> and <2>sleep</2> at night."),
        ("paragraph 3", "Look <1>here</1> now"),
        ("paragraph 4", "First"),
        ("paragraph 5", "Second"),
    ]
    rest = [unit.source.text for unit in content.units][5:]
    assert rest[:2] == ["Cell one", "Inner cell"]
    assert sorted(rest[2:5]) == ["A footer", "A header", "First header"]
    assert rest[5:] == [" A note."]
    assert content.units[-1].where == "footnotes, paragraph 2"


def test_identity_returns_the_very_bytes():
    data = sample()
    content = read_docx(data, "bees.docx")
    assert content.render([None] * len(content.units)) == data
    assert content.render([unit.source for unit in content.units]) == data


def test_formatting_comes_back_around_the_right_words():
    content = read_docx(sample(), "bees.docx")
    source = content.units[1].source
    opened, closed, slept, woken = source.marks
    target = Inline.joined([slept, "Nachts", woken, " ruht man, ", opened, "tags", closed, " nie."])
    targets = [target if unit.source is source else None for unit in content.units]
    result = docx.Document(io.BytesIO(content.render(targets)))
    runs = [(run.text, run.bold, run.italic) for run in result.paragraphs[1].runs]
    assert runs == [
        ("Nachts", None, True), (" ruht man, ", None, None), ("tags", True, None), (" nie.", None, None)
    ]  # fmt: skip


def test_only_changed_parts_are_rewritten():
    data = sample()
    content = read_docx(data, "bees.docx")
    result = content.render([Inline("Bienen"), *[None] * (len(content.units) - 1)])
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(io.BytesIO(result)) as new:
        facts = [[(p.filename, p.date_time, p.compress_type) for p in each.infolist()] for each in (old, new)]
        assert facts[0] == facts[1]
        changed = [name for name in old.namelist() if old.read(name) != new.read(name)]
    assert changed == ["word/document.xml"]
    assert content.render([None] * len(content.units)) == data, "a rendering leaves nothing behind"


def test_all_translated_and_the_structure_the_same():
    content = read_docx(sample(), "bees.docx")
    again = read_docx(content.render(upper(content)), "bees.docx")
    assert [unit.source for unit in again.units] == upper(content)
    assert skeleton(content.render(upper(content))) == skeleton(sample())


def skeleton(data: bytes) -> list[str]:
    """The tags of a document, without those of runs, which are made anew."""
    runs = ("}r", "}t", "}rPr", "}b", "}bCs")
    elements = etree.fromstring(text_of(data).encode()).iter()
    return [element.tag for element in elements if not element.tag.endswith(runs)]


def test_what_has_no_words_is_a_mark():
    data = package(
        '<w:p><w:pPr><w:jc w:val="left"/></w:pPr><w:bookmarkStart w:id="0" w:name="x"/>'
        '<w:r><w:t>Name</w:t><w:tab/><w:t>Bee</w:t></w:r><w:bookmarkEnd w:id="0"/>'
        '<w:proofErr w:type="spellStart"/><w:r><w:footnoteReference w:id="2"/></w:r>'
        '<w:del w:id="9"><w:r><w:delText>old</w:delText></w:r></w:del>'
        '<w:ins w:id="8"><w:r><w:t xml:space="preserve"> new</w:t></w:r></w:ins></w:p>'
    )
    content = read_docx(data, "a.docx")
    assert [str(unit.source) for unit in content.units] == ["<1/>Name<2/> Bee<3/><4/><5/><6> new</6>"]
    assert body_of(content.render(upper(content))) == (
        '<w:p><w:pPr><w:jc w:val="left"/></w:pPr><w:bookmarkStart w:id="0" w:name="x"/>'
        "<w:r><w:t>NAME</w:t></w:r><w:r><w:tab/></w:r><w:r><w:t>BEE</w:t></w:r>"
        '<w:bookmarkEnd w:id="0"/><w:r><w:footnoteReference w:id="2"/></w:r>'
        '<w:del w:id="9"><w:r><w:delText>old</w:delText></w:r></w:del>'
        '<w:ins w:id="8"><w:r><w:t xml:space="preserve"> NEW</w:t></w:r></w:ins></w:p>'
    )


def field(code: str, result: str) -> str:
    return (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        f'<w:r><w:instrText xml:space="preserve"> {code} </w:instrText></w:r>'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>{result}</w:t></w:r>'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def test_fields_are_kept_whole_and_links_are_not():
    body = (
        f'<w:p><w:r><w:t xml:space="preserve">Page </w:t></w:r>{field("PAGE", "7")}'
        '<w:r><w:t xml:space="preserve"> of </w:t></w:r><w:fldSimple w:instr="NUMPAGES">'
        "<w:r><w:t>9</w:t></w:r></w:fldSimple></w:p>"
        f"<w:p>{field('HYPERLINK &quot;http://a&quot;', 'Click')}</w:p>"
    )
    content = read_docx(package(body), "a.docx")
    assert [str(unit.source) for unit in content.units] == ["Page <1/> of <2/>", "<1>Click</1>"]
    assert [mark.role for mark in content.units[0].source.marks] == ["word", "word"]
    rendered = content.render(upper(content))
    expected = body.replace("Page", "PAGE").replace(" of ", " OF ").replace("Click", "CLICK")
    assert body_of(rendered) == expected.replace("&quot;", '"')


def test_a_field_over_several_paragraphs_does_not_hide_them():
    begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>'
    end = '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    body = f"<w:p>{begin}<w:r><w:t>Chapter</w:t></w:r></w:p><w:p>{end}</w:p>"
    assert units(package(body)) == ["<1/><2/>Chapter"]


def test_content_controls_and_smart_tags_are_translated_inside():
    body = (
        '<w:sdt><w:sdtPr><w:alias w:val="x"/></w:sdtPr><w:sdtContent><w:p><w:r><w:t>Block</w:t></w:r></w:p>'
        '</w:sdtContent></w:sdt><w:p><w:sdt><w:sdtPr><w:alias w:val="y"/></w:sdtPr><w:sdtContent>'
        "<w:r><w:t>Inside</w:t></w:r></w:sdtContent></w:sdt>"
        '<w:smartTag w:element="z"><w:r><w:t>Paris</w:t></w:r></w:smartTag></w:p>'
    )
    content = read_docx(package(body), "a.docx")
    assert [str(unit.source) for unit in content.units] == ["Block", "<1>Inside</1><2>Paris</2>"]
    assert body_of(content.render(upper(content))) == (
        body.replace("Block", "BLOCK").replace("Inside", "INSIDE").replace("Paris", "PARIS")
    )


def test_a_text_box_is_read_once_and_its_fallback_follows():
    box = "<w:txbxContent><w:p><w:r><w:t>Boxed</w:t></w:r></w:p></w:txbxContent>"
    body = (
        "<w:p><w:r><w:t>Outer</w:t></w:r><w:r><mc:AlternateContent>"
        f"<mc:Choice Requires='wps'>{box}</mc:Choice>"
        f"<mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    content = read_docx(package(body), "a.docx")
    assert [str(unit.source) for unit in content.units] == ["Outer<1/>", "Boxed"]
    rendered = body_of(content.render(upper(content)))
    assert (rendered.count("OUTER"), rendered.count("BOXED"), rendered.count("Boxed")) == (1, 2, 0)


def test_characters_that_xml_has_not_are_left_out():
    content = read_docx(package("<w:p><w:r><w:t>a</w:t></w:r></w:p>"), "a.docx")
    assert "<w:t>b c &lt;</w:t>" in text_of(content.render([Inline("b\0c <")]))


def bomb(size: int = 60_000_000) -> bytes:
    return package(f"<w:p><w:r><w:t>{'a' * size}</w:t></w:r></w:p>")


def lying() -> bytes:
    """A part that says it is small, and is not."""
    data = package("<w:p><w:r><w:t>" + "ab" * 5000 + "</w:t></w:r></w:p>")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        size = archive.getinfo("word/document.xml").file_size
    return data.replace(size.to_bytes(4, "little"), (100).to_bytes(4, "little"))


def encrypted() -> bytes:
    data = bytearray(package("<w:p/>"))
    at = data.index(b"PK\x01\x02")
    data[at + 8] |= 1
    return bytes(data)


def entities(declaration: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        body = "<w:body><w:p><w:r><w:t>&b;</w:t></w:r></w:p></w:body>"
        document = f"{declaration}<w:document {NAMESPACES}>{body}</w:document>"
        archive.writestr("word/document.xml", document)
    return packed.getvalue()


def without_document() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    return packed.getvalue()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: b"", "not a .docx"),
        (lambda: b"\0" * 100, "not a .docx"),
        (lambda: sample()[:5000], "not a .docx, or only a part of one"),
        (lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "this is an old .doc; save it as .docx"),
        (bomb, "unpack to too much"),
        (lying, "word/document.xml is damaged"),
        (encrypted, "encrypted; save it without a password"),
        (without_document, "there is no word/document.xml"),
        (
            lambda: entities('<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'),
            "declares a document type",
        ),
        (
            lambda: entities('<!DOCTYPE x [<!ENTITY b SYSTEM "file:///etc/passwd">]>'),
            "declares a document type",
        ),
        (lambda: entities(""), "line 1, is broken XML"),
        (lambda: package("<w:p>"), "is broken XML"),
        (lambda: package("<w:sdt>" * 5000 + "</w:sdt>" * 5000), "nested too deep"),
    ],
)
def test_refused(make, message):
    with pytest.raises(DataError, match=message):
        read_docx(make(), "a.docx")


def test_truncated_or_changed_anywhere():
    data = package("<w:p><w:r><w:t>One two</w:t></w:r></w:p>")
    for at in range(0, len(data), 3):
        for broken in (data[:at], data[:at] + b"\xff" + data[at + 1 :]):
            with contextlib.suppress(DataError):
                content = read_docx(broken, "a.docx")
                content.render([Inline("x")] * len(content.units))


def test_many_runs_are_quick():
    runs = "".join(
        f'<w:r><w:rPr><w:sz w:val="{n}"/></w:rPr><w:t xml:space="preserve"> </w:t></w:r>'
        for n in range(5_000)
    )
    content = read_docx(package(f"<w:p><w:r><w:t>a</w:t></w:r>{runs}</w:p>"), "a.docx")
    content.render(upper(content))


FORMATS = st.sampled_from(
    ["", "<w:rPr><w:b/></w:rPr>", "<w:rPr><w:i/></w:rPr>", '<w:rPr><w:lang w:val="en"/></w:rPr>']
)
INSIDE = st.sampled_from(
    ["<w:tab/>", "<w:br/>", "<w:footnoteReference w:id='2'/>", "<w:noBreakHyphen/>"]
) | st.text("ab é中", max_size=5).map(lambda text: f'<w:t xml:space="preserve">{text}</w:t>')
RUNS = st.tuples(FORMATS, st.lists(INSIDE, max_size=3)).map(
    lambda run: f"<w:r>{run[0]}{''.join(run[1])}</w:r>"
)
CONTENT = st.recursive(
    RUNS | st.just('<w:bookmarkStart w:id="1" w:name="b"/>') | st.just(field("PAGE", "7")),
    lambda inner: st.tuples(
        st.sampled_from(["hyperlink", "ins", "smartTag"]), st.lists(inner, max_size=3)
    ).map(lambda pair: f"<w:{pair[0]}>{''.join(pair[1])}</w:{pair[0]}>"),
    max_leaves=8,
)


@given(st.lists(st.lists(CONTENT, max_size=4).map(lambda parts: f"<w:p>{''.join(parts)}</w:p>"), max_size=3))
@settings(max_examples=150, deadline=None)
def test_an_upper_case_translation_keeps_every_mark(paragraphs):
    data = package("".join(paragraphs))
    content = read_docx(data, "a.docx")
    assert content.render([unit.source for unit in content.units]) == data
    again = read_docx(content.render(upper(content)), "a.docx")
    assert [unit.source for unit in again.units] == upper(content)


@given(st.lists(CONTENT, max_size=4), st.randoms())
@settings(max_examples=100, deadline=None)
def test_marks_in_any_order_lose_nothing(parts, random):
    content = read_docx(package(f"<w:p><w:r><w:t>word</w:t></w:r>{''.join(parts)}</w:p>"), "a.docx")
    pieces = content.units[0].source.pieces()
    random.shuffle(pieces)
    rendered = body_of(content.render([Inline.joined(pieces)]))
    for kept in ("w:tab/", "w:footnoteReference", "w:bookmarkStart", "w:instrText "):
        assert rendered.count(f"<{kept}") == "".join(parts).count(f"<{kept}")
