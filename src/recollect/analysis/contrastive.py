"""Contrastive scoring: how often a system finds a repeated word likelier than another one in its place."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import torch

from recollect.analysis.figures import write_numbers
from recollect.analysis.replay import as_said, replay
from recollect.decoding.translator import Translator
from recollect.errors import DataError
from recollect.evaluation.agreement import Agreement
from recollect.evaluation.contrasts import Repeated, another_word, repeated_words, with_other_word
from recollect.evaluation.matches import is_content
from recollect.evaluation.significance import binomial_two_sided
from recollect.memory.slots import CORRECTION
from recollect.text.document import ParallelDocument
from recollect.text.spans import piece_spans
from recollect.text.stems import same_word

__all__ = ["Contrast", "contrasts", "margins", "measure_contrastive"]

BASE = "base"
CANDIDATES = 50  # of the sentence model, among which there should be a word of its own

Against = Literal["said", "rival"]
"""said: another word that the document has had; rival: what the sentence model would rather say here."""
NOTE = (
    "A pair is right where the reference is likelier than the same sentence with a repeated word replaced: "
    "by another word that the document has had (said), or by what the sentence model would rather say there "
    "(rival). History is the references before. The pairs are about repeated words and names alone: sets "
    "for pronouns and tenses are made by people, and are not to be had for every text.\n"
)


@dataclass(frozen=True, slots=True)
class Contrast:
    """A sentence of a document, as it is and with another word."""

    sentence: int
    word: str
    name: bool
    other: str
    against: Against
    true: str
    false: str


def contrasts(base: Translator, document: ParallelDocument, seed: int = 1) -> list[Contrast]:
    """Return all contrasts of a document's first reference; `base` is the sentence model."""
    reference = document.references[0]
    chance = random.Random(seed)
    repeated = [each for each in repeated_words(reference) if document.source[each.sentence].strip()]
    rivals = _rivals(base, document, repeated)
    found = []
    for each in repeated:
        others: dict[Against, str | None] = {"said": another_word(each, chance), "rival": rivals.get(each)}
        true = reference[each.sentence]
        for against, other in others.items():
            if other is not None:
                false = with_other_word(true, each, other)
                found.append(Contrast(each.sentence, each.word, each.name, other, against, true, false))
    return found


@torch.inference_mode()
def _rivals(
    base: Translator, document: ParallelDocument, repeated: Sequence[Repeated]
) -> dict[Repeated, str]:
    """Return for each word the likeliest other one in its place, of those that are a piece by themselves."""
    vocabulary, reference = base.target_vocabulary, document.references[0]
    by_sentence: dict[int, list[Repeated]] = {}
    for each in repeated:
        by_sentence.setdefault(each.sentence, []).append(each)
    found = {}
    for said in replay(base, document.source, as_said(base, reference)):
        places = by_sentence.get(said.number)
        if not places:
            continue
        spans = piece_spans(reference[said.number], [vocabulary.piece(token) for token in said.tokens])
        begins = {start: time for time, (start, _) in enumerate(spans)}
        best = base.searched.predict(said.step)[0].topk(min(CANDIDATES, vocabulary.size), -1).indices
        for each in places:
            if each.start not in begins:
                continue
            for token in best[begins[each.start]].tolist():
                word = vocabulary.piece(token).removeprefix("▁")
                if vocabulary.starts_word(token) and is_content(word) and not same_word(word, each.word):
                    found[each] = word
                    break
    return found


def margins(translator: Translator, document: ParallelDocument, pairs: Sequence[Contrast]) -> list[float]:
    """Return log P of each true sentence less that of the false one; history is the references before."""
    memory, source, reference = translator.memory, document.source, document.references[0]
    slots = None if memory is None else memory.empty(1, translator.model.device)
    found: dict[int, float] = {}
    for number in range(len(source)):
        own = [place for place, pair in enumerate(pairs) if pair.sentence == number]
        if own:
            texts = [reference[number], *(pairs[place].false for place in own)]
            count = len(texts)
            before = [translator.sentences_before(source, number)] * count
            scores = translator.score([source[number]] * count, texts, slots, [0] * count, before)
            true, *false = [sum(each) for each in scores]
            found |= {place: true - other for place, other in zip(own, false, strict=True)}
        if slots is not None:
            [said] = translator.force([source[number]], [reference[number]])
            translator.remember(slots, {0: said}, CORRECTION)
    return [found[place] for place in range(len(pairs))]


def measure_contrastive(
    translators: Mapping[str, Translator], documents: Sequence[ParallelDocument], folder: Path
) -> dict[str, Any]:
    """Score all systems on the contrasts of documents; the one named base makes the rival words."""
    if any(not document.references for document in documents):
        raise DataError("contrastive scoring is of references: give the reference translation, too")
    first = next(iter(translators.values()))
    base = translators.get(BASE) or first.without_memory()
    systems = {BASE: base, **translators}
    pairs = [contrasts(base, document) for document in documents]
    flat = [(document.name, pair) for document, own in zip(documents, pairs, strict=True) for pair in own]
    if not flat:
        raise DataError("there are no repeated words in the references to make contrasts of")
    all_margins = {
        name: [
            margin
            for document, own in zip(documents, pairs, strict=True)
            for margin in margins(each, document, own)
        ]
        for name, each in systems.items()
    }
    every = [pair for _, pair in flat]
    found = {name: _judged(every, each, all_margins[BASE]) for name, each in all_margins.items()}
    rows = (
        (document, pair.sentence + 1, pair.word, pair.name, pair.other, pair.against, *figures)
        for (document, pair), *figures in zip(flat, *all_margins.values(), strict=True)
    )
    header = ("document", "sentence", "word", "name", "other", "against", *all_margins)
    return {
        "systems": found,
        "pairs": len(flat),
        "files": [write_numbers(folder, "contrastive", header, rows)],
        "markdown": _as_markdown(found),
    }


def _judged(pairs: Sequence[Contrast], own: Sequence[float], base: Sequence[float]) -> dict[str, Any]:
    """Return for each kind of pairs how many are right, and how that compares to base."""
    found = {}
    kinds = {against: [pair.against == against for pair in pairs] for against in get_args(Against)}
    kinds["names"] = [pair.name for pair in pairs]
    for kind, kept in kinds.items():
        figures = [(one, other) for one, other, keep in zip(own, base, kept, strict=True) if keep]
        if not figures:
            continue
        right = Agreement(sum(one > 0 for one, _ in figures), len(figures))
        gained = sum(one > 0 >= other for one, other in figures)
        lost = sum(other > 0 >= one for one, other in figures)
        found[kind] = {
            "right": right.same,
            "total": right.total,
            "share": right.share,
            "margin": sum(one for one, _ in figures) / len(figures),
            "gained": gained,
            "lost": lost,
            "p": binomial_two_sided(gained, lost),
        }
    return found


def _as_markdown(found: Mapping[str, Mapping[str, Any]]) -> str:
    lines = [
        NOTE,
        "| system | against | right | margin of log P | gained on base | lost | p |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, kinds in found.items():
        for kind, row in kinds.items():
            rest = " | | " if name == BASE else f"{row['gained']} | {row['lost']} | {row['p']:.3g}"
            right = Agreement(row["right"], row["total"])
            lines.append(f"| {name} | {kind} | {right} | {row['margin']:+.2f} | {rest} |")
    return "\n".join(lines) + "\n"
