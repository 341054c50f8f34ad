"""Models on disk: what is saved comes back the same, and what is damaged is named."""

import json
import shutil
from pathlib import Path

import pytest
import torch

import recollect
from recollect.assemble import build_memory, build_model, load, model_signature, save_model
from recollect.config import load_config
from recollect.errors import ConfigError, ModelError
from recollect.text.words import WordVocabulary

SOURCE, TARGET = (
    WordVocabulary(dict.fromkeys(words.split(), 1)) for words in ("ba be bi bo", "ka ke ki ko ku")
)
TINY = ["model.embedding=6", "model.hidden=5", "model.attention=7", "memory.size=4", "vocabulary.kind=words"]
DOCUMENTS = [["ba be", "bi", "bo ba"], ["be be", "never seen"]]


def write(folder: Path, *options: str, memory: bool = True) -> Path:
    config = load_config(overrides=[*TINY, *options])
    model = build_model(config, SOURCE.size, TARGET.size)
    remembering = build_memory(config, model, TARGET) if memory else None
    dictionary = {"seen": "gesehen"} if config.vocabulary.kind == "words" else None
    save_model(folder, config, model, remembering, SOURCE, TARGET, dictionary)
    return folder


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write(tmp_path / "model")


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("model.tied=true",),
        ("model.conditional=true", "model.readout=maxout"),
        ("memory.fusion=shallow", "memory.match=bilinear"),
        ("memory.fusion=none", "memory.match=additive", "memory.policy=fifo"),
        ("memory.match=flatness", "memory.theta=0.5", "memory.address=word", "memory.store_end=true"),
    ],
)
def test_what_is_saved_comes_back_the_same(tmp_path: Path, options: tuple[str, ...]) -> None:
    folder = write(tmp_path / "model", *options)
    config = load_config(overrides=[*TINY, *options])
    translator = load(folder)
    expected = build_model(config, SOURCE.size, TARGET.size)
    memory = build_memory(config, expected, TARGET)
    assert translator.memory is not None
    for module, found in ((expected, translator.model), (memory, translator.memory)):
        stored = dict(found.named_parameters())
        for name, parameter in module.named_parameters():
            assert torch.equal(stored.pop(name), parameter), name
        assert not stored
    assert translator.dictionary == {"seen": "gesehen"}
    assert translator.store_end == config.memory.store_end
    assert [len(document) for document in translator.translate_documents(DOCUMENTS)] == [3, 2]


def test_saved_twice_is_the_same_to_the_byte(tmp_path: Path) -> None:
    one, other = (write(tmp_path / name) for name in ("one", "other"))
    for path in one.iterdir():
        assert path.read_bytes() == (other / path.name).read_bytes(), path.name
    assert model_signature(one) == model_signature(other)
    assert model_signature(write(tmp_path / "third", "seed=2")) != model_signature(one)


def test_a_model_without_memory(tmp_path: Path) -> None:
    translator = load(write(tmp_path / "model", memory=False))
    assert translator.memory is None
    assert [len(document) for document in translator.translate_documents(DOCUMENTS)] == [3, 2]


def test_a_run_folder_will_do_and_options_can_be_changed(model: Path) -> None:
    translator = recollect.load(
        str(model.parent), overrides=["decoding.beam=1", "memory.size=9", "decoding.lanes=2"]
    )
    assert translator.memory is not None
    assert (translator.beam.size, translator.memory.size, translator.lanes) == (1, 9, 2)
    with pytest.raises(ConfigError, match="did you mean 'size'"):
        load(model, overrides=["memory.sizes=9"])
    with pytest.raises(ModelError, match="were options of the model or the fusion changed"):
        load(model, overrides=["memory.fusion=none"])


def test_the_model_does_not_need_the_text_it_was_trained_on(tmp_path: Path) -> None:
    texts = [tmp_path / name for name in ("a", "b")]
    for path in texts:
        path.write_text("x\n")
    folder = write(
        tmp_path / "model", f'data.source="{texts[0]}"', f'data.target="{texts[1]}"', "data.tokenise=zh"
    )
    for path in texts:
        path.unlink()
    load(folder)
    assert str(tmp_path) not in (folder / "config.toml").read_text("utf-8")


def test_every_damaged_or_missing_file_is_named(model: Path, tmp_path: Path) -> None:
    names = sorted(path.name for path in model.iterdir())
    assert "weights.safetensors" in names
    for name in names:
        for number, what in enumerate(("missing", "flipped", "cut")):
            copy = tmp_path / f"{name}-{number}"
            shutil.copytree(model, copy)
            path = copy / name
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 1
            path.unlink() if what == "missing" else path.write_bytes(data if what == "flipped" else data[:-1])
            if name == "model.json" and what == "flipped":
                continue  # a digit of a checksum, perhaps: then another file is called damaged
            with pytest.raises(ModelError) as caught:
                load(copy)
            assert str(copy if name == "model.json" else path) in str(caught.value)


@pytest.mark.parametrize("manifest", ["", "[]", "{}", '{"format": 1}', '{"format": 1, "sha256": {}}'])
def test_a_damaged_manifest(model: Path, manifest: str) -> None:
    (model / "model.json").write_text(manifest, "utf-8")
    with pytest.raises(ModelError, match=r"model\.json"):
        load(model)


def test_a_model_of_a_later_version(model: Path) -> None:
    manifest = json.loads((model / "model.json").read_text("utf-8"))
    (model / "model.json").write_text(json.dumps({**manifest, "format": 2}), "utf-8")
    with pytest.raises(ModelError, match="format 2 of the model; this version reads 1"):
        load(model)


def test_unfinished_and_missing_models(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    with pytest.raises(ModelError, match="is the training done"):
        load(tmp_path / "run")
    with pytest.raises(ModelError, match="no such model folder"):
        load(tmp_path / "nowhere")


def test_the_same_seed_makes_the_same_model() -> None:
    config = load_config(overrides=TINY)
    torch.rand(3)
    one = build_model(config, SOURCE.size, TARGET.size)
    torch.rand(3)
    other = build_model(config, SOURCE.size, TARGET.size)
    for pair in zip(one.parameters(), other.parameters(), strict=True):
        assert torch.equal(*pair)


RIVALS = {
    "wang-init": 3,
    "wang-auxiliary": 3,
    "wang-gated": 3,
    "wang-both": 3,
    "jean": 1,
}


@pytest.mark.parametrize(("kind", "seen"), RIVALS.items())
def test_rivals_come_back_the_same(tmp_path: Path, kind: str, seen: int) -> None:
    options = (f"context.kind={kind}", "model.tied=true")
    translator = load(write(tmp_path / "model", *options, memory=False))
    expected = build_model(load_config(overrides=[*TINY, *options]), SOURCE.size, TARGET.size)
    stored = dict(translator.model.named_parameters())
    assert {name: each.shape for name, each in expected.named_parameters()} == {
        name: each.shape for name, each in stored.items()
    }
    assert all(torch.equal(stored[name], each) for name, each in expected.named_parameters())
    assert (translator.model.looks_back, translator.memory) == (seen, None)
    assert [len(document) for document in translator.translate_documents(DOCUMENTS)] == [3, 2]


def test_a_rival_sees_as_many_sentences_as_it_is_told() -> None:
    config = load_config(overrides=[*TINY, "context.kind=wang-both", "context.sentences=7"])
    assert build_model(config, SOURCE.size, TARGET.size).looks_back == 7
