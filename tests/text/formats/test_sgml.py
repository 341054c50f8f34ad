import pytest

from recollect.errors import DataError
from recollect.text.corpora import read_documents
from recollect.text.formats.sgml import read_sgml

TWO_REFERENCES = """<!DOCTYPE mteval SYSTEM "mteval-xml.dtd">
<REFSET setid="sample" srclang="Chinese" trglang="English">
<DOC docid="A" sysid="first">
<P>
<seg id=1> i &apos;d like tea &amp; cake &lt;now&gt; .</seg>
</P>
<p><SEG id="2"> 1 < 2 , she
 said .</SEG></p>
</DOC>
<DOC docid="B" sysid="first"><seg id=1></seg></DOC>
<DOC docid="B" sysid="second"><seg id=1>empty ?</seg></DOC>
<DOC docid="A" sysid="second"><seg id=1>tea , please .</seg><seg id=2>really .</seg></DOC>
</REFSET>
"""


def test_references_are_told_apart_and_put_in_the_same_order(tmp_path):
    path = tmp_path / "sample.sgm"
    path.write_text(TWO_REFERENCES, encoding="utf-8")
    first, second = read_sgml(path)
    assert (first.system, second.system) == ("first", "second")
    assert [document.name for document in first.documents] == ["A", "B"]
    assert first.documents[0].sentences == ("i 'd like tea & cake <now> .", "1 < 2 , she said .")
    assert first.documents[1].sentences == ("",)
    assert [document.name for document in second.documents] == ["A", "B"]
    assert second.documents[0].sentences == ("tea , please .", "really .")


def test_text_in_pieces_is_the_same_as_in_one(tmp_path, monkeypatch):
    path = tmp_path / "sample.sgm"
    path.write_text(TWO_REFERENCES.replace("tea", "茶"), encoding="utf-8")
    whole = read_sgml(path)
    monkeypatch.setattr("recollect.text.files._CHUNK", 1)
    assert read_sgml(path) == whole


def test_sgml_is_known_by_its_first_bytes_too(tmp_path):
    path = tmp_path / "sample"
    path.write_text('<srcset setid="x"><doc docid="d"><seg id=1>one</seg></doc></srcset>', encoding="utf-8")
    (document,) = read_documents(path)
    assert (document.name, document.sentences) == ("d", ("one",))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("<refset><doc docid=a sysid=x><seg id=1>cut", "ends inside document a"),
        ("<refset></refset>", "holds no <doc>"),
        ("<refset><seg id=1>a</seg></refset>", "outside any <doc>"),
        ("<doc docid=a><seg>x</seg></doc><doc docid=a><seg>y</seg></doc>", "appears twice"),
        ("<doc docid=a sysid=r><seg>x</seg></doc><doc docid=b sysid=s><seg>y</seg></doc>", "'s' has b"),
    ],
)
def test_sets_that_cannot_be_trusted_are_refused(tmp_path, text, complaint):
    path = tmp_path / "sample.sgm"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=complaint):
        read_sgml(path)


def test_several_references_are_no_single_text(tmp_path):
    path = tmp_path / "sample.sgm"
    path.write_text(TWO_REFERENCES, encoding="utf-8")
    with pytest.raises(DataError, match=r"2 texts \(first, second\)"):
        read_documents(path)


def test_invalid_utf8_is_refused(tmp_path):
    path = tmp_path / "sample.sgm"
    path.write_bytes(b"<doc docid=a><seg>br\xfccken</seg></doc>")
    with pytest.raises(DataError, match="not UTF-8"):
        read_sgml(path)
