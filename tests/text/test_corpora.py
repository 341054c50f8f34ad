from pathlib import Path

import pytest

from recollect.errors import DataError
from recollect.text.corpora import read_documents, read_parallel

REFERENCES = """<refset setid="s">
<DOC docid="D1" sysid="r1"><seg id=1>a</seg><seg id=2>b</seg></DOC>
<DOC docid="D2" sysid="r1"><seg id=1>c</seg></DOC>
<DOC docid="D1" sysid="r2"><seg id=1>A</seg><seg id=2></seg></DOC>
<DOC docid="D2" sysid="r2"><seg id=1>C</seg></DOC>
</refset>"""


@pytest.fixture
def write(tmp_path):
    def write(name: str, text: str) -> Path:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


def test_a_plain_source_takes_the_documents_of_marked_references(write):
    one, two = read_parallel(write("src", "甲\n乙\n丙\n"), [write("ref.sgm", REFERENCES)])
    assert (one.name, one.source, one.references) == ("D1", ("甲", "乙"), (("a", "b"), ("A", "")))
    assert (two.name, two.source, two.references) == ("D2", ("丙",), (("c",), ("C",)))


def test_an_empty_line_is_an_empty_sentence_where_the_references_say_so(write):
    one, _ = read_parallel(write("src", "甲\n\n丙\n"), [write("ref.sgm", REFERENCES)])
    assert one.source == ("甲", "")


def test_documents_of_a_plain_source_must_agree_with_marked_ones(write):
    one, two = read_parallel(write("src", "甲\n乙\n\n丙\n"), [write("ref.sgm", REFERENCES)])
    assert (one.source, two.source) == (("甲", "乙"), ("丙",))
    with pytest.raises(DataError, match=r"document 1 \(D1\) is the first to differ, with 1 and 2"):
        read_parallel(write("src", "甲\n\n乙\n丙\n"), [write("ref.sgm", REFERENCES)])


def test_several_plain_references_and_marked_ones_mix(write):
    references = [write("ref.1", "x\ny\nz\n"), write("ref.sgm", REFERENCES)]
    one, two = read_parallel(write("src", "甲\n乙\n丙\n"), references)
    assert one.references == (("x", "y"), ("a", "b"), ("A", ""))
    assert two.references == (("z",), ("c",), ("C",))


def test_plain_files_share_their_empty_lines(write):
    one, two = read_parallel(write("src", "甲\n\n乙\n丙\n"), [write("ref", "a\n\nb\nc\n")])
    assert (one.source, two.references) == (("甲",), (("b", "c"),))


def test_plain_files_with_starts_keep_empty_sentences(write):
    starts = write("starts", "1\n3\n")
    one, two = read_parallel(write("src", "甲\n\n乙\n"), [write("ref", "a\nb\n\n")], starts)
    assert (one.source, one.references) == (("甲", ""), (("a", "b"),))
    assert (two.source, two.references) == (("乙",), (("",),))


def test_different_counts_name_both_files_and_the_first_document_that_differs(write):
    with pytest.raises(DataError) as caught:
        read_parallel(write("src", "甲\n\n乙\n丙\n"), [write("ref", "a\n\nb\n")])
    for part in ("src has 3 sentences", "ref has 2", "document 2", "with 2 and 1"):
        assert part in str(caught.value)


def test_a_boundary_on_one_side_only_is_refused(write):
    with pytest.raises(DataError, match=r"src has 2 sentences in 1 documents and .*ref has 3 in 2"):
        read_parallel(write("src", "甲\n乙\n"), [write("ref", "a\nb\n\nc\n")])


def test_starts_for_files_that_mark_their_documents_are_refused(write):
    reference, starts = write("ref.sgm", REFERENCES), write("starts", "1\n")
    single = write("one.sgm", "<doc docid=D><seg>x</seg></doc>")
    with pytest.raises(DataError, match="leave out"):
        read_documents(single, starts)
    with pytest.raises(DataError, match="leave out"):
        read_parallel(single, [reference], starts)


def test_a_missing_file_is_one_sentence(tmp_path, write):
    with pytest.raises(DataError, match=r"nowhere: there is no such file$"):
        read_documents(tmp_path / "nowhere")
    with pytest.raises(DataError, match="at least one reference"):
        read_parallel(write("src", "a\n"), [])
