"""Speed of Marian, a C++ toolkit, from its Python wheel: training and beam search of an RNN on a CPU."""

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

REPEATS = 3
EXTRA = 5
"""A translation has as many pieces as its source, and this many more."""
PROGRESS = re.compile(r"Up\. [\d,]+ .* \* ([\d,]+) @ .* Time ([\d.]+)s")
"""An update in Marian's log: its target labels, ends of sentences included, and its seconds."""

Sentence = str


def write_vocabularies(corpus: Path, folder: Path) -> list[str]:
    paths = []
    for name in ("vocab.src", "vocab.trg"):
        pieces = (corpus / name).read_text(encoding="utf-8").split()
        path = folder / f"{name}.txt"
        path.write_text("\n".join(["</s>", "<unk>", *pieces]) + "\n", encoding="utf-8")
        paths.append(str(path))
    return paths


def source_words(corpus: Path, labels: int) -> int:
    """Return the source words to expect beside so many target labels: Marian fills a batch by the former."""
    totals = []
    for name in ("train.src", "train.trg"):
        lines = (corpus / name).read_text(encoding="utf-8").splitlines()
        totals.append(sum(len(line.split()) + 1 for line in lines))
    return round(labels * totals[0] / totals[1])


def train_command(options: argparse.Namespace, folder: Path, *more: str) -> list[str]:
    # fmt: off
    return [
        sys.executable, "-m", "pymarian", "train",
        "--type", "s2s", "--enc-type", "bidirectional", "--enc-cell", "gru", "--dec-cell", "gru",
        "--enc-depth", "1", "--dec-depth", "1",
        "--dim-emb", str(options.embedding), "--dim-rnn", str(options.hidden),
        "--train-sets", str(options.corpus / "train.src"), str(options.corpus / "train.trg"),
        "--vocabs", *write_vocabularies(options.corpus, folder),
        "--model", str(folder / "model.npz"), "--overwrite", "--no-reload", "--tempdir", str(folder),
        "--optimizer", "adam", "--learn-rate", "0.0003", "--label-smoothing", "0.1", "--clip-norm", "1",
        "--sync-sgd", "--cpu-threads", str(options.threads),
        "--workspace", "2000", "--maxi-batch", "100", "--maxi-batch-sort", "trg", "--disp-freq", "1",
        "--seed", "1", *more,
    ]
    # fmt: on


def updates(command: list[str]) -> Iterator[tuple[int, float]]:
    """Run a training; yield the labels and the seconds of each update. Closing the iterator ends the run."""
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=sys.stderr, text=True) as process:
        log = []
        try:
            for line in process.stderr or ():
                log.append(line)
                if found := PROGRESS.search(line):
                    yield int(found[1].replace(",", "")), float(found[2])
        finally:
            process.terminate()
        if process.wait() not in (0, -15):
            raise RuntimeError("".join(log[-20:]))


