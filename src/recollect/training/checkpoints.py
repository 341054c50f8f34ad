"""Checkpoints that are whole or not there: weights, optimiser and progress in one renamed folder."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from recollect.errors import RunError
from recollect.files import whole_file, whole_folder
from recollect.training.optimisers import optimiser_tensors, restore_optimiser

__all__ = ["Checkpoints", "Trainee", "average_weights", "load_weights", "save_weights"]


@dataclass(frozen=True, slots=True)
class Trainee:
    """What is trained, by what."""

    module: nn.Module
    optimiser: torch.optim.Optimizer

    @property
    def names(self) -> list[str]:
        """Names of the trained parameters, in the optimiser's order."""
        return [name for name, parameter in self.module.named_parameters() if parameter.requires_grad]

    @property
    def parameters(self) -> list[nn.Parameter]:
        """The trained parameters, in the optimiser's order."""
        return [parameter for parameter in self.module.parameters() if parameter.requires_grad]


class Checkpoints:
    """The newest few checkpoints of one training pass."""

    def __init__(self, folder: Path, keep: int = 2) -> None:
        self.folder, self.keep = folder, keep

    def save(self, step: int, trainee: Trainee, progress: Mapping[str, Any]) -> None:
        """Write a checkpoint, then drop the oldest."""
        with whole_folder(self.folder / f"step-{step:09d}") as draft:
            save_file(_weights(trainee.module), draft / "weights.safetensors")
            state = optimiser_tensors(trainee.optimiser, trainee.names)
            save_file(state, draft / "optimiser.safetensors")
            (draft / "progress.json").write_text(json.dumps(progress), "utf-8")
        for old in self._all()[: -self.keep]:
            shutil.rmtree(old)

    def restore(self, trainee: Trainee) -> dict[str, Any] | None:
        """Put the newest checkpoint back and return its progress; None if there is none yet."""
        found = self._all()
        if not found:
            return None
        newest = found[-1]
        try:
            load_weights(trainee.module, newest / "weights.safetensors")
            restore_optimiser(trainee.optimiser, trainee.names, load_file(newest / "optimiser.safetensors"))
            progress: dict[str, Any] = json.loads((newest / "progress.json").read_text("utf-8"))
        except (OSError, ValueError, KeyError, SafetensorError) as error:
            raise RunError(f"{newest}: this checkpoint does not fit or is damaged ({error}); "
                           "delete it to go on from the one before") from error  # fmt: skip
        return progress

    def _all(self) -> list[Path]:
        return sorted(self.folder.glob("step-*"))


def _weights(module: nn.Module) -> dict[str, Tensor]:
    """Return the parameters by name, each once even where two names share one tensor."""
    return {name: parameter.detach().contiguous() for name, parameter in module.named_parameters()}


def save_weights(module: nn.Module, path: Path) -> None:
    """Write the parameters as one safetensors file, whole or not at all."""
    with whole_file(path) as draft:
        save_file(_weights(module), draft)


def load_weights(module: nn.Module, path: Path) -> None:
    """Copy parameters from a file; names and shapes must fit."""
    stored = load_file(path)
    own = dict(module.named_parameters())
    if stored.keys() != own.keys():
        raise ValueError(f"parameters differ: {sorted(stored.keys() ^ own.keys())[:5]}")
    with torch.no_grad():
        for name, parameter in own.items():
            if stored[name].shape != parameter.shape:
                raise ValueError(
                    f"{name} has shape {tuple(stored[name].shape)}, not {tuple(parameter.shape)}"
                )
            parameter.copy_(stored[name])


def average_weights(paths: list[Path], target: Path) -> None:
    """Write the mean of several weight files."""
    total = {name: tensor.double() for name, tensor in load_file(paths[0]).items()}
    for path in paths[1:]:
        for name, tensor in load_file(path).items():
            total[name] += tensor
    with whole_file(target) as draft:
        save_file({name: (tensor / len(paths)).float() for name, tensor in total.items()}, draft)
