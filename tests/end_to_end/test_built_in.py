"""The model that comes with the package: found by name, small enough, and led by what it remembers."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from shell import Shell

import recollect
from recollect.folders import DEFAULT, built_in, read_card

LARGEST = 40_000_000  # bytes
RARE_NAMES = [
    "塔尔博特",
    "布莱克伍德",
    "哈弗斯托克",
    "格兰瑟姆",
    "威洛比",
    "阿什克罗夫特",
    "彭德尔顿",
    "莫蒂默",
    "费尔法克斯",
    "克莱本",
    "温特沃思",
    "达尔林普",
    "桑德赫斯特",
    "巴斯科姆",
    "罗德里克",
    "埃弗雷特",
    "卡拉瑟斯",
    "邓斯坦",
    "奥格尔索普",
    "特里劳尼",
    "马奇班克斯",
    "斯特里克兰",
    "哈格里夫",
    "佩尔蒂埃",
    "沃辛顿",
    "林德奎斯特",
    "奥斯古德",
    "巴拉克拉夫",
    "弗罗比舍",
    "赫瑟林顿",
]
SAMPLE = Path(recollect.__file__).parent / "samples" / "episode.zh.srt"


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    return Shell(tmp_path_factory.mktemp("built-in"))


def test_it_is_small_and_has_a_card() -> None:
    folder = built_in()[DEFAULT]
    assert sum(path.stat().st_size for path in folder.rglob("*")) <= LARGEST
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


def test_its_memory_knows_which_pieces_go_on_with_a_word() -> None:
    """They are made from the vocabulary, where a model is loaded, too."""
    translator = recollect.load(DEFAULT)
    memory, pieces = translator.memory, translator.target_vocabulary
    assert memory is not None
    assert memory.inside is not None
    found = [pieces.piece(token) for token in memory.inside.nonzero().flatten().tolist()]
    assert len(found) > 1000
    assert {"ing", "ed"} <= set(found)
    assert not any(piece.startswith("\u2581") for piece in found)


def called(text: str) -> str:
    """Return what a translation calls the gentleman it speaks of."""
    return "".join(re.findall(r"Mr\. ((?:[A-Z]\w+ ?)+)", text)).strip()


def test_loading_leaves_the_compiler_of_pytorch_alone() -> None:
    """It takes longer to load than the model."""
    program = (
        "import sys, recollect; recollect.load('subtitle-zh-en'); sys.exit('torch._dynamo' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_rare_name_is_said_as_it_was_said_before() -> None:
    """No matter which of them a model happens to know: nearly all with a memory, a good part without."""
    translator, alone = recollect.load(DEFAULT), recollect.load(DEFAULT).without_memory()
    alike = {"with": 0, "without": 0}
    for name in RARE_NAMES:
        lines = [f"{name}先生昨天来过书店", f"{name}先生 开门", f"我要见{name}先生", f"这是{name}先生的信"]
        for each, memory in ((translator, "with"), (alone, "without")):
            first, *others = (called(found.text) for found in each.translate(lines))
            alike[memory] += sum(other == first != "" for other in others)
    cases = 3 * len(RARE_NAMES)
    assert alike["with"] > 0.9 * cases
    assert alike["with"] > alike["without"] + 0.2 * cases


def test_a_word_with_two_senses_is_settled_by_corrections() -> None:
    """By itself 票 is a ticket here; where people have spoken of votes, it is a vote."""
    translator, line = recollect.load(DEFAULT), "他拿到多少票"
    assert "tickets" in translator.without_memory().translate([line])[0].text
    session = recollect.Session(translator)
    said = {
        "我们需要更多的选票才能赢得选举": "We need more votes to win the election.",
        "他的票最多": "He has the most votes.",
    }
    for number, (source, text) in enumerate(said.items()):
        session.translate(source)
        session.correct(number, text)
    assert "votes" in session.translate(line).text


@pytest.mark.parametrize(
    ("source", "said", "line", "word", "alone"),
    [
        ("船长在甲板上", "The skipper is on deck.", "船长说什么", "skipper", "captain"),
        ("老板今天不在", "The chief isn't here today.", "老板来了", "chief", "boss"),
    ],
)
def test_a_word_is_taken_over_from_a_correction(
    source: str, said: str, line: str, word: str, alone: str
) -> None:
    translator = recollect.load(DEFAULT)
    assert alone in translator.without_memory().translate([line])[0].text
    session = recollect.Session(translator)
    session.translate(source)
    session.correct(0, said)
    assert word in session.translate(line).text


def test_a_correction_is_followed_at_once() -> None:
    session = recollect.Session(recollect.load(DEFAULT))
    session.translate("哈弗斯托克先生昨天来过书店")
    before = recollect.Session(recollect.load(DEFAULT)).translate("哈弗斯托克先生不是个好人").text
    session.correct(0, "Mr. Haverstock came to the bookshop yesterday.")
    after = session.translate("哈弗斯托克先生不是个好人").text
    assert "Haverstock" not in before
    assert "Haverstock" in after


@pytest.mark.parametrize("line", ["小Vito在哪", "这是我的朋友Marchetti", "Kessington在等你"])
def test_a_name_in_the_targets_letters_stays_as_it_is(line: str) -> None:
    (name,) = re.findall("[A-Za-z]+", line)
    translator = recollect.load(DEFAULT)
    assert name in translator.without_memory().translate([line])[0].text
    session = recollect.Session(translator)
    assert name in session.translate(line).text
    assert name in translator.target_vocabulary.decode(session.sentences[0].tokens)  # and is remembered so


def test_what_becomes_one_by_its_spelling_is_said_once() -> None:
    translator = recollect.load(DEFAULT)
    wide = translator.replaced(beam=replace(translator.beam, n_best=5))
    (found,) = wide.translate(["Brian和Carmela来了"])
    texts = [each.text for each in (found, *found.alternatives)]
    assert len(set(texts)) == len(texts) > 1


def test_a_person_may_spell_a_name_otherwise() -> None:
    session = recollect.Session(recollect.load(DEFAULT))
    session.translate("Toni来了")
    assert "Toni" in session.sentences[0].text
    session.correct(0, "Tony's here.")
    assert session.translate("我看见Toni了").text == "I saw Tony."


def test_the_demonstration(shell: Shell) -> None:
    said = shell.works("demo")
    assert "with memory" in said
    assert "The memory changed" in said
    output = (shell.folder / "demo" / "episode.en.srt").read_text("utf-8")
    assert re.findall(".* --> .*", output) == re.findall(".* --> .*", SAMPLE.read_text("utf-8"))
    assert not re.search("[\u4e00-\u9fff]", output)


def test_the_sample_has_a_reference() -> None:
    """The same episode as plain lines, to be analysed and quoted."""
    folder = Path(__file__).parents[2] / "examples" / "episode"
    source, reference = ((folder / f"episode.{each}.txt").read_text("utf-8") for each in ("zh", "en"))
    assert re.findall("[\u4e00-\u9fff].*", SAMPLE.read_text("utf-8")) == source.splitlines()
    assert len(reference.splitlines()) == len(source.splitlines())


def test_a_glossary_is_remembered_and_checked(shell: Shell) -> None:
    (shell.folder / "a.srt").write_bytes(SAMPLE.read_bytes())
    (shell.folder / "terms.csv").write_text("塔尔博特先生,Mr. Talbott\n哈里森警长,Sheriff Harrison\n")
    soft = shell.works("translate", "a.srt", "-o", "soft.srt", "--glossary", "terms.csv")
    shell.works("translate", "a.srt", "-o", "strict.srt", "--glossary", "terms.csv", "--strict")
    plain = shell.works(
        "translate", "a.srt", "-o", "plain.srt", "--filled-from", "a.srt", "--filled-with", "a.srt"
    )
    assert "74 sentences" in plain
    found = {name: (shell.folder / f"{name}.srt").read_text().count("Talbott") for name in ("soft", "strict")}
    assert found["strict"] == SAMPLE.read_text("utf-8").count("塔尔博特先生")
    missed = soft.count("'塔尔博特先生' is not 'Mr. Talbott'")
    assert found["soft"] + missed >= found["strict"]


def test_a_page_explains_a_real_document(shell: Shell) -> None:
    (shell.folder / "b.srt").write_bytes(SAMPLE.read_bytes())
    shell.works("translate", "b.srt", "-o", "b.en.srt", "--explain", "why.html")
    page = (shell.folder / "why.html").read_text("utf-8")
    assert page.count("<tr") == 74
    assert 'class="w changed"' in page
