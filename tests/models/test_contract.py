"""The contract of every sentence model: what memory, search and training rely on.

A new model is one more entry of MODELS; sources have 14 tokens, targets 16.
"""

from dataclasses import replace
from functools import partial

import pytest
import torch
from torch.nn.functional import nll_loss, pad

from recollect.batches.before import Before, collate_before
from recollect.context.hierarchical import HierarchicalRNNSearch
from recollect.context.second_attention import SecondAttentionRNNSearch
from recollect.models.interface import SentenceModel
from recollect.text.vocabulary import BOS


def _build(build, fixed, make, **options):
    return make(build=build, **fixed, **options)


def _grown(make, **options):
    """A wider readout, and layers after the encoder that have learned something."""
    model = make(readout_size=9, feed_forward=8, self_attention=2, **options)
    looking = [each for layer in model.self_attention for each in (layer.found, layer.back)]
    torch.nn.init.normal_(model.feed_forward.back.weight)
    for learned in looking:
        torch.nn.init.normal_(learned.weight, std=0.1)
    return model


MODELS = {
    "rnnsearch": lambda make, **options: make(**options),
    "rnnsearch-conditional": lambda make, **options: make(conditional=True, **options),
    "rnnsearch-maxout": lambda make, **options: make(readout="maxout", **options),
    "rnnsearch-tied": lambda make, **options: make(tied=True, peaky=2.0, **options),
    "rnnsearch-grown": _grown,
    "rnnsearch-all": lambda make, **options: make(
        conditional=True, readout="maxout", tied=True, peaky=2.0, **options
    ),
}
HIERARCHICAL = {
    "init": {"initial": True},
    "auxiliary": {"auxiliary": "plain"},
    "gated": {"auxiliary": "gated"},
    "both": {"initial": True, "auxiliary": "gated", "tied": True, "peaky": 2.0},
}
SECOND = {"jean": {}, "jean-told": {"told_context": True}, "jean-maxout": {"readout": "maxout"}}
for name, options in HIERARCHICAL.items():
    MODELS[f"wang-{name}"] = partial(_build, HierarchicalRNNSearch, options)
for name, options in SECOND.items():
    MODELS[name] = partial(_build, SecondAttentionRNNSearch, options)
TARGETS = 16
NUMBERS = torch.Generator().manual_seed(3)
SOURCE = torch.randint(1, 14, (4, 6), generator=NUMBERS)
LENGTHS = torch.tensor([6, 1, 4, 3])
PREVIOUS = torch.randint(1, TARGETS, (4, 5), generator=NUMBERS)
PREVIOUS[:, 0] = BOS
HISTORIES = [[[5, 6], [7], [8, 9, 10]], [], [[4]], [[11, 12], [13]]]  # of different numbers of sentences
BEFORE = collate_before(HISTORIES)
TOLERANCE = {"rtol": 1e-5, "atol": 1e-5}


@pytest.fixture(scope="module", params=MODELS)
def model(request, make_model):
    built = MODELS[request.param](make_model).eval()
    assert isinstance(built, SentenceModel)
    return built.requires_grad_(False)


def follow(model, progress, tokens):
    """Step every hypothesis along `tokens` [lane, many, time]; return the last step."""
    for time in range(tokens.shape[2]):
        step, progress = model.step(progress, tokens[:, :, time])
    return step, progress


def assert_same(one, other):
    for name in ("state", "context", "previous"):
        torch.testing.assert_close(getattr(one, name), getattr(other, name), **TOLERANCE)


def test_a_step_has_the_promised_sizes(model):
    step, _ = model.step(model.start(SOURCE, LENGTHS, BEFORE), PREVIOUS[:, :1])
    assert step.state.shape == (4, 1, model.state_size)
    assert step.context.shape == (4, 1, model.context_size)
    assert step.previous.shape[:2] == (4, 1)
    assert step.attention.shape == (4, 1, 6)
    assert model.predict(step).shape == (4, 1, TARGETS)
    assert model.device == torch.device("cpu")


def test_unroll_is_step_by_step(model):
    whole = model.unroll(SOURCE, LENGTHS, PREVIOUS, BEFORE)
    progress = model.start(SOURCE, LENGTHS, BEFORE)
    for time in range(PREVIOUS.shape[1]):
        step, progress = model.step(progress, PREVIOUS[:, time : time + 1])
        for name in ("state", "context", "previous", "attention"):
            here = getattr(whole, name)[:, time : time + 1]
            torch.testing.assert_close(getattr(step, name), here, **TOLERANCE)


def test_step_leaves_its_progress_alone(model):
    progress = model.start(SOURCE, LENGTHS, BEFORE)
    first, _ = model.step(progress, PREVIOUS[:, :1])
    again, _ = model.step(progress, PREVIOUS[:, :1])
    assert torch.equal(first.state, again.state)
    assert torch.equal(first.context, again.context)


