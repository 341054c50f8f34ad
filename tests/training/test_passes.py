import json
from pathlib import Path

import pytest
import torch

from recollect.assemble import build_memory, build_model, load, train
from recollect.batches.prepared import Prepared
from recollect.batches.sentences import collate
from recollect.config import Config
from recollect.errors import ModelError, RunError
from recollect.files import fingerprint
from recollect.progress import SilentProgress
from recollect.training.activations import choose_documents, store_activations
from recollect.training.pass_two import PassTwo, StepsOf, stored_steps, train_pass_two, unrolled_steps
from recollect.training.run import Run


def changed(config: Config, section: str, **options: object) -> Config:
    return config.model_copy(update={section: getattr(config, section).model_copy(update=options)})


@pytest.mark.parametrize(("precision", "tolerance"), [("float32", 1e-6), ("float16", 1e-3)])
def test_stored_activations_are_the_models_own(
    config: Config, prepared: Prepared, tmp_path: Path, precision: str, tolerance: float
) -> None:
    model = build_model(config, prepared.source_vocabulary.size, prepared.target_vocabulary.size).eval()
    shard, documents = prepared.train, choose_documents(prepared.train, 3)
    stored = store_activations(
        model, shard, documents, tmp_path, precision=precision, weights="w", progress=SilentProgress()
    )
    for document in documents:
        for number in document:
            batch = collate([shard.source(number)], [shard.target(number)])
            with torch.no_grad():
                step = model.unroll(batch.source, batch.lengths, batch.previous)
            context, state = stored.sentence(shard, number)
            torch.testing.assert_close(context, step.context[0], atol=tolerance, rtol=0)
            torch.testing.assert_close(state, step.state[0], atol=tolerance, rtol=0)


def test_activations_of_other_weights_are_not_reused(
    config: Config, prepared: Prepared, tmp_path: Path
) -> None:
    documents = choose_documents(prepared.train, 2)
    found = []
    for seed, weights in ((1, "one"), (2, "other")):
        model = build_model(
            config.model_copy(update={"seed": seed}),
            prepared.source_vocabulary.size,
            prepared.target_vocabulary.size,
        )
        stored = store_activations(
            model,
            prepared.train,
            documents,
            tmp_path,
            precision="float32",
            weights=weights,
            progress=SilentProgress(),
        )
        found.append(stored.sentence(prepared.train, documents[0][0])[0].clone())
    assert not torch.allclose(*found)


def choose_steps(
    kind: str, model: torch.nn.Module, prepared: Prepared, documents: list[range], path: Path
) -> StepsOf:
    if kind == "unrolled":
        return unrolled_steps(model)  # type: ignore[arg-type]
    stored = store_activations(
        model,  # type: ignore[arg-type]
        prepared.train,
        documents,
        path,
        precision="float32",
        weights="w",
        progress=SilentProgress(),
    )
    return stored_steps(model, prepared.train, stored)  # type: ignore[arg-type]


def run_pass_two(
    config: Config, prepared: Prepared, tmp_path: Path, kind: str, joint: bool
) -> tuple[list[float], bool]:
    """Return the loss of each group, and whether the sentence model has changed."""
    config = changed(changed(config, "model", dropout=0.0, embedding_dropout=0.0), "memory", match="bilinear")
    model = build_model(config, prepared.source_vocabulary.size, prepared.target_vocabulary.size).eval()
    memory = build_memory(config, model, prepared.target_vocabulary)
    before = [parameter.clone() for parameter in model.parameters()]
    gate = [parameter.clone() for parameter in memory.parameters()]
    documents = choose_documents(prepared.train, 0)
    options = PassTwo("adam", 0.01, 1.0, 5, 2, 100, joint, False, "perplexity", seed=1)
    run = Run(tmp_path / f"{kind}-{joint}")
    run.folder.mkdir()
    steps = choose_steps(kind, model, prepared, documents, tmp_path / "activations")
    train_pass_two(model, memory, prepared.train, documents, steps, options, run, None, SilentProgress())
    assert all(not torch.equal(*pair) for pair in zip(gate, memory.parameters(), strict=True))
    lines = (run.folder / "log.jsonl").read_text("utf-8").splitlines()
    same = all(torch.equal(*pair) for pair in zip(before, model.parameters(), strict=True))
    return [json.loads(line)["loss"] for line in lines], not same


