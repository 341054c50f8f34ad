"""kill -9 at any moment: nothing is lost, and what comes out in the end is the same to the byte."""

import json
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Shell

FINAL = ["pass-one/final.safetensors", "pass-two/final.safetensors", "model/weights.safetensors"]
TRAIN = ("train", "config.toml", "-d", "prepared", "-r")


def kill_when(shell: Shell, ready: Callable[[], bool], *command: str) -> None:
    """Start a command and kill it as soon as `ready`; it must not have ended before."""
    process = shell.start(*command)
    while not ready():
        assert process.poll() is None, "the command ended before it could be killed"
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def logged(run: Path, stage: str) -> int:
    return (
        sum(f'"{stage}"' in line for line in (run / "log.jsonl").read_text().splitlines())
        if run.exists()
        else 0
    )


def assert_same_run(run: Path, undisturbed: Path) -> None:
    for name in FINAL:
        assert (run / name).read_bytes() == (undisturbed / name).read_bytes(), name
    records = [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]
    losses = Counter((record["stage"], record["step"]) for record in records if "loss" in record)
    assert max(losses.values()) == 1
    expected = [json.loads(line) for line in (undisturbed / "log.jsonl").read_text().splitlines()]
    assert [(each["stage"], each["step"], each.get("loss")) for each in records] == [
        (each["stage"], each["step"], each.get("loss")) for each in expected
    ]


@pytest.mark.parametrize("checkpoint", [10, 30, 50])
def test_pass_one(trained: Shell, checkpoint: int) -> None:
    run = trained.folder / f"killed-one-{checkpoint}"
    # Right after a checkpoint appears the next steps are under way.
    reached = run / "pass-one" / "checkpoints" / f"step-{checkpoint:09d}"
    kill_when(trained, reached.exists, *TRAIN, run.name)
    trained.works(*TRAIN, run.name)
    assert_same_run(run, trained.folder / "run")


def test_before_the_first_checkpoint_and_again_and_again(trained: Shell) -> None:
    run = trained.folder / "killed-often"
    kill_when(trained, (run / "config.toml").exists, *TRAIN, run.name)
    for checkpoint in (10, 20, 40):
        kill_when(
            trained, (run / "pass-one" / "checkpoints" / f"step-{checkpoint:09d}").exists, *TRAIN, run.name
        )
    trained.works(*TRAIN, run.name)
    assert_same_run(run, trained.folder / "run")


def test_activations(trained: Shell) -> None:
    run = trained.folder / "killed-activations"
    # From here on, storing takes several chunks of documents; the kill falls after the first.
    stored = run / "activations" / "progress.json"
    kill_when(trained, stored.exists, *TRAIN, run.name)
    trained.works(*TRAIN, run.name)
    assert_same_run(run, trained.folder / "run")
    for name in ("contexts.float32", "states.float32"):
        found, expected = (folder / "activations" / name for folder in (run, trained.folder / "run"))
        assert found.read_bytes() == expected.read_bytes()


@pytest.mark.parametrize("groups", [1, 14])
def test_pass_two(trained: Shell, groups: int) -> None:
    run = trained.folder / f"killed-two-{groups}"
    shutil.copytree(trained.folder / "run", run)
    shutil.rmtree(run / "pass-two")
    shutil.rmtree(run / "model")
    kept = [
        line for line in (run / "log.jsonl").read_text().splitlines(keepends=True) if "pass-two" not in line
    ]
    (run / "log.jsonl").write_text("".join(kept))
    kill_when(trained, lambda: logged(run, "pass-two") >= groups, *TRAIN, run.name)
    assert not (run / "pass-two" / "result.json").exists()
    trained.works(*TRAIN, run.name)
    assert_same_run(run, trained.folder / "run")


@pytest.mark.parametrize("memory", ["--memory", "--no-memory"])
def test_translate(trained: Shell, tmp_path: Path, memory: str) -> None:
    source = tmp_path / "source"
    source.write_text("\n\n".join(["\n".join((trained.folder / "test.src").read_text().split("\n\n"))] * 6))
    expected = trained.works("translate", str(source), "-m", "run", memory)
    output, journal = tmp_path / "out", tmp_path / "out.journal"
    command = ("translate", str(source), "-o", str(output), "-m", "run", memory)
    done = 1
    for more in (2, 40, 80):
        kill_when(trained, lambda done=done, more=more: lines(journal) >= done + more, *command)
        assert not output.exists()
        assert lines(journal) >= done + more  # nothing of what was done is lost
        done = lines(journal)
    with journal.open("a") as handle:
        handle.write('[0, 99, "half a li')  # what a kill in the middle of a write leaves
    trained.works(*command)
    assert output.read_text() == expected
    assert not journal.exists()


def test_a_journal_of_another_translation_is_not_continued(trained: Shell, tmp_path: Path) -> None:
    output, journal = tmp_path / "out", tmp_path / "out.journal"
    command = ("translate", "test.src", "-o", str(output), "-m", "run")
    kill_when(trained, lambda: lines(journal) >= 2, *command)
    assert "interrupted translation of another text or with other options" in trained.fails(
        *command, "--beam", "1"
    )
    trained.works(*command)
