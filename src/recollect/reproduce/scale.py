"""A scale: how large the models are and how long they are trained, for every experiment alike."""

from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import Field

from recollect.errors import ConfigError
from recollect.reproduce.records import Record, check_record, read_toml

__all__ = ["Invented", "Scale", "SpeedBudget", "load_scale", "scales"]


class Invented(Record):
    """How many documents of each set are invented, where a scale brings its own corpus."""

    train: int
    tune: int
    test: int


class SpeedBudget(Record):
    """How much is done to measure speed."""

    updates: int
    """Of pass one."""
    documents: int
    """That a memory is trained on: with fewer than its lanes, it would look slower than it is."""
    sentences: int
    """Of the test set that are translated."""
    rounds: int
    """The best of so many counts."""
    beam: int = 10
    """The paper's."""


class Scale(Record):
    """All of a scale's file."""

    name: str
    about: str
    """One sentence for the report."""
    preset: str
    invented: Invented | None = None
    options: dict[str, Any] = Field(default_factory=dict)
    """Over the preset, for every system."""
    base: dict[str, Any] = Field(default_factory=dict)
    """And for the base's own training."""
    further: dict[str, Any] = Field(default_factory=dict)
    """And for training of all weights from the base on: rivals, and the base itself for comparison."""
    joint: dict[str, Any] = Field(default_factory=dict)
    """And for training all weights jointly with a memory."""
    validated: bool = True
    """Whether the best of several weights is chosen on the tuning set; if not, the last ones are taken."""
    speed: SpeedBudget


def scales() -> list[str]:
    """Return the names of all scales."""
    return sorted(path.stem for path in _home().glob("*.toml"))


def load_scale(name: str) -> Scale:
    """Return a scale that comes with the package."""
    if name not in scales():
        raise ConfigError(f"there is no scale {name!r}; there are: {', '.join(scales())}")
    return check_record(Scale, {"name": name, **read_toml(_home() / f"{name}.toml")}, f"scale {name}")


def _home() -> Path:
    return Path(str(files("recollect"))) / "scales"
