"""The text that experiments run on: one or more domains, each with training, tuning and test sets."""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator

from recollect.errors import ConfigError, DataError
from recollect.files import fingerprint
from recollect.reproduce.records import Record, check_record, read_toml
from recollect.reproduce.scale import Invented
from recollect.text.corpora import read_parallel, read_versions
from recollect.text.document import ParallelDocument
from recollect.text.invented import invented_corpus, write_plain

__all__ = ["Domain", "EvaluationSet", "invent_domain", "read_corpus"]

SEEDS = {"train": 1, "tune": 2, "test": 3}  # of the invented sets


def _existing(path: Path) -> Path:
    if not path.exists():
        raise ValueError(f"there is no {path}")
    return path


There = Annotated[Path, AfterValidator(_existing)]


class Counted(Record):
    """Text in words, source and target, where the text of a set is not: only for the table of statistics."""

    train: tuple[There, There] | None = None
    tune: tuple[There, There] | None = None
    test: tuple[There, There] | None = None


class Domain(Record):
    """A table of the corpus file; paths are relative to that file."""

    name: str
    source_language: str = ""
    target_language: str = ""
    tokenise: Literal["13a", "moses", "none", "zh", "char"] = "13a"
    """How BLEU tokenises; see `[data] tokenise`."""
    source: There | None = None
    """Training text, one sentence a line."""
    target: There | None = None
    starts: There | None = None
    """Line numbers at which its documents start, if not at empty lines."""
    tune_source: There
    tune_references: tuple[There, ...]
    tune_starts: There | None = None
    tune_spoken: There | None = None
    """A reference in the model's own style, where those to score by are in another."""
    test_source: There
    test_references: tuple[There, ...]
    test_starts: There | None = None
    test_spoken: There | None = None
    shown_source: There | None = None
    """A document that may be published, if the other sets may not: what is quoted is of this one."""
    shown_references: tuple[There, ...] = ()
    prepared: There | None = None
    """What `recollect prepare` made of the training text, if it is to be used."""
    base: str | None = None
    """A trained model (folder or name) whose sentence model serves, instead of training one."""
    counted: Counted = Counted()

    def data_options(self) -> dict[str, Any]:
        """Return the options of `[data]` that models keep."""
        return {
            "data.tokenise": self.tokenise,
            "data.source_language": self.source_language,
            "data.target_language": self.target_language,
        }

    def paths(self) -> dict[str, Any]:
        """Return the options of `[data]` that preparation needs."""
        if self.source is None or self.target is None:
            raise ConfigError(
                f"[{self.name}] needs source and target, or prepared: there is nothing to train on"
            )
        found: dict[str, Any] = {"data.source": str(self.source), "data.target": str(self.target)}
        found |= {"data.starts": str(self.starts)} if self.starts else {}
        found["data.tune_source"] = str(self.tune_source)
        found["data.tune_references"] = [str(path) for path in self.tune_references]
        found |= {"data.tune_starts": str(self.tune_starts)} if self.tune_starts else {}
        return found

    def evaluation(self, name: str) -> "EvaluationSet":
        """Return the tuning or the test set."""
        part = {key: getattr(self, f"{name}_{key}") for key in ("source", "references", "starts", "spoken")}
        return EvaluationSet(**part)

    @property
    def shown(self) -> "EvaluationSet | None":
        """What is quoted instead of the tuning and test sets."""
        if self.shown_source is None:
            return None
        return EvaluationSet(self.shown_source, self.shown_references, None, None)


@dataclass(frozen=True)
class EvaluationSet:
    """A source with its references."""

    source: Path
    references: tuple[Path, ...]
    starts: Path | None
    spoken: Path | None

    @cached_property
    def documents(self) -> list[ParallelDocument]:
        """The set, with the references to score by."""
        return read_parallel(self.source, self.references, self.starts)

    @cached_property
    def spoken_lines(self) -> list[list[str]] | None:
        """The reference in the model's own style, document by document."""
        if self.spoken is None:
            return None
        lines = read_versions(self.spoken)[0]
        sentences = sum(len(document.source) for document in self.documents)
        if len(lines) != sentences:
            lines = [line for line in lines if line]  # empty ones may stand between documents
        if len(lines) != sentences:
            raise DataError(
                f"{self.spoken} has {len(lines)} lines, but {self.source} has {sentences} sentences"
            )
        rest = iter(lines)
        return [[next(rest) for _ in document.source] for document in self.documents]

    @cached_property
    def in_own_style(self) -> list[ParallelDocument]:
        """The set, its first reference in the model's own style."""
        spoken = self.spoken_lines
        if spoken is None:
            return self.documents
        return [
            replace(document, references=(tuple(lines), *document.references))
            for document, lines in zip(self.documents, spoken, strict=True)
        ]

    def identity(self) -> list[str]:
        """Return what tells this set from others: the contents of its files."""
        files = (self.source, *self.references, self.starts, self.spoken)
        return [fingerprint(path) if path else "" for path in files]


def read_corpus(path: Path) -> list[Domain]:
    """Return the domains of a corpus file."""
    tables = read_toml(path)
    if not tables:
        raise ConfigError(f"{path}: there is no domain in it, such as [subtitle]")
    problems, found = [], []
    for name, values in tables.items():
        if not isinstance(values, dict):
            problems.append(f"{path}: {name} stands outside of any domain, such as [subtitle]")
            continue
        try:
            anchored = {"name": name, **_anchored(values, path.parent)}
            found.append(check_record(Domain, anchored, f"{path}: [{name}]"))
        except ConfigError as error:
            problems.append(str(error))
    if problems:
        raise ConfigError("\n".join(problems))
    return found


WORDS = ("source_language", "target_language", "tokenise")


def _anchored(values: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Make relative paths relative to the corpus file."""

    def anchor(name: str, value: Any) -> Any:
        if isinstance(value, list):
            return [anchor(name, each) for each in value]
        if isinstance(value, dict):
            return {key: anchor(key, each) for key, each in value.items()}
        if name == "base":  # may be the name of a built-in model
            return str(folder / value) if (folder / str(value)).exists() else value
        return str(folder / value) if isinstance(value, str) and name not in WORDS else value

    return {name: anchor(name, value) for name, value in values.items()}


def invent_domain(folder: Path, counts: Invented) -> Domain:
    """Write an invented corpus into a folder and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    paths: dict[str, Any] = {}
    for name, seed in SEEDS.items():
        source, target = folder / f"{name}.src", folder / f"{name}.trg"
        write_plain(invented_corpus(getattr(counts, name), seed), source, target)
        if name == "train":
            paths |= {"source": source, "target": target}
        else:
            paths |= {f"{name}_source": source, f"{name}_references": [target]}
    return check_record(Domain, {"name": "invented", "tokenise": "none", **paths}, "the invented corpus")
