"""A memory in a file, to be carried from one episode, chapter or release to the next."""

from pathlib import Path

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from recollect.errors import ModelError
from recollect.files import whole_file
from recollect.memory.slots import Slots

__all__ = ["load_memory", "save_memory"]

FORMAT = "recollect-memory-1"


def save_memory(path: Path, slots: Slots, signature: str) -> None:
    """Write the only lane of `slots`, a memory of the model of this signature."""
    with whole_file(path) as draft:
        save_file(slots.tensors(), draft, {"format": FORMAT, "signature": signature})
        draft.chmod(0o644)  # safetensors writes for the owner alone


def load_memory(path: Path, like: Slots, signature: str) -> Slots:
    """Return what `save_memory` wrote, if it is a memory like `like`, of the same model."""
    try:
        with safe_open(path, framework="pt") as file:
            notes = file.metadata() or {}
            if notes.get("format") != FORMAT:
                raise ModelError(f"{path}: this is no memory of a translation")
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # no mapping
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path}: cannot be read as a memory ({error})") from None
    if notes.get("signature") != signature or not _is_like(tensors, like):
        raise ModelError(f"{path}: a memory of another model; translate with that one, or begin anew")
    found = Slots.from_tensors(tensors, like.keys.device)
    if found.keys.shape != like.keys.shape:
        raise ModelError(f"{path}: a memory of {found.size} slots, not of {like.size}; use the same options")
    return found


def _is_like(tensors: dict[str, Tensor], like: Slots) -> bool:
    """Whether these are all the parts of a memory; older versions had no pins."""
    return tensors.keys() | {"pinned"} == like.tensors().keys()
