"""The documentation says what the command line says, and its links lead somewhere."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from recollect.cli import app

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def commands(command: Any, name: str = "recollect") -> Iterator[tuple[str, Any]]:
    """Yield a command and all below it, by their full names."""
    yield name, command
    for child, below in getattr(command, "commands", {}).items():
        yield from commands(below, f"{name} {child}")


COMMANDS = dict(commands(typer.main.get_command(app)))


def test_reference_is_fresh() -> None:
    answer = subprocess.run(
        [sys.executable, ROOT / "docs" / "build.py", "--check"], capture_output=True, text=True
    )
    assert answer.returncode == 0, answer.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_command_and_all_its_parameters_have_help(name: str) -> None:
    command = COMMANDS[name]
    assert command.help, f"`{name}` has no help"
    silent = [parameter.name for parameter in command.params if not getattr(parameter, "help", None)]
    assert not silent, f"`{name}` does not explain {', '.join(silent)}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = [target.split("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text)]
    local = [target for target in targets if target and not re.match(r"[a-z]+:", target)]
    broken = [target for target in local if not (page.parent / target).exists()]
    assert not broken
