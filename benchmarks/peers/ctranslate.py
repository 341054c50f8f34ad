"""Speed of CTranslate2, a C++ engine for Transformers: decoding a random model of about our size on a CPU."""

import argparse
import json
import resource
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ctranslate2
import numpy as np
from ctranslate2.specs import TransformerSpec
from ctranslate2.specs.model_spec import LayerSpec
from numpy.typing import NDArray

HEADS = 4
REPEATS = 3
EXTRA = 5
"""A translation has as many pieces as its source, and this many more."""

Sentence = list[str]
Call = tuple[list[Sentence], int]
"""Sentences, and the number of pieces that each of their translations shall have."""


class Filler:
    """Random weights for the layers of a specification."""

    def __init__(self) -> None:
        self.chance = np.random.default_rng(1)
        self.parameters = 0

    def draw(self, *shape: int) -> NDArray[np.float32]:
        self.parameters += int(np.prod(shape))
        return (self.chance.standard_normal(shape) * shape[-1] ** -0.5).astype(np.float32)

    def linear(self, layer: LayerSpec, outputs: int, inputs: int) -> None:
        layer.weight = self.draw(outputs, inputs)
        layer.bias = self.draw(outputs)

    def norm(self, layer: LayerSpec, size: int) -> None:
        layer.gamma, layer.beta = np.ones(size, np.float32), np.zeros(size, np.float32)
        self.parameters += 2 * size

    def attention(self, layer: LayerSpec, size: int, itself: bool) -> None:
        """Fill the projections: queries, keys and values are one matrix where a layer attends to itself."""
        self.norm(layer.layer_norm, size)
        for each, many in zip(layer.linear, [3, 1] if itself else [1, 2, 1], strict=True):
            self.linear(each, many * size, size)

    def feed_forward(self, layer: LayerSpec, size: int, inner: int) -> None:
        self.norm(layer.layer_norm, size)
        self.linear(layer.linear_0, inner, size)
        self.linear(layer.linear_1, size, inner)


def positions(length: int, size: int) -> NDArray[np.float32]:
    angles = np.arange(length)[:, None] / 10000 ** (np.arange(0, size, 2) / size)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)


def make_model(folder: Path, corpus: Path, layers: int, size: int, inner: int) -> int:
    """Save a model with random weights; return the number of its parameters."""
    vocabularies = [
        ["<blank>", "<unk>", "<s>", "</s>", *(corpus / name).read_text(encoding="utf-8").split()]
        for name in ("vocab.src", "vocab.trg")
    ]
    spec = TransformerSpec.from_config(layers, HEADS)
    fill = Filler()
    spec.encoder.embeddings[0].weight = fill.draw(len(vocabularies[0]), size)
    spec.decoder.embeddings.weight = fill.draw(len(vocabularies[1]), size)
    fill.linear(spec.decoder.projection, len(vocabularies[1]), size)
    for part in (spec.encoder, spec.decoder):
        part.position_encodings.encodings = positions(512, size)
        fill.norm(part.layer_norm, size)
        for layer in part.layer:
            fill.attention(layer.self_attention, size, itself=True)
            fill.feed_forward(layer.ffn, size, inner)
    for layer in spec.decoder.layer:
        fill.attention(layer.attention, size, itself=False)
    spec.register_source_vocabulary(vocabularies[0])
    spec.register_target_vocabulary(vocabularies[1])
    spec.config.add_source_eos = True
    spec.validate()
    spec.optimize()
    spec.save(str(folder))
    return fill.parameters


def count_parameters(words: int, layers: int, size: int, inner: int) -> int:
    """Estimate the parameters of a model without making it; biases and norms are left out."""
    return words * size + layers * (12 * size * size + 4 * size * inner)


def read(path: Path) -> list[Sentence]:
    return [line.split() for line in path.read_text(encoding="utf-8").splitlines()]


def by_length(sentences: list[Sentence]) -> list[Call]:
    """Group sentences by length: a call of CTranslate2 has one output length for all of its sentences."""
    groups: dict[int, list[Sentence]] = defaultdict(list)
    for sentence in sentences:
        groups[len(sentence)].append(sentence)
    return [(groups[length], length + EXTRA) for length in sorted(groups, reverse=True)]


def together(sentences: list[Sentence]) -> list[Call]:
    """Put all sentences into one call, at the mean of their output lengths."""
    return [(sentences, round(sum(map(len, sentences)) / len(sentences)) + EXTRA)]


def translate(translator: ctranslate2.Translator, calls: list[Call], beam: int, size: int, wait: bool) -> int:
    """Translate; return how many pieces came out. With `wait`, a call starts when the last one is done."""
    pieces, pending = 0, []
    for sentences, length in calls:
        results = translator.translate_batch(
            sentences,
            beam_size=beam,
            max_batch_size=size,
            min_decoding_length=length,
            max_decoding_length=length,
            disable_unk=True,
            asynchronous=not wait,
        )
        if wait:
            pieces += sum(len(each.hypotheses[0]) for each in results)
        else:
            pending += results
    return pieces + sum(len(each.result().hypotheses[0]) for each in pending)


