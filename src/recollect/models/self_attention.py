"""A layer in which annotations look at each other: what a source word means here, from all the others."""

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

__all__ = ["SelfAttention"]

HEAD = 64  # units of a head


class SelfAttention(nn.Module):
    """h_j + W heads(norm h)_j, then h_j + W' relu(W'' norm h_j): Vaswani et al. 2017, normalised before.

    About half as many units look as an annotation has, in whole heads; twice as many think. It changes
    nothing at first, so that a trained encoder can get one.
    """

    def __init__(self, context: int, dropout: float) -> None:
        super().__init__()
        self.heads = max(1, context // (2 * HEAD))
        looking = self.heads * HEAD
        self.before_looking, self.before_thinking = nn.LayerNorm(context), nn.LayerNorm(context)
        self.look = nn.Linear(context, 3 * looking)  # queries, keys, values
        self.found = nn.Linear(looking, context)
        self.within = nn.Linear(context, 2 * context)
        self.back = nn.Linear(2 * context, context)
        self.dropout = nn.Dropout(dropout)
        nn.init.xavier_uniform_(self.look.weight)
        nn.init.kaiming_uniform_(self.within.weight, nonlinearity="relu")
        for nothing in (self.found, self.back):
            nn.init.zeros_(nothing.weight)
            nn.init.zeros_(nothing.bias)

    def forward(self, vectors: Tensor, padding: Tensor) -> Tensor:
        """Return annotations [lane, position, context]; nobody looks at `padding` [lane, position]."""
        looked = self.look(self.before_looking(vectors)).unflatten(-1, (3, self.heads, HEAD))
        queries, keys, values = looked.permute(2, 0, 3, 1, 4)
        seen = torch.zeros(padding.shape, dtype=queries.dtype, device=padding.device)
        seen = seen.masked_fill_(padding, -torch.inf)[:, None, None]
        found = scaled_dot_product_attention(queries, keys, values, attn_mask=seen)
        vectors = vectors + self.dropout(self.found(found.transpose(1, 2).flatten(2)))
        thought = self.back(self.within(self.before_thinking(vectors)).relu())
        changed: Tensor = vectors + self.dropout(thought)
        return changed
