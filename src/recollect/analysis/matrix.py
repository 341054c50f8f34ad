"""The matching matrix of a sentence: which remembered word every word of it looked at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from recollect.analysis.explain import Explained, explain
from recollect.analysis.figures import COLOURS, check_figures, drawing, figure_files, write_numbers
from recollect.analysis.replay import replay, spoken, with_memory
from recollect.decoding.translation import Translation
from recollect.decoding.translator import Translator
from recollect.errors import DataError
from recollect.memory.slots import EMPTY
from recollect.text.document import ParallelDocument
from recollect.text.vocabulary import Vocabulary

__all__ = ["Matrix", "Slot", "draw_matrix", "matching_matrix", "measure_matrix", "telling"]

SHORTEST, LONGEST = 4, 20  # pieces of a sentence that is chosen for us: a figure one can read
MOST_SLOTS, LEAST_DRAWN = 40, 0.01  # of a large memory, slots that got a share of any word
LEAST_FRAMED = 0.05
FEW_ROWS = 12

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Slot:
    """A remembered word."""

    word: str
    sentence: int  # of the document, where it was last said
    token: int


@dataclass(frozen=True, slots=True)
class Matrix:
    """What each word of a sentence looked at."""

    words: tuple[str, ...]
    tokens: tuple[int, ...]
    gates: tuple[float, ...]  # how far each word heard the memory
    slots: tuple[Slot, ...]  # that hold something, the most recent first
    match: Floats  # P_m  [word, slot]: rows add up to one


@torch.inference_mode()
def matching_matrix(
    translator: Translator,
    sentences: Sequence[str],
    translations: Sequence[Translation],
    number: int,
    *,
    settled: Sequence[int] = (),
) -> Matrix:
    """Return the matrix of sentence `number` of a document, along what was said."""
    memory, vocabulary = translator.memory, translator.target_vocabulary
    assert memory is not None
    upto = slice(number + 1)
    for said in replay(translator, sentences[upto], translations[upto], settled=settled):
        if said.number != number or said.recall is None or said.slots is None:
            continue
        some = slice(len(said.tokens))
        places = torch.zeros(len(said.tokens), said.slots.size)
        places.scatter_(1, said.recall.places[0, some].cpu(), said.recall.match[0, some].float().cpu())
        used = said.slots.used[0]
        order = [slot for slot in np.argsort(-used, kind="stable") if used[slot] != EMPTY]
        words = said.slots.words[0].tolist()
        alone = translator.searched.predict(said.step)
        gates = memory.fusion.openness(said.step, said.recall, alone)[0, some].tolist()
        return Matrix(
            tuple(_shown(vocabulary, token) for token in said.tokens),
            tuple(said.tokens),
            tuple(gates) if order else (0.0,) * len(said.tokens),
            tuple(
                Slot(_shown(vocabulary, words[slot]), int(said.slots.sentence[0, slot]), words[slot])
                for slot in order
            ),
            places.numpy().astype(np.float64)[:, order],
        )
    raise DataError(f"sentence {number + 1} has no words, or no translation: choose another")


def _shown(vocabulary: Vocabulary, token: int) -> str:
    """Return a piece as a reader would have it: a hyphen before what goes on a word."""
    piece = vocabulary.piece(token).removeprefix("▁")
    return piece if vocabulary.starts_word(token) or not piece[:1].isalpha() else f"-{piece}"


def telling(sentence: Explained) -> float:
    """Return how much there is to see in a sentence: what the memory added, where it looked at few slots.

    The sum over words of how much likelier the memory made them, times the largest share of one slot.
    """
    if not SHORTEST <= len(sentence.words) <= LONGEST:
        return 0.0
    return sum(
        max(0.0, word.probability - word.probability_alone) * max(look.share for look in word.looks)
        for word in sentence.words
        if word.looks
    )


def measure_matrix(
    translators: Mapping[str, Translator],
    documents: Sequence[ParallelDocument],
    folder: Path,
    *,
    sentence: int | None = None,
    forced: bool = False,
) -> dict[str, Any]:
    """Draw the matrix of a telling sentence, or of sentence number `sentence`, counted through from 1.

    Every translator with a memory gets one. Of a large memory, only the slots that were looked at most are
    drawn; the numbers are those of all.
    """
    check_figures()
    if sentence is not None:
        documents, sentence = _holding(documents, sentence)
    files, text, systems = [], [], {}
    remembering = with_memory(translators)
    for place, (name, translator) in enumerate(remembering.items()):
        said = spoken(translator, documents, forced=forced)
        settled = range(max(len(each) for each in said)) if forced else ()
        at, number = 0, sentence
        if number is None:
            at, number = _most_telling(translator, documents, said, settled)
        document, found = documents[at], said[at][number]
        matrix = matching_matrix(translator, document.source, said[at], number, settled=settled)
        own = f"matrix-{place + 1}" if len(remembering) > 1 else "matrix"
        files += [*draw_matrix(matrix, number, folder, own), _write(matrix, folder, own)]
        systems[name] = {
            "document": document.name,
            "sentence": number + 1,
            "source": document.source[number],
            "output": found.text,
            "references": [each[number] for each in document.references],
            "figure": f"{own}.png",
        }
        text.append(f"{name}: {document.name}, sentence {number + 1} (`{own}.png`)\n")
        text.append(f"- source: {document.source[number]}")
        text.append(f"- output: {found.text}")
        text += [f"- reference: {each[number]}" for each in document.references]
        text.append("")
    return {"systems": systems, "files": files, "markdown": "", "examples": "\n".join(text)}


def _holding(documents: Sequence[ParallelDocument], number: int) -> tuple[list[ParallelDocument], int]:
    """Return the document that has a sentence, counted through from 1, and its place there from 0."""
    before = 0
    for document in documents:
        if before < number <= before + len(document.source):
            return [document], number - before - 1
        before += len(document.source)
    raise DataError(f"there is no sentence {number}: there are {before}, counted from 1")


def _most_telling(
    translator: Translator,
    documents: Sequence[ParallelDocument],
    said: Sequence[Sequence[Translation]],
    settled: Sequence[int],
) -> tuple[int, int]:
    """Return document and sentence; where there is nothing to see, the one that looked around most."""
    scores = {
        (at, number): (telling(each), sum(bool(word.looks) for word in each.words), number)
        for at, (document, own) in enumerate(zip(documents, said, strict=True))
        for number, each in enumerate(explain(translator, document.source, own, settled=settled))
        if each.words
    }
    if not scores:
        raise DataError("there is no sentence with words and a translation")
    return max(scores, key=scores.__getitem__)


def _drawn(matrix: Matrix) -> list[int]:
    """Return all slots of a small memory; of a large one those that were looked at most, in their order."""
    if len(matrix.slots) <= MOST_SLOTS:
        return list(range(len(matrix.slots)))
    most = matrix.match.max(0)
    best = np.argsort(-most, kind="stable")[:MOST_SLOTS]
    return sorted(int(slot) for slot in best if slot == best[0] or most[slot] >= LEAST_DRAWN)


def draw_matrix(matrix: Matrix, number: int, folder: Path, name: str) -> list[str]:
    """Draw what each word looked at, its gate above."""
    kept = _drawn(matrix)
    if not kept:
        raise DataError(f"nothing is remembered yet at sentence {number + 1}: choose a later one")
    labels = [f"{matrix.slots[slot].word} ({matrix.slots[slot].sentence + 1})" for slot in kept]
    columns, rows = len(matrix.words), len(kept)
    size = 2.6 + 0.42 * columns, 1.9 + 0.23 * rows
    with drawing(folder, name, *size, [*labels, *matrix.words]) as figure:
        above, axes = figure.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": [3, rows]})
        above.bar(range(columns), matrix.gates, color=COLOURS[0], width=0.8)
        above.set_ylim(0, max(0.1, 1.1 * max(matrix.gates)))
        above.set_ylabel("gate", rotation=0, ha="right", va="center")
        above.tick_params(bottom=False)
        image = axes.imshow(matrix.match[:, kept].T, cmap="cividis", vmin=0, aspect="auto")
        for word, token in enumerate(matrix.tokens):
            for row, slot in enumerate(kept):
                if matrix.slots[slot].token == token and matrix.match[word, slot] >= LEAST_FRAMED:
                    axes.add_patch(_frame((word - 0.5, row - 0.5)))
        axes.set_xticks(range(columns), matrix.words, rotation=60, ha="right", rotation_mode="anchor")
        axes.set_yticks(range(rows), labels)
        axes.spines[:].set_visible(False)
        between = "\n" if rows < FEW_ROWS else " "  # the whole line is longer than a few rows are high
        axes.set_ylabel(f"remembered word (sentence),{between}the most recent first")
        axes.set_xlabel(f"words of sentence {number + 1}; framed: the same word")
        figure.colorbar(image, ax=axes, label="matching probability", pad=0.02)
    return figure_files(name)


def _frame(corner: tuple[float, float]) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle(corner, 1, 1, fill=False, edgecolor=COLOURS[1], linewidth=1.8)


def _write(matrix: Matrix, folder: Path, name: str) -> str:
    return write_numbers(
        folder,
        name,
        ("place", "word", "gate", "slot", "remembered_word", "remembered_sentence", "probability"),
        (
            (place + 1, word, matrix.gates[place], age + 1, slot.word, slot.sentence + 1, share)
            for place, word in enumerate(matrix.words)
            for age, slot in enumerate(matrix.slots)
            for share in (float(matrix.match[place, age]),)
        ),
    )
