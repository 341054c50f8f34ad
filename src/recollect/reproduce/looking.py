"""Looking into memories: figures and lists from `recollect.analysis`, domain by domain."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from recollect.analysis.ages import draw_ages, measure_ages
from recollect.decoding.translator import Translator
from recollect.reproduce.experiment import Experiment
from recollect.reproduce.workshop import Workshop
from recollect.text.document import ParallelDocument

__all__ = ["Analysis", "analysed", "measure_all_ages"]

Analysis = Callable[[Mapping[str, Translator], Sequence[ParallelDocument], Path], dict[str, Any]]
RECENT = 0.1  # of the slots


def analysed(analysis: Analysis, experiment: Experiment, workshop: Workshop, folder: Path) -> dict[str, Any]:
    """Analyse the systems on the experiment's set; files are named by the domain they are of."""
    name = workshop.domain.name
    (folder / name).mkdir(exist_ok=True)
    translators = {name: workshop.translator(system) for name, system in experiment.systems.items()}
    documents = workshop.domain.evaluation(experiment.sets[0]).in_own_style
    found = analysis(translators, documents, folder / name)
    return {**found, "files": [f"{name}/{file}" for file in found["files"]]}


def measure_all_ages(
    experiment: Experiment, workshops: Sequence[Workshop], folder: Path
) -> dict[str, dict[str, Any]]:
    """Measure every domain, and draw all of them in one figure."""
    found = {each.domain.name: analysed(measure_ages, experiment, each, folder) for each in workshops}
    lines = {
        domain: {each["size"]: each["probabilities"] for each in figures["series"].values()}
        for domain, figures in found.items()
    }
    for number, (domain, figures) in enumerate(found.items()):
        figures["files"] = draw_ages(lines, folder) if number == 0 else []
        figures["compared"] = [_recency(size, shares) for size, shares in lines[domain].items()]
    return found


def _recency(size: int, shares: Sequence[float]) -> dict[str, Any]:
    """Say whether the most recent slots have more than their share."""
    recent = max(1, round(RECENT * size))
    share, even = sum(shares[:recent]), recent / size
    verdict = "agrees" if share > even else "disagrees"
    sentence = (
        f"Of {size} slots, the most recent {recent} get {share:.1%} of the probability, "
        f"{share / even:.2f} times their even share."
    )
    return {"system": f"{size} slots", "figure": "recent", "verdict": verdict, "sentence": sentence}
