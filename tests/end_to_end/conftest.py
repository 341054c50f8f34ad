"""A tiny trained system on disk, made once through the command line."""

from pathlib import Path

import pytest
from shell import Shell

from recollect.text.invented import invented_corpus, write_plain

CONFIG = """
preset = "invented"
[data]
source = "train.src"
target = "train.trg"
tune_source = "tune.src"
tune_references = ["tune.trg"]
[model]
embedding = 12
hidden = 16
attention = 16
[pass_one]
batch = 100
max_steps = 60
validate_every = 20
checkpoint_every = 15
warmup = 5
average = 2
[pass_two]
epochs = 2
lanes = 10
batch = 100
[decoding]
beam = 2
lanes = 3
"""


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A folder with a corpus, `prepared/` and a finished `run/`, all by the console script."""
    folder = tmp_path_factory.mktemp("trained")
    write_corpus(folder)
    (folder / "config.toml").write_text(CONFIG, "utf-8")
    shell = Shell(folder)
    shell.console_works("prepare", "config.toml", "-o", "prepared")
    shell.console_works("train", "config.toml", "-d", "prepared", "-r", "run")
    return shell


def write_corpus(folder: Path) -> None:
    for name, seed, documents in (("train", 1, 80), ("tune", 2, 4), ("test", 3, 8)):
        write_plain(invented_corpus(documents, seed), folder / f"{name}.src", folder / f"{name}.trg")
