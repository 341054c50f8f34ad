"""A prepared corpus on disk: vocabularies, training ids, tuning set, and the record of how they were made."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from recollect.batches.shard import Shard
from recollect.errors import DataError
from recollect.text.dictionary import load_dictionary
from recollect.text.document import ParallelDocument
from recollect.text.vocabulary import Vocabulary, load_vocabulary

__all__ = [
    "DICTIONARY",
    "HELD_OUT",
    "MANIFEST",
    "PROBLEMS",
    "TRAIN",
    "TUNE",
    "VERSION",
    "InputFile",
    "Manifest",
    "Prepared",
]

VERSION = 1
MANIFEST = "prepared.json"
PROBLEMS = "problems.tsv"
TRAIN = "train"
TUNE = "tune.jsonl"
DICTIONARY = "dictionary.tsv"
HELD_OUT = ("held-out.source", "held-out.target")


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file that went in, recognised by its content rather than by its place."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """How a corpus was prepared, and what came out."""

    version: int
    inputs: dict[str, InputFile]  # by role: source, target, starts
    tune_sha256: str
    options: dict[str, Any]
    counts: dict[str, int]  # pairs, documents, tokens, vocabulary sizes
    skipped: dict[str, int]  # by kind

    def write(self, path: Path) -> None:
        """Write the manifest as JSON."""
        path.write_text(json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> "Manifest":
        """Read what `write` wrote."""
        try:
            fields = json.loads(path.read_text(encoding="utf-8"))
            version = fields["version"]
            if version == VERSION:
                fields["inputs"] = {role: InputFile(**file) for role, file in fields["inputs"].items()}
                return cls(**fields)
        except FileNotFoundError:
            raise DataError(f"{path.parent}: not a prepared folder ({path.name} is missing)") from None
        except (ValueError, TypeError, KeyError, AttributeError):
            raise DataError(f"{path}: damaged; prepare the data again") from None
        raise DataError(f"{path}: version {version} of the format, not {VERSION}; prepare the data again")


@dataclass(frozen=True, slots=True)
class Prepared:
    """Everything a training run reads."""

    folder: Path
    manifest: Manifest
    source_vocabulary: Vocabulary
    target_vocabulary: Vocabulary
    train: Shard
    tune: list[ParallelDocument]
    dictionary: dict[str, str] | None  # only with words: subwords have no unknown ones
    reused: bool  # whether it was there already

    @classmethod
    def open(cls, folder: Path, *, reused: bool = True) -> "Prepared":
        """Open a prepared folder, checking that it is whole."""
        manifest = Manifest.read(folder / MANIFEST)
        source, target = load_vocabulary(folder, "source"), load_vocabulary(folder, "target")
        train = Shard.open(folder / TRAIN)
        found = {"pairs": len(train), "source_vocabulary": source.size, "target_vocabulary": target.size}
        for name, count in found.items():
            if manifest.counts.get(name) != count:
                expected = manifest.counts.get(name)
                raise DataError(
                    f"{folder}: {count} {name}, {MANIFEST} says {expected}; prepare the data again"
                )
        return cls(
            folder=folder,
            manifest=manifest,
            source_vocabulary=source,
            target_vocabulary=target,
            train=train,
            tune=list(_read_tune(folder / TUNE, manifest.tune_sha256)),
            dictionary=load_dictionary(folder / DICTIONARY) if (folder / DICTIONARY).is_file() else None,
            reused=reused,
        )


def _read_tune(path: Path, sha256: str) -> Iterator[ParallelDocument]:
    content = path.read_bytes() if path.is_file() else None
    if content is None or hashlib.sha256(content).hexdigest() != sha256:
        raise DataError(f"{path}: missing or damaged; prepare the data again")
    for line in content.decode("utf-8").split("\n")[:-1]:
        fields = json.loads(line)
        references = tuple(tuple(reference) for reference in fields["references"])
        yield ParallelDocument(fields["name"], tuple(fields["source"]), references)
