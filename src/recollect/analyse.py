"""One kind of analysis of anybody's documents with anybody's models: files in a folder, and a report."""

import inspect
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recollect.analysis.kinds import KINDS
from recollect.assemble import load
from recollect.decoding.files import Job
from recollect.decoding.translator import Translator
from recollect.documents import Reading
from recollect.errors import RecollectError
from recollect.files import whole_file
from recollect.text.corpora import read_documents, read_parallel
from recollect.text.document import ParallelDocument
from recollect.text.formats.registry import format_of

__all__ = ["analyse", "read_any", "systems"]


def systems(
    models: Sequence[str],
    *,
    memory_kind: str | None = None,
    sizes: Sequence[int] = (),
    overrides: Sequence[str] = (),
) -> dict[str, Translator]:
    """Load models, each under its name (and at each of `sizes`); the first one's sentence model is base."""
    found: dict[str, Translator] = {}
    for model in models:
        plain = Path(model).name
        name = plain if plain not in found else model
        for size in sizes or (None,):
            changes = [*overrides, *([] if size is None else [f"memory.size={size}"])]
            called = name if size is None else f"{name}, {size} slots"
            found[called] = load(model, memory_kind=memory_kind, overrides=changes)
    return {"base": next(iter(found.values())).without_memory(), **found}


def read_any(
    source: Path, references: Sequence[Path], starts: Path | None, translator: Translator
) -> list[ParallelDocument]:
    """Read text of one sentence a line and its references, or the prose of any document by itself."""
    if references:
        return read_parallel(source, references, starts)
    if starts is None and format_of(source) is not None:
        job = Job.of(source, source, Reading().content(source, translator.languages), translator)
        return [ParallelDocument(source.name, tuple(job.passages.sentences), ())]
    return [
        ParallelDocument(document.name, document.sentences, ()) for document in read_documents(source, starts)
    ]


def analyse(
    kind: str,
    translators: Mapping[str, Translator],
    documents: Sequence[ParallelDocument],
    folder: Path,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """Measure one kind, with those options it has; figures and report go into the folder with its files."""
    measure = KINDS[kind]
    unknown = sorted(set(options) - set(inspect.signature(measure).parameters))
    if unknown:
        raise RecollectError(f"--{unknown[0]} says nothing to {kind}")
    found = measure(translators, documents, folder, **options)
    found["markdown"] += found.pop("examples", "")
    found["files"] = [*found["files"], f"{kind}.md", f"{kind}.json"]
    for suffix, text in (
        ("md", found["markdown"]),
        ("json", json.dumps(found, ensure_ascii=False, indent=1) + "\n"),
    ):
        with whole_file(folder / f"{kind}.{suffix}") as draft:
            draft.write_text(text, "utf-8")
    return found
