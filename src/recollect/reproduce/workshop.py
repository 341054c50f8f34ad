"""Where systems are made and translate: every one once, for one domain at one scale."""

import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from recollect.assemble import load, model_signature, prepare_data, train
from recollect.batches.prepared import Prepared
from recollect.config import Config, load_config
from recollect.decoding.translator import Translator
from recollect.files import fingerprint, whole_file
from recollect.folders import find_model
from recollect.progress import SilentProgress, TerminalProgress
from recollect.reproduce.corpus import Domain
from recollect.reproduce.experiment import BASE, System
from recollect.reproduce.scale import Scale
from recollect.reproduce.steps import Clock, Step, open_step

__all__ = ["Workshop", "as_overrides"]

TRANSLATION_ONLY = ("decoding.", "memory.carry", "memory.k_best")


def as_overrides(options: Mapping[str, Any]) -> list[str]:
    """Return options as `load_config` takes them.

    >>> as_overrides({"memory.size": 50, "memory.match": "dot"})
    ['memory.size=50', 'memory.match="dot"']
    """
    return [f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in options.items()]


@dataclass(frozen=True)
class Workshop:
    """Makes the systems of one domain at one scale in folders below `home`; what is there is used."""

    home: Path
    scale: Scale
    domain: Domain
    overrides: tuple[str, ...] = ()
    progress: SilentProgress | TerminalProgress = field(default_factory=SilentProgress)

    # -- configurations

    def config(self, system: System) -> Config:
        """Return the configuration that a system is trained with."""
        scale = self.scale
        budget = {"base": scale.base, "further": scale.further, "joint": scale.joint}.get(system.trained, {})
        options = {**scale.options, **self.domain.data_options(), **self._sizes, **budget, **system.options}
        return load_config(preset=scale.preset, overrides=[*as_overrides(options), *self.overrides])

    @cached_property
    def _sizes(self) -> dict[str, Any]:
        """What a given base has settled already."""
        if self.domain.base is None:
            return {}
        options = load_config(find_model(self.domain.base) / "config.toml").options()
        return {
            name: value
            for name, value in options.items()
            if name.startswith(("model.", "vocabulary.")) and value is not None
        }

    # -- steps

    @cached_property
    def prepared(self) -> Prepared:
        """The training text as ids."""
        if self.domain.prepared is not None:
            return Prepared.open(self.domain.prepared)
        sizes = as_overrides(
            self.scale.options | self.domain.data_options() | self._sizes | self.domain.paths()
        )
        config = load_config(preset=self.scale.preset, overrides=[*sizes, *self.overrides])
        files = [config.data.source, config.data.target, config.data.starts]
        ingredients = {
            "files": [fingerprint(path) if path else "" for path in files],
            "tune": self.domain.evaluation("tune").identity(),
            "vocabulary": config.vocabulary.model_dump(mode="json"),
            "clean": config.data.clean,
            "held_out": config.data.held_out,
            "variants": [config.data.joined, config.data.written_names, config.data.punctuated],
            "redrawn": config.data.redrawn,
            "base": self.domain.base and model_signature(self.domain.base),
            "seed": config.seed,
        }
        step = open_step(self.home, f"prepared-{self.domain.name}", ingredients)
        return prepare_data(config, step.folder, lambda doing, done, total: None, self.domain.base)

    def _data(self) -> dict[str, Any]:
        """What tells the training data from others."""
        manifest = self.prepared.manifest
        return {
            "inputs": {role: file.sha256 for role, file in manifest.inputs.items()},
            "options": manifest.options,
            "tune": manifest.tune_sha256,
        }

    def base(self) -> Path:
        """Return the model whose sentence model all others begin with."""
        if self.domain.base is not None:
            return find_model(self.domain.base)
        config = self.config(System(trained="base"))
        step = self._training_step(BASE, config, {})
        if step.result is None:
            clock = Clock()
            train(config, self._prepared_for_training(), step.folder, progress=self.progress, passes=("one",))
            step.finish(clock.figures())
        return step.folder / "model"

    def _prepared_for_training(self) -> Prepared:
        # Without a tuning set nothing is validated, and the last weights are taken.
        return self.prepared if self.scale.validated else replace(self.prepared, tune=[])

    def _training_step(self, name: str, config: Config, ingredients: Mapping[str, Any]) -> Step:
        options = config.options()
        trained = {key: value for key, value in options.items() if not key.startswith(TRANSLATION_ONLY)}
        made_of = {"options": trained, "data": self._data(), "validated": self.scale.validated, **ingredients}
        return open_step(self.home, f"{name}-{self.domain.name}", made_of)

    def _step_of(self, system: System) -> Step:
        ingredients = {"base": model_signature(self.base()), "trained": system.trained}
        return self._training_step(system.trained, self.config(system), ingredients)

    def identity(self, system: System) -> str:
        """Return what tells a trained system from others."""
        return model_signature(self.base()) if system.trained == "base" else self._step_of(system).key

    def _activations(self, config: Config) -> Path:
        """Return where the states and contexts are that memories of the base are trained on."""
        ingredients = {
            "base": model_signature(self.base()),
            "data": self._data(),
            "documents": config.pass_two.documents,
            "precision": config.pass_two.precision,
        }
        return open_step(self.home, f"activations-{self.domain.name}", ingredients).folder

    def trained(self, system: System) -> Path:
        """Return a system's model, trained if it is not yet."""
        if system.trained == "base":
            return self.base()
        step, config = self._step_of(system), self.config(system)
        if step.result is None:
            base, clock = self.base(), Clock()
            begin: dict[str, Any] = {"start": base} if system.trained == "further" else {"base": base}
            train(
                config,
                self._prepared_for_training(),
                step.folder,
                progress=self.progress,
                passes=("one",) if system.trained == "further" else ("one", "two"),
                activations=self._activations(config),
                **begin,
            )
            step.finish(clock.figures())
            for stage in ("pass-one", "pass-two"):  # checkpoints and copies: the model is all that is needed
                shutil.rmtree(step.folder / stage, ignore_errors=True)
        return step.folder / "model"

    def translator(self, system: System, **decoding: Any) -> Translator:
        """Return a trained system that translates as the scale says, and it itself, and `decoding`."""
        options = self.config(system).options()
        chosen = {key: value for key, value in options.items() if key.startswith("decoding.")}
        chosen |= system.decoding | decoding
        found = load(self.trained(system), overrides=as_overrides(chosen))
        found = found.replaced(proofreader=None)  # a packed base may have one, what is trained on it has none
        return found.without_memory() if system.trained in ("base", "further") else found

    def output(self, system: System, set_name: str) -> list[list[str]]:
        """Return a system's translation of the tuning or test set, made if it is not there yet."""
        step = self._output_step(system, set_name)
        evaluation = self.domain.evaluation(set_name)
        path = step.folder / "translation.txt"
        if step.result is None:
            clock = Clock()
            sources = [document.source for document in evaluation.documents]
            found = self.translator(system).translate_documents(sources)
            with whole_file(path) as draft:
                lines = (each.text for document in found for each in document)
                draft.write_text("".join(f"{line}\n" for line in lines), "utf-8")
            step.finish(clock.figures())
        rest = iter(path.read_text("utf-8").split("\n"))
        return [[next(rest) for _ in document.source] for document in evaluation.documents]

    def _output_step(self, system: System, set_name: str) -> Step:
        options = self.config(system).options()
        ingredients = {
            "system": self.identity(system),
            "set": self.domain.evaluation(set_name).identity(),
            "decoding": {key: value for key, value in options.items() if key.startswith(TRANSLATION_ONLY)},
            "own": system.decoding,
        }
        return open_step(self.home, f"output-{self.domain.name}-{set_name}", ingredients)

    def seconds(self, system: System, sets: Iterable[str]) -> dict[str, float]:
        """Return the processor's time of every finished step behind a system's translations, by folder."""
        steps = [self._output_step(system, each) for each in sets]
        if system.trained != "base":
            steps.append(self._step_of(system))
        found = {step.folder.name: step.result for step in steps}
        return {folder: result["cpu_seconds"] for folder, result in found.items() if result}
