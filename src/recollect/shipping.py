"""Making a model small enough to give away: fewer bytes a weight, several memories, and a card."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import torch

from recollect.errors import ModelError
from recollect.files import whole_folder
from recollect.folders import CARD, find_model, read_manifest, write_manifest
from recollect.weights import WEIGHTS, Stored, read_weights, write_weights

__all__ = ["pack_model"]


def pack_model(
    model: Path, output: Path, *, others: Mapping[str, Path], card: Path | None, stored: Stored = "float16"
) -> int:
    """Write `model` to `output`, its weights `stored` so, with the memories of `others`; return its bytes.

    The others must have the same sentence model: only their memories are taken, each under its name.
    """
    folder = find_model(model)
    manifest = read_manifest(folder)
    weights = read_weights(folder / WEIGHTS)
    with whole_folder(output) as draft:
        for name in manifest["sha256"]:
            if name.endswith(".safetensors"):
                write_weights(read_weights(folder / name), draft / name, stored)
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
            shutil.copyfile(other / "config.toml", draft / f"{kind}.toml")
        if card is not None:
            shutil.copyfile(card, draft / CARD)
        kept = {name: value for name, value in manifest.items() if name not in ("format", "sha256")}
        write_manifest(draft, **kept)
    return sum(path.stat().st_size for path in output.iterdir())
