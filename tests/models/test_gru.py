import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from recollect.models.gru import BidirectionalGRU, gru_update, orthogonal_gates


def test_an_update_by_hand():
    """One unit, pre-activations chosen so that reset = 1/2, update = 3/4, candidate = tanh(1 + 1/2 * 2)."""
    log3 = torch.log(torch.tensor(3.0)).item()
    new = gru_update(torch.tensor([1.0, 0.0, 1.0]), torch.tensor([-1.0, log3, 2.0]), torch.tensor([0.4]))
    assert new.item() == pytest.approx(0.25 * torch.tanh(torch.tensor(2.0)).item() + 0.75 * 0.4, abs=1e-6)


def test_an_update_is_that_of_pytorch():
    torch.manual_seed(1)
    cell = nn.GRUCell(3, 4)
    inputs, state = torch.randn(5, 3), torch.randn(5, 4)
    ours = gru_update(
        inputs @ cell.weight_ih.T + cell.bias_ih, state @ cell.weight_hh.T + cell.bias_hh, state
    )
    torch.testing.assert_close(ours, cell(inputs, state), rtol=0, atol=1e-6)


def test_both_directions_are_those_of_pytorch():
    torch.manual_seed(1)
    ours, theirs = BidirectionalGRU(3, 4), nn.GRU(3, 4, batch_first=True, bidirectional=True)
    with torch.no_grad():
        for name, parameter in theirs.named_parameters():
            parameter.normal_()
            gru = ours.backward_gru if name.endswith("_reverse") else ours.forward_gru
            linear = gru.gates_input if "_ih_" in name else gru.gates_state
            getattr(linear, name.split("_")[0]).copy_(parameter)
    inputs, lengths = torch.randn(3, 5, 3), torch.tensor([5, 1, 3])
    packed = pack_padded_sequence(inputs, lengths, batch_first=True, enforce_sorted=False)
    expected, _ = pad_packed_sequence(theirs(packed)[0], batch_first=True)
    real = torch.arange(5) < lengths.unsqueeze(1)
    torch.testing.assert_close(ours(inputs, lengths)[real], expected[real], rtol=0, atol=1e-6)


def test_every_gate_starts_orthogonal():
    weight = torch.zeros(12, 4)
    orthogonal_gates(weight)
    for gate in weight.chunk(3):
        torch.testing.assert_close(gate @ gate.T, torch.eye(4), rtol=0, atol=1e-6)
    assert not torch.equal(weight[:4], weight[4:8])
