"""Wang et al. 2017 against the formulas of SPEC 4, sentence by sentence."""

import pytest
import torch
from torch.nn.functional import linear

from recollect.batches.before import collate_before
from recollect.context.hierarchical import HierarchicalRNNSearch, Summariser
from recollect.models.gru import gru_update
from recollect.text.vocabulary import EOS

SOURCE, LENGTHS = torch.tensor([[5, 9, 4, 3], [7, 3, 0, 0]]), torch.tensor([4, 2])
HISTORIES = [[[6, 7], [8], [9, 10, 11]], [[12]]]
BEFORE = collate_before(HISTORIES)
VARIANTS = [{"initial": True}, {"auxiliary": "plain"}, {"auxiliary": "gated"},
            {"initial": True, "auxiliary": "gated"}]  # fmt: skip


def gru(cell, inputs, state):
    """Run a GRU word by word over `inputs` [time, input]; return its states."""
    states = []
    for vector in inputs:
        state = gru_update(cell.gates_input(vector), cell.gates_state(state), state)
        states.append(state)
    return torch.stack(states)


def summary(model, history):
    """D, the slow way: each sentence with its end, then the sentences."""
    cells, zero = model.summariser, torch.zeros(model.state_size)
    embedded = [model.source_embedding(torch.tensor([*sentence, EOS])) for sentence in history]
    return gru(cells.document, [gru(cells.sentence, words, zero)[-1] for words in embedded], zero)[-1]


def test_a_summary_by_hand():
    """All weights 0 but those of the candidates: with z = 1/2, a state is (state + tanh(input)) / 2."""
    cells = Summariser(1, 1)
    with torch.no_grad():
        for parameter in cells.parameters():
            parameter.zero_()
        cells.sentence.gates_input.weight[2] = 1
        cells.document.gates_input.weight[2] = 1
    words = {7: 1.0, 8: -2.0, EOS: 0.5}
    before = collate_before([[[7], [8, 7]], []])

    def embed(ids):
        return torch.tensor([[[words.get(token, 99.0)] for token in row] for row in ids.tolist()])

    tanh = {token: torch.tanh(torch.tensor(value)) for token, value in words.items()}
    first = tanh[7] / 4 + tanh[EOS] / 2
    second = tanh[8] / 8 + tanh[7] / 4 + tanh[EOS] / 2
    expected = [first.tanh() / 4 + second.tanh() / 2, (tanh[EOS] / 2).tanh() / 2]
    torch.testing.assert_close(cells(before, embed), torch.stack(expected).unsqueeze(1))


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_step_follows_the_formulas(make_model, variant):
    model = make_model(build=HierarchicalRNNSearch, **variant).requires_grad_(False)
    progress = model.start(SOURCE, LENGTHS, BEFORE)
    step, _ = model.step(progress, torch.tensor([[2], [8]]))
    zero = torch.zeros(model.state_size)
    for lane, word in enumerate([2, 8]):
        d = summary(model, HISTORIES[lane])
        x = model.source_embedding(SOURCE[lane, : LENGTHS[lane]])
        first = d if model.initial_summary else zero
        ahead, back = model.encoder.forward_gru, model.encoder.backward_gru
        h = torch.cat([gru(ahead, x, first), gru(back, x.flip(0), first).flip(0)], 1)
        s = model.initial(h.mean(0))
        if model.initial_summary is not None:
            joined = torch.cat([model.initial.weight, model.initial_summary.weight], 1)
            s = linear(torch.cat([h.mean(0), d]), joined, model.initial.bias)
        s = torch.tanh(s)
        torch.testing.assert_close(progress.state[lane, 0], s)
        y = model.target_embedding.weight[word]
        query = model.query_state.weight @ s + model.query_word.weight @ y
        alpha = (torch.tanh(model.attention.annotation(h) + query) @ model.attention.energy).softmax(0)
        c = alpha @ h
        inputs = model.gates_word(y) + model.gates_context(c)
        if model.gates_summary is not None:
            added = (model.gates_summary.weight @ d).view(3, -1)
            if model.gate_state is not None:
                g = model.gate_state.weight @ s + model.gate_context.weight @ c + model.gate_summary(d)
                added = torch.sigmoid(g) * added  # the same gate for r, z and h
            inputs = inputs + added.flatten()
        torch.testing.assert_close(step.context[lane, 0], c)
        torch.testing.assert_close(step.state[lane, 0], gru_update(inputs, model.gates_state(s), s))


def test_the_gate_opens_and_closes(make_model):
    """Shut, the model is the sentence model, whatever was before; wide open, it is the plain auxiliary."""
    gated, plain, base = (
        make_model(build=HierarchicalRNNSearch, auxiliary="gated").requires_grad_(False),
        make_model(build=HierarchicalRNNSearch, auxiliary="plain").requires_grad_(False),
        make_model().requires_grad_(False),
    )
    own = dict(gated.named_parameters())
    for other in (plain, base):
        for name, parameter in other.named_parameters():
            parameter.copy_(own[name])
    previous = torch.tensor([[2, 5, 6], [2, 7, 8]])
    for bias, other in ((-1e4, base), (1e4, plain)):
        gated.gate_summary.bias.fill_(bias)
        one, two = (model.unroll(SOURCE, LENGTHS, previous, BEFORE) for model in (gated, other))
        torch.testing.assert_close(one.state, two.state)
        torch.testing.assert_close(gated.predict(one), other.predict(two))


def test_at_first_it_has_the_sentence_models_weights(make_model):
    """Same seed, same weights: what is added is drawn after them."""
    base, rival = make_model(), make_model(build=HierarchicalRNNSearch, initial=True, auxiliary="gated")
    weights = [name for name, _ in base.named_parameters() if not name.endswith("bias")]
    own = dict(rival.named_parameters())
    assert all(torch.equal(own[name], base.get_parameter(name)) for name in weights)
