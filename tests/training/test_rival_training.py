"""Rivals in pass one: started from a sentence model, trained by the same loop, without a second pass."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from recollect.assemble import build_model, load, train
from recollect.batches.prepared import Prepared
from recollect.batches.sentences import SentenceBatches
from recollect.config import Config, load_config
from recollect.errors import ConfigError, ModelError
from recollect.progress import SilentProgress
from recollect.training.crew import Crew

KINDS = ["wang-both", "jean"]


def changed(config: Config, folder: Path, *overrides: str) -> Config:
    (folder / "config.toml").write_text(config.to_toml(), "utf-8")
    return load_config(folder / "config.toml", overrides=["pass_one.max_steps=4", *overrides])


@pytest.fixture(scope="module")
def base(config: Config, prepared: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("base")
    few = changed(config, folder, "pass_one.validate_every=9")
    return train(few, prepared, folder / "run", progress=SilentProgress(), passes=("one",))


@pytest.mark.parametrize("kind", KINDS)
def test_a_rival_starts_from_a_sentence_model(
    config: Config, prepared: Prepared, base: Path, tmp_path: Path, kind: str
) -> None:
    options = changed(config, tmp_path, f"context.kind={kind}", "pass_one.learning_rate=1e-12")
    found = train(options, prepared, tmp_path / "run", progress=SilentProgress(), start=base)
    taken, own = (load_file(folder / "weights.safetensors") for folder in (base, found))
    sizes = prepared.source_vocabulary.size, prepared.target_vocabulary.size
    fresh = {f"model.{name}": each for name, each in build_model(options, *sizes).named_parameters()}
    assert own.keys() == fresh.keys() > taken.keys()
    for name, each in own.items():  # at a learning rate of next to nothing
        torch.testing.assert_close(each, taken.get(name, fresh[name].detach()), rtol=0, atol=1e-6)
    assert not (tmp_path / "run" / "pass-two").exists()
    translator = load(found)
    assert translator.memory is None
    assert translator.likelihood([prepared.tune[0].source], [prepared.tune[0].references[0]]).tokens
    again = train(options, prepared, tmp_path / "again", progress=SilentProgress(), start=found)
    assert load_file(again / "weights.safetensors").keys() == own.keys()


def test_what_does_not_fit_is_refused_in_a_sentence(
    config: Config, prepared: Prepared, base: Path, tmp_path: Path
) -> None:
    def attempt(number: int, *overrides: str, **options: Path) -> None:
        train(
            changed(config, tmp_path, *overrides),
            prepared,
            tmp_path / str(number),
            progress=SilentProgress(),
            **options,  # type: ignore[arg-type]
        )

    with pytest.raises(ModelError, match="other sizes"):
        attempt(1, "context.kind=jean", "model.hidden=20", start=base)
    with pytest.raises(ConfigError, match="--base trains a memory alone"):
        attempt(2, "context.kind=jean", base=base)
    tied = changed(config, tmp_path, "model.tied=true", "pass_one.max_steps=1")
    other = train(tied, prepared, tmp_path / "tied", progress=SilentProgress(), passes=("one",))
    with pytest.raises(ModelError, match="other sizes"):  # its output layer is missing, too
        attempt(3, "context.kind=wang-init", start=other)
    attempt(4, "context.kind=wang-init", "model.tied=true", start=other)
    with pytest.raises(ModelError, match="other sizes"):  # a rival is no sentence model
        attempt(5, "model.tied=true", start=tmp_path / "4")


@pytest.mark.parametrize("kind", KINDS)
def test_two_processes_find_the_gradient_of_one(prepared: Prepared, kind: str) -> None:
    sizes = ["model.embedding=6", "model.hidden=8", "model.attention=8", "model.dropout=0.0"]
    options = load_config(overrides=[*sizes, "model.embedding_dropout=0.0", f"context.kind={kind}"])
    model = build_model(options, prepared.source_vocabulary.size, prepared.target_vocabulary.size)
    plan = {"batch": 6, "unit": "sentences", "window": 2, "seed": 1}
    batch = next(SentenceBatches(prepared.train, **plan, looks_back=model.looks_back).epoch(0))  # type: ignore[arg-type]
    found = []
    for size in (1, 2):
        model.zero_grad(set_to_none=True)
        with Crew(model, size, label_smoothing=0.1, seed=1) as crew:
            crew.add_gradient(batch, 1)
        found.append({name: each.grad for name, each in model.named_parameters()})
    for name, gradient in found[0].items():
        torch.testing.assert_close(found[1][name], gradient, rtol=1e-4, atol=1e-6)
