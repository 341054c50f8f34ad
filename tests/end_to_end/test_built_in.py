"""The model that comes with the package: found by name, small enough, and led by what it remembers."""

import re
from pathlib import Path

import pytest
from shell import Shell

import recollect
from recollect.folders import DEFAULT, built_in, read_card

LARGEST = 40_000_000  # bytes
SAMPLE = Path(recollect.__file__).parent / "samples" / "episode.zh.srt"


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    return Shell(tmp_path_factory.mktemp("built-in"))


def test_it_is_small_and_has_a_card() -> None:
    folder = built_in()[DEFAULT]
    assert sum(path.stat().st_size for path in folder.iterdir()) <= LARGEST
    card = read_card(DEFAULT)
    for word in ("non-commercial", "TVSub", "BLEU", "Limits"):
        assert word in card
    assert "@@" not in card


@pytest.mark.parametrize("kind", [None, "paper"])
def test_it_translates_with_both_of_its_memories(kind: str | None) -> None:
    translator = recollect.load(DEFAULT, memory_kind=kind)
    assert translator.languages == ("zh", "en")
    first, second = translator.translate(["你好", "我不知道"])
    assert first.text in ("Hello.", "Hi.", "Hey.")
    assert second.text == "I don't know."


def test_a_word_with_two_senses_is_settled_by_what_was_said() -> None:
    """By themselves the lines are about a cousin; after a line about a watch, they are about the watch."""
    translator = recollect.load(DEFAULT)
    lines = ["把表给我", "我的表呢"]
    assert not any("watch" in said.text for said in translator.without_memory().translate(lines))
    assert all("watch" in translator.translate(["他想买我祖父的表", line])[-1].text for line in lines)


def test_a_correction_is_followed_at_once() -> None:
    session = recollect.Session(recollect.load(DEFAULT))
    session.translate("布莱克伍德先生昨天来过书店")
    before = recollect.Session(recollect.load(DEFAULT)).translate("布莱克伍德先生不是个好人").text
    session.correct(0, "Mr. Blackwood came to the bookshop yesterday.")
    after = session.translate("布莱克伍德先生不是个好人").text
    assert "Blackwood" not in before
    assert "Blackwood" in after


def test_the_demonstration(shell: Shell) -> None:
    said = shell.works("demo")
    assert "with memory" in said
    assert "The memory changed" in said
    output = (shell.folder / "demo" / "episode.en.srt").read_text("utf-8")
    assert re.findall(".* --> .*", output) == re.findall(".* --> .*", SAMPLE.read_text("utf-8"))
    assert not re.search("[\u4e00-\u9fff]", output)


def test_a_glossary_is_remembered_and_checked(shell: Shell) -> None:
    (shell.folder / "a.srt").write_bytes(SAMPLE.read_bytes())
    (shell.folder / "terms.csv").write_text("布莱克伍德先生,Mr. Blackwood\n哈里森警长,Sheriff Harrison\n")
    soft = shell.works("translate", "a.srt", "-o", "soft.srt", "--glossary", "terms.csv")
    shell.works("translate", "a.srt", "-o", "strict.srt", "--glossary", "terms.csv", "--strict")
    plain = shell.works(
        "translate", "a.srt", "-o", "plain.srt", "--filled-from", "a.srt", "--filled-with", "a.srt"
    )
    assert "74 sentences" in plain
    found = {
        name: (shell.folder / f"{name}.srt").read_text().count("Blackwood") for name in ("soft", "strict")
    }
    assert found["strict"] == SAMPLE.read_text("utf-8").count("布莱克伍德先生")
    missed = soft.count("'布莱克伍德先生' is not 'Mr. Blackwood'")
    assert found["soft"] + missed >= found["strict"]


def test_a_page_explains_a_real_document(shell: Shell) -> None:
    (shell.folder / "b.srt").write_bytes(SAMPLE.read_bytes())
    shell.works("translate", "b.srt", "-o", "b.en.srt", "--explain", "why.html")
    page = (shell.folder / "why.html").read_text("utf-8")
    assert page.count("<tr") == 74
    assert 'class="w changed"' in page
