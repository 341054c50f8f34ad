from pathlib import Path

import pytest

from recollect.assemble import prepare_data
from recollect.batches.prepared import Prepared
from recollect.config import Config, load_config
from recollect.text.invented import invented_corpus, write_plain

TINY = [
    "model.embedding=12", "model.hidden=16", "model.attention=16", "pass_one.batch=200",
    "pass_one.max_steps=12", "pass_one.validate_every=6", "pass_one.checkpoint_every=4", "pass_one.warmup=2",
    "pass_two.epochs=2",
    "pass_two.lanes=5", "pass_two.batch=100", "decoding.beam=2", "memory.size=10",
]  # fmt: skip


@pytest.fixture(scope="session")
def config(tmp_path_factory: pytest.TempPathFactory) -> Config:
    folder = tmp_path_factory.mktemp("corpus")
    for name, seed, documents in (("train", 1, 12), ("tune", 2, 3)):
        write_plain(invented_corpus(documents, seed), folder / f"{name}.src", folder / f"{name}.trg")
    data = [
        f'data.source="{folder}/train.src"',
        f'data.target="{folder}/train.trg"',
        f'data.tune_source="{folder}/tune.src"',
        f'data.tune_references=["{folder}/tune.trg"]',
    ]
    return load_config(preset="invented", overrides=TINY + data)


@pytest.fixture(scope="session")
def prepared(config: Config, tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return prepare_data(config, tmp_path_factory.mktemp("data") / "prepared", lambda doing, done, total: None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "run"