def test_words_matter(model):
    other = PREVIOUS.clone()
    other[:, 1] = other[:, 1] % (TARGETS - 1) + 1
    one, two = (model.unroll(SOURCE, LENGTHS, previous, BEFORE) for previous in (PREVIOUS, other))
    assert torch.equal(one.state[:, 0], two.state[:, 0])
    assert (one.state[:, 1:] - two.state[:, 1:]).abs().amin((1, 2)).gt(0).all()
    assert (one.context[[0, 2, 3], 2] != two.context[[0, 2, 3], 2]).any(1).all()  # lane 1: one source word


@pytest.mark.parametrize("extra", [0, 1, 5])
def test_padding_changes_nothing(model, extra):
    """Whatever stands beyond the end of a sentence, and however much of it."""
    garbage = torch.randint(0, 14, (4, 6 + extra), generator=torch.Generator().manual_seed(extra))
    real = torch.arange(6 + extra) < LENGTHS.unsqueeze(1)
    garbage[real] = SOURCE[torch.arange(6) < LENGTHS.unsqueeze(1)]
    before = Before(pad(BEFORE.ids, (0, extra, 0, extra), value=extra), pad(BEFORE.lengths, (0, extra)))
    batched = model.unroll(garbage, LENGTHS, PREVIOUS, before)
    for lane, length in enumerate(LENGTHS.tolist()):
        one = slice(lane, lane + 1)
        alone = model.unroll(
            SOURCE[one, :length], LENGTHS[one], PREVIOUS[one], collate_before([HISTORIES[lane]])
        )
        for name in ("state", "context", "previous"):
            torch.testing.assert_close(getattr(batched, name)[lane], getattr(alone, name)[0], **TOLERANCE)
        torch.testing.assert_close(batched.attention[lane, :, :length], alone.attention[0], **TOLERANCE)
        assert (batched.attention[lane, :, length:] == 0).all()


def test_attention_is_a_distribution(model):
    attention = model.unroll(SOURCE, LENGTHS, PREVIOUS, BEFORE).attention
    torch.testing.assert_close(attention.sum(-1), torch.ones(4, 5), **TOLERANCE)
    assert (attention >= 0).all()


def test_permuting_lanes_permutes_outputs(model):
    order = torch.tensor([2, 0, 3, 1])
    one = model.unroll(SOURCE, LENGTHS, PREVIOUS, BEFORE)
    two = model.unroll(SOURCE[order], LENGTHS[order], PREVIOUS[order], BEFORE[order])
    torch.testing.assert_close(one.state[order], two.state, **TOLERANCE)
    torch.testing.assert_close(one.context[order], two.context, **TOLERANCE)
    torch.testing.assert_close(model.predict(one)[order], model.predict(two), **TOLERANCE)


def test_predict_is_normalised(model):
    scores = model.predict(model.unroll(SOURCE, LENGTHS, PREVIOUS, BEFORE))
    torch.testing.assert_close(scores.exp().sum(-1), torch.ones(4, 5), **TOLERANCE)


def test_predict_takes_any_leading_axes(model):
    step = model.unroll(SOURCE, LENGTHS, PREVIOUS, BEFORE)
    kept = torch.rand(4, 5, generator=torch.Generator().manual_seed(1)) < 0.5
    torch.testing.assert_close(model.predict(step.where(kept)), model.predict(step)[kept], **TOLERANCE)


def test_predict_sees_an_edited_state(model):
    step = model.unroll(SOURCE, LENGTHS, PREVIOUS, BEFORE)
    edited = replace(step, state=step.state + 1)
    assert (model.predict(edited) - model.predict(step)).abs().amax(-1).gt(1e-3).all()


@pytest.mark.parametrize(
    ("lanes", "hypotheses"),
    [
        ([0, 1, 2, 3], [[0, 1, 2]] * 4),  # as they are
        ([0, 1, 2, 3], [[2, 0, 1], [1, 1, 1], [0, 2, 0], [2, 1, 0]]),  # reordered and repeated
        ([0, 1, 2, 3], [[2], [0], [1], [1]]),  # fewer
        ([0, 1, 2, 3], [[0, 1, 2, 2, 1, 0]] * 4),  # more
        ([1, 3], [[0, 2], [1, 1]]),  # lanes leave
        ([3], [[2]]),
        ([3, 1, 0, 2], [[0, 1], [2, 0], [1, 2], [0, 0]]),  # lanes change places
        ([2, 2, 0, 0], [[0, 1], [2, 0], [1, 2], [0, 0]]),  # lanes are doubled
    ],
)
def test_select_keeps_what_was_asked_for(model, lanes, hypotheses):
    everyone = torch.arange(4)
    tokens = torch.randint(1, TARGETS, (4, 3, 2), generator=torch.Generator().manual_seed(5))
    later = torch.randint(1, TARGETS, (4, 6), generator=torch.Generator().manual_seed(6))
    _, progress = model.step(model.start(SOURCE, LENGTHS, BEFORE), PREVIOUS[:, :1])
    _, progress = follow(model, model.select(progress, everyone, torch.zeros(4, 3, dtype=torch.long)), tokens)

    kept = model.select(progress, torch.tensor(lanes), torch.tensor(hypotheses))
    many = len(hypotheses[0])
    step, kept = model.step(kept, later[: len(lanes), :many])
    step, _ = model.step(kept, later[: len(lanes), :many].flip(1))

    for row, lane in enumerate(lanes):
        for column, hypothesis in enumerate(hypotheses[row]):
            last = torch.stack([later[row, column], later[row, many - 1 - column]])
            path = torch.cat([PREVIOUS[lane, :1], tokens[lane, hypothesis], last])
            one = slice(lane, lane + 1)
            alone = model.unroll(SOURCE[one, : LENGTHS[lane]], LENGTHS[one], path.unsqueeze(0), BEFORE[one])
            torch.testing.assert_close(step.state[row, column], alone.state[0, -1], **TOLERANCE)
            torch.testing.assert_close(step.context[row, column], alone.context[0, -1], **TOLERANCE)


