"""Making a model small enough to give away: fewer bytes a weight, several memories, and a card."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from torch import Tensor

from recollect.config import DataConfig, load_config
from recollect.errors import ConfigError, ModelError
from recollect.files import whole_folder
from recollect.folders import CARD, MANIFEST, PROOFREADER, find_model, read_manifest, write_manifest
from recollect.weights import WEIGHTS, Stored, read_weights, write_weights

__all__ = ["pack_model"]

ADDED = ("model.feed_forward.", "model.self_attention.")  # layers that a model may have grown
ADDS = ("found", "back")  # the parts of such layers whose products are added to annotations


def pack_model(
    model: Path,
    output: Path,
    *,
    others: Mapping[str, Path],
    card: Path | None,
    stored: Stored = "float16",
    mean_with: Path | None = None,
    proofreader: Path | None = None,
    overrides: Sequence[str] = (),
) -> int:
    """Write `model` to `output`, its weights `stored` so, with the memories of `others`; return its bytes.

    The others must have the same sentence model: only their memories are taken, each under its name.
    `mean_with` is the model that this one was trained further from, `proofreader` one that translates back;
    by default `model` keeps its own, if it has one. `overrides` change decoding options for good.
    """
    for each in overrides:
        if not each.startswith("decoding."):
            raise ConfigError(f"--set {each}: a packed model has other options of [decoding] only")
    folder = find_model(model)
    manifest = read_manifest(folder)
    weights = read_weights(folder / WEIGHTS)
    if mean_with is not None:
        if manifest["memory"]:
            raise ModelError(
                f"{folder}: its memory was trained for its weights as they are; train one afterwards"
            )
        weights = _mean(weights, read_weights(find_model(mean_with) / WEIGHTS), folder)
    if proofreader is None and (folder / PROOFREADER / MANIFEST).is_file():
        proofreader = folder / PROOFREADER
    with whole_folder(output) as draft:
        if proofreader is not None:
            _pack_proofreader(find_model(proofreader), draft / PROOFREADER, stored, folder)
        for name in manifest["sha256"]:
            if name.endswith(f"/{MANIFEST}"):
                continue
            if name == WEIGHTS:
                write_weights(weights, draft / name, stored)
            elif name.endswith(".safetensors"):
                write_weights(read_weights(folder / name), draft / name, stored)
            elif name.endswith(".toml"):
                _configure(folder / name, draft / name, overrides)
            elif name != CARD:
                shutil.copyfile(folder / name, draft / name)
        for kind, path in others.items():
            other = find_model(path)
            if not read_manifest(other)["memory"]:
                raise ModelError(f"{other}: this model has no memory to take")
            theirs = read_weights(other / WEIGHTS)
            ours = {name: each for name, each in weights.items() if name.startswith("model.")}
            if not all(name in theirs and torch.equal(each, theirs[name]) for name, each in ours.items()):
                raise ModelError(f"{other}: its sentence model is another than that of {folder}")
            memory = {name: each for name, each in theirs.items() if name.startswith("memory.")}
            write_weights(memory, draft / f"{kind}.safetensors", stored)
            _configure(other / "config.toml", draft / f"{kind}.toml", overrides)
        if card is not None:
            shutil.copyfile(card, draft / CARD)
        kept = {name: value for name, value in manifest.items() if name not in ("format", "sha256")}
        write_manifest(draft, **kept)
    return sum(path.stat().st_size for path in output.rglob("*") if path.is_file())


def _configure(path: Path, copy: Path, overrides: Sequence[str]) -> None:
    """Copy a configuration, with some options changed."""
    if overrides:
        copy.write_text(load_config(path, overrides=overrides).to_toml(), "utf-8")
    else:
        shutil.copyfile(path, copy)


def _pack_proofreader(folder: Path, output: Path, stored: Stored, model: Path) -> None:
    """Write the sentence model of a model that translates back what `model` says."""
    manifest = read_manifest(folder)
    back, there = (load_config(each / "config.toml").data for each in (folder, model))
    for one, other in (
        (back.source_language, there.target_language),
        (back.target_language, there.source_language),
    ):
        if one and other and one != other:
            raise ModelError(
                f"{folder}: it translates {_direction(back)}, but a proofreader of {model}, which translates "
                f"{_direction(there)}, must translate back"
            )
    output.mkdir()
    for name in manifest["sha256"]:
        if name == WEIGHTS:
            weights = read_weights(folder / name)
            alone = {name: each for name, each in weights.items() if name.startswith("model.")}
            write_weights(alone, output / name, stored)
        elif "/" not in name and name.split(".")[0] in ("config", "dictionary", "source", "target"):
            shutil.copyfile(folder / name, output / name)
    write_manifest(
        output,
        source_tokens=manifest["source_tokens"],
        target_tokens=manifest["target_tokens"],
        memory=False,
    )


def _direction(data: DataConfig) -> str:
    return f"from {data.source_language or '?'} into {data.target_language or '?'}"


def _mean(later: Mapping[str, Tensor], earlier: Mapping[str, Tensor], folder: Path) -> dict[str, Tensor]:
    """Return the mean of a sentence model's weights and those of the one it was trained further from.

    A layer that the earlier one lacks stays as it is, but adds half as much: the other adds nothing.
    """
    mean = {}
    for name, tensor in later.items():
        if name in earlier and earlier[name].shape == tensor.shape:
            mean[name] = (tensor.float() + earlier[name].float()) / 2
        elif name not in earlier and name.startswith(ADDED):
            mean[name] = tensor / 2 if name.split(".")[-2] in ADDS else tensor
        else:
            raise ModelError(f"{folder}: {name} has another size than in the earlier model")
    return mean
