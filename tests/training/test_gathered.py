"""Pass two for gates on figures: what is gathered, what is learned, what it is told to remember."""

import json
from pathlib import Path

import pytest
import torch

from recollect.assemble import build_memory, build_model, load, train
from recollect.batches.prepared import Prepared
from recollect.batches.sentences import collate
from recollect.config import Config
from recollect.errors import ConfigError, ModelError
from recollect.predict import score
from recollect.progress import SilentProgress
from recollect.training.activations import choose_documents
from recollect.training.gathered import _score, fit_keys, gather
from recollect.training.past import Past, Tutorial

EVERYDAY = {
    "key": ("readout",),
    "match": "cosine",
    "fusion": "shallow",
    "gate": "features",
    "policy": "fifo",
    "top": 4,
    "size": 30,
}


def changed(config: Config, history: str = "reference", **memory: object) -> Config:
    return config.model_copy(
        update={
            "memory": config.memory.model_copy(update=EVERYDAY | memory),
            "pass_two": config.pass_two.model_copy(update={"history": history, "epochs": 3}),
        }
    )


def some_tutorials(prepared: Prepared, count: int = 3) -> list[Tutorial]:
    shard = prepared.train
    return [
        Tutorial(
            [(shard.source(n), shard.target(n)) for n in document],
            [
                Past(shard.source(n), shard.target(n) if n % 3 else shard.target(n)[:0], n % 2)
                for n in document
            ],
        )
        for document in choose_documents(shard, count)
    ]


