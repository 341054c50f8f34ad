"""What holds for the project as a whole: its size in git, its version, its pins."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MODELS = Path("src/recollect/models_data")  # the one place for what is large and belongs to the package


def test_no_large_file_in_git() -> None:
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, stdout=subprocess.PIPE, encoding="utf-8",
    )  # fmt: skip
    files = [Path(name) for name in listing.stdout.split("\0") if name and (ROOT / name).is_file()]
    large = [
        f"{file}: {(ROOT / file).stat().st_size:,} bytes"
        for file in files
        if not file.is_relative_to(MODELS) and (ROOT / file).stat().st_size > 2_000_000
    ]
    assert files
    assert not large


def test_command_line_tells_the_version() -> None:
    recollect = Path(sys.executable).parent / "recollect"
    answer = subprocess.run([recollect, "--version"], check=True, capture_output=True, text=True)
    assert PROJECT["version"] in answer.stdout.split()


def test_every_requirement_is_pinned() -> None:
    def normal(name: str) -> str:
        return re.sub(r"[-_.]+", "-", name).lower()

    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", pin) for pin in pins), "a pin is NAME==VERSION and no more"
    wanted = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    names = {normal(re.split(r"[^\w.-]", requirement)[0]) for group in wanted for requirement in group}
    names.remove(PROJECT["name"])  # the extra `dev` asks for other extras
    assert names <= {normal(pin.split("==")[0]) for pin in pins}
