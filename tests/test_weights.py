"""Weights in a file: what is written comes back, as exactly as it was asked for."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from recollect.errors import ModelError
from recollect.weights import read_weights, write_weights

NUMBERS = torch.Generator().manual_seed(4)
WEIGHTS = {
    "matrix": torch.randn(7, 50, generator=NUMBERS) * torch.logspace(-6, 3, 7).unsqueeze(1),
    "nothing": torch.zeros(2, 3),
    "bias": torch.randn(50, generator=NUMBERS),
    "scalar": torch.tensor(1.5),
}


def test_bytes_come_back_to_half_a_step_of_their_row(tmp_path: Path) -> None:
    write_weights(WEIGHTS, tmp_path / "w", "int8")
    found = read_weights(tmp_path / "w")
    assert found.keys() == WEIGHTS.keys()
    step = WEIGHTS["matrix"].abs().amax(1, keepdim=True) / 127
    assert bool(((found["matrix"] - WEIGHTS["matrix"]).abs() <= 0.501 * step).all())
    assert torch.equal(found["nothing"], WEIGHTS["nothing"])
    torch.testing.assert_close(found["bias"].float(), WEIGHTS["bias"], rtol=1e-3, atol=0)
    assert load_file(tmp_path / "w")["matrix"].dtype == torch.int8
    write_weights(found, tmp_path / "again", "int8")  # nothing is lost a second time
    torch.testing.assert_close(read_weights(tmp_path / "again")["matrix"], found["matrix"], rtol=1e-6, atol=0)


def test_bytes_take_half_of_half_precision(tmp_path: Path) -> None:
    matrix = {"matrix": torch.randn(256, 512, generator=NUMBERS)}
    for stored in ("float16", "int8"):
        write_weights(matrix, tmp_path / stored, stored)
    assert (tmp_path / "int8").stat().st_size < 0.52 * (tmp_path / "float16").stat().st_size


def test_other_precisions_come_back_as_they_are(tmp_path: Path) -> None:
    write_weights(WEIGHTS, tmp_path / "w")
    for name, tensor in read_weights(tmp_path / "w").items():
        assert torch.equal(tensor, WEIGHTS[name])
    write_weights(WEIGHTS, tmp_path / "half", "float16")
    assert {each.dtype for each in read_weights(tmp_path / "half").values()} == {torch.float16}
    assert (tmp_path / "half").stat().st_mode & 0o444 == 0o444


def test_a_damaged_file_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no weights")
    with pytest.raises(ModelError, match="cannot be read"):
        read_weights(tmp_path / "text")
    save_file({"matrix": torch.ones(2, 2, dtype=torch.int8)}, tmp_path / "half-there")
    with pytest.raises(ModelError, match="matrix is kept as bytes, but its factors are missing"):
        read_weights(tmp_path / "half-there")