def test_training_on_stored_activations_is_training_on_the_frozen_model(
    config: Config, prepared: Prepared, tmp_path: Path
) -> None:
    stored, model_changed = run_pass_two(config, prepared, tmp_path, "stored", joint=False)
    assert not model_changed
    unrolled, model_changed = run_pass_two(config, prepared, tmp_path, "unrolled", joint=False)
    assert not model_changed
    assert stored == pytest.approx(unrolled, abs=2e-4)
    assert stored[-1] < stored[0]


def test_joint_training_changes_the_sentence_model_too(
    config: Config, prepared: Prepared, tmp_path: Path
) -> None:
    _, model_changed = run_pass_two(config, prepared, tmp_path, "unrolled", joint=True)
    assert model_changed


def test_a_run_folder_tells_everything_and_is_reused(
    config: Config, prepared: Prepared, folder: Path
) -> None:
    model = train(config, prepared, folder, progress=SilentProgress())
    for name in ("config.toml", "environment.json", "data.json", "log.jsonl", "pass-one/result.json"):
        assert (folder / name).is_file()
    assert not [path for path in folder.rglob("*") if path.suffix in (".pt", ".pth", ".pkl", ".bin")]
    stages = {json.loads(line)["stage"] for line in (folder / "log.jsonl").read_text("utf-8").splitlines()}
    assert stages == {"pass-one", "pass-two"}
    before = fingerprint(model / "weights.safetensors")
    assert (
        fingerprint(train(config, prepared, folder, progress=SilentProgress()) / "weights.safetensors")
        == before
    )
    with pytest.raises(RunError, match=r"memory.size is 10 there and 11 now"):
        train(changed(config, "memory", size=11), prepared, folder, progress=SilentProgress())


def test_early_stop_and_averaging(config: Config, prepared: Prepared, folder: Path) -> None:
    # A rate this small improves nothing: the second validation is no better than the first.
    eager = changed(
        config,
        "pass_one",
        learning_rate=1e-12,
        patience=1,
        validate_every=2,
        max_steps=100,
        average=2,
        metric="bleu",
    )
    train(eager, prepared, folder, progress=SilentProgress(), passes=("one",))
    result = json.loads((folder / "pass-one" / "result.json").read_text("utf-8"))
    assert result["step"] == 4
    assert result["chosen"] == "averaged"  # as good as the best
    assert (folder / "pass-one" / "averaged.safetensors").is_file()


@pytest.mark.parametrize(
    "options",
    [
        {"fusion": "shallow"},
        {"fusion": "none", "match": "bilinear"},
        {"match": "additive"},
        {"policy": "fifo"},
    ],
)
def test_every_memory_trains_saves_and_loads(
    config: Config, prepared: Prepared, folder: Path, options: dict[str, str]
) -> None:
    model = train(changed(config, "memory", **options), prepared, folder, progress=SilentProgress())
    translator = load(folder)
    text = [document.source for document in prepared.tune]
    assert [len(document) for document in translator.translate_documents(text)] == [
        len(document) for document in text
    ]
    assert load(model, overrides=["memory.size=3"]).memory.size == 3  # type: ignore[union-attr]


def test_damaged_and_missing_models_are_named(config: Config, prepared: Prepared, folder: Path) -> None:
    with pytest.raises(ModelError, match="no such model folder"):
        load(folder / "nowhere")
    model = train(config, prepared, folder, progress=SilentProgress(), passes=("one",))
    assert load(model).memory is None
    weights = model / "weights.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    with pytest.raises(ModelError, match=r"weights.safetensors: damaged"):
        load(model)
    weights.unlink()
    with pytest.raises(ModelError, match=r"weights.safetensors: this file of the model is missing"):
        load(model)
