"""A project's memory: the words of earlier documents, read-only, in a file that is mapped and not read."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from recollect.errors import ModelError
from recollect.files import whole_file
from recollect.memory.match import Match
from recollect.memory.read import Recall, Weighing, read
from recollect.memory.slots import VECTORS, Slots

__all__ = ["load_project", "read_project", "save_project"]

FORMAT = "recollect-project-1"


def save_project(path: Path, slots: Slots, signature: str) -> int:
    """Write what a memory of the model of this signature holds; return how many words that is."""
    tensors = {name: getattr(slots, name)[:1, slots.filled[0]].cpu().contiguous() for name in VECTORS}
    tensors["written"] = torch.zeros_like(tensors["written"])  # how long ago counts within a document only
    tensors["values"] = tensors["values"][..., :0].contiguous()  # words alone are spoken
    with whole_file(path) as draft:
        save_file(tensors, draft, {"format": FORMAT, "signature": signature})
    return int(tensors["words"].shape[1])


def load_project(path: Path, signature: str) -> Slots:
    """Return one memory of all that was saved."""
    try:
        with safe_open(path, framework="pt") as file:
            notes = file.metadata() or {}
            if notes.get("format") != FORMAT:
                raise ModelError(f"{path}: this is no project memory")
            if notes.get("signature") != signature:
                raise ModelError(f"{path}: made with another model; make it anew with this one")
            tensors = {name: file.get_tensor(name) for name in VECTORS}
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path}: cannot be read as a project memory ({error})") from None
    size = tensors["words"].shape[1]
    return Slots(
        **tensors,
        address=np.zeros((1, size), np.int64),
        used=np.zeros((1, size), np.int64),
        sentence=np.zeros((1, size), np.int64),
        pinned=np.zeros((1, size), np.bool_),
        clock=np.zeros(1, np.int64),
        sentences=np.zeros(1, np.int64),
    )


def read_project(
    project: Slots,
    query: Tensor,
    match: Match,
    previous: Tensor,
    *,
    top: int,
    weighing: Weighing | None,
    inside: Tensor | None,
) -> Recall:
    """Look up queries [..., key] in the one memory that all documents share."""
    flat = read(
        project,
        query.reshape(1, -1, query.shape[-1]),
        match,
        previous.reshape(1, -1),
        top=top,
        weighing=weighing,
        inside=inside,
    )
    shaped = {
        field.name: getattr(flat, field.name).reshape(*previous.shape, *getattr(flat, field.name).shape[2:])
        for field in fields(Recall)
    }
    return Recall(**shaped)
