"""What a memory remembers: where it changed the output, by which slots, and whether that was for the better.

Section 4.5 of the paper shows examples that were chosen by hand. These here are those that the memory had
most to do with, good or bad, and beside them stands what can be counted.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from recollect.analysis.explain import Explained, Look, Word, explain
from recollect.analysis.figures import write_numbers
from recollect.analysis.looked import Looked, count_looks
from recollect.analysis.replay import replay_all, spoken, with_memory
from recollect.analysis.snippets import where_from
from recollect.decoding.translation import Translation
from recollect.decoding.translator import Translator
from recollect.evaluation.agreement import Agreement
from recollect.evaluation.chrf import sentence_chrf
from recollect.evaluation.consistency import repeated_terms
from recollect.evaluation.lines import Lines
from recollect.evaluation.matches import KINDS, is_content
from recollect.evaluation.repeats import repeats
from recollect.evaluation.significance import binomial_two_sided
from recollect.evaluation.tenses import tense_agreement, tense_consistency, tenses
from recollect.files import whole_file
from recollect.text.document import ParallelDocument

__all__ = ["Changed", "changed_sentences", "measure_remembers"]

BASE = "base"
EXAMPLES, IN_REPORT = 20, 3
WORDS = 3  # of a sentence, that the memory had most to do with
LEAST_GAIN = 0.02  # of probability, for a word that is told of


@dataclass(frozen=True, slots=True)
class Seen:
    """A remembered word that was looked at, and where it comes from."""

    word: str
    sentence: int  # from 1; 0: before the document
    share: float
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Helped:
    """A word that the memory made likelier."""

    word: str
    alone: str  # what would have been said here without a memory
    gate: float
    probability: float
    probability_alone: float
    seen: tuple[Seen, ...]


@dataclass(frozen=True, slots=True)
class Changed:
    """A sentence that comes out otherwise with a memory."""

    document: str
    sentence: int  # from 1
    source: str
    references: tuple[str, ...]
    base: str
    output: str
    influence: float  # probability that the memory added, over all its words
    gain: float | None  # of chrF, against the references
    words: tuple[Helped, ...]


def changed_sentences(
    translator: Translator,
    documents: Sequence[ParallelDocument],
    said: Sequence[Sequence[Translation]],
    base: Sequence[Sequence[Translation]],
) -> list[Changed]:
    """Return the sentences that memory changed, those it had most to do with first."""
    found = []
    for document, own, other in zip(documents, said, base, strict=True):
        explained = explain(translator, document.source, own)
        places = [n for n in range(len(own)) if own[n].text != other[n].text]
        gains = _gains(document, own, other)
        for number in places:
            found.append(
                Changed(
                    document.name,
                    number + 1,
                    document.source[number],
                    tuple(each[number] for each in document.references),
                    other[number].text,
                    own[number].text,
                    sum(max(0.0, _gain(word)) for word in explained[number].words),
                    None if gains is None else gains[number],
                    _helped(translator, document, own, explained[number]),
                )
            )
    return sorted(found, key=lambda each: -each.influence)


def _gains(
    document: ParallelDocument, own: Sequence[Translation], other: Sequence[Translation]
) -> list[float] | None:
    """Return how much nearer to the references each sentence has come."""
    if not document.references or not own:
        return None
    references = [Lines("reference", each) for each in document.references]
    now, before = (
        sentence_chrf(Lines("output", [each.text for each in side]), references) for side in (own, other)
    )
    return [one - another for one, another in zip(now, before, strict=True)]


def _gain(word: Word) -> float:
    return word.probability - word.probability_alone if word.looks else 0.0


def _helped(
    translator: Translator, document: ParallelDocument, said: Sequence[Translation], sentence: Explained
) -> tuple[Helped, ...]:
    """Return the words that the memory made likeliest, of those that carry meaning or that it put in."""
    some = [word for word in sentence.words if is_content(word.piece) or word.alone != word.piece]
    best = sorted(some, key=lambda word: -_gain(word))[:WORDS]
    return tuple(
        Helped(
            _plain(word.piece),
            _plain(word.alone),
            word.gate,
            word.probability,
            word.probability_alone,
            tuple(_seen(translator, document, said, look) for look in word.looks[:WORDS]),
        )
        for word in best
        if _gain(word) >= LEAST_GAIN
    )


def _seen(
    translator: Translator, document: ParallelDocument, said: Sequence[Translation], look: Look
) -> Seen:
    if look.sentence < 0:
        return Seen(_plain(look.word), 0, look.share, "", "")
    origin = where_from(translator, document.source, said, look.sentence, look.word)
    return Seen(_plain(look.word), look.sentence + 1, look.share, origin.source, origin.target)


def _plain(piece: str) -> str:
    return piece.removeprefix("▁")


def measure_remembers(
    translators: Mapping[str, Translator], documents: Sequence[ParallelDocument], folder: Path
) -> dict[str, Any]:
    """Compare every translator with a memory to the one named base, or else to itself without a memory."""
    remembering = with_memory(translators)
    alone = translators.get(BASE) or next(iter(remembering.values())).without_memory()
    base = spoken(alone, documents)
    found: dict[str, Any] = {}
    consistency = {BASE: _consistency(alone, documents, base)}
    looked: dict[str, Looked] = {}
    changed: dict[str, list[Changed]] = {}
    for name, translator in remembering.items():
        said = spoken(translator, documents)
        changed[name] = changed_sentences(translator, documents, said, base)
        looked[name] = count_looks(replay_all(translator, documents, said), translator.target_vocabulary)
        consistency[name] = _consistency(translator, documents, said)
        found[name] = {
            "sentences": sum(len(document) for document in said),
            **_counted(changed[name]),
            "matches": {kind: looked[name].most.of(kind) for kind in KINDS},
            "matches_by_chance": {kind: looked[name].chance.of(kind) for kind in KINDS},
            "words_looking": looked[name].most.words,
        }
    report = [_as_markdown(found), _looks_table(looked), _consistency_table(consistency)]
    with whole_file(folder / "changed.md") as draft:
        examples = [_examples(name, each[:EXAMPLES]) for name, each in changed.items()]
        draft.write_text("\n".join([*report, *examples]), "utf-8")
    with whole_file(folder / "changed.json") as draft:
        lists = {name: [asdict(each) for each in rows] for name, rows in changed.items()}
        draft.write_text(json.dumps(lists, ensure_ascii=False, indent=1) + "\n", "utf-8")
    files = ["changed.md", "changed.json", _write(changed, folder)]
    return {
        "systems": found,
        "consistency": {
            name: {kind: asdict(each) | {"share": each.share} for kind, each in rows.items()}
            for name, rows in consistency.items()
        },
        "files": files,
        "markdown": "\n".join([*report, ""]),
        "examples": "\n".join(_examples(name, each[:IN_REPORT]) for name, each in changed.items()),
    }


def _counted(changed: Sequence[Changed]) -> dict[str, Any]:
    """Return how many sentences were changed, for better or worse, and how tenses went."""
    scored = [each.gain for each in changed if each.gain is not None]
    nearer, farther = sum(gain > 0 for gain in scored), sum(gain < 0 for gain in scored)
    mended = broken = 0
    for each in changed:
        wanted = tenses(each.references[0]).main if each.references else None
        before, now = tenses(each.base).main, tenses(each.output).main
        if wanted and before and now and before != now:
            mended += now == wanted
            broken += before == wanted
    return {
        "changed": len(changed),
        "nearer": nearer,
        "farther": farther,
        "p": binomial_two_sided(nearer, farther),
        "tense_mended": mended,
        "tense_broken": broken,
    }


def _consistency(
    translator: Translator, documents: Sequence[ParallelDocument], said: Sequence[Sequence[Translation]]
) -> dict[str, Agreement]:
    """Return by name what is consistent within documents, or with their first references."""
    texts = [[each.text for each in document] for document in said]
    found = {"repeated terms with one rendering": _terms(translator, documents, said)}
    english = translator.languages[1][:2] in ("", "en")
    if english:
        found["verbs in the main tense of their document"] = tense_consistency(texts)
    if all(document.references for document in documents):
        references = [list(document.references[0]) for document in documents]
        again = repeats(texts, references)
        found["repeated words as in the reference"] = Agreement(again.right, again.total)
        if english:
            agreement = tense_agreement(_flat(texts), _flat(references))
            found["sentences in the tense of the reference"] = agreement
    return found


def _flat(documents: Sequence[Sequence[str]]) -> list[str]:
    return [line for document in documents for line in document]


def _terms(
    translator: Translator, documents: Sequence[ParallelDocument], said: Sequence[Sequence[Translation]]
) -> Agreement:
    """Count the terms that a document's source repeats, and those of them that come out in one way only."""
    terms = [
        term
        for document, own in zip(documents, said, strict=True)
        for term in repeated_terms(
            document.source,
            [each.text for each in own],
            [translator.links(*pair) for pair in zip(document.source, own, strict=True)],
        )
    ]
    return Agreement(sum(term.consistent for term in terms), len(terms))


