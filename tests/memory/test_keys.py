"""Keys: parts of a step, centred, whitened, of length one."""

import pytest
import torch

from recollect.memory.keys import Key

SOURCE, LENGTHS = torch.tensor([[5, 9, 4, 3], [7, 3, 0, 0]]), torch.tensor([4, 2])
PREVIOUS = torch.tensor([[2, 5, 6, 7], [2, 8, 9, 10]])


@pytest.fixture
def step(make_model):
    return make_model().unroll(SOURCE, LENGTHS, PREVIOUS).detach()


def test_parts_stand_side_by_side(make_model, step):
    model = make_model()
    key = Key(("state", "readout"), (5, 6), scaled=False)
    found = key(step, model)
    assert key.size == found.shape[-1] == 11
    assert torch.equal(found[..., :5], step.state)
    assert torch.equal(found[..., 5:], model.readout_vector(step))
    assert not list(key.parameters())


def test_the_readout_is_what_words_are_chosen_by(make_model, step):
    model = make_model().eval()
    logits = model.readout.output(model.readout_vector(step))
    torch.testing.assert_close(logits.log_softmax(-1), model.predict(step))


def test_scaled_keys_are_centred_and_of_length_one():
    torch.manual_seed(1)
    vectors = torch.randn(4000, 3) * torch.tensor([10.0, 1.0, 0.1]) + torch.tensor([5.0, -2.0, 100.0])
    plain, white = (Key(("state",), (3,), scaled=True, whitened=size) for size in (0, 2))
    for key in (plain, white):
        key.fit(vectors)
        torch.testing.assert_close(key.mean.data, vectors.mean(0))
        assert not any(parameter.requires_grad for parameter in key.parameters())
    evened = (vectors - white.mean) @ white.whitening.T
    assert evened.shape == (4000, 2)
    torch.testing.assert_close(evened.var(0), torch.ones(2), rtol=0.05, atol=0.05)
    covariance = (evened.T @ evened / len(evened))[0, 1]
    assert abs(float(covariance)) < 1e-3


def test_directions_of_next_to_no_variance_are_not_blown_up():
    torch.manual_seed(1)
    vectors = torch.randn(1000, 2) * torch.tensor([1.0, 1e-6])
    key = Key(("state",), (2,), scaled=True, whitened=2)
    key.fit(vectors)
    assert ((vectors - key.mean) @ key.whitening.T).var(0)[1] < 1e-6


def test_unscaled_keys_have_nothing_to_fit():
    key = Key(("state",), (2,), scaled=False)
    key.fit(torch.randn(5, 2))
    assert not list(key.parameters())
