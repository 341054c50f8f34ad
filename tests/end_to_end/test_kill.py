"""kill -9 at any moment: nothing is lost, and what comes out in the end is the same to the byte."""

import json
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from shell import Shell

FINAL = ["pass-one/final.safetensors", "pass-two/final.safetensors", "model/weights.safetensors"]
TRAIN = ("train", "config.toml", "-d", "prepared", "-r")
DOCUMENTS = 80  # of the training corpus


def kill_when(shell: Shell, ready: Callable[[], bool], *command: str, delay: float = 0) -> None:
    """Start a command and kill it as soon as `ready` (or a little later); it must not have ended before."""
    process = shell.start(*command)
    while not ready():
        assert not process.ended, f"ended before it could be killed: {process.wait().err}"
    time.sleep(delay)
    process.kill()


def records(run: Path) -> list[dict[str, object]]:
    path = run / "log.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def logged(run: Path, stage: str) -> int:
    """How many whole lines tell of a stage; the last line may be half written."""
    path = run / "log.jsonl"
    return path.read_text().count(f'{{"stage": "{stage}"') if path.exists() else 0


def assert_same_run(run: Path, undisturbed: Path) -> None:
    """The same weights, the same log without a line twice, and nothing half made left over."""
    for name in FINAL:
        assert (run / name).read_bytes() == (undisturbed / name).read_bytes(), name

    def told(folder: Path) -> list[object]:
        timeless = ("time", "tokens_per_second", "cpu_seconds")
        return [{name: each[name] for name in each if name not in timeless} for each in records(folder)]

    assert told(run) == told(undisturbed)
    assert not [path for path in run.rglob(".*") if not path.name.startswith(".tmp")]
    assert not [path for path in run.rglob("*") if path.suffix in (".pt", ".pth", ".pkl", ".pickle", ".bin")]


def rewound(trained: Shell, name: str, *later: str) -> Path:
    """A copy of the finished run as it was before the stages of `later`."""
    run = trained.folder / name
    shutil.copytree(trained.folder / "run", run)
    for part in later:
        shutil.rmtree(run / part)
    kept = [
        line for line in (run / "log.jsonl").read_text().splitlines(keepends=True) if "pass-two" not in line
    ]
    (run / "log.jsonl").write_text("".join(kept))
    return run


def test_pass_one(trained: Shell) -> None:
    run = trained.folder / "killed-one"
    result = run / "pass-one" / "result.json"
    moments = [
        (run / "config.toml").exists,  # before the first checkpoint
        (run / "pass-one" / "checkpoints" / "step-000000015").exists,
        lambda: logged(run, "pass-one") >= 1,  # validated at step 20, not yet at a checkpoint
        (run / "pass-one" / "checkpoints" / "step-000000030").exists,
        lambda: logged(run, "pass-one") >= 2,
        lambda: logged(run, "pass-one") >= 3,
    ]
    for ready in moments:
        kill_when(trained, ready, *TRAIN, run.name)
        assert not result.exists()
    trained.works(*TRAIN, run.name)
    assert_same_run(run, trained.folder / "run")


def test_pass_one_by_the_console_script(trained: Shell) -> None:
    run = trained.folder / "killed-console"
    process = trained.console(*TRAIN, run.name)
    while not (run / "pass-one" / "checkpoints" / "step-000000030").exists():
        assert process.poll() is None
    process.kill()
    assert process.wait() == -9
    assert not (run / "pass-one" / "result.json").exists()
    trained.works(*TRAIN, run.name)
    assert_same_run(run, trained.folder / "run")


def stored(run: Path) -> int:
    """How many documents' activations are known to be on disk."""
    path = run / "activations" / "progress.json"
    return json.loads(path.read_text())["done"] if path.exists() else 0


def test_activations(trained: Shell) -> None:
    for attempt in range(10):  # storing takes a fraction of a second: on a busy machine a kill may be late
        run = rewound(trained, f"killed-activations-{attempt}", "activations", "pass-two", "model")
        kill_when(trained, (run / "activations" / "contexts.float32").exists, *TRAIN, run.name)
        kill_when(trained, lambda run=run: stored(run) >= 16, *TRAIN, run.name)
        if 16 <= stored(run) < DOCUMENTS:
            break
    assert 16 <= stored(run) < DOCUMENTS, "no kill came in time to tell anything"
    trained.works(*TRAIN, run.name)
    assert_same_run(run, trained.folder / "run")
    for name in ("contexts.float32", "states.float32"):
        found, expected = (folder / "activations" / name for folder in (run, trained.folder / "run"))
        assert found.read_bytes() == expected.read_bytes()


def test_pass_two(trained: Shell) -> None:
    run = rewound(trained, "killed-two", "pass-two", "model")
    for lines, delay in (
        (1, 0.0),
        (3, 0.03),
        (8, 0.0),
        (9, 0.0),
        (12, 0.02),
    ):  # the ninth tells the validation
        kill_when(
            trained, lambda lines=lines: logged(run, "pass-two") >= lines, *TRAIN, run.name, delay=delay
        )
        assert not (run / "pass-two" / "result.json").exists()
    trained.works(*TRAIN, run.name)
    assert_same_run(run, trained.folder / "run")


def test_random_moments(trained: Shell) -> None:
    run = trained.folder / "killed-anywhere"
    chance = random.Random(5)
    for _ in range(7):
        process = trained.start(*TRAIN, run.name)
        time.sleep(chance.uniform(0.2, 1.5))
        process.kill()
    trained.works(*TRAIN, run.name)
    assert_same_run(run, trained.folder / "run")


@pytest.mark.parametrize(
    "options", [(), ("--no-memory",), ("--history", "long.trg"), ("--set", "memory.carry=true")]
)
def test_translate(trained: Shell, tmp_path: Path, options: tuple[str, ...]) -> None:
    for side in ("src", "trg"):
        text = (trained.folder / f"test.{side}").read_text()
        (trained.folder / f"long.{side}").write_text("\n".join([text] * 5))
    expected = trained.works("translate", "long.src", "-m", "run", *options)
    output, journal = tmp_path / "out", tmp_path / "out.journal"
    command = ("translate", "long.src", "-o", str(output), "-m", "run", *options)
    done = 1
    for more in (2, 30, 60):
        kill_when(trained, lambda done=done, more=more: lines(journal) >= done + more, *command)
        assert not output.exists()
        assert lines(journal) >= done + more  # nothing of what was done is lost
        done = lines(journal)
    with journal.open("a") as handle:
        handle.write('[0, 99, "half a li')  # what a kill in the middle of a write leaves
    trained.works(*command)
    assert output.read_text() == expected
    assert [item.name for item in tmp_path.iterdir()] == ["out"]


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_a_journal_of_another_translation_is_not_continued(trained: Shell, tmp_path: Path) -> None:
    (tmp_path / "starts").write_text("1\n3\n")
    output, journal = tmp_path / "out", tmp_path / "out.journal"
    command = ("translate", "test.src", "-o", str(output), "-m", "run")
    kill_when(trained, lambda: lines(journal) >= 2, *command)
    kept = journal.read_bytes()
    for other in (("--beam", "1"), ("--no-memory",), ("--starts", str(tmp_path / "starts"))):
        said = trained.fails(*command, *other)
        assert "interrupted translation of another text or with other options" in said
    assert journal.read_bytes() == kept
    trained.works(*command)
