"""Writes docs/reference/ from the code itself: the commands and the options; `--check` only compares."""

import os
import subprocess
import sys
from pathlib import Path

from recollect.config import Config

FOLDER = Path(__file__).parent / "reference"


def command_line() -> str:
    """Return all of `recollect --help` and of its commands' help as Markdown."""
    typer = [sys.executable, "-m", "typer", "--app", "app", "recollect.cli"]
    docs = ["utils", "docs", "--name", "recollect", "--title", "The command line"]
    utf8 = os.environ | {"PYTHONUTF8": "1"}
    answer = subprocess.run(typer + docs, env=utf8, check=True, stdout=subprocess.PIPE, encoding="utf-8")
    return answer.stdout.strip() + "\n"


def options() -> str:
    """Return every option of the configuration with its default and meaning as Markdown."""
    lines = [
        "# Options",
        "",
        "Of a TOML file, a preset, or `--set section.option=value`. What a preset says wins over the",
        "defaults given here.",
        "",
        f"`seed` (default {Config().seed}): {Config.model_fields['seed'].description}",
    ]
    for name, field in Config.model_fields.items():
        section = field.annotation
        if name == "seed" or section is None:
            continue
        lines += [
            "",
            f"## [{name}]",
            "",
            section.__doc__ or "",
            "",
            "| option | default | meaning |",
            "| --- | --- | --- |",
        ]
        for option, known in section.model_fields.items():
            default = "" if known.default is None else f"`{known.default}`".lower().replace("`()`", "")
            meaning = " ".join((known.description or "").split())  # a row is one line
            lines.append(f"| `{option}` | {default} | {meaning} |")
    return "\n".join(lines) + "\n"


PAGES = {FOLDER / "cli.md": command_line, FOLDER / "options.md": options}


def main(arguments: list[str]) -> int:
    """Write the pages, or with `--check` compare them; return the exit status."""
    if arguments not in ([], ["--check"]):
        print("usage: python docs/build.py [--check]", file=sys.stderr)
        return 2
    stale = []
    for path, make in PAGES.items():
        page = make()
        if not arguments:
            path.parent.mkdir(exist_ok=True)
            path.write_text(page, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != page:
            stale.append(path.name)
    if stale:
        print(f"docs/reference: {', '.join(stale)} not as the code says: run `make docs`.", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
