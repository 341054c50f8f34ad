"""Checksums: at the paper's sizes the parameters add up to the paper's numbers."""

import pytest
import torch

from recollect.assemble import build_memory, build_model
from recollect.config import load_config
from recollect.text.words import WordVocabulary

WORDS = 30_000 + 4  # and the specials


def paper(*overrides):
    config = load_config(preset="paper", overrides=overrides)
    with torch.device("meta"):
        model = build_model(config, WORDS, WORDS)
        return model, build_memory(config, model, WordVocabulary({}))


def count(module):
    return sum(parameter.numel() for parameter in module.parameters())


def test_the_sentence_model_has_84_3_million():
    model, _ = paper()
    assert count(model) / 1e6 == pytest.approx(84.3, abs=0.05)
    parts = {
        "embeddings": 2 * WORDS * 620,
        "encoder": 2 * (620 * 3000 + 1000 * 3000 + 2 * 3000),
        "initial state": 2000 * 1000 + 1000,
        "attention": (2000 * 1000 + 1000) + 1000 * 1000 + 620 * 1000 + 1000,
        "decoder": (620 + 2000 + 1000) * 3000 + 2 * 3000,
        "readout": (1000 + 2000 + 620) * 620 + 620,
        "output": 620 * WORDS + WORDS,
    }
    assert count(model) == sum(parts.values())


def test_two_cells_have_86_7_million():
    model, _ = paper("model.conditional=true")
    assert count(model) / 1e6 == pytest.approx(86.7, abs=0.05)


def test_tying_saves_one_embedding():
    alone, tied = paper()[0], paper("model.tied=true")[0]
    assert count(alone) - count(tied) == WORDS * 620


def test_the_deep_gate_has_exactly_four_million():
    assert count(paper()[1]) == 4_000_000


def test_the_shallow_gate_is_a_scalar_of_the_same_inputs():
    assert count(paper("memory.fusion=shallow")[1]) == 4_000


def test_without_fusion_there_is_nothing_to_train():
    assert count(paper("memory.fusion=none")[1]) == 0


def test_sizes_follow_from_the_hidden_layer():
    model, memory = paper()
    assert (model.state_size, model.context_size) == (1000, 2000)
    assert (memory.value_size, memory.key.size, memory.size) == (1000, 2000, 25)


def added(*overrides):
    return count(paper(*overrides)[0]) - count(paper()[0])


SENTENCES = (620 + 1000) * 3000 + 2 * 3000  # a GRU over words
DOCUMENT = (1000 + 1000) * 3000 + 2 * 3000  # a GRU over sentences
INITIAL = 1000 * 1000
AUXILIARY = 1000 * 3000
GATE = (1000 + 2000 + 1000) * 1000 + 1000


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        ("wang-init", INITIAL),
        ("wang-auxiliary", AUXILIARY),
        ("wang-gated", AUXILIARY + GATE),
        ("wang-both", INITIAL + AUXILIARY + GATE),
    ],
)
def test_a_hierarchical_summary_adds_its_parts(kind, parts):
    assert added(f"context.kind={kind}") == SENTENCES + DOCUMENT + parts


def test_wangs_model_adds_18_8_million():
    """The paper has 18.8M; without biases it would be 18.86M."""
    assert added("context.kind=wang-both") == 18_873_000
    assert added("context.kind=wang-both") / 1e6 == pytest.approx(18.8, abs=0.1)


def test_jeans_model_adds_20_million():
    parts = {
        "encoder": 2 * ((620 + 1000) * 3000 + 2 * 3000),
        "attention": (2000 * 1000 + 1000) + 1000 * 1000 + 1000,
        "decoder": 2000 * 3000,
        "readout": 2000 * 620,
    }
    assert added("context.kind=jean") == sum(parts.values()) == 19_974_000
    assert added("context.kind=jean") / 1e6 == pytest.approx(20.0, abs=0.05)
    told = added("context.kind=jean", "context.told_context=true")
    assert told - added("context.kind=jean") == 2000 * 1000
