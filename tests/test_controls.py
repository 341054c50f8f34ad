"""A memory under every control, from Python and from the command line's own function."""

import json

import pytest
from typer.testing import CliRunner

from recollect.cli import app
from recollect.controls import CONTROLS, as_markdown, measure_controls
from recollect.evaluation import ScoreOptions
from recollect.progress import SilentProgress
from recollect.reproduce.kinds import histories_compared
from recollect.text.document import ParallelDocument

DOCUMENTS = [
    ParallelDocument("a", ("ba be bi", "bo bu", "da de"), (("ka ke ki", "ko ku", "la le"),)),
    ParallelDocument("b", ("di do", "du ba", "be"), (("li lo", "lu ka", "ke"),)),
]
SOURCES = [document.source for document in DOCUMENTS]
FIRST = [document.references[0] for document in DOCUMENTS]


@pytest.fixture(scope="module")
def translator(make_translator):
    return make_translator()


def test_rows_are_what_the_translator_says(translator):
    rows = measure_controls(
        {"m": translator}, DOCUMENTS, ScoreOptions(tokenise="none"), progress=SilentProgress()
    )
    assert [(row.memory, row.history) for row in rows] == [
        ("no memory", "-"),
        *(("m", kind) for kind in CONTROLS),
    ]
    by_kind = {row.history: row for row in rows}
    alone = translator.without_memory()
    assert by_kind["-"].perplexity == alone.likelihood(SOURCES, FIRST).perplexity
    assert by_kind["reference"].perplexity == translator.likelihood(SOURCES, FIRST).perplexity
    assert by_kind["foreign"].perplexity != by_kind["reference"].perplexity
    pairs = [list(zip(*each, strict=True)) for each in zip(SOURCES, FIRST, strict=True)]
    swapped = translator.likelihood(SOURCES, FIRST, [pairs[1], pairs[0]])
    assert by_kind["foreign"].perplexity == swapped.perplexity
    assert by_kind["none"].perplexity != by_kind["-"].perplexity, "a deep gate acts even on nothing"
    assert by_kind["-"].p is None
    assert 0 <= by_kind["own"].p <= 1
    assert [row.history for row in rows if row.p_reference is not None] == ["foreign", "shuffled", "none"]
    assert by_kind["reference"].names is None, "there are no capitals, and so no share of names"
    compared = histories_compared(rows)
    assert [each["other"] for each in compared] == [
        f"m with {kind} history" for kind in ("foreign", "shuffled", "no")
    ]
    assert compared[0]["difference"] == by_kind["reference"].bleu - by_kind["foreign"].bleu
    assert compared[0]["p"] == by_kind["foreign"].p_reference
    table = as_markdown(rows)
    assert "%" not in table.splitlines()[2].split("|")[8]
    assert table.count("\n|") == len(rows) + 1
    assert rows[0].signature in table


def test_a_silenced_memory_of_words_is_no_memory(make_translator):
    made = make_translator(memory={"fusion": "shallow", "gate": "features", "match": "cosine", "top": 3})
    rows = measure_controls(
        {"m": made},
        DOCUMENTS,
        ScoreOptions(tokenise="none"),
        histories=["none"],
        progress=SilentProgress(),
    )
    assert rows[0].perplexity == pytest.approx(rows[1].perplexity, rel=1e-5)
    assert rows[0].bleu == rows[1].bleu


def test_an_unknown_history_is_named(tmp_path):
    (tmp_path / "a").write_text("x\n")
    found = CliRunner().invoke(
        app, ["controls", str(tmp_path / "a"), str(tmp_path / "a"), "-m", "x", "--histories", "mine"]
    )
    assert found.exit_code != 0
    assert "there is no mine" in str(found.exception or found.output)


def test_figures_are_plain_json(translator):
    from dataclasses import asdict

    rows = measure_controls(
        {"m": translator},
        DOCUMENTS,
        ScoreOptions(tokenise="none"),
        histories=["own"],
        progress=SilentProgress(),
    )
    assert json.loads(json.dumps([asdict(row) for row in rows]))[1]["history"] == "own"
