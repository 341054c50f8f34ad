"""Products of lower precision find nearly the same gradient, whatever the model."""

import pytest
import torch

from recollect.assemble import build_model
from recollect.batches.before import collate_before
from recollect.batches.sentences import collate
from recollect.config import load_config
from recollect.training.crew import Crew

SIZES = ["model.embedding=32", "model.hidden=48", "model.attention=32", "model.dropout=0.0"]


def gradients(overrides: list[str], precision: str) -> dict[str, torch.Tensor]:
    torch.manual_seed(1)
    model = build_model(load_config(overrides=[*SIZES, "model.embedding_dropout=0.0", *overrides]), 50, 50)
    sources = [[4 + (row * 7 + place * 3) % 46 for place in range(3 + row)] for row in range(6)]
    before = collate_before([sources[:row][-3:] for row in range(6)]) if model.looks_back else None
    batch = collate(sources, [list(reversed(source)) for source in sources])
    batch = type(batch)(batch.source, batch.lengths, batch.previous, batch.target, batch.kept, before)
    with Crew(model, 1, label_smoothing=0.1, seed=1, precision=precision) as crew:
        crew.add_gradient(batch, 1)
    return {name: each.grad for name, each in model.named_parameters() if each.grad is not None}


@pytest.mark.parametrize(
    "overrides",
    [
        [],
        ["model.conditional=true"],
        ["model.readout=maxout"],
        ["context.kind=wang-init"],
        ["context.kind=wang-both"],
        ["context.kind=jean"],
    ],
    ids=lambda given: ",".join(given) or "plain",
)
def test_lower_precision_finds_nearly_the_same_gradient(overrides: list[str]) -> None:
    exact, rough = gradients(overrides, "float32"), gradients(overrides, "bfloat16")
    assert exact.keys() == rough.keys()
    assert {each.dtype for each in rough.values()} == {torch.float32}
    for name, gradient in exact.items():
        distance = float((rough[name] - gradient).norm() / gradient.norm().clamp(min=1e-3))
        assert distance < 0.05, name
    assert any(not torch.equal(exact[name], rough[name]) for name in exact)
