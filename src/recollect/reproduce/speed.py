"""How large systems are, and how fast they train and translate: measured alike, in turn, best of several."""

import json
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from recollect.assemble import train
from recollect.decoding.translator import Translator
from recollect.reproduce.agreement import judge
from recollect.reproduce.experiment import Experiment, System
from recollect.reproduce.quality import paper_pair
from recollect.reproduce.workshop import Workshop
from recollect.training.run import Run

__all__ = ["measure_speed"]

NEVER = 1_000_000_000


def measure_speed(experiment: Experiment, workshop: Workshop, folder: Path) -> dict[str, Any]:
    """Count parameters; time training and translation on one core, in target tokens a second of its time."""
    budget = workshop.scale.speed
    rows: dict[str, dict[str, Any]] = {name: {} for name in experiment.systems}
    best: dict[tuple[str, str], float] = defaultdict(float)
    with _one_thread():
        for _ in range(budget.rounds):
            for name, system in experiment.systems.items():
                translator = workshop.translator(
                    system, **{"decoding.beam": budget.beam, "decoding.lanes": 1}
                )
                rows[name]["parameters"] = _parameters(translator)
                speeds = {
                    "training": _training_speed(workshop, system),
                    # The rivals have no form made for search: side by side all go without.
                    "decoding": _decoding_speed(workshop, translator.replaced(packed=None)),
                    "packed": _decoding_speed(workshop, translator) if translator.packed else 0.0,
                }
                for figure, speed in speeds.items():
                    best[name, figure] = max(best[name, figure], speed)
    for (name, figure), speed in best.items():
        rows[name][figure] = speed or None
    compared = []
    for each in experiment.expected_in(workshop.domain.name):
        ours = rows[each.system][each.figure], rows[each.other][each.figure]
        paper = paper_pair(each, experiment, workshop.domain.name)
        if None in paper:  # one machine and one set of sizes stand for all domains
            paper = paper_pair(each, experiment, "all")
        compared.append(asdict(judge(each, ours, None, paper, relative=True)))
    return {"rows": rows, "compared": compared}


@contextmanager
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _parameters(translator: Translator) -> int:
    modules = [translator.model, translator.memory]
    return sum(each.numel() for module in modules if module is not None for each in module.parameters())


def _training_speed(workshop: Workshop, system: System) -> float:
    """Return target tokens a second, of the stage that makes this system what it is.

    A memory's includes the computation of the states and contexts that all of its epochs are trained on.
    """
    budget, alone = workshop.scale.speed, system.trained in ("base", "further")
    config = workshop.config(system)
    few = {"max_steps": budget.updates, "checkpoint_every": NEVER}
    config = config.model_copy(
        update={
            "pass_one": config.pass_one.model_copy(update=few),
            "pass_two": config.pass_two.model_copy(update={"documents": budget.documents}),
        }
    )
    base = workshop.base()
    with TemporaryDirectory() as name:
        folder = Path(name)
        train(
            config,
            replace(workshop.prepared, tune=[]),
            folder,
            progress=workshop.progress,
            passes=("one",) if alone else ("one", "two"),
            base=None if alone else base,
            start=base if alone else None,
        )
        found = Run(folder).result("pass-one" if alone else "pass-two") or {}
        seconds = found["seconds"]
        stored = folder / "activations" / "progress.json"
        if stored.exists():
            seconds += json.loads(stored.read_text("utf-8"))["seconds"]
        return float(found["tokens"] / seconds)


def _decoding_speed(workshop: Workshop, translator: Translator) -> float:
    """Return target tokens a second, sentence by sentence."""
    left, documents = workshop.scale.speed.sentences, []
    for document in workshop.domain.evaluation("test").documents:
        documents.append(document.source[:left])
        left -= len(documents[-1])
    start = time.process_time()
    found = translator.translate_documents(documents)
    seconds = time.process_time() - start
    return sum(len(each.tokens) + 1 for document in found for each in document) / seconds
