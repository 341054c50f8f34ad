"""A run's folder: what was asked, on what machine, with what data, and what happened."""

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from recollect.config import Config, load_config
from recollect.errors import RunError
from recollect.files import whole_file

__all__ = ["Run", "code_commit"]


class Run:
    """The folder of one training run; opening it again resumes it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._events: Any = None
        self._told: set[tuple[str, ...]] = set()

    @classmethod
    def open(cls, folder: Path, config: Config, data: Mapping[str, Any]) -> "Run":
        """Make the folder, or go on in it if it holds the very same run."""
        run = cls(folder)
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / "config.toml").exists():
            stored = load_config(folder / "config.toml").options()
            if config.pass_one.schedule != "cosine":  # the only one whose first steps depend on the last
                stored["pass_one.max_steps"] = config.pass_one.max_steps
            _check_same(folder / "config.toml", stored, config.options())
            _check_same(folder / "data.json", json.loads((folder / "data.json").read_text("utf-8")), data)
        for name, text in (("data.json", json.dumps(data, indent=2)), ("config.toml", config.to_toml())):
            with whole_file(folder / name) as draft:
                draft.write_text(text, "utf-8")
        with whole_file(folder / "environment.json") as draft:
            draft.write_text(json.dumps(_environment(), indent=2), "utf-8")
        return run

    def log(self, stage: str, step: int, figures: Mapping[str, Any]) -> None:
        """Append one line to log.jsonl, and to TensorBoard's events where that is installed."""
        record = {"stage": stage, "step": step, "time": round(time.time(), 1), **figures}
        if _kind(record) in self._told:
            return  # by the process that was killed between this line and its next checkpoint
        with (self.folder / "log.jsonl").open("a", encoding="utf-8") as handle:
            handle.write(json.dumps(record) + "\n")
        writer = self._event_writer()
        if writer is not None:
            for name, value in figures.items():
                if isinstance(value, int | float):
                    writer.add_scalar(f"{stage}/{name}", value, step)

    def rewind(self, stage: str, step: int) -> None:
        """Drop the lines of `stage` after `step`: the work they tell of is about to be done again.

        What is done again at `step` itself (a validation, say) is not told twice.
        """
        path = self.folder / "log.jsonl"
        if not path.exists():
            return
        kept: list[str] = []
        self._told.clear()
        for line in path.read_text("utf-8").splitlines():
            try:
                record = json.loads(line)
            except ValueError:  # the line that was being written when the run was killed
                continue
            if record["stage"] != stage or record["step"] <= step:
                kept.append(line + "\n")
                self._told.add(_kind(record))
        with whole_file(path) as draft:
            draft.write_text("".join(kept), "utf-8")

    def result(self, stage: str) -> dict[str, Any] | None:
        """Return what a finished stage came to, or None."""
        path = self.folder / stage / "result.json"
        return json.loads(path.read_text("utf-8")) if path.exists() else None

    def finish(self, stage: str, figures: Mapping[str, Any]) -> None:
        """Mark a stage as finished."""
        with whole_file(self.folder / stage / "result.json") as draft:
            draft.write_text(json.dumps(figures, indent=2), "utf-8")
        if self._events:
            self._events.flush()

    def _event_writer(self) -> Any:
        if self._events is None:
            try:
                from torch.utils.tensorboard import SummaryWriter
            except ImportError:
                self._events = False
            else:
                self._events = SummaryWriter(str(self.folder / "events"))
        return self._events or None


def _kind(record: Mapping[str, Any]) -> tuple[str, ...]:
    """What a line tells of: stage, step and the names of its figures."""
    return record["stage"], str(record["step"]), *sorted(record)


def _check_same(path: Path, stored: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    """Refuse to go on in the folder of another run, naming what differs."""
    differing = sorted(name for name in stored.keys() | asked.keys() if stored.get(name) != asked.get(name))
    if differing:
        name = differing[0]
        raise RunError(
            f"{path}: this folder holds another run: "
            f"{name} is {stored.get(name)!r} there and {asked.get(name)!r} now"
            f"{f' (and {len(differing) - 1} more differ)' if len(differing) > 1 else ''}; "
            "resume it as it was, or choose another folder"
        )


def _environment() -> dict[str, Any]:
    from importlib.metadata import version

    packages = ("recollect", "torch", "numpy", "safetensors", "sentencepiece", "sacrebleu")
    return {
        "command": sys.argv,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "processors": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "commit": code_commit(),
        "packages": {name: version(name) for name in packages},
    }


def code_commit() -> str | None:
    """Return the commit of the code, where it runs from a checkout."""
    here = Path(__file__).parent
    answer = subprocess.run(
        ["git", "-C", str(here), "describe", "--always", "--dirty"],
        capture_output=True,
        text=True,
        check=False,
    )
    return answer.stdout.strip() or None
