"""A trained sentence model that is trained further with more in it than it had."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from recollect.assemble import load, train
from recollect.batches.prepared import Prepared
from recollect.config import Config, load_config
from recollect.errors import ModelError
from recollect.progress import SilentProgress

GROWN = ("model.readout_size=20", "model.feed_forward=12", "model.self_attention=2")


def changed(config: Config, folder: Path, *overrides: str) -> Config:
    (folder / "config.toml").write_text(config.to_toml(), "utf-8")
    return load_config(folder / "config.toml", overrides=["pass_one.max_steps=3", *overrides])


def test_it_says_at_first_what_it_said_before(config: Config, prepared: Prepared, tmp_path: Path) -> None:
    def trained(name: str, *overrides: str, **options: Path) -> Path:
        wanted = changed(config, tmp_path, *overrides)
        folder = tmp_path / name
        return train(wanted, prepared, folder, progress=SilentProgress(), passes=("one",), **options)  # type: ignore[arg-type]

    base = trained("base")
    rival = trained("rival", "context.kind=jean", start=base)
    trained("wider", "context.kind=jean", *GROWN, start=rival)
    still = trained("still", *GROWN, "pass_one.learning_rate=1e-12", start=base)
    weights = load_file(still / "weights.safetensors")
    assert weights["model.readout.output.weight"].shape[1] == 20
    assert weights["model.feed_forward.within.weight"].shape[0] == 12
    assert weights["model.self_attention.1.back.weight"].abs().max() < 1e-9
    text = [prepared.tune[0].source], [prepared.tune[0].references[0]]
    assert load(still).likelihood(*text).perplexity == pytest.approx(
        load(base).likelihood(*text).perplexity, rel=1e-4
    )
    learned = load_file(trained("learned", *GROWN, start=base) / "weights.safetensors")
    for name in ("feed_forward.back.weight", "self_attention.1.found.weight", "readout.output.weight"):
        new = learned[f"model.{name}"] - weights[f"model.{name}"]
        assert torch.count_nonzero(new) > 0.9 * new.numel()
    with pytest.raises(ModelError, match="other sizes"):  # units that belong together would be others
        trained("maxout", "model.readout=maxout", start=base)
    with pytest.raises(ModelError, match="other sizes"):  # nothing is taken away
        trained("smaller", start=still)
    with pytest.raises(ModelError, match="other sizes"):  # a memory is made for what is there
        trained("memory", *GROWN, base=base)
