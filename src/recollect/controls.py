"""Memories under every control, beside none at all: whether the right history matters, and nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

from recollect.decoding.translator import Translator
from recollect.evaluation import ScoreOptions
from recollect.evaluation.bleu import Bleu, SegmentStatistics, segment_statistics
from recollect.evaluation.chrf import chrf
from recollect.evaluation.lines import Lines
from recollect.evaluation.repeats import Repeats, repeated_names, repeats
from recollect.evaluation.significance import sign_test
from recollect.memory.history import Control, control_histories
from recollect.memory.slots import OWN
from recollect.progress import SilentProgress, TerminalProgress
from recollect.text.document import ParallelDocument

__all__ = ["CONTROLS", "Measured", "as_markdown", "measure_controls"]

CONTROLS: tuple[Control, ...] = get_args(Control)
ALONE = "no memory"
RIGHT = "reference"
WRONG: tuple[Control, ...] = ("foreign", "shuffled", "none")  # as in CONTROLS, after the right one


@dataclass(frozen=True, slots=True)
class Measured:
    """One row of the table."""

    memory: str
    history: str
    perplexity: float  # of the first reference
    bleu: float
    length_ratio: float
    chrf: float
    repeated: float | None  # share of repeated words that come out as in the references, of 100
    names: float | None  # share of names said before that come out the same, of 100; None without capitals
    p: float | None  # sign test against no memory
    p_reference: float | None  # sign test of a wrong history against the reference
    signature: str


def measure_controls(
    translators: dict[str, Translator],
    documents: Sequence[ParallelDocument],
    options: ScoreOptions,
    *,
    histories: Sequence[Control] = CONTROLS,
    spoken: Sequence[Sequence[str]] | None = None,
    progress: SilentProgress | TerminalProgress,
) -> list[Measured]:
    """Translate and score `documents` without a memory, then with each one's under each kind of history.

    `spoken` is a reference in the style that the models write in, where those to score by are in another (as
    tokenised text in lower case is): memories are filled with it, and perplexity is taken of it.
    """
    sources = [document.source for document in documents]
    first = spoken or [document.references[0] for document in documents]
    pairs = [list(zip(source, target, strict=True)) for source, target in zip(sources, first, strict=True)]
    references = [
        Lines(f"reference {n + 1}", [line for document in documents for line in document.references[n]])
        for n in range(len(documents[0].references))
    ]
    found: list[Measured] = []
    base = None
    right: dict[str, SegmentStatistics] = {}

    def measure(name: str, kind: str, translator: Translator, history: Any) -> None:
        nonlocal base
        outputs = [
            [each.text for each in document]
            for document in translator.translate_documents(sources, history=history)
        ]
        lines = Lines("output", [line for document in outputs for line in document])
        statistics = segment_statistics(lines, references, options)
        score = Bleu.of(statistics)
        base = statistics if base is None else base
        if kind == RIGHT:
            right[name] = statistics
        if kind == "own":  # the references are scored, our own words remembered
            scored = translator.likelihood(sources, first, outputs, OWN)
        else:
            scored = translator.likelihood(sources, first, history)
        found.append(
            Measured(
                name,
                kind,
                scored.perplexity,
                score.score,
                score.length_ratio,
                chrf(lines, references).score,
                _share(repeats(outputs, first)),
                _share(repeated_names(outputs, first)),
                None if name == ALONE else sign_test(base, statistics).p,
                sign_test(right[name], statistics).p if kind in WRONG and name in right else None,
                score.signature,
            )
        )

    with progress.bar("controls", 1 + len(translators) * len(histories), "measurements") as advance:
        measure(ALONE, "-", next(iter(translators.values())).without_memory(), None)
        advance(1, "")
        for name, translator in translators.items():
            for kind in histories:
                if kind == "own":
                    measure(name, kind, translator, None)
                elif kind == "none":
                    measure(name, kind, translator.silenced(), None)
                else:
                    measure(name, kind, translator, control_histories(kind, pairs))
                advance(1, f"{kind}: BLEU {found[-1].bleu:.2f}")
    return found


def _share(said: Repeats) -> float | None:
    """Return the share of what came again, None where nothing did."""
    return said.accuracy if said.total else None


def as_markdown(rows: Sequence[Measured]) -> str:
    """Return the measurements as a table, with the signature below."""
    lines = [
        "| memory | history | perplexity | BLEU | length | chrF | repeated words | names | p "
        "| p against reference |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        shares = ("" if each is None else f"{each:.1f}%" for each in (row.repeated, row.names))
        ps = ("" if each is None else f"{each:.3g}" for each in (row.p, row.p_reference))
        lines.append(
            f"| {row.memory} | {row.history} | {row.perplexity:.2f} | {row.bleu:.2f} "
            f"| {row.length_ratio:.3f} | {row.chrf:.2f} | {' | '.join((*shares, *ps))} |"
        )
    return "\n".join([*lines, "", f"`{rows[0].signature}`"]) + "\n"
