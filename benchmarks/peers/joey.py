"""Speed of JoeyNMT, a PyTorch toolkit: training updates and beam search of its recurrent model on a CPU."""

import argparse
import ctypes
import json
import logging
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from joeynmt.batch import Batch
from joeynmt.builders import build_gradient_clipper, build_optimizer
from joeynmt.datasets import PlaintextDataset
from joeynmt.model import Model, build_model
from joeynmt.search import search
from joeynmt.tokenizers import BasicTokenizer
from joeynmt.vocabulary import Vocabulary
from torch import Tensor, nn

SPECIAL = SimpleNamespace(
    unk_token="<unk>", unk_id=0, pad_token="<pad>", pad_id=1, bos_token="<s>", bos_id=2, eos_token="</s>",
    eos_id=3, sep_token=None, sep_id=None, lang_tags=[],
)  # fmt: skip
CPU = torch.device("cpu")
REPEATS = 3
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # glibc's M_TRIM_THRESHOLD and M_MMAP_THRESHOLD
EXTRA = 5
"""A translation has as many pieces as its source, and this many more."""
IMPOSSIBLE = -1e4
"""A logit; finite, so that the log softmax of a row of them stays a number."""

Sentence = list[str]


class FixedLength:
    """A forward hook of the output layer that ends every hypothesis at the length of its sentence."""

    def __init__(self) -> None:
        self.lengths, self.beam, self.step = torch.zeros(0, dtype=torch.long), 1, 0

    def begin(self, lengths: Tensor, beam: int) -> None:
        self.lengths, self.beam, self.step = lengths, beam, 0

    def __call__(self, module: nn.Module, inputs: tuple[Tensor, ...], logits: Tensor) -> Tensor:
        """Follow both searches: beam search drops the sentences that have ended, greedy search does not."""
        if self.beam > 1:
            self.lengths = self.lengths[self.lengths >= self.step]
        due = (self.lengths <= self.step).repeat_interleave(self.beam)
        logits[..., SPECIAL.eos_id] = IMPOSSIBLE
        if due.any():
            logits[due] = IMPOSSIBLE
            logits[due, :, SPECIAL.eos_id] = 0.0
        self.step += 1
        return logits


def read(path: Path) -> list[Sentence]:
    return [line.split() for line in path.read_text(encoding="utf-8").splitlines()]


def vocabulary(path: Path) -> Vocabulary:
    """Make a vocabulary; `Vocabulary.add_tokens` would search a list for every piece."""
    pieces = path.read_text(encoding="utf-8").split()
    made = Vocabulary([], SPECIAL)
    made._itos += pieces
    made._stoi |= {piece: index for index, piece in enumerate(made._itos)}
    return made


def make_model(corpus: Path, embedding: int, hidden: int) -> Model:
    part = {
        "type": "recurrent",
        "rnn_type": "gru",
        "embeddings": {"embedding_dim": embedding},
        "hidden_size": hidden,
        "num_layers": 1,
    }
    config = {
        "encoder": part | {"bidirectional": True},
        "decoder": part | {"attention": "bahdanau", "init_hidden": "bridge", "input_feeding": True},
    }
    model = build_model(config, vocabulary(corpus / "vocab.src"), vocabulary(corpus / "vocab.trg"))
    model.loss_function = ("crossentropy", 0.1)
    return model


def collate(model: Model, sources: list[Sentence], targets: list[Sentence] | None = None) -> Batch:
    source, lengths, _ = model.src_vocab.sentences_to_ids(sources, bos=False, eos=True)
    target = torch.tensor(model.trg_vocab.sentences_to_ids(targets)[0]) if targets else None
    batch = Batch(
        src=torch.tensor(source),
        src_length=torch.tensor(lengths),
        src_prompt_mask=None,
        trg=target,
        trg_prompt_mask=None,
        indices=torch.arange(len(sources)),
        device=CPU,
        pad_index=SPECIAL.pad_id,
        eos_index=SPECIAL.eos_id,
        is_train=targets is not None,
    )
    batch.sort_by_src_length()
    return batch


def sorted_batches(model: Model, corpus: Path, tokens: int) -> Iterator[Batch]:
    """Yield batches of at most so many target tokens, padding included, from sentences of like length."""
    pairs = list(zip(read(corpus / "train.src"), read(corpus / "train.trg"), strict=True))
    pairs.sort(key=lambda pair: (len(pair[1]), len(pair[0])))
    plan: list[list[tuple[Sentence, Sentence]]] = [[]]
    for pair in pairs:
        if (len(plan[-1]) + 1) * (len(pair[1]) + 1) > tokens:
            plan.append([])
        plan[-1].append(pair)
    plan = plan[:-1] or plan
    chance = random.Random(1)
    while True:
        for chosen in chance.sample(plan, len(plan)):
            sources, targets = zip(*chosen, strict=True)
            yield collate(model, list(sources), list(targets))


def own_batches(model: Model, corpus: Path, tokens: int) -> Iterator[Batch]:
    """Yield the batches of JoeyNMT's token sampler, which does not put sentences of like length together."""
    data = PlaintextDataset(
        path=str(corpus / "train"),
        src_lang="src",
        trg_lang="trg",
        has_trg=True,
        has_prompt={"src": False, "trg": False},
        tokenizer={"src": BasicTokenizer(), "trg": BasicTokenizer()},
        sequence_encoder={"src": model.src_vocab.sentences_to_ids, "trg": model.trg_vocab.sentences_to_ids},
    )
    for name, pieces in (("src", model.src_vocab), ("trg", model.trg_vocab)):
        data.tokenizer[name].set_vocab(pieces)
    batches = data.make_iter(tokens, batch_type="token", shuffle=True)
    while True:
        for batch in batches:
            batch.sort_by_src_length()
            yield batch