def test_what_is_gathered_is_what_the_memory_would_say(config: Config, prepared: Prepared) -> None:
    """Sentence by sentence, document by document, on slots of its own."""
    config = changed(config)
    model = build_model(config, prepared.source_vocabulary.size, prepared.target_vocabulary.size).eval()
    memory = build_memory(config, model, prepared.target_vocabulary)
    with torch.no_grad():
        for parameter in memory.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.3)
    tutorials = some_tutorials(prepared)
    fit_keys(model, memory, [each.pairs for each in tutorials])
    found = gather(model, memory, tutorials, lanes=2, store_end=False, progress=SilentProgress())
    with torch.no_grad():
        together = _score(memory, found)
        for number, tutorial in enumerate(tutorials):
            slots, expected = memory.empty(1), []
            for (source, target), past in zip(tutorial.pairs, tutorial.past, strict=True):
                batch = collate([source], [target])
                step = model.unroll(batch.source, batch.lengths, batch.previous)
                expected.append(score(model, step, batch.target, memory, slots, kept=batch.kept))
                if len(past.target):
                    batch = collate([past.source], [past.target])
                    said = model.unroll(batch.source, batch.lengths, batch.previous)
                    memory.write(slots, said, [past.target.tolist()], model, past.origin)
                else:
                    memory.skip(slots)
            ours = together[found.document == number]
            torch.testing.assert_close(ours, torch.cat(expected), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("history", ["reference", "own", "mixed", "foreign", "shuffled"])
def test_every_history_trains(config: Config, prepared: Prepared, folder: Path, history: str) -> None:
    model = train(changed(config, history, whitened=8), prepared, folder, progress=SilentProgress())
    result = json.loads((folder / "pass-two" / "result.json").read_text("utf-8"))
    assert len(result["epochs"]) == 3
    if history == "reference":  # the others have next to nothing to teach an untrained model
        assert result["epochs"][-1]["loss"] < result["epochs"][0]["loss"]
    assert (folder / "own.jsonl").exists() == (history in ("own", "mixed"))
    translator = load(model)
    assert translator.memory is not None
    assert translator.memory.key.whitening.shape == (8, 12)
    assert float(translator.memory.key.mean.abs().max()) > 0, "the scale of keys is stored with the model"
    assert len(translator.translate(["xo be", "be xo"])) == 2


@pytest.mark.parametrize("history", ["own", "foreign"])
def test_a_gate_on_vectors_learns_from_any_history_too(
    config: Config, prepared: Prepared, folder: Path, history: str
) -> None:
    plain = config.model_copy(
        update={"pass_two": config.pass_two.model_copy(update={"history": history, "epochs": 1})}
    )
    train(plain, prepared, folder, progress=SilentProgress())
    weights = (folder / "pass-two" / "final.safetensors").read_bytes()
    reference = config.model_copy(update={"pass_two": config.pass_two.model_copy(update={"epochs": 1})})
    train(reference, prepared, folder.with_name("other"), progress=SilentProgress())
    assert weights != (folder.with_name("other") / "pass-two" / "final.safetensors").read_bytes()


@pytest.mark.parametrize(
    "memory",
    [
        {"fusion": "deep", "gate": "vectors"},
        {"fusion": "shallow", "gate": "vectors", "whitened": 8},
        {"fusion": "both"},
        {"fusion": "none", "gate": "vectors"},
    ],
)
def test_cosine_keys_are_fitted_for_every_fusion(
    config: Config, prepared: Prepared, folder: Path, memory: dict[str, object]
) -> None:
    model = load(train(changed(config, **memory), prepared, folder, progress=SilentProgress()))
    assert model.memory is not None
    assert float(model.memory.key.mean.abs().max()) > 0
    assert len(model.translate(["xo be", "be xo"])) == 2


def test_what_cannot_be_is_told_before_training(config: Config, prepared: Prepared, folder: Path) -> None:
    with pytest.raises(ConfigError, match="at most 12"):
        train(changed(config, whitened=13), prepared, folder, progress=SilentProgress())


def test_origins_that_were_not_met_are_trusted_like_others(config: Config, prepared: Prepared) -> None:
    model = build_model(config, prepared.source_vocabulary.size, prepared.target_vocabulary.size)
    memory = build_memory(changed(config), model, prepared.target_vocabulary)
    weights = memory.fusion.gate.inner.weight[:, -4:]
    own, correction, _, earlier = weights.detach().clone().T
    memory.trust_unseen({0, 1, 3})
    assert torch.equal(weights.T, torch.stack([own, correction, correction, earlier]))
    memory.trust_unseen({1})
    assert torch.equal(weights.T, correction.expand(4, -1))


def test_own_translations_are_made_once(config: Config, prepared: Prepared, folder: Path) -> None:
    """A run killed in the middle of them, in the middle of a line, goes on where it was."""
    config = changed(config, "own")
    train(config, prepared, folder, progress=SilentProgress())
    path = folder / "own.jsonl"
    whole, weights = path.read_text("utf-8"), (folder / "pass-two" / "final.safetensors").read_bytes()
    path.write_text(whole[: len(whole) // 2], "utf-8")
    for name in ("final.safetensors", "result.json"):
        (folder / "pass-two" / name).unlink()
    train(config, prepared, folder, progress=SilentProgress())
    numbers = [json.loads(line)[0] for line in path.read_text("utf-8").splitlines()[1:]]
    assert sorted(numbers) == sorted(json.loads(line)[0] for line in whole.splitlines()[1:])
    assert (folder / "pass-two" / "final.safetensors").read_bytes() == weights


def test_a_memory_for_a_model_that_is_there(config: Config, prepared: Prepared, folder: Path) -> None:
    first = train(config, prepared, folder, progress=SilentProgress(), passes=("one",))
    other = folder.with_name("other")
    second = train(changed(config), prepared, other, progress=SilentProgress(), base=first)
    ours, theirs = load(second), load(first)
    assert ours.memory is not None
    assert theirs.memory is None
    for left, right in zip(ours.model.parameters(), theirs.model.parameters(), strict=True):
        assert torch.equal(left, right)
    larger = config.model_copy(update={"model": config.model.model_copy(update={"hidden": 20})})
    with pytest.raises(ModelError, match="other sizes"):
        train(larger, prepared, folder.with_name("third"), progress=SilentProgress(), base=first)
