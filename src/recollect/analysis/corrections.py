"""How far one correction carries: a name put right where it comes first, and what becomes of it next."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from recollect.decoding.translator import Translator
from recollect.errors import DataError
from recollect.evaluation.repeats import has_word, names_again
from recollect.memory.slots import CORRECTION, OWN
from recollect.text.document import ParallelDocument

__all__ = ["Carried", "corrections_carried", "measure_corrections"]


@dataclass(slots=True)
class Carried:
    """Names that come again, and in how many of those sentences our translation has them."""

    cases: int = 0
    alone: int = 0  # without a memory
    own: int = 0  # with a memory of our own words
    corrected: int = 0  # with the sentence of the first occurrence corrected
    wrong: int = 0  # without a memory the name is right in neither sentence
    mended: int = 0  # of those: right after the correction


def corrections_carried(translator: Translator, documents: Sequence[ParallelDocument]) -> Carried:
    """Correct the sentence in which each name comes first by its reference, and look at the next one."""
    assert translator.memory is not None
    sources = [document.source for document in documents]
    alone = translator.without_memory().translate_documents(sources)
    own = translator.translate_documents(sources)
    found = Carried()
    for number, document in enumerate(documents):
        for case in names_again(document.references[0]):
            tokens = [each.tokens for each in own[number][: case.again]]
            origins = [OWN] * case.again
            corrected = document.references[0][case.first]
            tokens[case.first] = tuple(translator.target_vocabulary.encode(corrected))
            origins[case.first] = CORRECTION
            slots = translator.memory.empty(1, translator.model.device)
            translator.refill(slots, 0, document.source[: case.again], tokens, origins)
            text = document.source[case.again]
            now = translator.express(text, translator.search([text], slots)[0]).text
            before, then = (alone[number][at].text for at in (case.first, case.again))
            carries = has_word(now, case.name)
            found.cases += 1
            found.alone += has_word(then, case.name)
            found.own += has_word(own[number][case.again].text, case.name)
            found.corrected += carries
            if not has_word(before, case.name) and not has_word(then, case.name):
                found.wrong += 1
                found.mended += carries
    return found


def measure_corrections(
    translators: Mapping[str, Translator], documents: Sequence[ParallelDocument], folder: Path
) -> dict[str, Any]:
    """Measure every system that has a memory; there are no files to write."""
    if any(not document.references for document in documents):
        raise DataError("corrections are taken from references: give the reference translation, too")
    found = {
        name: corrections_carried(translator, documents)
        for name, translator in translators.items()
        if translator.memory is not None
    }
    lines = [
        "| memory | names that come again | right without memory | with its own words | after one correction "
        "| wrong before | of these right after it |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, each in found.items():
        lines.append("| " + " | ".join(map(str, [name, *asdict(each).values()])) + " |")
    return {
        "systems": {name: asdict(each) for name, each in found.items()},
        "files": [],
        "markdown": "\n".join(lines) + "\n",
    }
