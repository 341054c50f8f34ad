import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import DataError
from recollect.text.formats.tables import read_table
from recollect.text.inline import plain

SHOP = (
    'id,"text",note\r\n'
    '1,"Red tea, hot",\r\n'
    "2,  Green tea ,cheap\n"
    '\r\n3,"She said ""no""\nand left","x"\r\n'
    "4,,nothing"
)


def sources(content):
    return [unit.source.text for unit in content.units]


def unchanged(data: bytes, column: str) -> bool:
    content = read_table(data, "t.csv", column)
    own = [unit.source for unit in content.units]
    return content.render([None] * len(own)) == data == content.render(own)


def test_cells_of_the_column_are_units():
    content = read_table(SHOP.encode(), "shop.csv", "text")
    assert sources(content) == ["Red tea, hot", "Green tea", 'She said "no"\nand left']
    assert [unit.where for unit in content.units] == ["line 2", "line 3", "line 5"]
    assert unchanged(SHOP.encode(), "text")


def test_translations_take_the_place_of_their_sources_and_all_else_stays():
    content = read_table(SHOP.encode(), "shop.csv", "text")
    translated = content.render([plain("红茶"), plain("绿茶, 凉"), None]).decode()
    assert translated == SHOP.replace('"Red tea, hot"', '"红茶"').replace("  Green tea ", '"  绿茶, 凉 "')


def test_a_column_is_added_at_the_end():
    content = read_table(SHOP.encode(), "shop.csv", "text", "中文")
    assert content.render([None] * 3) == SHOP.encode()
    rows = list(
        csv.reader(io.StringIO(content.render([plain("红茶"), None, plain('"不"')]).decode(), newline=""))
    )
    assert [row[3] for row in rows if row] == ["中文", "红茶", "", '"不"', ""]
    assert [row[:3] for row in rows] == list(csv.reader(io.StringIO(SHOP, newline="")))


def test_what_the_target_column_holds_is_a_translation():
    table = "en;zh\nYes;是\nNo;\n;无\n"
    content = read_table(table.encode(), "t.csv", "en", "zh")
    assert [(unit.source.text, unit.target) for unit in content.units] == [("Yes", plain("是")), ("No", None)]
    assert content.render([plain("是"), plain("不;否")]).decode() == 'en;zh\nYes;是\nNo;"不;否"\n;无\n'


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gb18030"])
def test_tabs_and_encodings_are_kept(encoding):
    data = "编号\t原文\r\n一\t好的，明天见\r\n".encode(encoding)
    content = read_table(data, "t.tsv", "原文")
    assert sources(content) == ["好的，明天见"]
    assert unchanged(data, "原文")
    assert content.render([plain("a\tb")]).decode(encoding) == '编号\t原文\r\n一\t"a\tb"\r\n'


def test_a_file_with_tabs_may_have_quotation_marks_that_quote_nothing():
    data = b'en\tde\n"Hello" she said\thallo\n"never closed\tx\n'
    content = read_table(data, "t.tsv", "en")
    assert sources(content) == ['"Hello" she said', '"never closed']
    assert content.render([plain("a\tb"), None]) == data.replace(b'"Hello" she said', b"a b")


cells = st.text(st.sampled_from('ab ,;\t"\n中。'), max_size=6)


@given(
    st.lists(st.tuples(cells, cells, cells), max_size=5),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
    st.sampled_from(["\n", "\r\n"]),
    st.data(),
)
def test_what_csv_writes_comes_back_and_csv_reads_what_is_written(rows, delimiter, quoting, ending, data):
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=delimiter, quoting=quoting, lineterminator=ending)
    writer.writerows([("a", "text", "b"), *rows])
    table = buffer.getvalue()
    assert unchanged(table.encode(), "text")
    content = read_table(table.encode(), "t.csv", "text")
    assert sources(content) == [row[1].strip() for row in rows if row[1].strip()]
    new = [data.draw(cells.filter(str.strip)) for _ in content.units]
    written = content.render([plain(text) for text in new]).decode()
    back = list(csv.reader(io.StringIO(written, newline=""), delimiter=delimiter))[1:]
    assert [(row[0], row[2]) for row in back] == [(row[0], row[2]) for row in rows]
    found = [row[1].strip() for row in back if row[1].strip()]
    assert found == [text.strip() for text in new]


@given(st.text(st.sampled_from('a,;\t"\n\r中'), max_size=30))
def test_anything_comes_back_or_is_refused_in_one_sentence(text):
    try:
        complaint = "" if unchanged(("text,a\n" + text).encode(), "text") else "has changed"
    except DataError as error:
        complaint = str(error)
    assert not complaint or complaint.startswith("t.csv, line ")
    assert "\n" not in complaint


def test_an_empty_table_has_no_units():
    for data in (b"", b"\n\r\n", b"text\n"):
        assert not read_table(data, "t.csv", "text").units
        assert unchanged(data, "text")


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"id;name\n1;a\n", "t.csv, line 1: there is no column 'text'; the columns are 'id', 'name'"),
        (b"text,b\n1,2\n1,2,3\n", "line 3: 3 cells where the header has 2"),
        (b"text,text\n1,2\n", "line 1: 2 columns are called 'text'"),
        (b'text,b\n"1\n",2\n"cut', "line 4: a quoted cell begins in this row and never ends"),
        (b'text,b\n"1" x,2\n', "line 2: characters after a cell's closing quotation mark"),
        (b"text,b\n\xfc,2\n", "line 2: not UTF-8"),
        (b"text,b\na\0,2\n", "line 2: a NUL"),
        (b'"text"\tb\n"1\t\n', "line 2: a quoted cell begins"),
        (b"x" * 99, "there is no column 'text'; the columns are 'x{40}'$"),
        (b"text\tb\n1\n", "line 2: 1 cells where the header has 2"),
        (b"text" + b"," * 20_000, "line 1: more than 16,384 cells in a row"),
    ],
)
def test_tables_that_cannot_be_trusted_are_refused(data, complaint):
    with pytest.raises(DataError, match=complaint):
        read_table(data, "t.csv", "text")


def test_one_very_long_line_is_quick():
    for cell in ("x" * 5_000_000, '"' + '""' * 2_500_000 + '"', '"' + "\n" * 5_000_000 + 'x"'):
        assert unchanged(f"text,b\n{cell},1\n".encode(), "text")
    for data in ('text,b\n"' + '""' * 2_500_000, "text" + "," * 5_000_000, '"' * 5_000_001):
        with pytest.raises(DataError):
            read_table(data.encode(), "t.csv", "text")
    assert unchanged(b"text,b\n" + b"a,b\n" * 50_000, "text")
