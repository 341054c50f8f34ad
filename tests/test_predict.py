import torch

from recollect.predict import predict

SOURCE, LENGTHS = torch.tensor([[5, 9, 4, 3], [7, 3, 0, 0], [6, 6, 3, 0]]), torch.tensor([4, 2, 3])
PREVIOUS = torch.tensor([[2, 5, 6, 7], [2, 8, 9, 10], [2, 4, 4, 4]])
KEPT = torch.tensor([[True, True, False, False], [True, True, True, True], [True, False, False, False]])


def prepared(make_model, make_memory):
    """A model, a memory that has heard something in lanes 0 and 1, and steps of all three."""
    model = make_model().requires_grad_(False)
    memory = make_memory(model).requires_grad_(False)
    step, slots = model.unroll(SOURCE, LENGTHS, PREVIOUS), memory.empty(3)
    memory.write(slots, step.context, step.state, [[5, 6, 7], [8], None])
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
    assert torch.equal(found, memory.fuse(step, memory.recall(slots, step), model.predict))
    changed = (found - model.predict(step)).abs().amax((1, 2))
    assert (changed > 1e-3).tolist() == [True, True, False]


def test_what_is_kept_is_what_would_have_been(make_model, make_memory):
    model, memory, slots, step = prepared(make_model, make_memory)
    flat = predict(model, step, memory, slots, kept=KEPT)
    assert flat.shape == (7, 16)
    torch.testing.assert_close(flat, predict(model, step, memory, slots)[KEPT], rtol=1e-5, atol=1e-5)
