import pytest
import torch

from recollect.models.interface import SentenceModel
from recollect.predict import predict, score

SOURCE, LENGTHS = torch.tensor([[5, 9, 4, 3], [7, 3, 0, 0], [6, 6, 3, 0]]), torch.tensor([4, 2, 3])
PREVIOUS = torch.tensor([[2, 5, 6, 7], [2, 8, 9, 10], [2, 4, 4, 4]])
KEPT = torch.tensor([[True, True, False, False], [True, True, True, True], [True, False, False, False]])


def prepared(make_model, make_memory):
    """A model, a memory that has heard something in lanes 0 and 1, and steps of all three."""
    model = make_model().requires_grad_(False)
    memory = make_memory(model).requires_grad_(False)
    step, slots = model.unroll(SOURCE, LENGTHS, PREVIOUS), memory.empty(3)
    memory.write(slots, step, [[5, 6, 7], [8], None], model)
    return model, memory, slots, step


def test_without_memory_it_is_the_model(make_model, make_memory):
    model, memory, slots, step = prepared(make_model, make_memory)
    alone = model.predict(step)
    assert torch.equal(predict(model, step), alone)
    assert torch.equal(predict(model, step, memory), alone)
    assert torch.equal(predict(model, step, None, slots), alone)
    assert torch.equal(predict(model, step, kept=KEPT), model.predict(step.where(KEPT)))


def test_with_memory_it_is_read_then_fused(make_model, make_memory):
    model, memory, slots, step = prepared(make_model, make_memory)
    found = predict(model, step, memory, slots)
    assert torch.equal(found, memory.fuse(step, memory.recall(slots, step, model), model))
    changed = (found - model.predict(step)).abs().amax((1, 2))
    assert (changed > 1e-3).tolist() == [True, True, False]


def test_what_is_kept_is_what_would_have_been(make_model, make_memory):
    model, memory, slots, step = prepared(make_model, make_memory)
    flat = predict(model, step, memory, slots, kept=KEPT)
    assert flat.shape == (7, 16)
    torch.testing.assert_close(flat, predict(model, step, memory, slots)[KEPT], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("fusion", ["deep", "auxiliary", "shallow", "none"])
def test_scores_are_the_distributions_entries(make_model, make_memory, fusion):
    model = make_model().requires_grad_(False)
    memory = make_memory(model, fusion=fusion).requires_grad_(False)
    step, slots = model.unroll(SOURCE, LENGTHS, PREVIOUS), memory.empty(3)
    memory.write(slots, step, [[5, 6, 7], [8], None], model)
    targets = PREVIOUS.roll(-1, 1)
    for given in ((), (memory, slots)):
        entries = predict(model, step, *given, kept=KEPT).gather(1, targets[KEPT].unsqueeze(1)).squeeze(1)
        torch.testing.assert_close(score(model, step, targets, *given, kept=KEPT), entries)


def test_smoothing_mixes_in_the_mean_over_all_words(make_model):
    model = make_model().requires_grad_(False)
    step = model.unroll(SOURCE, LENGTHS, PREVIOUS)
    scores = predict(model, step, kept=KEPT)
    exact = scores.gather(1, PREVIOUS[KEPT].unsqueeze(1)).squeeze(1)
    smoothed = score(model, step, PREVIOUS, kept=KEPT, smoothing=0.1)
    torch.testing.assert_close(smoothed, 0.9 * exact + 0.1 * scores.mean(1))
    torch.testing.assert_close(SentenceModel.score(model, step.where(KEPT), PREVIOUS[KEPT], 0.1), smoothed)
