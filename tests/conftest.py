"""Shared fixtures: tiny untrained models, memories and translators, the same at every call."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
import torch
from hypothesis import settings

from recollect.assemble import build_memory
from recollect.config import Config, MemoryConfig
from recollect.decoding.beam import Beam
from recollect.decoding.translator import Translator
from recollect.models.rnnsearch import RNNSearch
from recollect.text.words import WordVocabulary

torch.set_num_threads(1)
# The machine may be busy. The same examples every time, unless asked for others: --hypothesis-profile=explore
settings.register_profile("recollect", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile("recollect")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the long files: one that came last would keep one worker busy and leave the others idle."""
    items.sort(key=lambda item: "end_to_end" not in item.path.parts)


SOURCE_WORDS = ["ba", "be", "bi", "bo", "bu", "da", "de", "di", "do", "du"]
TARGET_WORDS = ["ka", "ke", "ki", "ko", "ku", "la", "le", "li", "lo", "lu", "ma", "me"]


def _model(seed=1, source=14, target=16, peaky=8.0, build=RNNSearch, **options):
    """An untrained RNNSearch (or a rival) whose states move and whose distributions are far from flat."""
    torch.manual_seed(seed)
    sizes = {"embedding": 6, "hidden": 5, "attention": 7, "embedding_std": 1.0} | options
    model = build(source, target, **sizes).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("bias"):
                parameter.normal_(std=0.1)
        model.readout.output.weight.mul_(peaky)
    return model


def _memory(model, seed=1, vocabulary=None, spread=0.3, **options):
    """An untrained memory for `model` with the options of `[memory]`; its gate is wider than at first."""
    torch.manual_seed(seed)
    config = Config(seed=seed, memory=MemoryConfig(**{"size": 6} | options))
    memory = build_memory(config, model, vocabulary or WordVocabulary(dict.fromkeys(TARGET_WORDS, 1))).eval()
    with torch.no_grad():
        for parameter in memory.parameters():
            parameter.add_(torch.randn_like(parameter) * spread)
    return memory


def _translator(seed=1, memory=None, beam=None, model=None, **options):
    """An untrained translator between two made-up languages; `memory` holds options of `[memory]`.

    `model` holds options of the model: if it looks back, there is no memory.
    """
    source, target = (WordVocabulary(dict.fromkeys(words, 1)) for words in (SOURCE_WORDS, TARGET_WORDS))
    built = _model(seed, source.size, target.size, **model or {})
    return Translator(
        built,
        None if built.looks_back else _memory(built, seed, target, **memory or {}),
        source,
        target,
        beam=beam or Beam(size=3, max_length=6),
        **options,
    )


@pytest.fixture(scope="session")
def make_model():
    return _model


@pytest.fixture(scope="session")
def make_memory():
    return _memory


@pytest.fixture(scope="session")
def make_translator():
    return _translator
