"""The tutorial's commands, run one after the other as a reader would."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tutorial" / "README.md"


def commands() -> list[str]:
    blocks = re.findall(r"```bash\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line]


def test_every_command_of_the_tutorial_works(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    printed = {}
    for command in commands():
        answer = subprocess.run(
            command, shell=True, cwd=tmp_path, env=os.environ | {"PATH": path}, capture_output=True, text=True
        )
        assert answer.returncode == 0, f"{command}\n{answer.stderr}"
        printed[command] = answer.stdout
    scored = next(text for command, text in printed.items() if command.startswith("recollect score"))
    assert "better than" in scored
    alone, remembering = (
        float(text.split()[1])
        for command, text in printed.items()
        if command.startswith("recollect perplexity")
    )
    assert remembering < alone
    lines = [
        (tmp_path / name).read_text().count("\n") for name in ("corpus/test.src", "base.out", "memory.out")
    ]
    assert len(set(lines)) == 1
