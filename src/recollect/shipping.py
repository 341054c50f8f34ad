"""Making a model small enough to give away: half precision, several memories, and a card."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from recollect.errors import ModelError
from recollect.files import whole_folder
from recollect.folders import CARD, find_model, read_manifest, write_manifest

__all__ = ["pack_model"]

WEIGHTS = "weights.safetensors"


def pack_model(model: Path, output: Path, *, others: Mapping[str, Path], card: Path | None) -> int:
    """Write `model` in half precision to `output`, with the memories of `others`; return its size in bytes.

    The others must have the same sentence model: only their memories are taken, each under its name.
    """
    folder = find_model(model)
    manifest = read_manifest(folder)
    weights = load_file(folder / WEIGHTS)
    with whole_folder(output) as draft:
        _save(weights, draft / WEIGHTS)
        for name in manifest["sha256"]:
            if name not in (WEIGHTS, CARD):
                shutil.copyfile(folder / name, draft / name)
        for kind, path in others.items():
            other = find_model(path)
            if not read_manifest(other)["memory"]:
                raise ModelError(f"{other}: this model has no memory to take")
            theirs = load_file(other / WEIGHTS)
            ours = {name: each for name, each in weights.items() if name.startswith("model.")}
            if not all(name in theirs and torch.equal(each, theirs[name]) for name, each in ours.items()):
                raise ModelError(f"{other}: its sentence model is another than that of {folder}")
            memory = {name: each for name, each in theirs.items() if name.startswith("memory.")}
            _save(memory, draft / f"{kind}.safetensors")
            shutil.copyfile(other / "config.toml", draft / f"{kind}.toml")
        if card is not None:
            shutil.copyfile(card, draft / CARD)
        kept = {name: value for name, value in manifest.items() if name not in ("format", "sha256")}
        write_manifest(draft, **kept)
    return sum(path.stat().st_size for path in output.iterdir())


def _save(tensors: Mapping[str, Tensor], path: Path) -> None:
    save_file({name: each.half() for name, each in tensors.items()}, path)
    path.chmod(0o644)  # safetensors writes for the owner alone
