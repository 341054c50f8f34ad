"""Models on disk: where they are, what belongs to them, and whether it is whole."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from recollect.errors import ModelError
from recollect.files import fingerprint

__all__ = [
    "CARD",
    "DEFAULT",
    "MANIFEST",
    "PROOFREADER",
    "built_in",
    "find_model",
    "read_card",
    "read_manifest",
    "write_manifest",
]

FORMAT = 1
MANIFEST = "model.json"
CARD = "card.md"
PROOFREADER = "proofreader"  # a model of the other direction, in a folder of its own
DEFAULT = "subtitle-zh-en"


def built_in() -> dict[str, Path]:
    """Return the models that come with the package, by name."""
    home = Path(str(files("recollect"))) / "models_data"
    return {path.parent.name: path.parent for path in sorted(home.glob(f"*/{MANIFEST}"))}


def find_model(name_or_path: str | Path) -> Path:
    """Return the folder of a model: one that is given, the one in a run's folder, or a built-in one's."""
    path = Path(name_or_path)
    for folder in (path, path / "model"):
        if (folder / MANIFEST).is_file():
            return folder
    known = built_in()
    for name, folder in known.items():
        if path in (Path(name), Path(name, PROOFREADER)):
            return folder / path.relative_to(name)
    if path.is_dir():
        raise ModelError(f"{path}: there is no finished model here (no {MANIFEST}); is the training done?")
    names = f"; built in: {', '.join(known)}" if known else ""
    raise ModelError(f"{path}: there is no such model folder{names}")


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return what a model's folder says of itself, if all that belongs to it is there and as it was."""
    path = folder / MANIFEST
    try:
        manifest: dict[str, Any] = json.loads(path.read_text("utf-8"))
        found = manifest["format"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{path}: damaged ({error})") from None
    if found != FORMAT:
        raise ModelError(f"{folder}: format {found} of the model; this version reads {FORMAT}")
    missing = {"source_tokens", "target_tokens", "memory", "sha256"} - manifest.keys()
    if missing:
        raise ModelError(f"{path}: damaged ({', '.join(sorted(missing))} missing)")
    for name, expected in manifest["sha256"].items():
        if not (folder / name).is_file():
            raise ModelError(f"{folder / name}: this file of the model is missing")
        if fingerprint(folder / name) != expected:
            raise ModelError(f"{folder / name}: damaged (its checksum does not match {MANIFEST})")
    return manifest


def write_manifest(folder: Path, **facts: Any) -> None:
    """Say what is in a model's folder, with a checksum of every file."""
    own = (item for item in sorted(folder.iterdir()) if item.is_file() and item.name != MANIFEST)
    models = sorted(folder.glob(f"*/{MANIFEST}"))  # each has the checksums of what is beside it
    sums = {item.relative_to(folder).as_posix(): fingerprint(item) for item in (*own, *models)}
    manifest = {"format": FORMAT, **facts, "sha256": sums}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2), "utf-8")


def read_card(name_or_path: str | Path) -> str:
    """Return what people should know of a model."""
    card = find_model(name_or_path) / CARD
    if not card.is_file():
        raise ModelError(f"{name_or_path}: this model has no card")
    return card.read_text("utf-8")
