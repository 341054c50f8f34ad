"""The memory as one plug: step, read, fuse, write."""

from dataclasses import replace

import torch

from recollect.memory.address import word_addresses
from recollect.text.words import WordVocabulary

SOURCE, LENGTHS = torch.tensor([[5, 9, 4, 3], [7, 3, 0, 0]]), torch.tensor([4, 2])
PREVIOUS = torch.tensor([[2, 5, 6, 7], [2, 8, 9, 10]])


def test_an_empty_memory_fits_its_model(make_model, make_memory):
    model = make_model()
    memory = make_memory(model, size=3)
    slots = memory.empty(2)
    assert slots.keys.shape == (2, 3, model.context_size)
    assert slots.values.shape == (2, 3, model.state_size)


def test_sentences_are_stored_under_their_addresses(make_model, make_memory):
    model = make_model()
    vocabulary = WordVocabulary({"a": 1, "b": 1})
    step = model.unroll(SOURCE, LENGTHS, PREVIOUS).detach()
    for address in ("piece", "word"):
        memory = make_memory(model, vocabulary=vocabulary, address=address)
        slots = memory.empty(2)
        memory.write(slots, step, [[5, 4, 5], None], model)
        expected = [5, 4] if address == "piece" else word_addresses([5, 4], [], vocabulary.starts_word)
        assert slots.address[0, :2].tolist() == expected
        assert slots.words[0, :2].tolist() == [5, 4]
        assert torch.equal(slots.keys[0, 1], step.context[0, 1])
        assert torch.equal(slots.values[0, 0], (step.state[0, 0] + step.state[0, 2]) / 2)
        assert not slots.filled[1].any()


def test_what_was_said_is_found_again(make_model, make_memory):
    """The context of a word matches its own key best, if contexts are far apart."""
    model = make_model()
    memory = make_memory(model, match="flatness", theta=1e3)
    step = model.unroll(SOURCE[:1], LENGTHS[:1], PREVIOUS[:1]).detach()
    length = step.context.norm(dim=-1, keepdim=True)
    unit = replace(step, context=step.context / length)
    slots = memory.empty(1)
    memory.write(slots, unit, [[5, 6, 7, 8]], model)
    recall = memory.recall(slots, unit, model)
    assert recall.match[0, :, :4].argmax(-1).tolist() == [0, 1, 2, 3]
    assert (recall.match[0, :, 4:] == 0).all()


def test_gradients_reach_the_memory_alone(make_model, make_memory):
    model = make_model().requires_grad_(False)
    for options in ({"match": "bilinear"}, {"match": "additive", "fusion": "shallow"}):
        memory = make_memory(model, **options)
        step, slots = model.unroll(SOURCE, LENGTHS, PREVIOUS), memory.empty(2)
        memory.write(slots, step, [[5, 6, 7], [8, 9]], model)
        memory.fuse(step, memory.recall(slots, step, model), model)[..., 5].sum().backward()
        for name, parameter in memory.named_parameters():
            assert parameter.grad.isfinite().all(), name
            assert parameter.grad.abs().max() > 0, name
