"""How far a correction carries, counted again with sessions that are corrected one by one."""

import pytest

import recollect
from recollect.analysis.corrections import corrections_carried, measure_corrections
from recollect.decoding.session import Session
from recollect.evaluation.repeats import has_word, names_again
from recollect.text.document import ParallelDocument

DOCUMENT = ParallelDocument(
    "invented",
    ("我昨天见到了布莱克先生。", "他是谁？", "你认识布莱克吗？", "我在找小梅。", "小梅去哪儿了？", ""),
    (
        (
            "I saw Mr. Blackwood yesterday.",
            "Who is he?",
            "Do you know Blackwood?",
            "I'm looking for Maisie.",
            "Where did Maisie go?",
            "",
        ),
    ),
)


@pytest.fixture(scope="module")
def translator():
    return recollect.load("subtitle-zh-en")


def test_counted_again_with_sessions(translator):
    cases = names_again(DOCUMENT.references[0])
    assert [(each.name, each.first, each.again) for each in cases] == [("Blackwood", 0, 2), ("Maisie", 3, 4)]
    alone = [each.text for each in translator.without_memory().translate(DOCUMENT.source)]
    own = corrected = 0
    for case in cases:
        session = Session(translator)
        said = [session.translate(text).text for text in DOCUMENT.source[: case.again + 1]]
        own += has_word(said[-1], case.name)
        session = Session(translator)
        for text in DOCUMENT.source[: case.again]:
            session.translate(text)
        session.correct(case.first, DOCUMENT.references[0][case.first])
        corrected += has_word(session.translate(DOCUMENT.source[case.again]).text, case.name)
    found = corrections_carried(translator, [DOCUMENT])
    assert (found.cases, found.own, found.corrected) == (2, own, corrected)
    assert found.alone == sum(has_word(alone[case.again], case.name) for case in cases)
    assert found.mended <= found.wrong <= found.cases


def test_only_systems_with_a_memory_are_measured(translator, tmp_path):
    systems = {"base": translator.without_memory(), "memory": translator}
    found = measure_corrections(systems, [DOCUMENT], tmp_path)
    assert list(found["systems"]) == ["memory"]
    assert found["markdown"].splitlines()[-1].startswith("| memory | 2 |")
