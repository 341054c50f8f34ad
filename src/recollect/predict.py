"""Step, read, fuse: the one way to a next word, used by training and search alike."""

from torch import Tensor

from recollect.memory.memory import Memory
from recollect.memory.slots import Slots
from recollect.models.interface import SearchModel, Step

__all__ = ["predict", "score"]


def predict(
    model: SearchModel,
    step: Step,
    memory: Memory | None = None,
    slots: Slots | None = None,
    kept: Tensor | None = None,
) -> Tensor:
    """Return log P(y_t) [lane, many, token] for `step` [lane, many, ...].

    With `kept` [lane, many], only for the places where it is true, in one flat row [place, token]:
    what is padding is read from the memory at most, and never costs a softmax.
    """
    if memory is None or slots is None:
        return model.predict(step if kept is None else step.where(kept))
    recall = memory.recall(slots, step, model)
    if kept is not None:
        step, recall = step.where(kept), recall.where(kept)
    return memory.fuse(step, recall, model)


def score(
    model: SearchModel,
    step: Step,
    targets: Tensor,
    memory: Memory | None = None,
    slots: Slots | None = None,
    *,
    kept: Tensor,
    smoothing: float = 0.0,
) -> Tensor:
    """Return log P of `targets` [lane, many] where `kept` is true, in one flat row; see `predict`.

    A share `smoothing` of each is the mean log P over all tokens (of the sentence model alone).
    """
    targets = targets[kept]
    if memory is None or slots is None:
        return model.score(step.where(kept), targets, smoothing)
    recall = memory.recall(slots, step, model).where(kept)
    return memory.score(step.where(kept), recall, targets, model)
