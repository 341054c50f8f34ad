"""Pass one: train the sentence model on shuffled sentences."""

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from recollect.batches.sentences import Batch, SentenceBatches
from recollect.models.interface import SentenceModel
from recollect.progress import SilentProgress, TerminalProgress
from recollect.training.checkpoints import Checkpoints, Trainee, average_weights, load_weights, save_weights
from recollect.training.crew import Crew
from recollect.training.optimisers import learning_rate, make_optimiser, update
from recollect.training.run import Run

__all__ = ["PassOne", "Validate", "train_pass_one"]

STAGE = "pass-one"
LOG_EVERY = 50

Validate = Callable[[], dict[str, float]]
"""Measures the model as it is: returns perplexity, and BLEU where it can."""


@dataclass(frozen=True, slots=True)
class PassOne:
    """The options of pass one; see `recollect.config.PassOneConfig` for what each means."""

    optimiser: str
    learning_rate: float
    schedule: str
    warmup: int
    cooldown: int
    clip: float
    label_smoothing: float
    precision: str
    max_steps: int
    max_epochs: int | None
    validate_every: int
    metric: str
    patience: int | None
    checkpoint_every: int
    average: int
    seed: int


@dataclass(slots=True)
class Position:
    """How far the pass has come: everything a resumed run must know besides weights and optimiser."""

    step: int = 0
    epoch: int = 0
    batch: int = 0  # batches of this epoch done
    tokens: int = 0
    seconds: float = 0.0  # process CPU time
    best: float | None = None
    best_step: int | None = None
    stale: int = 0  # validations since the best
    validated: list[int] = field(default_factory=list)


def train_pass_one(
    model: SentenceModel[Any],
    batches: SentenceBatches,
    options: PassOne,
    run: Run,
    validate: Validate | None,
    progress: SilentProgress | TerminalProgress,
    processes: int = 1,
) -> None:
    """Train `model` in place, resuming where the run folder left off; end with its best weights."""
    folder = run.folder / STAGE
    if run.result(STAGE) is not None:
        load_weights(model, folder / "final.safetensors")
        return
    trainee = Trainee(model, make_optimiser(options.optimiser, model.parameters(), options.learning_rate))
    checkpoints = Checkpoints(folder / "checkpoints")
    at = Position(**(checkpoints.restore(trainee) or {}))
    run.rewind(STAGE, at.step)
    if at.step:
        progress.say(f"pass one goes on from step {at.step:,}")

    crew = Crew(
        model,
        processes,
        label_smoothing=options.label_smoothing,
        precision=options.precision,
        seed=options.seed,
    )
    with crew, progress.bar("pass one", options.max_steps, "steps", done=at.step) as advance:
        meter = Meter()
        while not _finished(at, options):
            for batch in batches.epoch(at.epoch, skip=at.batch):
                at.step += 1
                at.batch += 1
                loss = train_step(crew, trainee, batch, options, at.step)
                meter.add(loss, int(batch.kept.sum()))
                advance(1, meter.note)
                if at.step % LOG_EVERY == 0:
                    meter.close(at)
                    run.log(STAGE, at.step, {"epoch": at.epoch, "tokens": at.tokens, **meter.figures})
                if at.step % options.validate_every == 0 and validate is not None:
                    _validate(model, at, options, run, folder, validate, progress)
                if at.step % options.checkpoint_every == 0:
                    meter.close(at)
                    checkpoints.save(at.step, trainee, asdict(at))
                if _finished(at, options):
                    break
            else:
                at.epoch, at.batch = at.epoch + 1, 0
        meter.close(at)
    if validate is not None and at.step % options.validate_every:
        _validate(model, at, options, run, folder, validate, progress)  # the last weights count too
    figures = _conclude(model, at, options, folder, validate)
    run.finish(STAGE, {**asdict(at), **figures, "tokens_per_cpu_second": at.tokens / max(at.seconds, 1e-9)})
    run.log(STAGE, at.step, figures)


