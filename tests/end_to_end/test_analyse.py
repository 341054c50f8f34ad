"""`recollect analyse` as a user has it: every kind, on a trained model, and what is said of mistakes."""

import json
from pathlib import Path

import pytest
from shell import Shell

KINDS = {
    "ages": {"ages.png", "ages.svg", "ages.csv"},
    "matrix": {"matrix.png", "matrix.svg", "matrix.csv"},
    "gates": {"gates.png", "gates.svg", "gates.csv"},
    "remembers": {"changed.md", "changed.json", "changed.csv"},
    "contrastive": {"contrastive.csv"},
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_leaves_its_files(trained: Shell, tmp_path: Path, kind: str) -> None:
    out = str(tmp_path / "out")
    said = trained.works("analyse", kind, "test.src", "test.trg", "-m", "run", "-o", out)
    names = KINDS[kind] | {f"{kind}.md", f"{kind}.json"}
    assert {path.name for path in Path(out).iterdir()} == names
    figures = json.loads((Path(out) / f"{kind}.json").read_text("utf-8"))
    assert set(figures["files"]) == names
    assert figures["markdown"].strip() in str(said)
    again = trained.fails("analyse", kind, "test.src", "test.trg", "-m", "run", "-o", out)
    assert "--force" in again


def test_sizes_sentences_and_documents(trained: Shell, tmp_path: Path) -> None:
    out = tmp_path / "out"
    trained.works(
        "analyse", "ages", "test.src", "test.trg", "--forced", "-m", "run", "-o", str(out), "--sizes", "5,10"
    )
    series = json.loads((out / "ages.json").read_text("utf-8"))["series"]
    assert {name: each["size"] for name, each in series.items()} == {"run, 5 slots": 5, "run, 10 slots": 10}
    lines = (trained.folder / "test.src").read_text().split("\n\n")[0].splitlines()
    (tmp_path / "note.md").write_text("\n\n".join(lines))
    trained.works(
        "analyse", "matrix", str(tmp_path / "note.md"), "-m", "run", "-o", str(out), "--sentence", "3"
    )
    found = json.loads((out / "matrix.json").read_text("utf-8"))["systems"]["run"]
    assert (found["document"], found["sentence"], found["source"]) == ("note.md", 3, lines[2])


def test_mistakes_get_a_sentence(trained: Shell) -> None:
    for arguments, answer in {
        ("age", "test.src"): "choose from ages, matrix",
        ("gates", "test.src", "-m", "run", "--sentence", "3"): "--sentence says nothing to gates",
        ("ages", "test.src", "-m", "run", "--sizes", "5;10"): "--sizes must be whole numbers",
        ("contrastive", "test.src", "-m", "run"): "give the reference translation",
        ("ages", "nowhere.src", "-m", "run"): "nowhere.src",
    }.items():
        assert answer in trained.fails("analyse", *arguments)
