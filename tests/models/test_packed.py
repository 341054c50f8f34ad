"""The form made for search steps and predicts as the model itself; narrower weights only blur it."""

import pytest
import torch

from recollect.errors import ModelError
from recollect.models.packed import PackedRNNSearch
from recollect.models.products import make_product
from recollect.text.vocabulary import BOS

SOURCE = torch.tensor([[5, 9, 4, 3], [7, 3, 0, 0], [6, 6, 3, 0]])
LENGTHS = torch.tensor([4, 2, 3])
PREVIOUS = torch.tensor([[BOS, 5, 6], [BOS, 8, 9], [BOS, 4, 4]])
BLUR = {"float32": 1e-5, "float16": 1e-2, "int8": 0.3}


@pytest.fixture(params=["tanh", "maxout"])
def model(request, make_model):
    return make_model(readout=request.param).requires_grad_(False)


@pytest.mark.parametrize("precision", BLUR)
def test_it_follows_the_model(make_model, precision):
    model = make_model(hidden=32, peaky=1.0).requires_grad_(False)
    packed = PackedRNNSearch(model, precision)
    ours, theirs = packed.unroll(SOURCE, LENGTHS, PREVIOUS), model.unroll(SOURCE, LENGTHS, PREVIOUS)
    for name in ("state", "context", "attention"):
        torch.testing.assert_close(
            getattr(ours, name), getattr(theirs, name), rtol=0, atol=BLUR[precision] / 10
        )
    torch.testing.assert_close(packed.predict(ours), model.predict(theirs), rtol=0, atol=BLUR[precision])
    assert packed.device == model.device


def test_both_readouts(model):
    packed = PackedRNNSearch(model)
    ours, theirs = packed.unroll(SOURCE, LENGTHS, PREVIOUS), model.unroll(SOURCE, LENGTHS, PREVIOUS)
    torch.testing.assert_close(packed.predict(ours), model.predict(theirs), rtol=0, atol=1e-5)
    targets = PREVIOUS.roll(-1, 1)
    torch.testing.assert_close(packed.score(ours, targets), model.score(theirs, targets), rtol=0, atol=1e-5)


@pytest.mark.parametrize("precision", BLUR)
def test_rows_do_not_depend_on_their_neighbours(precision):
    torch.manual_seed(1)
    product = make_product(torch.randn(40, 24), torch.randn(40), precision)
    rows = torch.rand(9, 24) * 2 - 1
    rows[4:] /= 100
    alone = torch.cat([product(row.unsqueeze(0)) for row in rows])
    torch.testing.assert_close(product(rows), alone, rtol=0, atol=1e-5)


def test_what_cannot_be_packed_says_so(make_model):
    with pytest.raises(ModelError, match="conditional"):
        PackedRNNSearch(make_model(conditional=True))
    with pytest.raises(ModelError, match="maxout"):
        PackedRNNSearch(make_model(readout="maxout"), "int8")


def test_lanes_that_leave_take_their_padding_along(model):
    packed = PackedRNNSearch(model)
    progress = packed.start(SOURCE, LENGTHS)
    kept = packed.select(progress, torch.tensor([1, 2]), torch.zeros(2, 1, dtype=torch.long))
    assert kept.vectors.shape[:2] == (2, 3)
    step, _ = packed.step(kept, PREVIOUS[1:, :1])
    whole, _ = packed.step(progress, PREVIOUS[:, :1])
    torch.testing.assert_close(step.state, whole.state[1:])


def test_lanes_may_change_places(model):
    packed = PackedRNNSearch(model)
    progress, order = packed.start(SOURCE, LENGTHS), torch.tensor([2, 0, 1])
    moved = packed.select(progress, order, torch.zeros(3, 1, dtype=torch.long))
    step, _ = packed.step(moved, PREVIOUS[order, :1])
    whole, _ = packed.step(progress, PREVIOUS[:, :1])
    torch.testing.assert_close(step.state, whole.state[order])


@pytest.mark.parametrize("pack", [True, False])
@pytest.mark.parametrize("row", [0, 1, 2])
def test_a_lane_may_be_given_to_another_sentence(model, pack, row):
    """A short sentence in the place of the longest, or a long one in the place of the shortest."""
    chosen = PackedRNNSearch(model) if pack else model.requires_grad_(False)
    for width in (2, 9):
        progress = chosen.start(SOURCE, LENGTHS)
        _, progress = chosen.step(progress, PREVIOUS[:, :1])
        other = torch.arange(4, 4 + width).unsqueeze(0) % 7 + 4
        alone = chosen.start(other, torch.tensor([width]))
        mixed = chosen.put(progress, torch.tensor([row]), alone)
        step, _ = chosen.step(mixed, PREVIOUS[:, 1:2])
        own, _ = chosen.step(chosen.start(other, torch.tensor([width])), PREVIOUS[row : row + 1, 1:2])
        torch.testing.assert_close(step.state[row], own.state[0])
        _, untouched = chosen.step(chosen.start(SOURCE, LENGTHS), PREVIOUS[:, :1])
        others, _ = chosen.step(untouched, PREVIOUS[:, 1:2])
        for neighbour in {0, 1, 2} - {row}:
            torch.testing.assert_close(step.state[neighbour], others.state[neighbour])


@pytest.mark.parametrize("fusion", ["deep", "auxiliary", "shallow", "none"])
def test_a_packed_memory_speaks_as_the_memory(make_model, make_memory, fusion):
    model = make_model().requires_grad_(False)
    memory = make_memory(model, fusion=fusion).requires_grad_(False)
    fast, packed = PackedRNNSearch(model, "float16", memory.fusion.rider), memory.packed("float16")
    step, slots = model.unroll(SOURCE, LENGTHS, PREVIOUS), memory.empty(3)
    memory.write(slots, step, [[5, 6, 7], [8], None], model)
    theirs = memory.fuse(step, memory.recall(slots, step, model), model)
    stepped, rebuilt = (
        fast.unroll(SOURCE, LENGTHS, PREVIOUS),
        fast.rebuild(step.state, step.context, PREVIOUS),
    )
    for each in (stepped, rebuilt):
        ours = packed.fuse(each, packed.recall(slots, each, model), fast)
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-2)
    assert {name for name, _ in memory.named_parameters()} == {
        name for name, _ in make_memory(model, fusion=fusion).named_parameters()
    }
