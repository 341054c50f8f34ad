"""Writes docs/reference/cli.md from the command line's own help; `--check` only says whether it is stale."""

import os
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parent / "reference" / "cli.md"


def command_line() -> str:
    """Return all of `recollect --help` and of its commands' help as Markdown."""
    typer = [sys.executable, "-m", "typer", "--app", "app", "recollect.cli"]
    docs = ["utils", "docs", "--name", "recollect", "--title", "The command line"]
    utf8 = os.environ | {"PYTHONUTF8": "1"}
    answer = subprocess.run(typer + docs, env=utf8, check=True, stdout=subprocess.PIPE, encoding="utf-8")
    return answer.stdout.strip() + "\n"


def main(arguments: list[str]) -> int:
    """Write the page, or with `--check` compare it; return the exit status."""
    if arguments not in ([], ["--check"]):
        print("usage: python docs/build.py [--check]", file=sys.stderr)
        return 2
    page = command_line()
    if not arguments:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(page, encoding="utf-8")
        return 0
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page:
        print("docs/reference/cli.md is not what `recollect --help` says: run `make docs`.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
