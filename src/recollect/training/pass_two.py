"""Pass two: train the memory on documents in order, the sentence model frozen (or all of it, jointly)."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

from recollect.batches.lanes import Tick, document_groups, ticks
from recollect.batches.sentences import Batch, collate
from recollect.batches.shard import Shard
from recollect.memory.memory import Memory
from recollect.memory.slots import Slots
from recollect.models.interface import SentenceModel, Step
from recollect.predict import score
from recollect.progress import SilentProgress, TerminalProgress
from recollect.training.activations import Activations
from recollect.training.checkpoints import Checkpoints, Trainee, load_weights, save_weights
from recollect.training.optimisers import make_optimiser, update
from recollect.training.pass_one import Validate
from recollect.training.past import Past, go_along, remember_past
from recollect.training.run import Run

__all__ = ["PassTwo", "PastOf", "StepsOf", "stored_steps", "train_pass_two", "unrolled_steps"]

STAGE = "pass-two"

StepsOf = Callable[[Tick, Batch], Step]
"""Where the steps of a tick come from: stored activations, or the model itself."""

PastOf = Callable[[int], Past]
"""What is remembered of a sentence, by its number in the shard."""


@dataclass(frozen=True, slots=True)
class PassTwo:
    """The options of pass two; see `recollect.config.PassTwoConfig` for what each means."""

    optimiser: str
    learning_rate: float
    clip: float
    lanes: int
    epochs: int
    batch: int
    joint: bool
    store_end: bool
    metric: str
    seed: int


@dataclass(slots=True)
class Position:
    """How far the pass has come; checkpoints fall between groups of documents, where memories are empty."""

    epoch: int = 0
    group: int = 0
    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    best: float | None = None
    best_epoch: int | None = None


class Both(nn.Module):
    """The sentence model and its memory as one module, for joint training and for saving."""

    def __init__(self, model: SentenceModel[Any], memory: Memory) -> None:
        super().__init__()
        self.model, self.memory = model, memory


def stored_steps(model: SentenceModel[Any], shard: Shard, activations: Activations) -> StepsOf:
    """Steps from stored activations: the sentence model is never run."""

    def steps(tick: Tick, batch: Batch) -> Step:
        found = [activations.sentence(shard, number) for number in tick.sentences]
        context = pad_sequence([context for context, _ in found], batch_first=True).to(model.device)
        state = pad_sequence([state for _, state in found], batch_first=True).to(model.device)
        with torch.no_grad():
            return model.rebuild(state, context, batch.previous)

    return steps


def unrolled_steps(model: SentenceModel[Any]) -> StepsOf:
    """Steps computed by the model as it is now, with gradients."""
    return lambda tick, batch: model.unroll(batch.source, batch.lengths, batch.previous)


def train_pass_two(
    model: SentenceModel[Any],
    memory: Memory,
    shard: Shard,
    documents: list[range],
    steps_of: StepsOf,
    options: PassTwo,
    run: Run,
    validate: Validate | None,
    progress: SilentProgress | TerminalProgress,
    past: PastOf | None = None,
) -> None:
    """Train `memory` (and with `joint` also `model`) in place; end with the best weights.

    Memories are filled with what `past` says of each sentence, by default with the references.
    """
    folder = run.folder / STAGE
    trained: nn.Module = Both(model, memory) if options.joint else memory
    if run.result(STAGE) is not None:
        load_weights(trained, folder / "final.safetensors")
        return
    model.requires_grad_(options.joint)
    parameters = [each for each in trained.parameters() if each.requires_grad]
    if not parameters:
        save_weights(trained, folder / "final.safetensors")
        run.finish(STAGE, {"chosen": "nothing to train"})
        return
    trainee = Trainee(trained, make_optimiser(options.optimiser, parameters, options.learning_rate))
    checkpoints = Checkpoints(folder / "checkpoints")
    at = Position(**(checkpoints.restore(trainee) or {}))
    run.rewind(STAGE, at.step)
    lengths = torch.tensor([len(document) for document in documents]).numpy()
    pairs = int(lengths.sum())

    with progress.bar(
        "pass two", options.epochs * pairs, "pairs", done=_pairs_done(at, lengths, options)
    ) as advance:
        while at.epoch < options.epochs:
            groups = document_groups(lengths, options.lanes, options.seed, at.epoch)
            for group in groups[at.group :]:
                wall, cpu, before = time.monotonic(), time.process_time(), at.tokens
                loss = _train_group(
                    trainee,
                    model,
                    memory,
                    shard,
                    [documents[i] for i in group],
                    steps_of,
                    options,
                    at,
                    advance,
                    past,
                )
                at.group += 1
                at.seconds += time.process_time() - cpu
                tokens = at.tokens - before
                speed = round(tokens / (time.monotonic() - wall), 1)
                run.log(
                    STAGE,
                    at.step,
                    {"epoch": at.epoch, "loss": round(loss / tokens, 4), "tokens_per_second": speed},
                )
                if at.group < len(groups):  # after the last group, once it is validated
                    checkpoints.save(_mark(at, groups), trainee, asdict(at))
            at.epoch, at.group = at.epoch + 1, 0
            _validate(trained, at, options, run, folder, validate, progress)
            checkpoints.save(_mark(at, groups), trainee, asdict(at))
    if at.best is not None:
        load_weights(trained, folder / "best.safetensors")
    save_weights(trained, folder / "final.safetensors")
    run.finish(STAGE, {**asdict(at), "tokens_per_cpu_second": at.tokens / max(at.seconds, 1e-9)})


def _train_group(
    trainee: Trainee,
    model: SentenceModel[Any],
    memory: Memory,
    shard: Shard,
    documents: list[range],
    steps_of: StepsOf,
    options: PassTwo,
    at: Position,
    advance: Callable[[int, str], None],
    past: PastOf | None,
) -> float:
    """Take a group of documents from first to last sentence; return the summed loss."""
    model.train(options.joint)
    memory.train()
    slots = memory.empty(len(documents), model.device)
    pending, total, alive = 0, 0.0, list(range(len(documents)))
    for tick in ticks(documents):
        if tick.lanes != alive:
            keep = torch.tensor([alive.index(lane) for lane in tick.lanes]).numpy()
            slots, alive = slots.select(keep), tick.lanes
        torch.manual_seed(options.seed * 1_000_003 + at.tokens)
        loss = _train_tick(model, memory, slots, shard, tick, steps_of, options, past)
        total += loss.summed
        pending += loss.tokens
        at.tokens += loss.tokens
        if pending >= options.batch:
            _update(trainee, pending, options, at)
            pending = 0
        advance(len(tick.lanes), f"loss {loss.summed / loss.tokens:.3f}")
    if pending:
        _update(trainee, pending, options, at)
    return total


@dataclass(frozen=True, slots=True)
class Loss:
    """A summed loss and the number of tokens it is summed over."""

    summed: float
    tokens: int


def _train_tick(
    model: SentenceModel[Any],
    memory: Memory,
    slots: Slots,
    shard: Shard,
    tick: Tick,
    steps_of: StepsOf,
    options: PassTwo,
    past: PastOf | None,
) -> Loss:
    """One sentence of every lane: read, predict, learn, and then remember it."""
    targets = [shard.target(number) for number in tick.sentences]
    batch = collate([shard.source(number) for number in tick.sentences], targets).to(model.device)
    step = steps_of(tick, batch)
    summed = -score(model, step, batch.target, memory, slots, kept=batch.kept).sum()
    summed.backward()  # type: ignore[no-untyped-call]
    ends = options.store_end
    words = [batch.target[row, : len(target) + ends].tolist() for row, target in enumerate(targets)]
    reached = step.detach()
    if past is None:
        looked_at = None
        if step.attention.shape[-1]:  # which is not stored
            places = step.attention.argmax(-1)
            looked_at = [
                batch.source[row].gather(0, places[row, : len(tokens)]).tolist()
                for row, tokens in enumerate(words)
            ]
        memory.write(slots, reached, words, model, looked_at=looked_at)
    else:
        lanes = range(len(tick.sentences))
        heard = [past(n) for n in tick.sentences]
        said = go_along(model, [(each.source, each.target) for each in heard])
        origins = [each.origin for each in heard]
        remember_past(model, memory, slots, lanes, list(zip(said, origins, strict=True)), store_end=ends)
    return Loss(float(summed.detach()), int(batch.kept.sum()))


def _update(trainee: Trainee, tokens: int, options: PassTwo, at: Position) -> None:
    """One update with the mean gradient over the tokens since the last."""
    for parameter in trainee.parameters:
        if parameter.grad is not None:
            parameter.grad /= tokens
    update(trainee.optimiser, trainee.parameters, options.learning_rate, options.clip)
    at.step += 1


def _validate(
    trained: nn.Module,
    at: Position,
    options: PassTwo,
    run: Run,
    folder: Path,
    validate: Validate | None,
    progress: SilentProgress | TerminalProgress,
) -> None:
    if validate is None:
        return
    trained.eval()
    figures = validate()
    run.log(STAGE, at.step, {f"tune_{name}": value for name, value in figures.items()})
    shown = ", ".join(f"{name} {value:.2f}" for name, value in figures.items())
    progress.say(f"pass two, epoch {at.epoch}: tuning set {shown}")
    score = figures["bleu"] if options.metric == "bleu" else -figures["perplexity"]
    if at.best is None or score > at.best:
        at.best, at.best_epoch = score, at.epoch
        save_weights(trained, folder / "best.safetensors")


def _mark(at: Position, groups: Sequence[Any]) -> int:
    """Number the checkpoints: one after every group, and one after every validation."""
    return at.epoch * (len(groups) + 1) + at.group


def _pairs_done(at: Position, lengths: Any, options: PassTwo) -> int:
    done = at.epoch * int(lengths.sum())
    groups = document_groups(lengths, options.lanes, options.seed, at.epoch)
    return done + sum(int(lengths[group].sum()) for group in groups[: at.group])