def best_of(run: Callable[[], int], budget: float) -> dict[str, Any]:
    """Run up to `REPEATS` times, or until the budget of seconds is spent; return the fastest run."""
    runs = []
    while len(runs) < REPEATS and sum(seconds for seconds, _ in runs) < budget:
        start = time.perf_counter()
        pieces = run()
        runs.append((time.perf_counter() - start, pieces))
    seconds, pieces = min(runs, key=lambda each: each[0] / each[1])
    return {
        "tokens_per_second": pieces / seconds,
        "tokens": pieces,
        "seconds": seconds,
        "repeats": len(runs),
    }


def choose(
    translators: dict[str, ctranslate2.Translator], trial: list[Call], beam: int, sizes: list[int], wait: bool
) -> tuple[str, int]:
    """Return the division of the threads and the batch with the most pieces a second in a short trial."""
    choices = [(division, size) for division in translators for size in sizes]
    if len(choices) == 1:
        return choices[0]
    speeds = {}
    for division, size in choices:
        start = time.perf_counter()
        pieces = translate(translators[division], trial, beam, size, wait)
        speeds[division, size] = pieces / (time.perf_counter() - start)
    return max(speeds, key=speeds.__getitem__)


def make_translators(folder: str, compute: str, threads: int) -> dict[str, ctranslate2.Translator]:
    """Return the two divisions of the threads: all of them in a batch, or a batch for each."""
    divisions = {(1, threads), (threads, 1)}
    return {
        f"inter_threads={batches}, intra_threads={inside}": ctranslate2.Translator(
            folder, device="cpu", compute_type=compute, inter_threads=batches, intra_threads=inside
        )
        for batches, inside in sorted(divisions)
    }


def decoding(folder: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    paths = sorted((options.corpus / "documents").glob("*.src"))[: options.documents]
    documents = [read(path) for path in paths]
    everything = [sentence for document in documents for sentence in document]
    some = everything[: 2 * max(options.sentences_per_batch)]
    first = documents[0]
    alone = [([sentence], len(sentence) + EXTRA) for sentence in first]
    parts = [len(first), -(-len(first) // options.threads)]
    cases = (
        (len(documents), "batched", by_length(everything), by_length(some), options.sentences_per_batch),
        (1, "sentence by sentence", alone, alone[:10], [1]),
        (1, "batched", together(first), together(first), parts),
    )
    rows = []
    for compute in options.compute:
        translators = make_translators(folder, compute, options.threads)
        for translator in translators.values():
            translate(translator, by_length(first), 2, 32, False)
        for beam in options.beam:
            for count, mode, calls, trial, sizes in cases:
                wait = mode == "sentence by sentence"
                division, size = choose(translators, trial, beam, sizes, wait)
                row = {"documents": count, "beam": beam, "mode": mode, "compute": compute, "batch": size}
                row |= {"parallel": division, "sentences": sum(len(group) for group, _ in calls)}
                row |= best_of(
                    lambda t=translators[division], c=calls, b=beam, n=size, w=wait: translate(t, c, b, n, w),
                    options.budget,
                )
                rows.append(row)
                print(row, file=sys.stderr)
    return rows


def numbers(text: str) -> list[int]:
    return [int(each) for each in text.split(",")]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--only", choices=["training", "decoding"], help="CTranslate2 does not train")
    parser.add_argument("--embedding", type=int, default=256, help="size of the model")
    parser.add_argument("--inner", type=int, default=1024, help="size inside the feed-forward layers")
    parser.add_argument("--layers", type=int, help="in each half; from --parameters if not given")
    parser.add_argument("--parameters", type=float, default=14e6, help="about as many as this")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--compute", type=lambda text: text.split(","), default=["float32", "int8"])
    parser.add_argument("--beam", type=numbers, default=[1, 5, 10])
    parser.add_argument(
        "--sentences-per-batch", type=numbers, default=[64], help="of several sizes, the fastest is kept"
    )
    parser.add_argument("--documents", type=int, help="translate only this many")
    parser.add_argument("--budget", type=float, default=15, help="seconds after which a row is not repeated")
    for ignored in ("--hidden", "--batch", "--steps", "--warmup"):
        parser.add_argument(ignored, type=int, help="ignored: of an RNN, or of training")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    words = sum(
        len((options.corpus / name).read_text(encoding="utf-8").split()) * many
        for name, many in (("vocab.src", 1), ("vocab.trg", 2))
    )
    layers = options.layers or min(
        range(1, 13),
        key=lambda n: abs(count_parameters(words, n, options.embedding, options.inner) - options.parameters),
    )
    result: dict[str, Any] = {
        "peer": "ctranslate2",
        "version": ctranslate2.__version__,
        "threads": options.threads,
        "model": f"Transformer, {layers}+{layers} layers, size {options.embedding}, inner {options.inner}",
        "training": None,
        "decoding": [],
    }
    with tempfile.TemporaryDirectory() as folder:
        result["parameters"] = make_model(
            Path(folder), options.corpus, layers, options.embedding, options.inner
        )
        if options.only != "training":
            result["decoding"] = decoding(folder, options)
    result["peak_rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(result))


if __name__ == "__main__":
    main()