def test_select_may_keep_nothing(model):
    none = torch.zeros(0, dtype=torch.long)
    progress = model.select(model.start(SOURCE, LENGTHS, BEFORE), none, none.view(0, 3))
    assert model.step(progress, none.view(0, 3))[0].state.shape == (0, 3, model.state_size)


@pytest.mark.parametrize("lanes", [[0], [2, 0], [1, 3]])
def test_put_replaces_what_was_asked_for(model, lanes):
    """Lanes 0 to 2 are under way; others, started elsewhere, take some of their places."""
    everyone, twice = torch.arange(3), torch.zeros(3, 2, dtype=torch.long)
    three, many = slice(3), torch.tensor([[5, 6], [7, 8], [9, 4]])
    under_way = model.select(model.start(SOURCE[three], LENGTHS[three], BEFORE[three]), everyone, twice)
    _, under_way = model.step(under_way, many)
    others = model.start(SOURCE, LENGTHS, BEFORE)
    fresh = model.select(others, torch.tensor(lanes), twice[: len(lanes)])
    _, fresh = model.step(fresh, many[: len(lanes)].flip(1))
    places = torch.arange(len(lanes))
    step, _ = model.step(model.put(under_way, places, fresh), many)
    for row in range(3):
        lane = lanes[row] if row < len(lanes) else row
        one = slice(lane, lane + 1)
        for column in range(2):
            first = many[row].flip(0)[column] if row < len(lanes) else many[row, column]
            path = torch.stack([first, many[row, column]]).unsqueeze(0)
            alone = model.unroll(SOURCE[one, : LENGTHS[lane]], LENGTHS[one], path, BEFORE[one])
            torch.testing.assert_close(step.state[row, column], alone.state[0, -1], **TOLERANCE)
            torch.testing.assert_close(step.context[row, column], alone.context[0, -1], **TOLERANCE)


def test_without_sentences_before_a_document_starts(model):
    nothing = collate_before([[]] * 4)
    one, two = (model.unroll(SOURCE, LENGTHS, PREVIOUS, before) for before in (None, nothing))
    assert_same(one, two)


def test_what_was_before_matters_to_a_model_that_looks_back(model):
    one, two = (model.unroll(SOURCE, LENGTHS, PREVIOUS, before) for before in (None, BEFORE))
    same = one.state.isclose(two.state, **TOLERANCE).all(2).all(1)
    assert same.tolist() == ([False, True, False, False] if model.looks_back else [True] * 4)


def test_rebuild_is_the_step(model):
    step = model.unroll(SOURCE, LENGTHS, PREVIOUS, BEFORE)
    rebuilt = model.rebuild(step.state, step.context, PREVIOUS)
    assert_same(rebuilt, step)
    assert torch.equal(model.predict(rebuilt), model.predict(step))
    assert rebuilt.where(PREVIOUS == BOS).state.shape == (int((PREVIOUS == BOS).sum()), model.state_size)


@pytest.mark.parametrize("name", MODELS)
def test_gradients_reach_every_parameter(name, make_model):
    model = MODELS[name](make_model).train()
    step = model.unroll(SOURCE, LENGTHS, PREVIOUS, BEFORE)
    target = PREVIOUS.roll(-1, 1)
    nll_loss(model.predict(step).flatten(0, 1), target.flatten()).backward()
    for parameter, tensor in model.named_parameters():
        assert tensor.grad is not None, parameter
        assert tensor.grad.isfinite().all(), parameter
        assert tensor.grad.abs().max() > 1e-9, parameter


@pytest.mark.parametrize("name", MODELS)
def test_dropout_is_for_training_only(name, make_model):
    model = MODELS[name](make_model, dropout=0.5, embedding_dropout=0.5)
    with torch.no_grad():
        one, two = (model.unroll(SOURCE, LENGTHS, PREVIOUS, BEFORE) for _ in range(2))
        assert torch.equal(model.predict(one), model.predict(two))
        model.train()
        three = model.unroll(SOURCE, LENGTHS, PREVIOUS, BEFORE)
        assert not torch.equal(one.state, three.state)
        assert not torch.equal(model.predict(one), model.predict(one))


def test_detach_cuts_the_graph(make_model):
    model = make_model()
    step = model.unroll(SOURCE, LENGTHS, PREVIOUS, BEFORE)
    assert step.state.requires_grad
    cut = step.detach()
    assert not cut.state.requires_grad
    assert not cut.previous.requires_grad
    assert torch.equal(cut.context, step.context)
