"""A model is packed, given away, and used by those who get it."""

import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from shell import Shell

from recollect.folders import write_manifest


@pytest.fixture(scope="module")
def packed(trained: Shell, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The trained model with a second memory, for the same sentence model."""
    folder = tmp_path_factory.mktemp("packed")
    (folder / "card.md").write_text("# A model\n\nIt is small.\n")
    other = ("--base", "run", "-r", str(folder / "other"), "--set", "memory.fusion=shallow")
    trained.works("train", "config.toml", "-d", "prepared", *other)
    given = ("--also", f"shallow={folder / 'other'}", "--card", str(folder / "card.md"))
    said = trained.works("pack", "run", "-o", str(folder / "gift"), *given)
    assert "MB" in said
    return folder / "gift"


def test_it_translates_with_either_memory(trained: Shell, packed: Path) -> None:
    assert trained.works("card", str(packed)) == "# A model\n\nIt is small.\n"
    own = trained.works("translate", "test.src", "-m", str(packed))
    shallow = trained.works("translate", "test.src", "-m", str(packed), "--memory-kind", "shallow")
    alone = trained.works("translate", "test.src", "-m", str(packed), "--no-memory")
    assert own.count("\n") == shallow.count("\n") == alone.count("\n")
    other = trained.works("translate", "test.src", "-m", str(packed.parent / "other"))
    same = sum(a == b for a, b in zip(shallow.splitlines(), other.splitlines(), strict=True))
    assert same > 0.9 * len(other.splitlines())  # but for half precision they are one
    assert "there is shallow" in trained.fails(
        "translate", "test.src", "-m", str(packed), "--memory-kind", "x"
    )


def test_it_is_half_as_large_and_checked(trained: Shell, packed: Path, tmp_path: Path) -> None:
    weights = load_file(packed / "weights.safetensors")
    assert {str(each.dtype) for each in weights.values()} == {"torch.float16"}
    assert (packed / "weights.safetensors").stat().st_mode & 0o444 == 0o444
    broken = tmp_path / "broken"
    shutil.copytree(packed, broken)
    data = bytearray((broken / "shallow.safetensors").read_bytes())
    data[-1] ^= 1
    (broken / "shallow.safetensors").write_bytes(data)
    assert "checksum" in trained.fails("translate", "test.src", "-m", str(broken))


def test_it_may_be_kept_in_bytes(trained: Shell, packed: Path, tmp_path: Path) -> None:
    small = tmp_path / "small"
    trained.works("pack", str(packed), "-o", str(small), "--stored", "int8")
    for name in ("weights", "shallow"):
        matrices = [each for each in load_file(small / f"{name}.safetensors").values() if each.dim() == 2]
        assert {str(each.dtype) for each in matrices} == {"torch.int8"}
    outputs = [
        trained.works("translate", "test.src", "-m", str(each)).splitlines() for each in (small, packed)
    ]
    same = sum(a == b for a, b in zip(*outputs, strict=True))
    assert same > 0.9 * len(outputs[0])
    again = ("prepare", "config.toml", "-o", str(tmp_path / "again"), "--like", str(small))
    trained.works(*again)
    more = ("-d", str(tmp_path / "again"), "-r", str(tmp_path / "more"), "--start-from", str(small))
    trained.works("train", "config.toml", *more, "--passes", "one", "--set", "pass_one.max_steps=2")


def test_a_mean_of_what_it_was_and_what_it_became(trained: Shell, tmp_path: Path) -> None:
    more = ("-r", str(tmp_path / "more"), "--start-from", "run", "--passes", "one")
    grown = ("--set", "pass_one.max_steps=5", "--set", "model.self_attention=1")
    trained.works("train", "config.toml", "-d", "prepared", *more, *grown)
    trained.works("pack", str(tmp_path / "more"), "-o", str(tmp_path / "mean"), "--mean-with", "run")
    was, became, mean = (
        load_file(folder / "weights.safetensors")
        for folder in (trained.folder / "run/model", tmp_path / "more/model", tmp_path / "mean")
    )
    assert mean.keys() == became.keys()
    for name, tensor in mean.items():
        share = 0.5 if name.split(".")[-2] in ("found", "back") else 1  # of a layer that is new
        expected = (was[name] + became[name]) / 2 if name in was else share * became[name]
        assert torch.allclose(tensor.float(), expected, rtol=2e-3, atol=1e-6), name
    trained.works("translate", "test.src", "-m", str(tmp_path / "mean"))
    again = ("pack", "run", "-o", str(tmp_path / "again"), "--mean-with")
    assert "its memory was trained for its weights" in trained.fails(*again, "run")
    back = ("pack", str(tmp_path / "more"), "-o", str(tmp_path / "again"), "--mean-with")
    assert "another size" in trained.fails(*back, "subtitle-zh-en")


def test_memories_of_other_models_are_refused(trained: Shell, tmp_path: Path) -> None:
    other = ("-r", str(tmp_path / "other"), "--set", "pass_one.max_steps=20", "--set", "pass_two.epochs=1")
    trained.works("train", "config.toml", "-d", "prepared", *other)
    said = trained.fails("pack", "run", "-o", str(tmp_path / "x"), "--also", f"other={tmp_path / 'other'}")
    assert "its sentence model is another" in said
    assert not (tmp_path / "x").exists()
    assert "NAME=MODEL" in trained.fails("pack", "run", "-o", str(tmp_path / "x"), "--also", "other")


def test_training_goes_on_from_it(trained: Shell, packed: Path, tmp_path: Path) -> None:
    trained.works("prepare", "config.toml", "-o", str(tmp_path / "again"), "--like", str(packed))
    for side in ("source", "target"):
        name = f"{side}.words.tsv"
        assert (tmp_path / "again" / name).read_bytes() == (packed / name).read_bytes()
    more = (
        "train",
        "config.toml",
        "-d",
        str(tmp_path / "again"),
        "-r",
        str(tmp_path / "more"),
        "--passes",
        "one",
    )
    trained.works(*more, "--start-from", str(packed), "--set", "pass_one.max_steps=20", "--processes", "2")
    before, after = (
        load_file(path / "weights.safetensors") for path in (packed, tmp_path / "more" / "model")
    )
    name = "model.target_embedding.weight"
    change = (after[name].float() - before[name].float()).abs().mean()
    assert 0 < change < 0.2
    assert "give one" in trained.fails(*more, "--start-from", "run", "--base", "run")


@pytest.fixture(scope="module")
def backwards(trained: Shell, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that translates back what the trained one says."""
    folder = tmp_path_factory.mktemp("backwards")
    prepared, other_way = str(folder / "prepared"), ("--set", "data.reversed=true")
    trained.works("prepare", "config.toml", "-o", prepared, *other_way)
    learning = ("train", "config.toml", "-d", prepared, "-r", str(folder / "run"), "--passes", "one")
    trained.works(*learning, *other_way)
    return folder / "run"


def test_a_proofreader_goes_along(trained: Shell, backwards: Path, tmp_path: Path) -> None:
    both, again = tmp_path / "both", tmp_path / "again"
    trained.works("pack", "run", "-o", str(both), "--proofreader", str(backwards))
    trained.works("pack", str(both), "-o", str(again), "--stored", "int8")  # a model keeps its own
    matrices = [
        each for each in load_file(again / "proofreader/weights.safetensors").values() if each.dim() == 2
    ]
    assert {str(each.dtype) for each in matrices} == {"torch.int8"}

    def said(model: Path, *options: str) -> list[str]:
        return trained.works("translate", "test.src", "-m", str(model), *options).splitlines()

    trained.works("pack", "run", "-o", str(tmp_path / "alone"))
    alone, asked = said(tmp_path / "alone"), said(both, "--set", "decoding.proofreading=1")
    assert asked != alone
    assert said(both, "--set", "decoding.proofreading=0") == alone
    other = said(again, "--set", "decoding.proofreading=1")
    assert sum(a == b for a, b in zip(asked, other, strict=True)) > 0.9 * len(asked)


def test_it_is_checked_like_the_rest_of_a_model(trained: Shell, backwards: Path, tmp_path: Path) -> None:
    both = tmp_path / "both"
    trained.works("pack", "run", "-o", str(both), "--proofreader", str(backwards))
    inner = both / "proofreader/weights.safetensors"
    data = bytearray(inner.read_bytes())
    data[-1] ^= 1
    inner.write_bytes(data)
    assert "proofreader/weights.safetensors: damaged" in trained.fails(
        "translate", "test.src", "-m", str(both)
    )
    (both / "proofreader/model.json").unlink()
    assert "this file of the model is missing" in trained.fails("translate", "test.src", "-m", str(both))


def test_only_what_translates_back_can_proofread(trained: Shell, backwards: Path, tmp_path: Path) -> None:
    known = tmp_path / "known"
    shutil.copytree(backwards / "model", known)
    settings = (known / "config.toml").read_text("utf-8")
    (known / "config.toml").write_text(settings.replace('_language = ""', '_language = "en"'), "utf-8")
    write_manifest(known, source_tokens=1, target_tokens=1, memory=False)
    packing = ("pack", str(known), "-o", str(tmp_path / "x"), "--proofreader")
    trained.works(*packing, str(backwards))  # of which nobody has said what it translates
    assert "must translate back" in trained.fails(*packing, "subtitle-zh-en")


def test_a_proofreader_is_a_sentence_model_alone(trained: Shell, backwards: Path, tmp_path: Path) -> None:
    """Whatever else a model has stays behind: its memory, its card, a proofreader of its own."""
    both = tmp_path / "both"
    trained.works("pack", "run", "-o", str(both), "--proofreader", str(backwards))
    trained.works("pack", str(backwards), "-o", str(tmp_path / "x"), "--proofreader", str(both))
    inner = tmp_path / "x/proofreader"
    assert "proofreader" not in {path.name for path in inner.iterdir()}
    assert all(name.startswith("model.") for name in load_file(inner / "weights.safetensors"))


def test_options_of_decoding_can_be_packed(trained: Shell, backwards: Path, tmp_path: Path) -> None:
    def packed(name: str, *options: str) -> list[str]:
        packing = ("pack", "run", "-o", str(tmp_path / name), "--proofreader", str(backwards))
        trained.works(*packing, *options)
        return trained.works("translate", "test.src", "-m", str(tmp_path / name)).splitlines()

    asked = packed("asked", "--set", "decoding.proofreading=1.5", "--set", "decoding.length_reward=0")
    assert asked != packed("off", "--set", "decoding.proofreading=0")
    again = ("translate", "test.src", "-m", str(tmp_path / "off"), "--set", "decoding.proofreading=1.5")
    assert trained.works(*again, "--set", "decoding.length_reward=0").splitlines() == asked
    other = ("pack", "run", "-o", str(tmp_path / "x"), "--set")
    assert "[decoding] only" in trained.fails(*other, "memory.size=5")
    assert "did you mean 'beam'" in trained.fails(*other, "decoding.beem=5")