def training(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Time windows of updates; after the first, another one begins only while there is time."""
    words = source_words(options.corpus, options.batch)
    count = options.warmup + REPEATS * options.steps
    command = train_command(
        options, folder,
        "--mini-batch-words", str(words), "--mini-batch-round-up=false", "--after-batches", str(count + 1),
        "--sigterm", "exit-immediately",
    )  # fmt: skip
    windows: list[list[tuple[int, float]]] = []
    start = time.perf_counter()
    running = updates(command)
    for number, update in enumerate(running, -options.warmup):
        print(f"update {number}: {update}", file=sys.stderr)
        if number < 0:
            continue
        if number % options.steps == 0:
            if number and (len(windows) == REPEATS or time.perf_counter() - start > options.budget * REPEATS):
                break
            windows.append([])
        windows[-1].append(update)
    running.close()
    totals = [
        (sum(labels for labels, _ in window), sum(seconds for _, seconds in window))
        for window in windows
        if len(window) == options.steps
    ]
    if not totals:
        raise RuntimeError(f"Marian logged no {options.steps} updates")
    tokens, seconds = max(totals, key=lambda total: total[0] / total[1])
    return {
        "tokens_per_second": tokens / seconds,
        "tokens": tokens,
        "seconds": seconds,
        "steps": options.steps,
        "repeats": len(totals),
        "peak_rss_mb": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
        "batches": f"{words} source words, about {options.batch} target labels, split between the threads",
    }


def make_model(options: argparse.Namespace, folder: Path) -> tuple[Path, int]:
    """Save a model that never ends a sentence of itself; return its path and its number of parameters."""
    for _ in updates(train_command(options, folder, "--mini-batch", "8", "--after-batches", "1")):
        pass
    weights = dict(np.load(folder / "model.npz"))
    weights["decoder_ff_logit_l2_b"][0, 0] = -1e9
    path = folder / "endless.npz"
    np.savez(path, **weights)
    return path, sum(each.size for name, each in weights.items() if not name.startswith("special:"))


def make_translator(model: Path, vocabularies: list[str], threads: int, gemm: str) -> Any:
    from pymarian import Translator  # heavy: only the decoding part needs it in this process

    return Translator(
        f"--models {model} --vocabs {' '.join(vocabularies)} --cpu-threads {threads} --workspace 512 "
        f"--gemm-type {gemm} --maxi-batch 100 --maxi-batch-sort src --quiet --quiet-translation"
    )


def length_factor(sentences: list[Sentence]) -> float:
    """Return the factor of Marian's length rule with which sentences get `EXTRA` pieces more on average.

    Its longest output is the longest source of a batch, with its end, times the factor, rounded up.
    """
    pieces = sum(len(sentence.split()) for sentence in sentences) / len(sentences)
    return (pieces + EXTRA - 1e-3) / (pieces + 1)


def translate(translator: Any, calls: list[list[Sentence]], beam: int, size: int) -> int:
    """Translate, one call after the other; return how many pieces came out."""
    pieces = 0
    for sentences in calls:
        settings = {"beam-size": beam, "mini-batch": size, "max-length-factor": length_factor(sentences)}
        pieces += sum(len(line.split()) for line in translator.translate(sentences, **settings))
    return pieces


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


def fastest(candidates: list[int], run: Callable[[int], int]) -> int:
    """Return the batch size with the most pieces a second in a short trial."""
    if len(candidates) == 1:
        return candidates[0]
    speeds = {}
    for size in candidates:
        start = time.perf_counter()
        pieces = run(size)
        speeds[size] = pieces / (time.perf_counter() - start)
    return max(speeds, key=speeds.__getitem__)


def decoding(options: argparse.Namespace, model: Path, vocabularies: list[str]) -> list[dict[str, Any]]:
    paths = sorted((options.corpus / "documents").glob("*.src"))[: options.documents]
    documents = [path.read_text(encoding="utf-8").splitlines() for path in paths]
    everything = [sentence for document in documents for sentence in document]
    first = documents[0]
    half = -(-len(first) // options.threads)
    rows = []
    for gemm in options.gemm:
        translator = make_translator(model, vocabularies, options.threads, gemm)
        for beam in options.beam:
            trial = everything[: 4 * max(options.sentences_per_batch)]
            translate(translator, [first], beam, half)
            size = fastest(
                options.sentences_per_batch,
                lambda n, t=translator, b=beam, s=trial: translate(t, [s], b, n),
            )
            for count, mode, calls, batch in (
                (len(documents), "batched", [everything], size),
                (1, "sentence by sentence", [[sentence] for sentence in first], 1),
                (1, "batches of one sentence", [first], 1),
                (1, "batched", [first], half),
            ):
                row = {"documents": count, "beam": beam, "mode": mode, "gemm": gemm, "batch": batch}
                row["sentences"] = sum(map(len, calls))
                row["tokens_by_rule"] = sum(
                    len(sentence.split()) + EXTRA for sentences in calls for sentence in sentences
                )
                row |= best_of(
                    lambda t=translator, c=calls, b=beam, n=batch: translate(t, c, b, n), options.budget
                )
                rows.append(row)
                print(row, file=sys.stderr)
        del translator
    return rows


def numbers(text: str) -> list[int]:
    return [int(each) for each in text.split(",")]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--only", choices=["training", "decoding"])
    parser.add_argument("--embedding", type=int, default=256)
    parser.add_argument("--hidden", type=int, default=512)
    parser.add_argument("--batch", type=int, default=4000, help="target labels in a training batch, about")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--warmup", type=int, default=2)
    parser.add_argument("--beam", type=numbers, default=[1, 5, 10])
    parser.add_argument(
        "--gemm",
        type=lambda text: text.split(","),
        default=["float32"],
        help="also: packed8 (int8), packed16",
    )
    parser.add_argument(
        "--sentences-per-batch", type=numbers, default=[32], help="of several sizes, the fastest is chosen"
    )
    parser.add_argument("--documents", type=int, help="translate only this many")
    parser.add_argument(
        "--budget",
        type=float,
        default=15,
        help="seconds after which a row is not repeated; thrice in training",
    )
    return parser.parse_args()


def main() -> None:
    options = arguments()
    result: dict[str, Any] = {
        "peer": "marian",
        "version": version("pymarian"),
        "threads": options.threads,
        "model": f"s2s, conditional GRU with attention, {options.embedding} and {options.hidden} units",
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.only != "decoding":
            result["training"] = training(options, folder)
        model, parameters = make_model(options, folder)
        if options.only != "decoding":
            result["training"]["parameters"] = parameters
        if options.only != "training":
            result["decoding"] = decoding(options, model, write_vocabularies(options.corpus, folder))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
