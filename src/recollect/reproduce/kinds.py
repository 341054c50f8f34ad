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
from recollect.controls import CONTROLS, RIGHT, Measured, as_markdown, measure_controls
from recollect.evaluation.options import ScoreOptions
from recollect.reproduce.agreement import judge
from recollect.reproduce.experiment import Expected, Experiment
from recollect.reproduce.looking import analysed, measure_all_ages, quoted
from recollect.reproduce.quality import measure_quality
from recollect.reproduce.speed import measure_speed
from recollect.reproduce.statistics import measure_statistics
from recollect.reproduce.workshop import Workshop

__all__ = ["ALONE", "KINDS", "TRANSLATING", "Kind", "histories_compared"]

Kind = Callable[[Experiment, Sequence[Workshop], Path], Mapping[str, Mapping[str, Any]]]
"""Measures an experiment in all domains, leaving files in a folder; returns what was found in each domain:
rows of figures, `compared` with what is expected, `files`, `markdown`, `examples` (text that is quoted),
`signatures`, whichever it has."""

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
        "compared": [each for rows in found.values() for each in histories_compared(rows)],
        "controls": {name: [asdict(row) for row in rows] for name, rows in found.items()},
        "markdown": "\n".join(f"{name} set:\n\n{as_markdown(rows)}" for name, rows in found.items()),
    }


def histories_compared(rows: Sequence[Measured]) -> list[dict[str, Any]]:
    """Say of every memory whether the right history is worth more than each wrong one."""
    bleu = {(row.memory, row.history): row.bleu for row in rows}
    found = []
    for row in rows:
        if row.p_reference is not None:
            other = "no" if row.history == "none" else row.history
            names = [f"{row.memory} with {history} history" for history in (RIGHT, other)]
            expected = Expected(system=names[0], relation="beside", other=names[1], figure="test_bleu")
            ours = bleu[row.memory, RIGHT], row.bleu
            found.append(asdict(judge(expected, ours, row.p_reference, (None, None))))
    return found


KINDS: dict[str, Kind] = {
    "statistics": in_each_domain(measure_statistics),
    "quality": in_each_domain(measure_quality),
    "speed": in_each_domain(measure_speed),
    "controls": in_each_domain(measure_histories),
    "ages": measure_all_ages,
    "matrix": in_each_domain(partial(quoted, measure_matrix)),
    "gates": in_each_domain(partial(analysed, measure_gates)),
    "remembers": in_each_domain(partial(quoted, measure_remembers)),
    "contrastive": in_each_domain(partial(quoted, measure_contrastive)),
    "corrections": in_each_domain(partial(analysed, measure_corrections)),
}

TRANSLATING = {"quality"}  # kinds that need every system's translations of the experiment's sets
ALONE = {"speed"}  # kinds that nothing must disturb
