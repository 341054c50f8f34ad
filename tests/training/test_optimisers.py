from itertools import pairwise
from pathlib import Path

import pytest
import torch
from torch import nn

from recollect.errors import RunError
from recollect.training.checkpoints import (
    Checkpoints,
    Trainee,
    average_weights,
    load_weights,
    save_weights,
)
from recollect.training.optimisers import learning_rate, make_optimiser, update


@pytest.mark.parametrize(
    ("schedule", "step", "expected"),
    [
        ("constant", 5, 0.5),
        ("constant", 10, 1.0),
        ("constant", 99, 1.0),
        ("inverse-sqrt", 5, 0.5),
        ("inverse-sqrt", 40, 0.5),
        ("cosine", 5, 0.5),
        ("cosine", 10, 1.0),
        ("cosine", 60, 0.505),
        ("cosine", 110, 0.01),
    ],
)
def test_schedules(schedule: str, step: int, expected: float) -> None:
    rate = learning_rate(step, peak=1.0, schedule=schedule, warmup=10, steps=110)
    assert rate == pytest.approx(expected)


def trainee(kind: str) -> Trainee:
    torch.manual_seed(3)
    module = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 1))
    return Trainee(module, make_optimiser(kind, module.parameters(), 0.1))


def steps(one: Trainee, first: int, last: int) -> None:
    for step in range(first, last):
        inputs = torch.randn(8, 4, generator=torch.Generator().manual_seed(step))
        (one.module(inputs) - inputs[:, :1]).square().mean().backward()
        update(one.optimiser, one.parameters, 0.1, 1.0)


@pytest.mark.parametrize("kind", ["adam", "adadelta"])
def test_training_goes_on_from_a_checkpoint_as_if_nothing_had_happened(kind: str, tmp_path: Path) -> None:
    undisturbed = trainee(kind)
    steps(undisturbed, 0, 20)
    one = trainee(kind)
    steps(one, 0, 9)
    Checkpoints(tmp_path).save(9, one, {"step": 9})
    other = trainee(kind)
    steps(other, 50, 53)  # whatever state it is in, the checkpoint replaces it
    assert Checkpoints(tmp_path).restore(other) == {"step": 9}
    steps(other, 9, 20)
    for expected, found in zip(undisturbed.parameters, other.parameters, strict=True):
        assert torch.equal(expected, found)


def test_only_whole_checkpoints_are_picked_up_and_the_oldest_go(tmp_path: Path) -> None:
    one = trainee("adam")
    steps(one, 0, 1)
    checkpoints = Checkpoints(tmp_path, keep=2)
    assert checkpoints.restore(one) is None
    for step in (1, 2, 3):
        checkpoints.save(step, one, {"step": step})
    half = tmp_path / ".step-000000004.draft"
    half.mkdir()
    (half / "weights.safetensors").write_bytes(b"half")
    assert checkpoints.restore(one) == {"step": 3}
    assert sorted(item.name for item in tmp_path.glob("step-*")) == ["step-000000002", "step-000000003"]


def test_a_damaged_checkpoint_is_named(tmp_path: Path) -> None:
    one = trainee("adam")
    steps(one, 0, 1)
    Checkpoints(tmp_path).save(1, one, {"step": 1})
    (tmp_path / "step-000000001" / "weights.safetensors").write_bytes(b"\x00" * 20)
    with pytest.raises(RunError, match="step-000000001"):
        Checkpoints(tmp_path).restore(one)


def test_average_is_the_mean(tmp_path: Path) -> None:
    module = nn.Linear(2, 2)
    paths = [tmp_path / f"{number}.safetensors" for number in range(3)]
    for number, path in enumerate(paths):
        nn.init.constant_(module.weight, float(number))
        nn.init.constant_(module.bias, 3.0 * number)
        save_weights(module, path)
    average_weights(paths, tmp_path / "mean.safetensors")
    load_weights(module, tmp_path / "mean.safetensors")
    assert module.weight.tolist() == [[1, 1], [1, 1]]
    assert module.bias.tolist() == [3, 3]


def test_adadelta_is_the_papers() -> None:
    options = make_optimiser("adadelta", nn.Linear(1, 1).parameters(), 1.0).param_groups[0]
    assert (options["lr"], options["rho"], options["eps"]) == (1.0, 0.95, 1e-6)


def test_update_clips_steps_and_clears() -> None:
    parameter = nn.Parameter(torch.tensor([3.0, 4.0]))
    optimiser = torch.optim.SGD([parameter], lr=99.0)
    parameter.grad = torch.tensor([6.0, 8.0])
    assert update(optimiser, [parameter], rate=0.5, clip=1.0) == pytest.approx(10)
    assert parameter.tolist() == pytest.approx([3 - 0.5 * 0.6, 4 - 0.5 * 0.8])
    assert parameter.grad is None


def test_a_trapezoid_stays_up_and_then_falls_in_a_line():
    rates = [
        learning_rate(step, peak=1.0, schedule="trapezoid", warmup=2, steps=10, cooldown=3)
        for step in range(1, 13)
    ]
    assert rates == [0.5, *[1.0] * 6, 0.75, 0.5, 0.25, 0.01, 0.01]


@pytest.mark.parametrize("schedule", ["constant", "inverse-sqrt", "cosine", "trapezoid"])
def test_schedules_without_warm_up_begin_at_the_peak_and_never_rise(schedule: str) -> None:
    rates = [learning_rate(step, peak=2.0, schedule=schedule, warmup=0, steps=50) for step in range(1, 80)]
    assert rates[0] == pytest.approx(2.0, rel=0.002)
    assert all(later <= earlier for earlier, later in pairwise(rates))
    assert rates[-1] > 0


def test_weights_of_another_model_are_refused(tmp_path: Path) -> None:
    save_weights(nn.Linear(2, 3), tmp_path / "weights.safetensors")
    with pytest.raises(ValueError, match=r"weight has shape \(3, 2\), not \(3, 4\)"):
        load_weights(nn.Linear(4, 3), tmp_path / "weights.safetensors")
    with pytest.raises(ValueError, match=r"parameters differ: \['bias'\]"):
        load_weights(nn.Linear(2, 3, bias=False), tmp_path / "weights.safetensors")
