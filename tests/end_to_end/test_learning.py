"""The memory must learn what only the document's history can tell: the demonstration, and a variant of it."""

import json
import re
from pathlib import Path

import pytest

from recollect.assemble import build_memory, load
from recollect.batches.prepared import Prepared
from recollect.config import load_config
from recollect.decoding.translator import Translator
from recollect.files import fingerprint
from recollect.invented_demo import run_invented_demo
from recollect.progress import SilentProgress
from recollect.text.invented import ambiguous_accuracy, invented_corpus
from recollect.training.activations import choose_documents, store_activations
from recollect.training.pass_two import PassTwo, stored_steps, train_pass_two
from recollect.training.run import Run

UNSEEN = 77  # a seed of documents that no choice was ever made on


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    run_invented_demo(folder, SilentProgress())
    return folder


def accuracy(translator: Translator) -> float:
    """The share of later mentions translated rightly; the memory holds the translator's own output."""
    test = invented_corpus(60, UNSEEN)
    found = translator.translate_documents([document.source for document in test.documents])
    return float(ambiguous_accuracy(test, [[each.text for each in document] for document in found]))


def test_base_guesses_and_memory_knows(demo: Path) -> None:
    translator = load(demo / "run")
    assert 0.35 < accuracy(translator.without_memory()) < 0.65
    assert accuracy(translator) > 0.95


def test_the_demonstration_tells_so_and_again_at_once(
    demo: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(demo.parent)
    weights = fingerprint(demo / "run" / "model" / "weights.safetensors")
    (demo / "test.out").unlink()
    run_invented_demo(Path(demo.name), SilentProgress())  # now by a relative path, and finished already
    shown = capsys.readouterr().out
    base, memory = (float(percent) for percent in re.findall(r"([\d.]+)% \(\d+ of \d+\)", shown))
    assert 35 < base < 65
    assert memory > 95
    assert fingerprint(demo / "run" / "model" / "weights.safetensors") == weights
    source, output = ((demo / f"test.{side}").read_text("utf-8").split("\n") for side in ("src", "out"))
    assert [bool(line) for line in source] == [bool(line) for line in output]


def test_shallow_fusion_learns_too(demo: Path, tmp_path: Path) -> None:
    config = load_config(demo / "run" / "config.toml", overrides=["memory.fusion=shallow"])
    prepared = Prepared.open(demo / "prepared")
    translator = load(demo / "run")
    memory = build_memory(config, translator.model, prepared.target_vocabulary)  # type: ignore[arg-type]
    documents = choose_documents(prepared.train, 400)
    stored = store_activations(
        translator.model,
        prepared.train,
        documents,
        tmp_path / "activations",
        precision="float32",
        weights="demo",
        progress=SilentProgress(),
    )
    train_pass_two(
        translator.model,
        memory,
        prepared.train,
        documents,
        stored_steps(translator.model, prepared.train, stored),
        PassTwo("adam", 5e-3, 1.0, 50, 3, 200, False, False, "perplexity", seed=1),
        Run(tmp_path),
        None,
        SilentProgress(),
    )
    losses = [json.loads(line)["loss"] for line in (tmp_path / "log.jsonl").read_text("utf-8").splitlines()]
    assert losses[-1] < losses[0]
    assert accuracy(translator.replaced(memory=memory)) > 0.85
