"""How far a memory is heard: the openness of its gate by part of the sentence and over the document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from recollect.analysis.figures import COLOURS, LINES, check_figures, drawing, figure_files, write_numbers
from recollect.analysis.replay import Said, replay_all, spoken, with_memory
from recollect.decoding.translator import Translator
from recollect.errors import DataError
from recollect.text.document import ParallelDocument

__all__ = ["Average", "Heard", "averages", "heard", "measure_gates"]

PARTS = ("beginning", "middle", "end")
POINTS = 25  # of the line over the document

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Heard:
    """The gate at every word that was said when there was something to remember."""

    gate: Floats  # from 0, not at all, to 1, nothing but the memory  [word]
    place: Floats  # in its sentence, from 0 to less than 1           [word]
    sentence: Integers  # in its document                             [word]


@dataclass(frozen=True, slots=True)
class Average:
    """The mean over some words."""

    place: int  # which part it is: a tenth of the sentence, a sentence, ...
    mean: float
    error: float  # standard error of the mean
    words: int


@torch.inference_mode()
def heard(
    translator: Translator,
    documents: Sequence[ParallelDocument],
    *,
    forced: bool = False,
) -> Heard:
    """Go along a translator's own output, or the references."""
    gates: list[float] = []
    places: list[float] = []
    sentences: list[int] = []
    translations = spoken(translator, documents, forced=forced)
    for said in replay_all(translator, documents, translations, forced=forced):
        found = _gates(translator, said)
        gates += found
        places += [time / len(found) for time in range(len(found))]
        sentences += [said.number] * len(found)
    if not gates:
        raise DataError("nothing was ever remembered: documents must have several sentences with words")
    return Heard(np.array(gates), np.array(places), np.array(sentences))


def _gates(translator: Translator, said: Said) -> list[float]:
    """Return the gate at each word of a sentence; of the first sentence, none."""
    assert translator.memory is not None
    assert said.recall is not None
    if not bool(said.recall.found.all()):
        return []
    alone = translator.searched.predict(said.step)
    openness = translator.memory.fusion.openness(said.step, said.recall, alone)[0]
    return [float(gate) for gate in openness[: len(said.tokens)]]


def averages(figures: Floats, parts: Integers) -> list[Average]:
    """Average figures part by part, in the order of these.

    >>> averages(np.array([1.0, 3.0, 5.0]), np.array([0, 0, 2]))[0]
    Average(place=0, mean=2.0, error=1.0, words=2)
    """
    found = []
    for part in np.unique(parts):
        own = figures[parts == part]
        error = float(own.std(ddof=1) / np.sqrt(len(own))) if len(own) > 1 else 0.0
        found.append(Average(int(part), float(own.mean()), error, len(own)))
    return found


def measure_gates(
    translators: Mapping[str, Translator],
    documents: Sequence[ParallelDocument],
    folder: Path,
    *,
    forced: bool = False,
) -> dict[str, Any]:
    """Measure and draw it for every translator with a memory, along its own output, or the reference."""
    check_figures()
    all_heard = {
        name: heard(each, documents, forced=forced) for name, each in with_memory(translators).items()
    }
    table = [f"| system | gate | {' | '.join(PARTS)} |", "|---|---|---|---|---|"]
    systems, rows = {}, []
    for name, each in all_heard.items():
        parts = averages(each.gate, _cut(each.place, len(PARTS)))
        tenths = averages(each.gate, _cut(each.place, 10))
        over, width = averages(each.gate, each.sentence), _width(each)
        spans = averages(each.gate, each.sentence // width)
        by_part = {PARTS[part.place]: part.mean for part in parts}
        systems[name] = {
            "mean": float(each.gate.mean()),
            "words": len(each.gate),
            "parts": by_part,
            "tenths": {part.place + 1: part.mean for part in tenths},
            "over_document": {width * part.place + 1: part.mean for part in spans},
        }
        cells = " | ".join(f"{by_part[part]:.3f}" if part in by_part else "" for part in PARTS)
        table.append(f"| {name} | {each.gate.mean():.3f} | {cells} |")
        for kind, some in (("part", parts), ("tenth", tenths), ("sentence", over)):
            rows += [(name, kind, one.place + 1, one.mean, one.error, one.words) for one in some]
    header = ("system", "by", "place", "mean", "standard_error", "words")
    return {
        "systems": systems,
        "files": [*_draw(all_heard, folder), write_numbers(folder, "gates", header, rows)],
        "markdown": "\n".join(table) + "\n",
    }


def _cut(places: Floats, count: int) -> Integers:
    """Return which of `count` equal parts of its sentence each word stands in."""
    # A word at 3/10 is in the fourth tenth, whatever the last bits of 0.3 say.
    return np.floor(places * count + 1e-9).astype(np.int64)


def _width(each: Heard) -> int:
    """Return how many sentences are averaged for a point of the line over the document."""
    return -(-int(each.sentence.max() + 1) // POINTS)


def _draw(all_heard: Mapping[str, Heard], folder: Path) -> list[str]:
    with drawing(folder, "gates", 9, 3.4) as figure:
        sentence, document = figure.subplots(1, 2, sharey=True)
        for line, (name, each) in enumerate(all_heard.items()):
            style: dict[str, Any] = {
                "color": COLOURS[line % len(COLOURS)],
                "linestyle": LINES[line % len(LINES)],
            }
            tenths = averages(each.gate, _cut(each.place, 10))
            _plot(sentence, [10 * part.place + 5 for part in tenths], tenths, name, style)
            width = _width(each)
            spans = averages(each.gate, each.sentence // width)
            _plot(document, [width * (part.place + 0.5) + 0.5 for part in spans], spans, name, style)
        sentence.set_xlabel("place in the sentence, %")
        sentence.set_ylabel("openness of the gate")
        sentence.set_xlim(0, 100)
        document.set_xlabel("sentence of the document")
        document.set_xlim(left=0)
        for axes in (sentence, document):
            axes.set_ylim(bottom=0)
        if len(all_heard) > 1:
            sentence.legend(frameon=False)
    return figure_files("gates")


def _plot(
    axes: Any, places: Sequence[float], parts: Sequence[Average], name: str, style: Mapping[str, Any]
) -> None:
    """Draw means, and two standard errors around them."""
    means, errors = (np.array([getattr(part, kind) for part in parts]) for kind in ("mean", "error"))
    axes.plot(places, means, marker="o", markersize=3, linewidth=1.5, label=name, **style)
    axes.fill_between(
        places, means - 2 * errors, means + 2 * errors, color=style["color"], alpha=0.18, linewidth=0
    )
