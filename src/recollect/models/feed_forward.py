"""A layer that every annotation goes through by itself: depth that costs no time loop."""

from torch import Tensor, nn

__all__ = ["FeedForward"]


class FeedForward(nn.Module):
    """h_j + W' relu(W h_j + b) + b'; it changes nothing at first, so that a trained encoder can get one."""

    def __init__(self, context: int, hidden: int) -> None:
        super().__init__()
        self.within = nn.Linear(context, hidden)
        self.back = nn.Linear(hidden, context)
        nn.init.kaiming_uniform_(self.within.weight, nonlinearity="relu")
        for nothing in (self.within.bias, self.back.weight, self.back.bias):
            nn.init.zeros_(nothing)

    def forward(self, vectors: Tensor) -> Tensor:
        """Return annotations [..., context] of the same shape."""
        changed: Tensor = vectors + self.back(self.within(vectors).relu())
        return changed
