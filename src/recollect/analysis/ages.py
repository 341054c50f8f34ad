"""How far back a memory looks: the average matching probability by age of slot, as in the paper's figure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from recollect.analysis.figures import (
    COLOURS,
    GREY,
    LINES,
    check_figures,
    drawing,
    figure_files,
    write_numbers,
)
from recollect.analysis.replay import Said, replay_all, spoken, with_memory
from recollect.decoding.translator import Translator
from recollect.errors import DataError
from recollect.text.document import ParallelDocument

__all__ = ["Ages", "average_by_age", "draw_ages", "match_by_age", "measure_ages"]

ENOUGH = 100  # words said with a full memory; if there are fewer, the fullest quarter of all counts
POINTS = 100  # of a line; of a larger memory, each is the average of neighbours

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Ages:
    """Average P_m by age; the figures add up to one."""

    probabilities: tuple[float, ...]  # of the most recent slot first
    words: int  # over which they are averaged
    least: int  # slots that were filled at each of these
    even: tuple[float, ...]  # what they would be if all filled slots were alike; empty ones get nothing

    @property
    def nearest_half(self) -> int:
        """How many of the most recent slots hold half of the probability."""
        return int(np.searchsorted(np.cumsum(self.probabilities), 0.5) + 1)


def match_by_age(said: Said) -> Floats:
    """Return P_m [word, slot] of the words of a sentence, the slot that was written last before the others.

    Empty slots are the oldest.
    """
    assert said.recall is not None
    assert said.slots is not None
    size = said.slots.size
    places = torch.zeros(len(said.tokens), size)
    some = slice(len(said.tokens))  # the end is no word
    places.scatter_(1, said.recall.places[0, some].cpu(), said.recall.match[0, some].float().cpu())
    youngest_first = np.argsort(-said.slots.used[0], kind="stable")
    found: Floats = places.numpy().astype(np.float64)[:, youngest_first]
    return found


def average_by_age(sentences: Iterable[Said]) -> Ages:
    """Average over all words that were said with a full memory.

    In short documents a large memory is seldom full, or never: then those words count that were said with
    the most slots filled, a quarter of all.
    """
    sums: dict[int, Any] = defaultdict(float)  # by how many slots were filled
    counts: dict[int, int] = defaultdict(int)
    size = 0
    for said in sentences:
        assert said.slots is not None
        size, filled = said.slots.size, int(said.slots.filled.sum())
        if filled:
            sums[filled] += match_by_age(said).sum(0)
            counts[filled] += len(said.tokens)
    if not counts:
        raise DataError("nothing was ever remembered: documents must have several sentences with words")
    least = size
    if counts.get(size, 0) < ENOUGH:
        fills = sorted(counts, reverse=True)
        running = np.cumsum([counts[fill] for fill in fills])
        least = fills[int(np.searchsorted(running, running[-1] / 4))]
    kept = [fill for fill in counts if fill >= least]
    words = sum(counts[fill] for fill in kept)
    total = sum(sums[fill] for fill in kept) / words
    even = np.zeros(size)
    for fill in kept:
        even[:fill] += counts[fill] / fill / words
    return Ages(tuple(map(float, total)), words, least, tuple(map(float, even)))


def measure_ages(
    translators: Mapping[str, Translator],
    documents: Sequence[ParallelDocument],
    folder: Path,
    *,
    forced: bool = False,
) -> dict[str, Any]:
    """Measure and draw it for every translator with a memory, along its own output, or the reference."""
    check_figures()
    found = {
        name: average_by_age(
            replay_all(each, documents, spoken(each, documents, forced=forced), forced=forced)
        )
        for name, each in with_memory(translators).items()
    }
    sizes = [len(each.probabilities) for each in found.values()]
    series: dict[str, dict[int, Ages]] = defaultdict(dict)
    for name, each in found.items():
        line = name if len(set(sizes)) < len(sizes) else ""  # several of one size: a line for each
        series[line][len(each.probabilities)] = each
    table = [
        "| system | slots | half of the probability lies in the last | most recent slot | if all were alike "
        "| averaged over |",
        "|---|---|---|---|---|---|",
    ]
    for name, each in found.items():
        size = len(each.probabilities)
        full = "" if each.least == size else f", with {each.least} slots filled or more"
        table.append(
            f"| {name} | {size} | {each.nearest_half} | {each.probabilities[0]:.2%} | {each.even[0]:.2%} "
            f"| {each.words:,} words{full} |"
        )
    return {
        "series": {
            name: {
                "size": len(each.probabilities),
                "probabilities": list(each.probabilities),
                "even": list(each.even),
                "words": each.words,
                "least_filled": each.least,
                "nearest_half": each.nearest_half,
            }
            for name, each in found.items()
        },
        "files": draw_ages(series, folder),
        "markdown": "\n".join(table) + "\n",
    }


def draw_ages(series: Mapping[str, Mapping[int, Ages]], folder: Path) -> list[str]:
    """Draw `series[domain][size]`, probabilities by age: one panel a size, one line a domain."""
    sizes = sorted({size for lines in series.values() for size in lines})
    columns = min(2, len(sizes))
    rows = -(-len(sizes) // columns)
    with drawing(folder, "ages", 4.2 * columns, 2.9 * rows) as figure:
        for number, size in enumerate(sizes):
            axes = figure.add_subplot(rows, columns, number + 1)
            width = max(1, size // POINTS)
            starts = np.arange(0, size, width)
            ages = np.minimum(starts + (width - 1) / 2, size - 1) + 1
            evens = dict.fromkeys(lines[size].even for lines in series.values() if size in lines)
            for place, even in enumerate(evens):
                label = "_" if place else "if all were alike"
                axes.plot(ages, _percent(even, starts), color=GREY, linewidth=1, linestyle=":", label=label)
            for line, (domain, lines) in enumerate(series.items()):
                if size in lines:
                    axes.plot(
                        ages,
                        _percent(lines[size].probabilities, starts),
                        color=COLOURS[line % len(COLOURS)],
                        linestyle=LINES[line % len(LINES)],
                        linewidth=1.5,
                        label=domain or "_",  # a name that the legend leaves out
                    )
            axes.set_title(f"{size} slots" + (f" (averages of {width})" if width > 1 else ""))
            axes.set_xlim(1, size)
            axes.set_ylim(bottom=0)
            axes.set_xticks([1, *(size * part // 5 for part in range(1, 6))])
            axes.set_xlabel("age of slot (1: most recent)")
            axes.set_ylabel("matching probability, %")
            if number == 0:
                axes.legend(frameon=False)
    numbers = write_numbers(
        folder,
        "ages",
        ("domain", "size", "age", "probability", "if_all_were_alike"),
        (
            (domain, size, age, *shares)
            for domain, lines in series.items()
            for size, each in lines.items()
            for age, shares in enumerate(zip(each.probabilities, each.even, strict=True), 1)
        ),
    )
    return [*figure_files("ages"), numbers]


def _percent(shares: Sequence[float], starts: Integers) -> Floats:
    """Return the average share, of 100, of the slots from each start to the next."""
    found: Floats = 100 * np.add.reduceat(shares, starts) / np.diff([*starts, len(shares)])
    return found
