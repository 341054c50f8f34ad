"""Speed of Recollect itself: one part per call, one JSON object on standard output."""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from recollect import load
from recollect.allocator import keep_freed_memory
from recollect.assemble import build_memory, build_model, build_translator, packed, prepare_data, save_model
from recollect.batches.prepared import Prepared
from recollect.batches.sentences import Batch, SentenceBatches
from recollect.config import Config, load_config
from recollect.decoding.beam import Beam
from recollect.decoding.translator import Translator
from recollect.models.rnnsearch import RNNSearch
from recollect.progress import SilentProgress
from recollect.text.vocabulary import EOS
from recollect.training.activations import choose_documents, store_activations
from recollect.training.checkpoints import Trainee
from recollect.training.crew import Crew
from recollect.training.optimisers import make_optimiser
from recollect.training.pass_one import PassOne, train_step
from recollect.training.pass_two import PassTwo, stored_steps, train_pass_two
from recollect.training.run import Run

REPEATS = 3
EXTRA = 5  # a translation has as many pieces as its source, and this many more


@dataclass(frozen=True, slots=True)
class FixedLength(Beam):
    """Every translation is as long as its source says, so that all systems produce the same amount."""

    def longest(self, source_lengths: Tensor) -> Tensor:
        """Return the most tokens each sentence may have, which here are also the fewest."""
        return source_lengths + EXTRA


