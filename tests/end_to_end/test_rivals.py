"""Rivals from the command line: they must learn what only the source sentence before can tell."""

from dataclasses import replace
from pathlib import Path

import pytest
from shell import Shell

from recollect.text.invented import InventedCorpus, ambiguous_accuracy, invented_corpus, write_plain

CONFIG = """
preset = "invented"
[data]
source = "train.src"
target = "train.trg"
[model]
embedding = 32
hidden = 48
attention = 48
dropout = 0.0
embedding_dropout = 0.0
[pass_one]
batch = 300
learning_rate = 1e-2
warmup = 20
max_steps = 160
[decoding]
beam = 2
lanes = 8
"""
UNSEEN = 77


def beginnings(documents: int, seed: int) -> InventedCorpus:
    """Two sentences of each document that has one ambiguous word: marked in the first, not in the second."""
    whole = invented_corpus(documents, seed)
    kept = [each.document for each in whole.mentions if each.sentence == 1 and not each.marked]
    return InventedCorpus(
        whole.language,
        tuple(
            replace(one, source=one.source[:2], references=(one.references[0][:2],))
            for one in (whole.documents[number] for number in kept)
        ),
        tuple(
            replace(each, document=kept.index(each.document))
            for each in whole.mentions
            if each.document in kept and each.sentence < 2
        ),
    )


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    folder = tmp_path_factory.mktemp("rivals")
    for name, seed, documents in (("train", 1, 1000), ("test", UNSEEN, 120)):
        write_plain(beginnings(documents, seed), folder / f"{name}.src", folder / f"{name}.trg")
    (folder / "config.toml").write_text(CONFIG, "utf-8")
    shell = Shell(folder)
    shell.works("prepare", "config.toml", "-o", "prepared")
    shell.works("train", "config.toml", "-d", "prepared", "-r", "base", "--passes", "one")
    return shell


def accuracy(shell: Shell, run: str) -> float:
    output = shell.folder / f"{run}.out"
    answer = shell.start("translate", "test.src", "-o", str(output), "--force", "-m", run).wait()
    assert answer.code == 0, answer.err
    assert ("each sentence is translated alone" in answer.err) == (run == "base")
    documents = [document.splitlines() for document in output.read_text("utf-8").strip().split("\n\n")]
    return float(ambiguous_accuracy(beginnings(120, UNSEEN), documents))


def perplexity(shell: Shell, run: str) -> float:
    return float(shell.works("perplexity", "test.src", "test.trg", "-m", run).split()[1])


@pytest.mark.parametrize("kind", ["wang-both", "jean"])
def test_a_rival_knows_what_the_base_guesses(base: Shell, kind: str) -> None:
    train = ("train", "config.toml", "-d", "prepared", "-r", kind, "--set", f"context.kind={kind}")
    answer = base.start(*train, "--start-from", "base").wait()
    assert answer.code == 0, answer.err
    assert "there is no pass two: a model that looks back has no memory" in answer.err
    assert 0.25 < accuracy(base, "base") < 0.75
    assert accuracy(base, kind) > 0.9
    assert perplexity(base, kind) < perplexity(base, "base")
    table = base.works("score", f"{kind}.out", "-r", "test.trg", "--baseline", "base.out", "-t", "none")
    assert "sign test" in table
    lanes = base.works("translate", "test.src", "-m", kind, "--lanes", "1")
    assert lanes == (base.folder / f"{kind}.out").read_text("utf-8")


def test_mistakes_get_one_clear_line(base: Shell, tmp_path: Path) -> None:
    train = ("train", "config.toml", "-d", "prepared", "-r", str(tmp_path / "run"))
    said = base.fails(*train, "--base", "base", "--set", "context.kind=jean")
    assert 'kind = "jean" has none: start from that model instead' in said
    said = base.fails(*train, "--start-from", "base", "--set", "context.kind=jean", "--set", "model.hidden=8")
    assert "its sentence model has other sizes" in said
