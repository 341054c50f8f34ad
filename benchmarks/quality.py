"""What narrower weights cost on a trained model: BLEU and speed of a document, in each precision."""

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from recollect import Translator, load
from recollect.evaluation.bleu import bleu
from recollect.evaluation.lines import Lines
from recollect.evaluation.options import ScoreOptions
from recollect.models.products import PRECISIONS
from recollect.text.corpora import read_parallel


def main() -> None:
    """Translate a test set in every precision and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("source", type=Path)
    parser.add_argument("references", type=Path, nargs="+")
    parser.add_argument("--starts", type=Path)
    parser.add_argument("--tokenise", default="13a")
    given = parser.parse_args()
    documents = list(read_parallel(given.source, given.references, given.starts))
    sources = [document.source for document in documents]
    references = [
        Lines(f"reference {n + 1}", [line for document in documents for line in document.references[n]])
        for n in range(len(documents[0].references))
    ]
    found: dict[str, Any] = {}
    for precision in PRECISIONS:
        translator = load(given.model, overrides=[f"decoding.precision={precision}"])
        outputs = [item.text for each in translator.translate_documents(sources) for item in each]
        score = bleu(Lines("output", outputs), references, ScoreOptions(tokenise=given.tokenise))
        found[precision] = {"bleu": score.score, **drafting(translator, sources[0])}
        print(precision, found[precision], flush=True)
    print(json.dumps(found))


def drafting(translator: Translator, document: list[str]) -> dict[str, float]:
    """Return sentences a second of greedy search on one document, one after the other and drafted ahead."""
    greedy = translator.replaced(beam=replace(translator.beam, size=1))
    speeds = {}
    for name, lanes in (("one_by_one", 1), ("drafted", 32)):
        start = time.perf_counter()
        greedy.replaced(lanes=lanes).translate(document)
        speeds[name] = len(document) / (time.perf_counter() - start)
    return speeds


if __name__ == "__main__":
    main()
