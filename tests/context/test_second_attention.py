"""Jean et al. 2017 against the formulas of SPEC 4."""

import pytest
import torch

from recollect.batches.before import collate_before
from recollect.context.second_attention import SecondAttentionRNNSearch
from recollect.models.gru import gru_update
from recollect.text.vocabulary import EOS

SOURCE, LENGTHS = torch.tensor([[5, 9, 4, 3], [7, 3, 0, 0]]), torch.tensor([4, 2])
HISTORIES = [[[6, 7], [9, 10, 11]], [[12]]]
BEFORE = collate_before(HISTORIES)


@pytest.mark.parametrize("told_context", [False, True])
@pytest.mark.parametrize("readout", ["tanh", "maxout"])
def test_a_step_follows_the_formulas(make_model, told_context, readout):
    options = {"told_context": told_context, "readout": readout}
    model = make_model(build=SecondAttentionRNNSearch, **options).requires_grad_(False)
    progress = model.start(SOURCE, LENGTHS, BEFORE)
    step, _ = model.step(progress, torch.tensor([[2], [8]]))
    scores = model.predict(step)
    for lane, word in enumerate([2, 8]):
        last = torch.tensor([[*HISTORIES[lane][-1], EOS]])  # only the sentence just before
        before = model.second_encoder(model.source_embedding(last), torch.tensor([last.shape[1]]))[0]
        h = progress.annotations.vectors[lane, : LENGTHS[lane]]
        s, y = progress.state[lane, 0], model.target_embedding.weight[word]
        query = model.query_state.weight @ s + model.query_word.weight @ y
        alpha = (torch.tanh(model.attention.annotation(h) + query) @ model.attention.energy).softmax(0)
        c = alpha @ h
        query = model.second_query_state.weight @ s
        if told_context:
            query = query + model.second_query_context.weight @ c
        attention = model.second_attention
        alpha = (torch.tanh(attention.annotation(before) + query) @ attention.energy).softmax(0)
        second = alpha @ before
        torch.testing.assert_close(step.context[lane, 0], torch.cat([c, second]))
        inputs = model.gates_word(y) + model.gates_context(c) + model.second_gates(second)
        s = gru_update(inputs, model.gates_state(s), s)
        torch.testing.assert_close(step.state[lane, 0], s)
        o = model.readout.combine(torch.cat([s, c, y])) + model.readout.second.weight @ second
        o = torch.tanh(o) if readout == "tanh" else o.view(-1, 2).amax(1)
        torch.testing.assert_close(scores[lane, 0], model.readout.output(o).log_softmax(0))


def test_a_second_context_that_is_not_used_changes_nothing(make_model):
    base, rival = make_model(), make_model(build=SecondAttentionRNNSearch).requires_grad_(False)
    own = dict(rival.named_parameters())
    with torch.no_grad():
        for name, parameter in base.named_parameters():
            parameter.copy_(own[name])
        rival.second_gates.weight.zero_()
        rival.readout.second.weight.zero_()
        previous = torch.tensor([[2, 5, 6], [2, 7, 8]])
        one, two = (model.unroll(SOURCE, LENGTHS, previous, BEFORE) for model in (rival, base))
        torch.testing.assert_close(one.state, two.state)
        torch.testing.assert_close(rival.predict(one), base.predict(two))