def make_update(model: Model) -> Callable[[Batch], None]:
    """Return one training update: forward, loss, backward, clipping, Adam."""
    optimizer = build_optimizer({"optimizer": "adam", "learning_rate": 3e-4}, model.parameters())
    clip = build_gradient_clipper({"clip_grad_norm": 1.0, "clip_grad_val": None})

    def update(batch: Batch) -> None:
        loss, *_ = model(return_type="loss", **vars(batch))
        batch.normalize(loss, "tokens").backward()
        clip(parameters=model.parameters())
        optimizer.step()
        model.zero_grad()

    return update


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


def measure_training(
    model: Model, batches: Iterator[Batch], steps: int, warmup: int, budget: float
) -> dict[str, Any]:
    """Time updates, the making of their batches included."""
    model.train()
    update = make_update(model)

    def run(count: int) -> int:
        tokens = 0
        for _ in range(count):
            batch = next(batches)
            tokens += batch.ntokens
            update(batch)
        return tokens

    run(warmup)
    return best_of(lambda: run(steps), budget) | {"steps": steps}


def keep_freed_memory() -> None:
    """Set glibc's thresholds for returning memory to the system as Recollect sets them for itself."""
    mallopt = ctypes.CDLL(None).mallopt
    mallopt(MMAP_THRESHOLD, 1 << 30)
    mallopt(TRIM_THRESHOLD, 2**31 - 1)


def training(options: argparse.Namespace) -> dict[str, Any]:
    """Time sorted batches, the batches of JoeyNMT, and sorted ones again with our allocator setting."""
    model = make_model(options.corpus, options.embedding, options.hidden)

    def measure(
        make: Callable[[Model, Path, int], Iterator[Batch]], steps: int, budget: float
    ) -> dict[str, Any]:
        batches = make(model, options.corpus, options.batch)
        return measure_training(model, batches, steps, options.warmup, budget)

    some = max(1, options.steps // 2)
    result = measure(sorted_batches, options.steps, REPEATS * options.budget)
    result |= {
        "parameters": sum(each.numel() for each in model.parameters()),
        "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "batches": f"at most {options.batch} target tokens, padding included, sorted by length",
        "own_batches": measure(own_batches, some, options.budget),
    }
    keep_freed_memory()
    return result | {"kept_memory": measure(sorted_batches, some, options.budget)}


def translate(model: Model, rule: FixedLength, sentences: list[Sentence], beam: int, size: int) -> int:
    """Translate sentences, sorted by length, in batches; return how many pieces came out."""
    pieces = 0
    ordered = sorted(sentences, key=len)
    for start in range(0, len(ordered), size):
        batch = collate(model, ordered[start : start + size])
        lengths = batch.src_length - 1 + EXTRA
        rule.begin(lengths, beam)
        output, _, _ = search(
            model,
            batch,
            max_output_length=int(lengths.max()) + 1,
            beam_size=beam,
            beam_alpha=1.0,
            min_output_length=1,
            generate_unk=False,
        )
        for hypothesis in model.trg_vocab.arrays_to_sentences(output):
            pieces += len(hypothesis) - (hypothesis[-1] == SPECIAL.eos_token)
    return pieces


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


@torch.no_grad()
def decoding(options: argparse.Namespace) -> list[dict[str, Any]]:
    model = make_model(options.corpus, options.embedding, options.hidden).eval()
    rule = FixedLength()
    model.decoder.output_layer.register_forward_hook(rule)
    paths = sorted((options.corpus / "documents").glob("*.src"))[: options.documents]
    documents = [read(path) for path in paths]
    everything = [sentence for document in documents for sentence in document]
    trial = everything[: max(options.sentences_per_batch) * 2]
    rows = []
    for beam in options.beam:
        translate(model, rule, documents[0][:8], beam, 8)
        size = fastest(options.sentences_per_batch, lambda n, b=beam: translate(model, rule, trial, b, n))
        first = documents[0]
        for count, sentences, batch, mode in (
            (len(documents), everything, size, "batched"),
            (1, first, 1, "sentence by sentence"),
            (1, first, len(first), "batched"),
        ):
            row = {
                "documents": count,
                "beam": beam,
                "mode": mode,
                "batch": batch,
                "sentences": len(sentences),
            }
            row |= best_of(
                lambda s=sentences, b=beam, n=batch: translate(model, rule, s, b, n), options.budget
            )
            rows.append(row)
            print(row, file=sys.stderr)
    return rows


def numbers(text: str) -> list[int]:
    return [int(each) for each in text.split(",")]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--only", choices=["training", "decoding"])
    parser.add_argument("--embedding", type=int, default=256)
    parser.add_argument("--hidden", type=int, default=512)
    parser.add_argument("--batch", type=int, default=4000, help="target tokens in a training batch")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--warmup", type=int, default=2)
    parser.add_argument("--beam", type=numbers, default=[1, 5, 10])
    parser.add_argument(
        "--sentences-per-batch", type=numbers, default=[64], help="of several sizes, the fastest is chosen"
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
    logging.disable(logging.INFO)
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    result: dict[str, Any] = {
        "peer": "joeynmt",
        "version": version("joeynmt"),
        "torch": torch.__version__,
        "threads": options.threads,
        "model": f"GRU, Bahdanau attention, embedding {options.embedding}, hidden {options.hidden}",
    }
    # Decoding comes first: training ends with another setting of the allocator.
    if options.only != "training":
        result["decoding"] = decoding(options)
    if options.only != "decoding":
        result["training"] = training(options)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
