"""Corpus files: paths, several domains, and every mistake at once."""

import pytest

from recollect.config import load_config
from recollect.errors import ConfigError, DataError
from recollect.folders import find_model
from recollect.reproduce.corpus import read_corpus
from recollect.reproduce.experiment import System
from recollect.reproduce.scale import load_scale
from recollect.reproduce.workshop import Workshop

SETS = """
tune_source = "tune.src"
tune_references = ["tune.trg"]
test_source = "tune.src"
test_references = ["tune.trg"]
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tune.src").write_text("a\nb\n\nc\n", "utf-8")
    (tmp_path / "tune.trg").write_text("A\nB\n\nC\n", "utf-8")
    return tmp_path


def corpus(folder, text):
    path = folder / "corpus.toml"
    path.write_text(text, "utf-8")
    return read_corpus(path)


def test_domains_with_paths_beside_the_file(folder):
    news, ted = corpus(folder, f"[news]{SETS}\n[ted]{SETS}tokenise = 'zh'\nbase = 'subtitle-zh-en'")
    assert (news.name, ted.name, ted.tokenise) == ("news", "ted", "zh")
    assert ted.base == "subtitle-zh-en"  # a name, not a path
    documents = news.evaluation("test").documents
    assert [document.source for document in documents] == [("a", "b"), ("c",)]


def test_a_given_base_settles_sizes(folder):
    (domain,) = corpus(folder, f"[news]{SETS}base = 'subtitle-zh-en'")
    config = Workshop(folder, load_scale("smoke"), domain).config(System())
    given = load_config(find_model("subtitle-zh-en") / "config.toml")
    assert (config.model, config.vocabulary) == (given.model, given.vocabulary)


def test_a_reference_in_the_models_own_style(folder):
    (folder / "spoken").write_text("Aha\nBe\nSee\n", "utf-8")
    (domain,) = corpus(folder, f"[news]{SETS}tune_spoken = 'spoken'")
    first, second = domain.evaluation("tune").in_own_style
    assert first.references == (("Aha", "Be"), ("A", "B"))
    assert second.references == (("See",), ("C",))
    assert domain.evaluation("test").in_own_style == domain.evaluation("test").documents


def test_such_a_reference_of_another_length(folder):
    (folder / "spoken").write_text("Aha\n", "utf-8")
    (domain,) = corpus(folder, f"[news]{SETS}tune_spoken = 'spoken'")
    with pytest.raises(DataError, match=r"spoken has 1 lines, .*tune.src has 3 sentences"):
        domain.evaluation("tune").spoken_lines  # noqa: B018


def test_all_mistakes_at_once(folder):
    text = f"loose = 1\n[news]{SETS}base_model = 'x'\n[ted]\ntune_source = 'missing'"
    with pytest.raises(ConfigError) as caught:
        corpus(folder, text)
    lines = str(caught.value).splitlines()
    assert "loose stands outside of any domain" in lines[0]
    assert "[news]: there is no base_model; there are: name, source_language" in lines[1]
    assert f"[ted]: tune_source: there is no {folder / 'missing'}" in lines[2]
    assert [line.partition("[ted]: ")[2] for line in lines[3:]] == [
        "tune_references is missing",
        "test_source is missing",
        "test_references is missing",
    ]


@pytest.mark.parametrize(("text", "problem"), [("", "there is no domain"), ("[", "not valid TOML")])
def test_no_corpus_at_all(folder, text, problem):
    with pytest.raises(ConfigError, match=problem):
        corpus(folder, text)


def test_a_document_that_may_be_shown(folder):
    (domain,) = corpus(folder, f"[news]{SETS}shown_source = 'tune.src'\nshown_references = ['tune.trg']")
    assert domain.shown.documents == domain.evaluation("tune").documents
    (domain,) = corpus(folder, f"[news]{SETS}")
    assert domain.shown is None
