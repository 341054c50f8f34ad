from pathlib import Path

import pytest

from recollect.errors import DataError
from recollect.text.glossary import (
    Term,
    hold_terms,
    is_honoured,
    read_glossary,
    read_untranslatables,
    terms_in,
)
from recollect.text.inline import Inline

TBX = """<?xml version="1.0"?>
<tbx type="TBX-Basic" xml:lang="en" xmlns="urn:iso:std:iso:30042:ed-2"><text><body>
<conceptEntry id="1">
<langSec xml:lang="zh-CN"><termSec><term>警长</term></termSec><termSec><term>老警长</term></termSec></langSec>
<langSec xml:lang="en"><termSec><term>sheriff</term></termSec></langSec>
</conceptEntry>
<conceptEntry id="2"><langSec xml:lang="de"><termSec><term>Uhr</term></termSec></langSec></conceptEntry>
</body></text></tbx>"""


@pytest.mark.parametrize(
    "text",
    [
        "source,target\n警长,sheriff\n表,watch\n",
        "警长\tsheriff\n\n表\twatch",
        '警长;"sheriff"\r\n表;watch\r\n',
    ],
)
def test_tables(tmp_path: Path, text: str) -> None:
    path = tmp_path / "terms.csv"
    path.write_text(text)
    assert read_glossary(path, ("zh", "en")) == [Term("警长", "sheriff"), Term("表", "watch")]


def test_tbx(tmp_path: Path) -> None:
    path = tmp_path / "terms.tbx"
    path.write_text(TBX)
    assert read_glossary(path, ("zh", "en")) == [Term("警长", "sheriff"), Term("老警长", "sheriff")]
    with pytest.raises(DataError, match="no term"):
        read_glossary(path, ("fr", "en"))


@pytest.mark.parametrize("text", ["only one\n", "a,\n", ""])
def test_bad_tables_get_one_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "terms.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=r"terms\.csv"):
        read_glossary(path, ("zh", "en"))


def test_untranslatables(tmp_path: Path) -> None:
    path = tmp_path / "keep.txt"
    path.write_text("# names\nRecollect\n\nPyTorch\nRecollect\n")
    assert read_untranslatables(path) == [Term("Recollect", "Recollect"), Term("PyTorch", "PyTorch")]


def test_the_longest_term_is_found_as_a_whole_word() -> None:
    terms = [Term("表", "watch"), Term("怀表", "pocket watch"), Term("cat", "chat")]
    assert [term.target for term in terms_in("他的怀表和表", terms)] == ["pocket watch", "watch"]
    assert terms_in("concatenate the Cat", terms) == [Term("cat", "chat")]


def test_a_word_beside_chinese_characters_needs_no_spaces() -> None:
    terms = [Term("GPU", "graphics card")]
    assert terms_in("我们用GPU训练", terms) == terms
    assert hold_terms(Inline("请打开GPU。"), terms).text == "请打开。"
    assert terms_in("xGPU, GPUs, GPU2", terms) == []


def test_letters_that_are_the_same_but_for_their_case() -> None:
    terms = [Term("μm", "micron"), Term("Izmir", "Smyrna")]
    assert terms_in("5 \u00b5m", terms) == terms[:1]  # the micro sign; the term has a Greek letter
    assert hold_terms(Inline("in \u0130zmir"), terms).text == "in "


def test_names_with_commas_in_a_table_with_tabs(tmp_path: Path) -> None:
    path = tmp_path / "terms.tsv"
    path.write_text("Smith, John\tシミス, ジョン\nDoe, Jane, Dr.\tドウ, ジェーン\n")
    assert read_glossary(path, ("en", "ja"))[1] == Term("Doe, Jane, Dr.", "ドウ, ジェーン")


def test_held_terms_stand_for_their_translations() -> None:
    held = hold_terms(Inline("他的怀表不见了"), [Term("怀表", "pocket watch")])
    assert held.text == "他的不见了"
    assert str(held) == "他的pocket watch不见了"


@pytest.mark.parametrize(
    ("target", "translation", "expected"),
    [
        ("watch", "Two watches.", True),
        ("pocket watch", "his Pocket Watch", True),
        ("pocket watch", "his watch", False),
        ("手表", "他的手表", True),
        ("!", "none", False),
    ],
)
def test_endings_do_not_matter(target: str, translation: str, expected: bool) -> None:
    assert is_honoured(Term("x", target), translation) is expected
