"""Pass two for gates on figures: all that they look at is gathered once, and then learning takes seconds.

With the sentence model frozen, what is found in the memory and what the model thinks by itself are constants;
only how the finds are weighed and how far they are trusted is learned.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import torch
from torch import Tensor

from recollect.batches.lanes import document_groups
from recollect.batches.sentences import Ids, collate
from recollect.errors import DataError
from recollect.memory.fusion import ShallowFusion
from recollect.memory.gates import Opinion
from recollect.memory.memory import Memory
from recollect.memory.read import Recall
from recollect.memory.slots import Slots
from recollect.models.interface import SentenceModel
from recollect.progress import SilentProgress, TerminalProgress
from recollect.text.specials import EOS
from recollect.training.checkpoints import load_weights, save_weights
from recollect.training.optimisers import make_optimiser, update
from recollect.training.pass_one import Validate
from recollect.training.pass_two import STAGE, PassTwo
from recollect.training.past import Said, Tutorial, go_along, remember_past, steps_along
from recollect.training.run import Run

__all__ = ["Gathered", "fit_keys", "gather", "learn", "train_on_gathered"]

FITTED = 40_000  # places that the scale of keys is learned from
Joined = TypeVar("Joined", Recall, Opinion)

AHEAD = 32  # sentences of each document
CHECKED_AT_ONCE = 10_000  # places
HELD_OUT = 0.1  # of the documents, by which the best epoch is chosen


@dataclass(frozen=True, slots=True)
class Gathered:
    """Everything the gate will look at, place by place [place, ...]."""

    recall: Recall
    opinion: Opinion
    targets: Tensor
    alone: Tensor  # the sentence model's log P(targets)
    document: Tensor  # the number of the document

    def __getitem__(self, some: Tensor) -> "Gathered":
        return Gathered(
            self.recall.where(some),
            self.opinion.where(some),
            self.targets[some],
            self.alone[some],
            self.document[some],
        )


@torch.inference_mode()
def gather(
    model: SentenceModel[Any],
    memory: Memory,
    tutorials: Sequence[Tutorial],
    *,
    lanes: int,
    store_end: bool,
    progress: SilentProgress | TerminalProgress,
) -> Gathered:
    """Go through documents side by side, sentence by sentence; keep what is found at every place."""
    model.eval()
    found: list[Gathered] = []
    lengths = torch.tensor([len(each.pairs) for each in tutorials]).numpy()
    with progress.bar("gathering", int(lengths.sum()), "pairs") as advance:
        for group in document_groups(lengths, lanes, 1, 0):
            slots = memory.empty(len(group), model.device)
            for row, number in enumerate(group):
                before = tutorials[number].earlier
                for said, past in zip(
                    go_along(model, [(each.source, each.target) for each in before]), before, strict=True
                ):
                    remember_past(model, memory, slots, [row], [(said, past.origin)], store_end=store_end)
            for lesson in _lessons(model, [tutorials[number] for number in group]):
                places = torch.tensor([int(group[row]) for row in lesson.rows])
                found.append(_look(model, memory, slots.view(lesson.rows), lesson.pairs, places))
                remember_past(model, memory, slots, lesson.rows, lesson.past, store_end=store_end)
                advance(len(lesson.rows), "")
    return Gathered(
        _joined(Recall, [each.recall for each in found]),
        _joined(Opinion, [each.opinion for each in found]),
        *(torch.cat([getattr(each, name) for each in found]) for name in ("targets", "alone", "document")),
    )


@dataclass(frozen=True, slots=True)
class Lesson:
    """One sentence of every document that still has one, and what is remembered of it."""

    rows: list[int]
    pairs: list[Said]
    past: list[tuple[Said | None, int]]


def _lessons(model: SentenceModel[Any], tutorials: Sequence[Tutorial]) -> Iterator[Lesson]:
    """Go through documents side by side; the model has gone along some sentences of each beforehand."""
    longest = max(len(each.pairs) for each in tutorials)
    for start in range(0, longest, AHEAD):
        window = [
            (row, at)
            for row, each in enumerate(tutorials)
            for at in range(start, min(start + AHEAD, len(each.pairs)))
        ]
        heard = [tutorials[row].past[at] for row, at in window]
        pairs = go_along(model, [tutorials[row].pairs[at] for row, at in window])
        past = go_along(model, [(each.source, each.target) for each in heard])
        by_place = {
            place: (ours, (theirs, each.origin))
            for place, ours, theirs, each in zip(window, pairs, past, heard, strict=True)
        }
        for at in range(start, min(start + AHEAD, longest)):
            rows = [row for row in range(len(tutorials)) if (row, at) in by_place]
            now = [by_place[row, at] for row in rows]
            yield Lesson(rows, [pair for pair, _ in now if pair is not None], [past for _, past in now])


def _look(
    model: SentenceModel[Any], memory: Memory, slots: Slots, said: Sequence[Said], documents: Tensor
) -> Gathered:
    """Return what the memory and the model say at every place of some sentences."""
    step = steps_along(model, said)
    times = torch.arange(step.last.shape[1])
    kept = times < torch.tensor([len(each.tokens) + 1 for each in said]).unsqueeze(1)
    recall = memory.recall(slots, step, model).where(kept)
    scores = model.predict(step.where(kept))
    targets = torch.tensor([token for each in said for token in (*each.tokens, EOS)], device=scores.device)
    alone = scores.gather(1, targets.unsqueeze(1)).squeeze(1)
    places = documents.unsqueeze(1).expand_as(kept)[kept]
    return Gathered(recall, Opinion.of(scores, recall), targets, alone, places)


def _joined(kind: type[Joined], found: Sequence[Joined]) -> Joined:
    return kind(*(torch.cat([getattr(each, field.name) for each in found]) for field in fields(kind)))


@torch.inference_mode()
def fit_keys(
    model: SentenceModel[Any], memory: Memory, documents: Sequence[Sequence[tuple[Ids, Ids]]]
) -> None:
    """Learn the scale of the keys from places spread over documents of sentence pairs."""
    found: list[Tensor] = []
    for pairs in documents:
        some = pairs[:: max(1, len(pairs) * len(documents) // (FITTED // 8))]
        batch = collate(*zip(*some, strict=True)).to(model.device)
        step = model.unroll(batch.source, batch.lengths, batch.previous)
        found.append(memory.key.raw(step.where(batch.kept), model))
    memory.key.fit(torch.cat(found))


def train_on_gathered(
    model: SentenceModel[Any],
    memory: Memory,
    tutorials: Callable[[], Sequence[Tutorial]],
    options: PassTwo,
    run: Run,
    validate: Validate | None,
    progress: SilentProgress | TerminalProgress,
) -> None:
    """Train `memory` in place: fit its keys, gather, learn; the best epoch on held-out documents counts."""
    folder = run.folder / STAGE
    if run.result(STAGE) is not None:
        load_weights(memory, folder / "final.safetensors")
        return
    start = time.process_time()
    given = tutorials()
    fit_keys(model, memory, [each.pairs for each in given])
    gathered = gather(
        model, memory, given, lanes=options.lanes, store_end=options.store_end, progress=progress
    )
    gathered = gathered[gathered.recall.found]  # where nothing is remembered there is nothing to learn
    if not len(gathered.targets):
        raise DataError("no training document has a second sentence: a memory has nothing to learn from")
    run.rewind(STAGE, 0)
    figures = learn(memory, gathered, options, progress)
    memory.trust_unseen({past.origin for each in given for past in (*each.past, *each.earlier)})
    for epoch, each in enumerate(figures, 1):
        run.log(STAGE, epoch, each)
    if validate is not None:
        memory.eval()
        tuned = validate()
        run.log(STAGE, len(figures), {f"tune_{name}": value for name, value in tuned.items()})
        shown = ", ".join(f"{name} {value:.2f}" for name, value in tuned.items())
        progress.say(f"pass two: tuning set {shown}")
    save_weights(memory, folder / "final.safetensors")
    seconds = time.process_time() - start
    run.finish(STAGE, {"places": len(gathered.targets), "seconds": seconds, "epochs": figures})


def learn(
    memory: Memory, gathered: Gathered, options: PassTwo, progress: SilentProgress | TerminalProgress
) -> list[dict[str, float]]:
    """Train weighing and gate on gathered places; return the losses of each epoch."""
    chance = torch.Generator().manual_seed(options.seed)
    documents = torch.tensor(sorted(set(gathered.document.tolist())))
    documents = documents[torch.randperm(len(documents), generator=chance)]
    count = max(1, math.ceil(HELD_OUT * len(documents))) if len(documents) > 1 else 0
    held_out = torch.isin(gathered.document, documents[:count])
    places, rest = (~held_out).nonzero().squeeze(1), held_out.nonzero().squeeze(1)
    parameters = [each for each in memory.parameters() if each.requires_grad]
    optimiser = make_optimiser(options.optimiser, parameters, options.learning_rate)
    figures: list[dict[str, float]] = []
    best, kept = math.inf, _copy(memory)
    memory.train()
    for epoch in range(options.epochs):
        order = places[torch.randperm(len(places), generator=chance)]
        total = 0.0
        with progress.bar(f"pass two, epoch {epoch + 1}", len(order), "places") as advance:
            for start in range(0, len(order), options.batch):
                some = order[start : start + options.batch]
                loss = -_score(memory, gathered[some]).mean()
                loss.backward()  # type: ignore[no-untyped-call]
                update(optimiser, parameters, options.learning_rate, options.clip)
                total += float(loss.detach()) * len(some)
                advance(len(some), f"loss {float(loss.detach()):.3f}")
        with torch.no_grad():
            checked = rest if len(rest) else places
            outside = -sum(
                float(_score(memory, gathered[checked[start : start + CHECKED_AT_ONCE]]).sum())
                for start in range(0, len(checked), CHECKED_AT_ONCE)
            ) / len(checked)
            alone = -float(gathered.alone[checked].mean())
        figures.append({"loss": total / len(order), "held_out": outside, "held_out_alone": alone})
        if outside < best:
            best, kept = outside, _copy(memory)
    with torch.no_grad():
        for parameter, value in zip(memory.parameters(), kept, strict=True):
            parameter.copy_(value)
    return figures


def _copy(memory: Memory) -> list[Tensor]:
    return [parameter.detach().clone() for parameter in memory.parameters()]


def _score(memory: Memory, some: Gathered) -> Tensor:
    """Return log P of the targets, from what was gathered and the parameters of now."""
    recall = some.recall
    if memory.weighing is not None:
        recall = replace(recall, match=memory.weighing(recall))
    assert isinstance(memory.fusion, ShallowFusion)
    return memory.fusion.score_targets(None, recall, some.targets, some.alone, some.opinion)
