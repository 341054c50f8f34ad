import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import DataError
from recollect.text.formats.prose import read_prose
from recollect.text.inline import plain

LETTER = "Dear Ms Lin,\r\n\r\n\u3000\u3000谢谢您的来信。  \n\tSee you soon!\rYours\n\n  \nTom"
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "gb18030"]


def sources(content):
    return [unit.source.text for unit in content.units]


def unchanged(data: bytes) -> bool:
    content = read_prose(data, "letter.txt")
    own = [unit.source for unit in content.units]
    return content.render([None] * len(own)) == data == content.render(own)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_line_is_a_unit_and_its_surroundings_stay(encoding):
    data = LETTER.encode(encoding)
    content = read_prose(data, "letter.txt")
    assert sources(content) == ["Dear Ms Lin,", "谢谢您的来信。", "See you soon!", "Yours", "Tom"]
    assert [unit.where for unit in content.units] == ["line 1", "line 3", "line 4", "line 5", "line 8"]
    assert unchanged(data)
    translated = content.render(
        [plain(text) for text in ["林女士：", "Thanks.", "再见！", "你的", "汤姆 𠮷 ő"]]
    )
    expected = "林女士：\r\n\r\n\u3000\u3000Thanks.  \n\t再见！\r你的\n\n  \n汤姆 𠮷 ő"
    assert translated == expected.encode(encoding)


def test_big_endian_is_kept():
    data = b"\xfe\xff" + "一\n二".encode("utf-16-be")
    assert sources(read_prose(data, "a.txt")) == ["一", "二"]
    assert unchanged(data)


def test_a_translation_stays_on_its_line():
    content = read_prose(b"one\ntwo\n", "a.txt")
    assert content.render([plain("1\n1"), None]) == b"1 1\ntwo\n"


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")), st.sampled_from(ENCODINGS))
def test_any_text_comes_back(text, encoding):
    data = text.encode(encoding)
    try:
        assert unchanged(data)
    except DataError:
        assert encoding == "gb18030"  # a few letters only: nothing tells what they are


@given(st.binary())
def test_any_bytes_come_back_or_are_refused_in_one_sentence(data):
    try:
        complaint = "" if unchanged(data) else "has changed"
    except DataError as error:
        complaint = str(error)
    assert not complaint or complaint.startswith("letter.txt")
    assert "\n" not in complaint


def test_an_empty_file_has_no_units():
    for data in (b"", b"\xef\xbb\xbf", b"\n", b" \r\n\t"):
        assert not read_prose(data, "a.txt").units
        assert unchanged(data)


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (
            b"fine\rfine\r\nbr\xfccken\n",
            r"a.txt, line 3: not UTF-8 or GB18030 \(byte 0xfc\); save",
        ),
        ("première\nété à Nîmes\n".encode("latin-1"), "line 1: not UTF-8 or GB18030"),
        ("這個檔案用的是大五碼，別讀錯了".encode("big5"), "line 1: not UTF-8"),
        ("你好，世界".encode()[:-1], "line 1: not UTF-8"),
        (b"\xff\xfea\0\n\0b", "line 2: not UTF-16"),
        ("one".encode("utf-32"), "UTF-32; save it as UTF-8"),
        (b"one\ntwo\0", "line 2: a NUL character"),
        ("one\ntwo".encode("utf-16-le"), "line 1: a NUL character.* UTF-16"),
    ],
)
def test_what_is_no_text_is_refused(data, complaint):
    with pytest.raises(DataError, match=complaint):
        read_prose(data, "a.txt")


def test_one_very_long_line_is_quick():
    for character in ("x", " ", "字", "a b. ", "\n"):
        assert unchanged(character.encode() * (5_000_000 // len(character) if character != "\n" else 100_000))