def _as_markdown(found: Mapping[str, Mapping[str, Any]]) -> str:
    lines = [
        "| system | sentences | changed by the memory | nearer the reference | farther | p "
        "| tense mended | tense broken |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, row in found.items():
        lines.append(
            f"| {name} | {row['sentences']:,} | {row['changed']:,} | {row['nearer']:,} | {row['farther']:,} "
            f"| {row['p']:.3g} | {row['tense_mended']} | {row['tense_broken']} |"
        )
    return "\n".join(lines) + "\n"


def _looks_table(looked: Mapping[str, Looked]) -> str:
    lines = [
        "What words that carry more than grammar looked at most (in brackets: any slot, by chance):\n",
        "| system | the same phrase | the same word | a related word | another word | words |",
        "|---|---|---|---|---|---|",
    ]
    for name, each in looked.items():
        cells = " | ".join(f"{each.most.of(kind):.1f}% ({each.chance.of(kind):.1f}%)" for kind in KINDS)
        lines.append(f"| {name} | {cells} | {each.most.words:,} |")
    lines.append(
        "\nRelated words share a stem, or one is a part of the other. What the paper calls fuzzy matches, "
        "words that hint\nat one another without being alike, is among the other words: no count tells them "
        "from chance."
    )
    return "\n".join(lines) + "\n"


def _consistency_table(rows: Mapping[str, Mapping[str, Agreement]]) -> str:
    kinds = [kind for kind in rows[BASE] if any(each[kind].total for each in rows.values())]
    lines = [f"| system | {' | '.join(kinds)} |", "|---" * (len(kinds) + 1) + "|"]
    lines += [f"| {name} | {' | '.join(str(each[kind]) for kind in kinds)} |" for name, each in rows.items()]
    return "\n".join(lines) + "\n"


def _examples(name: str, changed: Sequence[Changed]) -> str:
    """Return sentences in full, the slots responsible below them."""
    lines = [f"### {name}: sentences that the memory had most to do with", ""]
    for each in changed:
        judged = "" if each.gain is None else f", chrF {each.gain:+.1f}"
        lines += [f"**{each.document}, sentence {each.sentence}**{judged}", "", f"- source: {each.source}"]
        lines += [f"- reference: {reference}" for reference in each.references]
        lines += [f"- base: {each.base}", f"- {name}: {each.output}"]
        for word in each.words:
            instead = f", alone it would be “{word.alone}”" if word.alone not in (word.word, "") else ""
            lines.append(
                f"    - “{word.word}”: {word.probability_alone:.2f} → {word.probability:.2f} "
                f"(gate {word.gate:.2f}){instead}; it looked at"
            )
            lines += [f"        - {_told(seen)}" for seen in word.seen]
        lines.append("")
    return "\n".join(lines) + "\n"


def _told(seen: Seen) -> str:
    if not seen.sentence:
        return f"“{seen.word}” ({seen.share:.0%}) from before the document"
    return f"“{seen.word}” ({seen.share:.0%}) of sentence {seen.sentence}: {seen.source} | {seen.target}"


def _write(changed: Mapping[str, Sequence[Changed]], folder: Path) -> str:
    texts = ("source", "reference", "base", "output")
    return write_numbers(
        folder,
        "changed",
        ("system", "document", "sentence", "influence", "chrf_gain", *texts),
        (
            (
                name,
                each.document,
                each.sentence,
                each.influence,
                "" if each.gain is None else each.gain,
                each.source,
                each.references[0] if each.references else "",
                each.base,
                each.output,
            )
            for name, rows in changed.items()
            for each in rows
        ),
    )