def train_step(crew: Crew, trainee: Trainee, batch: Batch, options: PassOne, number: int) -> float:
    """Take one update; return the loss (with label smoothing), summed over the tokens."""
    loss = crew.add_gradient(batch, number)
    rate = learning_rate(
        number,
        peak=options.learning_rate,
        schedule=options.schedule,
        warmup=options.warmup,
        cooldown=options.cooldown,
        steps=options.max_steps,
    )
    update(trainee.optimiser, trainee.parameters, rate, options.clip)
    return loss


class Meter:
    """Adds up loss, tokens and time between two log lines."""

    def __init__(self) -> None:
        self.figures: dict[str, float] = {}
        self.note = ""
        self._begin()

    def _begin(self) -> None:
        self.loss, self.tokens = 0.0, 0
        self.wall, self.cpu = time.monotonic(), time.process_time()

    def add(self, loss: float, tokens: int) -> None:
        """Count one batch."""
        self.loss += loss
        self.tokens += tokens

    def close(self, at: Position) -> None:
        """Move what was counted into the position and the figures, and begin anew."""
        if not self.tokens:
            return
        seconds = time.monotonic() - self.wall
        at.tokens += self.tokens
        at.seconds += time.process_time() - self.cpu
        self.figures = {
            "loss": round(self.loss / self.tokens, 4),
            "tokens_per_second": round(self.tokens / seconds, 1),
            "cpu_seconds": round(at.seconds, 1),
        }
        self.note = f"loss {self.figures['loss']:.3f}, {self.figures['tokens_per_second']:,.0f} tokens/s"
        self._begin()


def _finished(at: Position, options: PassOne) -> bool:
    return (
        at.step >= options.max_steps
        or (options.max_epochs is not None and at.epoch >= options.max_epochs)
        or (options.patience is not None and at.stale >= options.patience)
    )


def _validate(
    model: SentenceModel[Any],
    at: Position,
    options: PassOne,
    run: Run,
    folder: Path,
    validate: Validate,
    progress: SilentProgress | TerminalProgress,
) -> None:
    """Measure, and keep the weights if they are the best or will be averaged."""
    model.eval()
    figures = validate()
    run.log(STAGE, at.step, {f"tune_{name}": value for name, value in figures.items()})
    shown = ", ".join(f"{name} {value:.2f}" for name, value in figures.items())
    progress.say(f"step {at.step:,}: tuning set {shown}")
    score = _score(figures, options.metric)
    if at.best is None or score > at.best:
        at.best, at.best_step, at.stale = score, at.step, 0
        save_weights(model, folder / "best.safetensors")
    else:
        at.stale += 1
    if options.average:
        at.validated = [*at.validated, at.step][-options.average :]
        save_weights(model, _validated(folder, at.step))
        for path in (folder / "validated").glob("step-*.safetensors"):
            if path not in {_validated(folder, step) for step in at.validated}:
                path.unlink()


def _validated(folder: Path, step: int) -> Path:
    return folder / "validated" / f"step-{step:09d}.safetensors"


def _score(figures: Mapping[str, float], metric: str) -> float:
    """Return a figure of merit: the higher, the better."""
    return figures["bleu"] if metric == "bleu" else -figures["perplexity"]


def _conclude(
    model: SentenceModel[Any], at: Position, options: PassOne, folder: Path, validate: Validate | None
) -> dict[str, Any]:
    """Choose between the best and the averaged weights on the tuning set; leave them in the model."""
    figures: dict[str, Any] = {}
    chosen = "last"
    if validate is not None and at.best is not None:
        load_weights(model, folder / "best.safetensors")
        chosen = "best"
        if len(at.validated) > 1:
            average_weights(
                [_validated(folder, step) for step in at.validated], folder / "averaged.safetensors"
            )
            load_weights(model, folder / "averaged.safetensors")
            model.eval()
            averaged = validate()
            figures |= {f"averaged_{name}": value for name, value in averaged.items()}
            if _score(averaged, options.metric) >= at.best:
                chosen = "averaged"
            else:
                load_weights(model, folder / "best.safetensors")
    save_weights(model, folder / "final.safetensors")
    return {**figures, "chosen": chosen}
