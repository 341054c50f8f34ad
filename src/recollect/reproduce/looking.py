"""Looking into memories: figures and lists from `recollect.analysis`, domain by domain."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from recollect.analysis.ages import Ages, draw_ages, measure_ages
from recollect.decoding.translator import Translator
from recollect.reproduce.experiment import Experiment
from recollect.reproduce.workshop import Workshop
from recollect.text.document import ParallelDocument

__all__ = ["Analysis", "analysed", "measure_all_ages", "quoted", "recency"]

Analysis = Callable[[Mapping[str, Translator], Sequence[ParallelDocument], Path], dict[str, Any]]
RECENT = 0.1  # of the slots


def analysed(analysis: Analysis, experiment: Experiment, workshop: Workshop, folder: Path) -> dict[str, Any]:
    """Analyse the systems on the experiment's set; files are named by the domain they are of."""
    documents = workshop.domain.evaluation(experiment.sets[0]).in_own_style
    return _analysed(analysis, experiment, workshop, folder, documents, workshop.domain.name)


def quoted(analysis: Analysis, experiment: Experiment, workshop: Workshop, folder: Path) -> dict[str, Any]:
    """Do the same by an analysis that quotes: if a domain has text to be shown, quotes are of that alone."""
    found, shown = analysed(analysis, experiment, workshop, folder), workshop.domain.shown
    if shown is None:
        return found
    place = f"{workshop.domain.name}/shown"
    other = _analysed(analysis, experiment, workshop, folder, shown.documents, place)
    return {**found, "examples": other.get("examples", ""), "files": other["files"]}


def _analysed(
    analysis: Analysis,
    experiment: Experiment,
    workshop: Workshop,
    folder: Path,
    documents: Sequence[ParallelDocument],
    place: str,
) -> dict[str, Any]:
    (folder / place).mkdir(exist_ok=True)
    translators = {name: workshop.translator(system) for name, system in experiment.systems.items()}
    found = analysis(translators, documents, folder / place)
    return {**found, "files": [f"{place}/{file}" for file in found["files"]]}


def measure_all_ages(
    experiment: Experiment, workshops: Sequence[Workshop], folder: Path
) -> dict[str, dict[str, Any]]:
    """Measure every domain, and draw all of them in one figure."""
    found = {each.domain.name: analysed(measure_ages, experiment, each, folder) for each in workshops}
    lines = {
        domain: {each["size"]: _ages(each) for each in figures["series"].values()}
        for domain, figures in found.items()
    }
    for number, (domain, figures) in enumerate(found.items()):
        figures["files"] = draw_ages(lines, folder) if number == 0 else []
        figures["compared"] = recency(lines[domain])
    return found


def _ages(figures: Mapping[str, Any]) -> Ages:
    probabilities, even = (tuple(figures[name]) for name in ("probabilities", "even"))
    return Ages(probabilities, figures["words"], figures["least_filled"], even)


def recency(found: Mapping[int, Ages]) -> list[dict[str, Any]]:
    """Say whether the most recent slots have more than their share, and larger memories more than others.

    A slot's share is one of those that were filled: where few were, they are the most recent ones anyhow.
    """
    compared, factors = [], {}
    for size, each in found.items():
        recent = max(1, round(RECENT * size))
        share, even = sum(each.probabilities[:recent]), sum(each.even[:recent])
        if each.least == size:
            factors[size] = share / even
        filled = "" if each.least == size else f" (with {each.least} filled or more)"
        text = (
            f"Of {size} slots{filled}, the most recent {recent} get {share:.1%} of the probability, "
            f"{share / even:.2f} times their even share."
        )
        # Where all that is filled is recent, it has its even share by itself.
        verdict = "agrees" if share > even + 1e-6 else "disagrees" if share < even - 1e-6 else None
        compared.append(_judged(f"{size} slots", verdict, text))
    if len(factors) > 1:
        sizes = sorted(factors)
        rises = all(factors[one] < factors[other] for one, other in pairwise(sizes))
        listed = ", ".join(f"{factors[size]:.2f} ({size} slots)" for size in sizes)
        text = f"The larger the memory, the more of it goes to the most recent tenth: here {listed}."
        compared.append(_judged("larger memories", "agrees" if rises else "disagrees", text))
    return compared


def _judged(system: str, verdict: str | None, text: str) -> dict[str, Any]:
    said = {"agrees": "Agrees.", "disagrees": "Disagrees.", None: "This tells nothing."}[verdict]
    return {"system": system, "figure": "recent", "verdict": verdict, "sentence": f"{text} {said}"}
