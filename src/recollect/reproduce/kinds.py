"""Every kind of measurement by its name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from recollect.analysis.contrastive import measure_contrastive
from recollect.analysis.corrections import measure_corrections
from recollect.analysis.gates import measure_gates
from recollect.analysis.matrix import measure_matrix
from recollect.analysis.remembers import measure_remembers
from recollect.controls import CONTROLS, as_markdown, measure_controls
from recollect.evaluation.options import ScoreOptions
from recollect.reproduce.experiment import Experiment
from recollect.reproduce.looking import analysed, measure_all_ages
from recollect.reproduce.quality import measure_quality
from recollect.reproduce.speed import measure_speed
from recollect.reproduce.statistics import measure_statistics
from recollect.reproduce.workshop import Workshop

__all__ = ["ALONE", "KINDS", "TRANSLATING", "Kind"]

Kind = Callable[[Experiment, Sequence[Workshop], Path], Mapping[str, Mapping[str, Any]]]
"""Measures an experiment in all domains, leaving files in a folder; returns what was found in each domain:
rows of figures, `compared` with what is expected, `files`, `markdown`, `signatures`, whichever it has."""

One = Callable[[Experiment, Workshop, Path], dict[str, Any]]


def in_each_domain(measure: One) -> Kind:
    """Return a measurement of one domain as one of all."""

    def measure_all(
        experiment: Experiment, workshops: Sequence[Workshop], folder: Path
    ) -> Mapping[str, Mapping[str, Any]]:
        return {each.domain.name: measure(experiment, each, folder) for each in workshops}

    return measure_all


def measure_histories(experiment: Experiment, workshop: Workshop, folder: Path) -> dict[str, Any]:
    """Fill memories with right and wrong histories."""
    translators = {name: workshop.translator(system) for name, system in experiment.systems.items()}
    found = {}
    for set_name in experiment.sets:
        evaluation = workshop.domain.evaluation(set_name)
        found[set_name] = measure_controls(
            translators,
            evaluation.documents,
            ScoreOptions(tokenise=workshop.domain.tokenise),
            histories=CONTROLS,
            spoken=evaluation.spoken_lines,
            progress=workshop.progress,
        )
    return {
        "controls": {name: [asdict(row) for row in rows] for name, rows in found.items()},
        "markdown": "\n".join(f"{name} set:\n\n{as_markdown(rows)}" for name, rows in found.items()),
    }


KINDS: dict[str, Kind] = {
    "statistics": in_each_domain(measure_statistics),
    "quality": in_each_domain(measure_quality),
    "speed": in_each_domain(measure_speed),
    "controls": in_each_domain(measure_histories),
    "ages": measure_all_ages,
    "matrix": in_each_domain(partial(analysed, measure_matrix)),
    "gates": in_each_domain(partial(analysed, measure_gates)),
    "remembers": in_each_domain(partial(analysed, measure_remembers)),
    "contrastive": in_each_domain(partial(analysed, measure_contrastive)),
    "corrections": in_each_domain(partial(analysed, measure_corrections)),
}

TRANSLATING = {"quality"}  # kinds that need every system's translations of the experiment's sets
ALONE = {"speed"}  # kinds that nothing must disturb
