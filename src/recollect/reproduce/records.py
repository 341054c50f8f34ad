"""Records read from TOML files, every mistake answered in a line that names its place."""

import tomllib
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from recollect.errors import ConfigError

__all__ = ["Record", "check_record", "read_toml"]


class Record(BaseModel):
    """A table of a TOML file; what it does not know is a mistake."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


Kind = TypeVar("Kind", bound=Record)


def read_toml(path: Path) -> dict[str, Any]:
    """Return what is in a file."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such file") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from None


def check_record(kind: type[Kind], values: Any, where: str) -> Kind:
    """Return the record; all that is wrong with it is said at once."""
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        lines = []
        for item in error.errors():
            place = ".".join(str(part) for part in item["loc"])
            if item["type"] == "extra_forbidden":
                lines.append(f"{where}: there is no {place}; there are: {', '.join(kind.model_fields)}")
            elif item["type"] == "missing":
                lines.append(f"{where}: {place} is missing")
            else:
                lines.append(
                    f"{where}: {f'{place}: ' if place else ''}{item['msg'].removeprefix('Value error, ')}"
                )
        raise ConfigError("\n".join(lines)) from None
