"""How well systems translate: BLEU, the sign test against the base, chrF, and what stays the same."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from recollect.evaluation.bleu import Bleu, SegmentStatistics, segment_statistics
from recollect.evaluation.chrf import chrf
from recollect.evaluation.consistency import repeated_terms
from recollect.evaluation.lines import Lines
from recollect.evaluation.options import ScoreOptions
from recollect.evaluation.repeats import repeats
from recollect.evaluation.significance import sign_test
from recollect.reproduce.agreement import judge
from recollect.reproduce.experiment import BASE, Expected, Experiment
from recollect.reproduce.workshop import Workshop
from recollect.text.aligner import link_texts
from recollect.text.document import ParallelDocument

__all__ = ["consistency", "measure_quality", "paper_pair"]


def measure_quality(experiment: Experiment, workshop: Workshop, folder: Path) -> dict[str, Any]:
    """Score every system's translations of the experiment's sets."""
    rows: dict[str, dict[str, Any]] = {name: {} for name in experiment.systems}
    counted: dict[str, dict[str, SegmentStatistics]] = {}
    signatures: dict[str, str] = {}
    for set_name in experiment.sets:
        evaluation = workshop.domain.evaluation(set_name)
        documents = evaluation.documents
        first = evaluation.spoken_lines or [list(document.references[0]) for document in documents]
        options = ScoreOptions(tokenise=workshop.domain.tokenise)
        references = _references(documents)
        found = counted[set_name] = {}
        for name, system in experiment.systems.items():
            outputs = workshop.output(system, set_name)
            lines = Lines(name, [line for document in outputs for line in document])
            found[name] = segment_statistics(lines, references, options)
            score = Bleu.of(found[name])
            signatures[set_name] = score.signature
            said = repeats(outputs, first)
            figures = {
                "bleu": score.score,
                "p": None if name == BASE or BASE not in found else sign_test(found[BASE], found[name]).p,
                "length": score.length_ratio,
                "chrf": chrf(lines, references).score,
                "consistent": consistency(documents, outputs),
                "repeated": said.accuracy if said.total else None,
            }
            rows[name] |= {f"{set_name}_{key}": value for key, value in figures.items()}
    compared = [
        _compared(each, rows, counted, experiment, workshop.domain.name)
        for each in experiment.expected_in(workshop.domain.name)
    ]
    return {"rows": rows, "signatures": signatures, "compared": compared}


def _references(documents: Sequence[ParallelDocument]) -> list[Lines]:
    return [
        Lines(f"reference {n + 1}", [line for document in documents for line in document.references[n]])
        for n in range(len(documents[0].references))
    ]


def consistency(documents: Sequence[ParallelDocument], outputs: Sequence[Sequence[str]]) -> float | None:
    """Return the share (of 100) of the terms that a document repeats which come out in one way only."""
    terms = [
        term
        for document, output in zip(documents, outputs, strict=True)
        for term in repeated_terms(document.source, output, link_texts(document.source, output))
    ]
    return 100 * sum(term.consistent for term in terms) / len(terms) if terms else None


def _compared(
    expected: Expected,
    rows: dict[str, dict[str, Any]],
    counted: dict[str, dict[str, SegmentStatistics]],
    experiment: Experiment,
    domain: str,
) -> dict[str, Any]:
    set_name = expected.figure.partition("_")[0]
    ours = rows[expected.system][expected.figure], rows[expected.other][expected.figure]
    p = sign_test(counted[set_name][expected.other], counted[set_name][expected.system]).p
    return asdict(judge(expected, ours, p, paper_pair(expected, experiment, domain)))


def paper_pair(expected: Expected, experiment: Experiment, domain: str) -> tuple[Any, Any]:
    """Return the paper's figures for the two systems, None where it has none for this domain."""
    paper = experiment.paper.get(domain, {})
    one, other = (paper.get(name, {}).get(expected.figure) for name in (expected.system, expected.other))
    return one, other
