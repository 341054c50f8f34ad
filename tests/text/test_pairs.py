import gzip
import lzma
from pathlib import Path

import pytest

from recollect.errors import DataError
from recollect.text.pairs import DocumentEnd, Pair, stream_pairs
from recollect.text.problems import Kind, Problems


@pytest.fixture
def stream(tmp_path):
    def stream(source: bytes, target: bytes, starts: str | None = None, problems: Problems | None = None):
        (tmp_path / "src").write_bytes(source)
        (tmp_path / "trg").write_bytes(target)
        (tmp_path / "starts").write_text(starts or "")
        starts_path = tmp_path / "starts" if starts else None
        return list(stream_pairs(tmp_path / "src", tmp_path / "trg", starts_path, problems or Problems()))

    return stream


def test_two_empty_lines_end_a_document(stream):
    assert stream(b"a\nb\n\nc\n", b"A\nB \n \nC\n") == [
        Pair("a", "A", 1),
        Pair("b", "B", 2),
        DocumentEnd(),
        Pair("c", "C", 4),
        DocumentEnd(),
    ]


def test_starts_end_documents_and_empty_lines_are_skipped(stream):
    problems = Problems()
    items = stream(b"a\n\nb\nc\n", b"A\n\nB\nC\n", "1\n4\n", problems)
    assert items == [Pair("a", "A", 1), Pair("b", "B", 3), DocumentEnd(), Pair("c", "C", 4), DocumentEnd()]
    assert problems.counts == {Kind.BOTH_SIDES_EMPTY: 1}


def test_a_start_at_a_line_that_is_skipped_still_parts_the_documents(stream):
    assert stream(b"a\n\nc\n", b"A\nB\nC\n", "1\n2\n") == [
        Pair("a", "A", 1),
        DocumentEnd(),
        Pair("c", "C", 3),
        DocumentEnd(),
    ]


def test_unusable_pairs_are_counted_located_and_skipped(stream, tmp_path):
    problems = Problems()
    items = stream(b"a\n\nbr\xfccke\nd\n", b"A\nB\nC\n\n", problems=problems)
    assert items == [Pair("a", "A", 1), DocumentEnd()]
    assert problems.counts == {Kind.ONE_SIDE_EMPTY: 2, Kind.INVALID_UTF8: 1}
    located = {(problem.kind, problem.file.name, problem.line) for problem in problems.kept}
    assert located == {
        (Kind.ONE_SIDE_EMPTY, "src", 2),
        (Kind.INVALID_UTF8, "src", 3),
        (Kind.ONE_SIDE_EMPTY, "trg", 4),
    }


def test_a_pair_with_two_invalid_sides_is_one_problem(stream):
    problems = Problems()
    stream(b"\xff\n", b"\xfe\n", problems=problems)
    assert problems.counts.total() == 1


@pytest.mark.parametrize(
    ("source", "target", "counts"), [(b"a\n" * 3, b"A\n" * 5, (3, 5)), (b"a\n" * 4, b"A\n", (4, 1))]
)
def test_different_numbers_of_lines_stop_everything(stream, source, target, counts):
    with pytest.raises(DataError, match=rf"src has {counts[0]} lines and .*trg has {counts[1]};"):
        stream(source, target)


def test_many_one_sided_lines_look_misaligned(stream):
    with pytest.raises(DataError, match="21 of 42 pairs are empty on one side only"):
        stream(b"a\n\n" * 21, b"A\nB\n" * 21)
    assert len(stream(b"a\n\n" * 20, b"A\nB\n" * 20)) == 21


def test_a_few_one_sided_lines_among_many_are_tolerated(stream):
    assert len(stream(b"a\n" * 2979 + b"\n" * 21, b"A\n" * 3000)) == 2980


def test_a_start_beyond_the_end_is_refused(stream):
    with pytest.raises(DataError, match="line 7 starts a document"):
        stream(b"a\n", b"A\n", "1\n7\n")


@pytest.mark.parametrize(("suffix", "compress"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_truncated_and_damaged_files_are_one_sentence(tmp_path, suffix, compress):
    whole = compress("\n".join(str(number**3) for number in range(20_000)).encode())
    plain = tmp_path / "trg"
    plain.write_bytes(b"x\n" * 20_000)
    cut, broken = tmp_path / f"cut{suffix}", tmp_path / f"broken{suffix}"
    cut.write_bytes(whole[: len(whole) // 2])
    broken.write_bytes(b"not compressed at all")
    for path, complaint in ((cut, "truncated"), (broken, "damaged")):
        with pytest.raises(DataError, match=complaint):
            list(stream_pairs(path, plain, None, Problems()))


def test_a_missing_file_and_a_folder_are_one_sentence(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        list(stream_pairs(tmp_path / "a", tmp_path / "b", None, Problems()))
    with pytest.raises(DataError, match="cannot be read"):
        list(stream_pairs(tmp_path, tmp_path, None, Problems()))


def test_problems_keep_some_count_all_and_write_a_table(tmp_path):
    problems = Problems(keep=2)
    for line in range(1, 6):
        problems.report(Kind.TOO_LONG, Path("a.zh"), line, "99\ttokens\n")
    problems.report(Kind.INVALID_UTF8, Path("a.en"), 9, "byte 3")
    assert problems.summary() == "6 pairs skipped: 5 too long, 1 invalid UTF-8"
    assert Problems().summary() == "no pair skipped"
    problems.write(tmp_path / "problems.tsv")
    assert (tmp_path / "problems.tsv").read_text().splitlines() == [
        "kind\tfile\tline\tdetail",
        "too long\ta.zh\t1\t99 tokens",
        "too long\ta.zh\t2\t99 tokens",
        "invalid UTF-8\ta.en\t9\tbyte 3",
    ]
