import pytest
import torch

from recollect.decoding import forced
from recollect.decoding.forced import force, score
from recollect.text.vocabulary import BOS, EOS

SOURCES = [[5, 6, 7], [8], [9, 10, 11, 12, 13], [4, 4]]
TARGETS = [[4, 5], [], [6, 7, 8, 9, 10, 11], [12]]


@torch.no_grad()
def by_steps(model, source, target):
    """Contexts, states, log P of each token and the place it looked at, one step after the other."""
    progress = model.start(torch.tensor([[*source, EOS]]), torch.tensor([len(source) + 1]))
    contexts, states, scores, aligned = [], [], [], []
    for previous, token in zip([BOS, *target], [*target, EOS], strict=True):
        step, progress = model.step(progress, torch.tensor([[previous]]))
        contexts.append(step.context[0, 0])
        states.append(step.state[0, 0])
        scores.append(model.predict(step)[0, 0, token].item())
        aligned.append(int(step.attention[0, 0].argmax()))
    return torch.stack(contexts), torch.stack(states), scores, aligned


def test_forcing_is_stepping_along(make_model):
    model = make_model()
    for source, target, found in zip(SOURCES, TARGETS, force(model, SOURCES, TARGETS), strict=True):
        contexts, states, scores, aligned = by_steps(model, source, target)
        assert found.tokens == target
        assert found.log_probability == pytest.approx(sum(scores), rel=1e-5)
        assert found.score == pytest.approx(sum(scores) / (len(target) + 1), rel=1e-5)
        assert found.aligned == aligned
        torch.testing.assert_close(found.contexts, contexts, rtol=0, atol=1e-5)
        torch.testing.assert_close(found.states, states, rtol=0, atol=1e-5)


def test_many_sentences_go_in_batches(make_model, monkeypatch):
    model = make_model()
    whole = force(model, SOURCES, TARGETS)
    monkeypatch.setattr(forced, "SENTENCES_AT_ONCE", 3)
    for one, two in zip(whole, force(model, SOURCES, TARGETS), strict=True):
        assert one.tokens == two.tokens
        torch.testing.assert_close(one.contexts, two.contexts, rtol=0, atol=1e-5)
        assert one.log_probability == pytest.approx(two.log_probability, rel=1e-5)
    assert force(model, [], []) == []


def test_scores_without_a_memory(make_model):
    model = make_model()
    found = score(model, SOURCES, TARGETS)
    for source, target, each in zip(SOURCES, TARGETS, found, strict=True):
        assert each == pytest.approx(by_steps(model, source, target)[2], rel=1e-4, abs=1e-5)


def test_scores_with_a_memory_are_those_of_each_lane(make_model, make_memory):
    model = make_model()
    memory = make_memory(model)
    slots = memory.empty(4)
    assert score(model, SOURCES, TARGETS, memory, slots) == score(model, SOURCES, TARGETS)
    heard = force(model, [[5, 6]], [[4, 5]])[0]
    contexts, states = heard.contexts.expand(4, -1, -1), heard.states.expand(4, -1, -1)
    step = model.rebuild(states, contexts, torch.tensor([[BOS, 4, 5]] * 4))
    memory.write(slots, step, [None, None, [4, 5], None], model)
    alone, remembering = score(model, SOURCES, TARGETS), score(model, SOURCES, TARGETS, memory, slots)
    for lane in (0, 1, 3):
        assert remembering[lane] == alone[lane]
    assert remembering[2] != pytest.approx(alone[2], abs=1e-3)
    assert [len(each) for each in remembering] == [len(target) + 1 for target in TARGETS]
