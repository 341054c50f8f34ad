"""A run's folder: its log after a kill, and the refusal to mix two runs."""

import json
from pathlib import Path

import pytest

from recollect.config import load_config
from recollect.errors import RunError
from recollect.training.run import Run


def told(run: Run) -> list[tuple[str, int]]:
    lines = (run.folder / "log.jsonl").read_text("utf-8").splitlines()
    return [(record["stage"], record["step"]) for record in map(json.loads, lines)]


def test_the_log_forgets_what_will_be_done_again(tmp_path: Path) -> None:
    run = Run.open(tmp_path / "run", load_config(), {"pairs": 3})
    run.rewind("pass-one", 0)  # nothing to forget yet
    for step in (50, 100, 150):
        run.log("pass-one", step, {"loss": 1.0})
    run.log("pass-two", 200, {"loss": 1.0})
    with (run.folder / "log.jsonl").open("a") as handle:
        handle.write('{"stage": "pass-two", "st')
    Run(run.folder).rewind("pass-one", 100)
    assert told(run) == [("pass-one", 50), ("pass-one", 100), ("pass-two", 200)]
    run.log("pass-one", 150, {"loss": 1.0})
    assert told(run)[-1] == ("pass-one", 150)


def test_what_is_measured_again_is_not_told_twice(tmp_path: Path) -> None:
    run = Run.open(tmp_path / "run", load_config(), {})
    run.log("pass-two", 7, {"loss": 1.0})
    run.log("pass-two", 7, {"tune_bleu": 3.0})
    again = Run(run.folder)  # killed after the validation, before the next checkpoint
    again.rewind("pass-two", 7)
    again.log("pass-two", 7, {"tune_bleu": 3.0})
    again.log("pass-two", 9, {"loss": 0.5})
    assert told(run) == [("pass-two", 7), ("pass-two", 7), ("pass-two", 9)]


def test_results_mark_a_stage_as_finished(tmp_path: Path) -> None:
    run = Run.open(tmp_path / "run", load_config(), {})
    assert run.result("pass-one") is None
    run.finish("pass-one", {"step": 3})
    assert Run.open(tmp_path / "run", load_config(), {}).result("pass-one") == {"step": 3}


def test_another_configuration_or_other_data_are_refused(tmp_path: Path) -> None:
    config = load_config(overrides=["memory.size=3"])
    Run.open(tmp_path / "run", config, {"pairs": 3})
    Run.open(tmp_path / "run", config, {"pairs": 3})
    with pytest.raises(RunError, match=r"seed is 1 there and 2 now.*resume it as it was, or choose another"):
        Run.open(tmp_path / "run", load_config(overrides=["memory.size=3", "seed=2"]), {"pairs": 3})
    with pytest.raises(RunError, match=r"memory.size is 3 there and 25 now \(and 1 more differ\)"):
        Run.open(tmp_path / "run", load_config(overrides=["seed=2"]), {"pairs": 3})
    with pytest.raises(RunError, match=r"data.json.*pairs is 3 there and 4 now"):
        Run.open(tmp_path / "run", config, {"pairs": 4})


def test_the_environment_is_told(tmp_path: Path) -> None:
    Run.open(tmp_path / "run", load_config(), {})
    environment = json.loads((tmp_path / "run" / "environment.json").read_text("utf-8"))
    assert {
        "command",
        "python",
        "platform",
        "processors",
        "threads",
        "commit",
        "packages",
    } <= environment.keys()
    assert environment["packages"]["torch"]