def best(work: Callable[[], Any], repeats: int = REPEATS) -> float:
    """Return the shortest of several times, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def matrix_peak() -> float:
    """Return the most floating-point operations a second that a plain matrix product reaches here."""
    rates = []
    for size in (1024, 2048):
        one, other, out = torch.randn(size, size), torch.randn(size, size), torch.empty(size, size)
        rates.append(2 * size**3 / best(lambda: torch.mm(one, other, out=out), 12))  # noqa: B023
    return max(rates)


def configuration(corpus: Path, *overrides: str) -> Config:
    """Return the small preset on the made-up corpus, its pieces as words."""
    files = [f"data.source={corpus / 'train.src'}", f"data.target={corpus / 'train.trg'}"]
    starts = f"data.starts={corpus / 'train.starts'}"
    return load_config(None, preset="small", overrides=[*files, starts, "vocabulary.kind=words", *overrides])


def prepared(corpus: Path, config: Config) -> Prepared:
    """Return the corpus as ids, prepared once."""
    folder = corpus / "prepared"
    if not folder.exists():
        prepare_data(config, folder, lambda *_: None)
    return Prepared.open(folder)


def training_operations(model: RNNSearch, batch: Batch) -> float:
    """Return the operations of the matrix products of one update: real pieces only, no padding."""
    embedding, tokens = model.target_embedding.weight.shape[1], model.target_embedding.weight.shape[0]
    hidden, context, attention = model.state_size, model.context_size, len(model.attention.energy)
    source = 2 * 3 * hidden * (embedding + hidden) + context * (attention + 3 * hidden)
    target = (
        (embedding + hidden) * (3 * hidden + attention)
        + (hidden + context + embedding) * embedding
        + embedding * tokens
    )
    # a multiplication and an addition each; forward, and twice as much backward
    return 6.0 * (source * int(batch.lengths.sum()) + target * int(batch.kept.sum()))


def training(corpus: Path, batch: int, steps: int) -> dict[str, Any]:
    """Updates of pass one, and the matrix product's peak measured between them."""
    config = configuration(corpus, f"pass_one.batch={batch}")
    data = prepared(corpus, config)
    model = build_model(config, data.source_vocabulary.size, data.target_vocabulary.size)
    given = config.pass_one.model_dump() | {"seed": 1}
    options = PassOne(**{name: given[name] for name in PassOne.__dataclass_fields__})
    trainee = Trainee(model, make_optimiser("adam", model.parameters(), 1e-3))
    crew = Crew(model, 1, label_smoothing=options.label_smoothing, precision=options.precision, seed=1)
    batches = SentenceBatches(data.train, batch=batch, unit="tokens", window=500, seed=1)
    some = list(islice(batches.epoch(0), steps))
    for number, each in enumerate(some[:2], 1):
        train_step(crew, trainee, each, options, number)
    tokens, operations = sum(int(each.kept.sum()) for each in some), 0.0
    seconds, peak = [], 0.0
    for _ in range(REPEATS):
        peak = max(peak, matrix_peak())
        start = time.perf_counter()
        for number, each in enumerate(some, 1):
            train_step(crew, trainee, each, options, number)
        seconds.append(time.perf_counter() - start)
    operations = sum(training_operations(model, each) for each in some)
    return {
        "tokens_per_second": tokens / min(seconds),
        "tokens": tokens,
        "seconds": min(seconds),
        "parameters": sum(each.numel() for each in model.parameters()),
        "peak_gflops": peak / 1e9,
        "gflops": operations / min(seconds) / 1e9,
        "share_of_peak": operations / min(seconds) / peak,
        "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def second_pass(corpus: Path, documents: int) -> dict[str, Any]:
    """Storing activations of some documents, two epochs of pass two on them, and pass one beside it."""
    config = configuration(corpus)
    data = prepared(corpus, config)
    model = build_model(config, data.source_vocabulary.size, data.target_vocabulary.size).eval()
    chosen = choose_documents(data.train, documents)
    tokens = sum(int(data.train.target_lengths[i]) + 1 for document in chosen for i in document)
    one = training(corpus, config.pass_one.batch, 6)["tokens_per_second"]
    memory = build_memory(config, model, data.target_vocabulary)
    given = config.pass_two.model_dump() | {"store_end": False, "metric": "bleu", "seed": 1, "epochs": 2}
    options = PassTwo(**{name: given[name] for name in PassTwo.__dataclass_fields__})
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        silent = SilentProgress()
        start = time.perf_counter()
        stored = store_activations(
            model, data.train, chosen, place / "a", precision="float16", weights="", progress=silent
        )
        storing = time.perf_counter() - start
        run = Run.open(place / "run", config, {})
        start = time.perf_counter()
        train_pass_two(
            model,
            memory,
            data.train,
            chosen,
            stored_steps(model, data.train, stored),
            options,
            run,
            None,
            silent,
        )
        epoch = (time.perf_counter() - start) / options.epochs
    return {
        "tokens": tokens,
        "pass_one_tokens_per_second": one,
        "storing_tokens_per_second": tokens / storing,
        "pass_two_tokens_per_second": tokens / epoch,
        "pass_two_to_pass_one": tokens / epoch / one,
        "five_epochs_and_storing_in_epochs_of_pass_one": (5 * epoch + storing) / (tokens / one),
    }


def fixed_translator(corpus: Path, precision: str, slots: int | None, fusion: str = "deep") -> Translator:
    """Return an untrained translator whose outputs have a fixed length."""
    config = configuration(corpus, f"memory.size={slots or 25}", f"memory.fusion={fusion}")
    data = prepared(corpus, config)
    source, target = data.source_vocabulary, data.target_vocabulary
    model = build_model(config, source.size, target.size)
    with torch.no_grad():
        model.readout.output.bias[EOS] = -100
    memory = None if slots is None else build_memory(config, model, target)
    return packed(build_translator(config, model, memory, source, target, None), precision)


MEMORIES = {"off": (None, "deep"), "in order": (1, "none"), "25": (25, "deep"), "1000": (1000, "deep")}
"""Slots and fusion: `in order` has nothing to read, but translates documents sentence after sentence."""
MODES = [(32, 32, "side by side"), (1, 1, "sentence by sentence"), (1, 32, "batched")]
"""Documents, lanes, and what that means."""


def decoding(corpus: Path, precision: str, beams: list[int], memories: list[str]) -> dict[str, Any]:
    """Translate 32 documents side by side, and one alone, with several memories."""
    paths = sorted((corpus / "documents").glob("*.src"))
    documents = [path.read_text("utf-8").splitlines() for path in paths]
    rows = []
    for memory in memories:
        made = fixed_translator(corpus, precision, *MEMORIES[memory])
        for beam in beams:
            fixed = made.replaced(beam=FixedLength(**(_fields(made.beam) | {"size": beam})))
            for count, lanes, mode in MODES:
                if mode == "batched" and memory != "off" and beam > 1:
                    continue  # a memory and a beam tie sentences to their order
                some, translator = documents[:count], fixed.replaced(lanes=lanes)
                tokens = sum(len(text.split()) + EXTRA for document in some for text in document)
                translator.translate_documents([document[:2] for document in some])
                seconds = best(lambda: translator.translate_documents(some))  # noqa: B023
                rows.append(
                    {
                        "documents": count,
                        "beam": beam,
                        "memory": memory,
                        "mode": mode,
                        "precision": precision,
                        "tokens_per_second": tokens / seconds,
                        "sentences_per_second": sum(map(len, some)) / seconds,
                        "seconds": seconds,
                    }
                )
                print(rows[-1], file=sys.stderr)
    return {"decoding": rows}


def _fields(beam: Beam) -> dict[str, Any]:
    return {name: getattr(beam, name) for name in Beam.__dataclass_fields__}


def start_up(corpus: Path) -> dict[str, Any]:
    """The command line's help, and loading a model of the default's size."""
    command = [str(Path(sys.executable).parent / "recollect"), "--help"]
    showing = best(lambda: subprocess.run(command, capture_output=True, check=True), 5)
    made = fixed_translator(corpus, "float32", 25)
    assert isinstance(made.model, RNNSearch)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "model"
        config = configuration(corpus)
        save_model(
            folder, config, made.model, made.memory, made.source_vocabulary, made.target_vocabulary, None
        )
        loading = {
            precision: best(lambda: load(folder, overrides=[f"decoding.precision={precision}"]), 3)  # noqa: B023
            for precision in ("float32", "float16", "int8")
        }
    slots = {
        size: sum(each.nbytes for each in build_memory(
            configuration(corpus, f"memory.size={size}"), made.model, made.target_vocabulary
        ).empty(1).tensors().values())
        for size in (25, 1000)
    }  # fmt: skip
    return {"help_seconds": showing, "load_seconds": loading, "bytes_per_document": slots}


def growth(corpus: Path, sentences: int) -> dict[str, Any]:
    """One very long document, greedy, on a tiny model: time of its parts, and memory used."""
    torch.set_num_threads(1)  # a tiny model is no work for two
    config = configuration(
        corpus, "model.embedding=16", "model.hidden=16", "model.attention=16", "memory.size=1000"
    )
    data = prepared(corpus, config)
    source, target = data.source_vocabulary, data.target_vocabulary
    model = build_model(config, source.size, target.size)
    with torch.no_grad():
        model.readout.output.bias[EOS] = -100
    memory = build_memory(config, model, target)
    made = packed(build_translator(config, model, memory, source, target, None), "float16")
    translator = made.replaced(beam=FixedLength(size=1))
    document = [f"s{number % 7000} s{number % 31}" for number in range(sentences)]
    marks = {sentences * tenth // 10 for tenth in range(1, 11)}
    seconds, memories, start = [], [], time.perf_counter()
    for done, _ in enumerate(translator.stream([document]), 1):
        if done in marks:
            seconds.append(time.perf_counter() - start)
            memories.append(_resident())
            start = time.perf_counter()
    return {"sentences": sentences, "seconds_per_tenth": seconds, "rss_mb_after_tenth": memories}


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize() / 2**20


def main() -> None:
    """Measure one part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["training", "second-pass", "decoding", "start-up", "growth"])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--batch", type=int, default=4000)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--documents", type=int, default=24)
    parser.add_argument("--precision", default="float16")
    parser.add_argument("--beams", default="1,5,10")
    parser.add_argument("--memory", default="off,in order,25,1000")
    parser.add_argument("--sentences", type=int, default=100_000)
    given = parser.parse_args()
    keep_freed_memory()
    beams = [int(each) for each in given.beams.split(",")]
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "training": lambda: training(given.corpus, given.batch, given.steps),
        "second-pass": lambda: second_pass(given.corpus, given.documents),
        "decoding": lambda: decoding(given.corpus, given.precision, beams, given.memory.split(",")),
        "start-up": lambda: start_up(given.corpus),
        "growth": lambda: growth(given.corpus, given.sentences),
    }
    print(json.dumps(parts[given.part]()))


if __name__ == "__main__":
    main()
