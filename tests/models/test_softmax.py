import pytest
import torch
from torch.nn.functional import cross_entropy

from recollect.models import softmax
from recollect.models.softmax import score_tokens


@pytest.fixture(autouse=True)
def small_buffer(monkeypatch):
    """Several buffers' worth of places, the last one not full."""
    monkeypatch.setattr(softmax, "LOGITS_AT_ONCE", 3 * 11)


def inputs(places=7, tokens=11, size=4):
    torch.manual_seed(1)
    made = (torch.randn(places, size), torch.randn(tokens, size), torch.randn(tokens))
    return *(each.double().requires_grad_() for each in made), torch.randint(tokens, (places,))


def expected(vectors, weight, bias, targets, smoothing):
    logits = vectors @ weight.T + bias
    return -cross_entropy(logits, targets, label_smoothing=smoothing, reduction="none")


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("factors", ["equal", "various"])
def test_scores_and_gradients_are_those_of_cross_entropy(smoothing, factors):
    factors = torch.full((7,), 0.3) if factors == "equal" else torch.linspace(-1, 2, 7)
    gradients = []
    for score in (score_tokens, expected):
        vectors, weight, bias, targets = inputs()
        scores = score(vectors, weight, bias, targets, smoothing)
        (scores * factors).sum().backward()
        gradients.append((scores.detach(), vectors.grad, weight.grad, bias.grad))
    for ours, theirs in zip(*gradients, strict=True):
        torch.testing.assert_close(ours, theirs)


def test_frozen_weights_get_no_gradient():
    vectors, weight, bias, targets = inputs()
    score_tokens(vectors, weight.requires_grad_(False), bias.requires_grad_(False), targets).sum().backward()
    assert vectors.grad is not None
    assert weight.grad is None
    assert bias.grad is None


def test_hopeless_tokens_have_a_finite_score():
    weight = torch.tensor([[500.0], [-500.0]])
    scores = score_tokens(torch.ones(2, 1), weight, torch.zeros(2), torch.tensor([0, 1]))
    torch.testing.assert_close(scores, torch.tensor([0.0, -1000.0]))
