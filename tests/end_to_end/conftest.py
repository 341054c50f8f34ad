"""A tiny trained system on disk, made once through the command line."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from recollect.text.invented import invented_corpus, write_plain

RECOLLECT = Path(sys.executable).with_name("recollect")

CONFIG = """
preset = "invented"
[data]
source = "train.src"
target = "train.trg"
tune_source = "tune.src"
tune_references = ["tune.trg"]
tokenise = "none"
[model]
embedding = 12
hidden = 16
attention = 16
[pass_one]
batch = 100
max_steps = 60
validate_every = 20
checkpoint_every = 10
warmup = 5
average = 2
[pass_two]
epochs = 3
lanes = 4
batch = 100
[decoding]
beam = 2
lanes = 3
"""


@dataclass(frozen=True)
class Shell:
    """Runs `recollect` as a user would, in a folder."""

    folder: Path

    def start(self, *arguments: str, **options: object) -> "subprocess.Popen[bytes]":
        environment = os.environ | {"OMP_NUM_THREADS": "1", "COLUMNS": "100"}
        return subprocess.Popen(
            [RECOLLECT, *arguments],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def __call__(self, *arguments: str, stdin: bytes = b"") -> "subprocess.CompletedProcess[str]":
        process = self.start(*arguments)
        out, err = process.communicate(stdin, timeout=300)
        return subprocess.CompletedProcess(arguments, process.returncode, out.decode(), err.decode())

    def works(self, *arguments: str, stdin: bytes = b"") -> str:
        """Run a command that must succeed; return what it prints."""
        answer = self(*arguments, stdin=stdin)
        assert answer.returncode == 0, answer.stderr
        return answer.stdout

    def fails(self, *arguments: str, stdin: bytes = b"") -> str:
        """Run a command that must fail in one clear sentence; return that."""
        answer = self(*arguments, stdin=stdin)
        assert answer.returncode == 1, answer.stderr
        assert "Traceback" not in answer.stderr
        (line,) = answer.stderr.splitlines()
        return line.removeprefix("recollect: ")


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A folder with a corpus, `prepared/` and a finished `run/`."""
    folder = tmp_path_factory.mktemp("trained")
    for name, seed, documents in (("train", 1, 40), ("tune", 2, 4), ("test", 3, 8)):
        write_plain(invented_corpus(documents, seed), folder / f"{name}.src", folder / f"{name}.trg")
    (folder / "config.toml").write_text(CONFIG, "utf-8")
    shell = Shell(folder)
    shell.works("prepare", "config.toml", "-o", "prepared")
    shell.works("train", "config.toml", "-d", "prepared", "-r", "run")
    return shell
