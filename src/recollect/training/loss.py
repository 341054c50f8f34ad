"""The training objective: cross-entropy from log probabilities, with label smoothing."""

from torch import Tensor

__all__ = ["negative_log_likelihood", "smoothed_loss"]


def negative_log_likelihood(scores: Tensor, target: Tensor) -> Tensor:
    """Return the summed -log P of `target` [place] under `scores` [place, token]."""
    return -scores.gather(1, target.unsqueeze(1)).sum()


def smoothed_loss(scores: Tensor, target: Tensor, smoothing: float) -> Tensor:
    """Return the summed loss where a share `smoothing` of each target is spread over all words."""
    exact = negative_log_likelihood(scores, target)
    if smoothing == 0:
        return exact
    return (1 - smoothing) * exact - smoothing * scores.mean(1).sum()
