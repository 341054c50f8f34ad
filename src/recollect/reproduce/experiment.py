"""An experiment: what the paper claims, the systems that show it, how they are measured, what is expected."""

from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from recollect.errors import ConfigError
from recollect.reproduce.records import Record, check_record, read_toml

__all__ = ["BASE", "Expected", "Experiment", "System", "experiments", "load_experiment"]

BASE = "base"

SetName = Literal["tune", "test"]
Trained = Literal["base", "memory", "further", "joint"]


class System(Record):
    """One row of a table."""

    trained: Trained = "memory"
    """The base itself, a memory on the frozen base, all weights further from the base (rivals, and the base
    for comparison), or all weights jointly with a memory."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Options of the configuration that training depends on."""
    decoding: dict[str, Any] = Field(default_factory=dict)
    """Options that concern translation alone: systems that differ only in these share their training."""


class Expected(Record):
    """What the paper says about two of the systems."""

    system: str
    relation: Literal["above", "like", "below", "beside"]
    """above: better (higher) by the figure; like: no significant difference, or one of less than `within`;
    beside: the paper says nothing of these two, and neither agrees nor disagrees."""
    other: str
    figure: str
    """The name of a column, such as `test_bleu`."""
    within: float | None = None
    """A share of the other's figure that still counts as like."""
    domains: tuple[str, ...] = ()
    """Those that the paper says it of, if not of all."""


class Experiment(Record):
    """All of experiment.toml."""

    name: str
    title: str
    place: str
    """Where in the paper it is: Table 2, footnote 5."""
    claim: str
    """What the paper says, in a sentence."""
    kind: str
    """How it is measured: a name from `recollect.reproduce.kinds`."""
    sets: tuple[SetName, ...] = ("tune",)
    systems: dict[str, System]
    expected: tuple[Expected, ...] = ()
    paper: dict[str, dict[str, dict[str, float | str]]] = Field(default_factory=dict)
    """The paper's own figures: domain -> system -> column."""

    @model_validator(mode="after")
    def _belong_together(self) -> "Experiment":
        for each in self.expected:
            for name in (each.system, each.other):
                if name not in self.systems:
                    raise ValueError(f"expected: there is no system {name!r}")
        return self

    def expected_in(self, domain: str) -> list[Expected]:
        """Return what is expected in a domain."""
        return [each for each in self.expected if domain in (each.domains or (domain,))]


def experiments() -> list[str]:
    """Return the names of all experiments, in the order of the paper."""
    found = {path.parent.name: read_toml(path)["order"] for path in _home().glob("*/experiment.toml")}
    return sorted(found, key=lambda name: (found[name], name))


def load_experiment(name: str) -> Experiment:
    """Return an experiment that comes with the package."""
    path = _home() / name / "experiment.toml"
    if not path.is_file():
        raise ConfigError(
            f"there is no experiment {name!r}; there are: {', '.join(experiments())}, and `all`"
        )
    values = read_toml(path)
    values.pop("order")
    return check_record(Experiment, {"name": name, **values}, f"{name}/experiment.toml")


def _home() -> Path:
    return Path(str(files("recollect"))) / "experiments"
