import gzip
import lzma
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import DataError
from recollect.text.corpora import read_documents

sentences = (
    st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), min_size=1).map(str.strip).filter(bool)
)
plain_sentences = sentences.filter(lambda text: not text.startswith(("<", "\ufeff")))
documents = st.lists(st.lists(plain_sentences, min_size=1, max_size=4), min_size=1, max_size=4)


def texts(path: Path, starts: Path | None = None) -> list[list[str]]:
    return [list(document.sentences) for document in read_documents(path, starts)]


@given(documents)
def test_documents_parted_by_empty_lines_come_back(tmp_path_factory, documents):
    path = tmp_path_factory.mktemp("plain") / "text.en"
    path.write_bytes("\n\n".join("\n".join(document) for document in documents).encode() + b"\n")
    assert texts(path) == documents


@given(st.lists(st.lists(st.just("") | plain_sentences, min_size=1, max_size=4), min_size=1, max_size=4))
def test_documents_at_given_starts_come_back_with_their_empty_sentences(tmp_path_factory, documents):
    folder = tmp_path_factory.mktemp("plain")
    path, starts = folder / "text.en", folder / "starts"
    path.write_bytes("".join(f"{sentence}\n" for document in documents for sentence in document).encode())
    firsts = [1 + sum(len(earlier) for earlier in documents[:number]) for number in range(len(documents))]
    starts.write_text("".join(f"{first}\n" for first in firsts))
    assert texts(path, starts) == documents


@pytest.mark.parametrize("open_", [gzip.open, lzma.open])
def test_compressed_files_are_read_by_their_suffix(tmp_path, open_):
    path = tmp_path / ("text.zh.gz" if open_ is gzip.open else "text.zh.xz")
    with open_(path, "wb") as file:
        file.write("你好\n再见\n".encode())
    (document,) = read_documents(path)
    assert document.sentences == ("你好", "再见")
    assert document.name == "text.zh"


def test_byte_order_mark_carriage_returns_and_blank_runs_leave_no_trace(tmp_path):
    path = tmp_path / "text.en"
    path.write_bytes(b"\xef\xbb\xbfOne.\r\nTwo.\r\n \t\r\n\r\nThree.")
    assert texts(path) == [["One.", "Two."], ["Three."]]
    assert [document.name for document in read_documents(path)] == ["text.en:1", "text.en:2"]


def test_an_exotic_line_separator_ends_no_sentence(tmp_path):
    path = tmp_path / "text.en"
    path.write_text("one\u2028still one\x0cand on\n", encoding="utf-8")
    assert texts(path) == [["one\u2028still one\x0cand on"]]


@pytest.mark.parametrize(
    ("starts", "complaint"),
    [
        ("2\n", "must start at line 1"),
        ("1\n3\n3\n", "line 3: expected a higher"),
        ("1\nx\n", "found 'x'"),
        ("1\n9\n", "9"),
    ],
)
def test_impossible_starts_are_refused(tmp_path, starts, complaint):
    (tmp_path / "text").write_text("a\nb\nc\n")
    (tmp_path / "starts").write_text(starts)
    with pytest.raises(DataError, match=complaint):
        read_documents(tmp_path / "text", tmp_path / "starts")


def test_invalid_utf8_names_the_line(tmp_path):
    (tmp_path / "text").write_bytes(b"fine\nbr\xfcken\n")
    with pytest.raises(DataError, match="line 2: byte 3 is not UTF-8"):
        read_documents(tmp_path / "text")
