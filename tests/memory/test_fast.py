"""The form for search says what the memory itself says."""

import pytest
import torch

from recollect.memory.fast import FastMemory
from recollect.models.packed import PackedRNNSearch

EVERYDAY = {"fusion": "shallow", "gate": "features", "match": "cosine", "key": ("readout",), "size": 12}


@pytest.fixture(scope="module", params=[0, 3], ids=["whole", "whitened"])
def parts(request, make_translator):
    """A packed model, a memory with weights that matter, and its fast form."""
    translator = make_translator(memory={**EVERYDAY, "top": 4, "whitened": request.param})
    memory, model = translator.memory, PackedRNNSearch(translator.model)
    torch.manual_seed(3)
    with torch.no_grad():
        memory.key.mean.normal_()
        memory.inside[5::2] = True
        for parameter in (*memory.weighing.parameters(), *memory.fusion.parameters()):
            parameter.add_(torch.randn_like(parameter))
    return model, memory, FastMemory.of(memory)


def steps(model, lanes, seed):
    """Four hypotheses in each lane, with states and contexts at random."""
    torch.manual_seed(seed)
    previous = torch.randint(4, 16, (lanes, 4))
    size = model.model.state_size, model.model.context_size
    return model.rebuild(torch.randn(lanes, 4, size[0]), torch.randn(lanes, 4, size[1]), previous)


@pytest.mark.parametrize("written", [0, 1, 2, 5])
@torch.inference_mode()
def test_it_says_the_same(parts, written):
    model, memory, fast = parts
    slots = memory.empty(3)
    for number in range(written):  # the lanes are filled unevenly, one not at all
        sentences = [[4 + number, 5, 6], [7] if number == 0 else None, None]
        memory.write(slots, steps(model, 3, number), sentences, model, origin=number % 4)
    step = steps(model, 3, 99)
    expected = memory.fuse(step, memory.recall(slots, step, model), model)
    found = fast.fuse(step, fast.recall(slots, step, model), model)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(found.exp().sum(-1), torch.ones(3, 4), rtol=1e-4, atol=1e-4)
    assert written == 0 or not torch.allclose(found, model.predict(step), atol=1e-3)


@torch.inference_mode()
def test_silence_and_a_project_are_kept(parts, make_translator):
    model, memory, fast = parts
    slots, project = memory.empty(2), memory.empty(1)
    for number in range(2):
        memory.write(slots, steps(model, 2, number), [[4, 5], [6]], model)
        memory.write(project, steps(model, 1, 7 + number), [[8, 9]], model)
    step = steps(model, 2, 99)
    both = [each.with_project(project) for each in (memory, fast)]
    expected, found = (each.fuse(step, each.recall(slots, step, model), model) for each in both)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
    both[1].silenced = True
    silent = both[1].fuse(step, both[1].recall(slots, step, model), model)
    torch.testing.assert_close(silent, model.predict(step))


def test_other_memories_keep_their_own_form(make_translator):
    assert FastMemory.fits(make_translator(memory={**EVERYDAY, "top": 4}).memory)
    for other in ({"fusion": "deep"}, {**EVERYDAY, "top": 0}, {**EVERYDAY, "top": 4, "key": ("state",)}):
        assert not FastMemory.fits(make_translator(memory=other).memory)
