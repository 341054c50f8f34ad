"""How much text there is: sentences, documents and words of every set."""

from pathlib import Path
from typing import Any

from recollect.reproduce.experiment import Experiment
from recollect.reproduce.workshop import Workshop
from recollect.text.files import read_lines

__all__ = ["measure_statistics"]


def measure_statistics(experiment: Experiment, workshop: Workshop, folder: Path) -> dict[str, Any]:
    """Count the training, tuning and test sets, and set them beside the paper's."""
    domain, counts = workshop.domain, workshop.prepared.manifest.counts
    rows: dict[str, dict[str, Any]] = {
        "training": {"sentences": counts["pairs"], "documents": counts["documents"]}
        | _words(domain.counted.train or (domain.source, domain.target))
    }
    for name, label in (("tune", "tuning"), ("test", "test")):
        evaluation = domain.evaluation(name)
        texts = getattr(domain.counted, name) or (evaluation.source, None)
        rows[label] = {
            "sentences": sum(len(document.source) for document in evaluation.documents),
            "documents": len(evaluation.documents),
        } | _words(texts)
        if texts[1] is None:
            firsts = (line for document in evaluation.documents for line in document.references[0])
            rows[label]["target_words"] = sum(len(line.split()) for line in firsts)
    notes = [
        f"Training pairs left out, {kind}: {n:,}." for kind, n in workshop.prepared.manifest.skipped.items()
    ]
    return {"rows": rows, "compared": _compared(rows, experiment.paper.get(domain.name, {})), "notes": notes}


def _words(paths: tuple[Path | None, Path | None]) -> dict[str, int | None]:
    counted = [None if path is None else _count(path) for path in paths]
    return dict(zip(("source_words", "target_words"), counted, strict=True))


def _count(path: Path) -> int:
    """Return the words of a text, as white space parts them."""
    return sum(len(line.split()) for line in read_lines(path))


def _compared(rows: dict[str, dict[str, Any]], paper: dict[str, Any]) -> list[dict[str, Any]]:
    found = []
    for name, figures in paper.items():
        for figure, value in figures.items():
            ours = rows[name].get(figure)
            if ours is None:
                continue
            share = ours / value
            verdict = "agrees" if abs(share - 1) < 0.05 else "disagrees"
            sentence = f"{name}, {figure.replace('_', ' ')}: {share:.0%} of the paper's."
            found.append({"system": name, "figure": figure, "verdict": verdict, "sentence": sentence})
    return found
