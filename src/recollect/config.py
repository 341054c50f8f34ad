"""Typed options: TOML in, presets below, overrides on top; every mistake is answered at once and by name."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import tomli_w
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from recollect.errors import ConfigError

__all__ = [
    "Config",
    "ContextConfig",
    "DataConfig",
    "DecodingConfig",
    "MemoryConfig",
    "ModelConfig",
    "PassOneConfig",
    "PassTwoConfig",
    "VocabularyConfig",
    "load_config",
    "presets",
]


def _existing(path: Path) -> Path:
    """Return the path so that it holds from everywhere: a run's copy of the configuration lies elsewhere."""
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    return path.resolve()


# Strict: `size = true` would otherwise be taken for 1.
Positive = Annotated[int, Field(gt=0, strict=True)]
Count = Annotated[int, Field(ge=0, strict=True)]
Seed = Annotated[int, Field(ge=0, lt=2**32, strict=True)]
Number = Annotated[float, Field(gt=0, strict=True, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, lt=1, strict=True)]
Flag = Annotated[bool, Field(strict=True)]
File = Annotated[Path, AfterValidator(_existing)]
Optimiser = Literal["adam", "adadelta"]


class Section(BaseModel):
    """A table of the TOML file."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class DataConfig(Section):
    """Where the text is."""

    words: ClassVar = frozenset({"tokenise", "source_language", "target_language"})  # all others are paths

    source: File | None = None
    """Training text in the source language, one sentence a line (.gz and .xz too)."""
    target: File | None = None
    """Its translation, line by line."""
    source_language: str = ""
    """What the source is written in, as ISO 639 (zh, en): sentences are split by its rules."""
    target_language: str = ""
    """What it is translated into."""
    starts: File | None = None
    """Line numbers at which documents start; without it, an empty line stands between documents."""
    clean: Flag = False
    """Leave out pairs in the wrong script, with markup or of odd lengths, and documents that come twice; put
    back spaces that the target lacks after a comma."""
    held_out: Count = 0
    """Set every Nth document aside, as text in the prepared folder, and do not train on it; 0 keeps all."""
    joined: Share = 0.0
    """Share of the training documents in which lines are put together: those of one sentence, and some
    others."""
    written_names: Share = 0.0
    """Share of the training documents in which names stand in the source as in the target (Ross for 罗斯),
    most of them another's on both sides: so one learns to copy what a source leaves in those letters. For
    targets that give a capital to names and little else, such as English."""
    punctuated: Share = 0.0
    """Share of the training documents in which a Chinese or Japanese source is punctuated: its ends as the
    target's, in half of them its clauses too."""
    redrawn: Share = 0.0
    """Share of the training sentences whose source is cut into subwords by chance, likely cuttings more often
    than others: so one learns what a word means from its parts too."""
    reversed: Flag = False
    """Learn to translate the target into the source, as a proofreader must. Files, shares of documents and
    cleaning are meant as without it; languages, `redrawn` and `tokenise` are the turned model's."""
    tune_source: File | None = None
    """Source side of the tuning set: plain text, NIST SGML or IWSLT XML."""
    tune_references: tuple[File, ...] = ()
    """Its reference translations."""
    tune_starts: File | None = None
    """Line numbers at which the tuning set's documents start."""
    tokenise: Literal["13a", "moses", "none", "zh", "char"] = "13a"
    """How BLEU tokenises; moses brings raw output to the form of tokenised references."""

    @model_validator(mode="after")
    def _belong_together(self) -> "DataConfig":
        if (self.source is None) != (self.target is None):
            raise ValueError("source and target belong together: give both or neither")
        if (self.tune_source is None) != (not self.tune_references):
            raise ValueError("tune_source and tune_references belong together: give both or neither")
        return self


class VocabularyConfig(Section):
    """What counts as a word."""

    kind: Literal["words", "subwords"] = "subwords"
    """The N most frequent words of tokenised text, or SentencePiece subwords of raw text."""
    source_size: Positive = 8000
    """Source vocabulary, without the four special tokens for words, with them for subwords."""
    target_size: Positive = 8000
    """Target vocabulary, likewise."""
    joint: Flag = False
    """One subword model for both languages."""
    max_length: Positive = 80
    """Longer sentences (in tokens) are left out of training."""


class ModelConfig(Section):
    """The sentence model, RNNSearch."""

    embedding: Positive = 256
    """Size m of word embeddings, and of the readout if that is not given."""
    hidden: Positive = 512
    """Size n of the decoder state; annotations and contexts have 2n."""
    attention: Positive = 512
    """Size of the attention's hidden layer."""
    dropout: Share = 0.2
    """Dropout on the readout."""
    embedding_dropout: Share = 0.1
    """Dropout on word embeddings, and on what layers of self-attention add."""
    embedding_std: Number = 0.0625
    """Standard deviation of the embeddings at first: larger ones keep contexts of different words apart."""
    readout: Literal["tanh", "maxout"] = "tanh"
    """Nonlinearity of the readout."""
    readout_size: Positive | None = None
    """Size of the readout, where it is not that of word embeddings."""
    feed_forward: Count = 0
    """Size of a layer that each annotation goes through by itself; 0 for none."""
    self_attention: Count = 0
    """Layers after the encoder in which annotations look at each other."""
    conditional: Flag = False
    """A decoder of two GRU cells with the attention between them."""
    tied: Flag = False
    """Share the target embedding with the output matrix."""

    @model_validator(mode="after")
    def _belong_together(self) -> "ModelConfig":
        if self.tied and self.readout_size not in (None, self.embedding):
            raise ValueError("tied shares one matrix: leave `readout_size` out")
        return self


class ContextConfig(Section):
    """The paper's rivals: sentence models that look back at the source, and have no memory."""

    kind: Literal["none", "wang-init", "wang-auxiliary", "wang-gated", "wang-both", "jean"] = "none"
    """Wang et al. 2017: a summary of the sentences before starts encoder and decoder (init), is one more
    input of the decoder (auxiliary), also behind a gate (gated), or init and gated (both). Jean et al. 2017:
    a second attention, to the sentence before."""
    sentences: Positive | None = None
    """How many sentences before are seen: by default three, and by jean always one."""
    told_context: Flag = False
    """Tell jean's second attention what the first one found, as in the original."""

    @model_validator(mode="after")
    def _belong_together(self) -> "ContextConfig":
        if self.kind == "jean" and self.sentences not in (None, 1):
            raise ValueError('kind = "jean" sees one sentence before: leave `sentences` out')
        if self.kind == "none" and self.sentences is not None:
            raise ValueError("`sentences` needs a kind that looks back")
        if self.told_context and self.kind != "jean":
            raise ValueError('told_context is for kind = "jean": only it has a second attention')
        return self


class MemoryConfig(Section):
    """The memory of translation history."""

    size: Positive = 25
    """Slots per document."""
    key: Annotated[tuple[Literal["context", "state", "readout"], ...], Field(min_length=1)] = ("context",)
    """What slots are found by: attention context, decoder state, the readout before the words, or several."""
    match: Literal["dot", "cosine", "l2", "flatness", "bilinear", "additive"] = "dot"
    """How keys are matched: the paper's dot product or a variant of its footnote, the cosine of centred keys
    (weighed by what is learned of slots: fit, age, origin, the word before), or their distance."""
    theta: Number = 1.0
    """Flatness of the matching distribution, for match = "flatness" and "l2"."""
    temperature: Number = 15.0
    """What cosines are multiplied with, at first, for match = "cosine"."""
    whitened: Count = 0
    """Principal directions that cosine keys are reduced and evened out to; 0 only centres them."""
    top: Count = 0
    """Slots read at a time, the best; 0 reads all."""
    fusion: Literal["deep", "auxiliary", "shallow", "both", "none"] = "deep"
    """What the memory changes: the decoder state (auxiliary adds to it, deep replaces a part), the word
    probabilities, both, or nothing."""
    gate: Literal["vectors", "features"] = "vectors"
    """What a shallow gate looks at: the paper's vectors, or figures on the find and the model's opinion."""
    policy: Literal["lru", "fifo"] = "lru"
    """lru averages repeated words and evicts the least recently used; fifo gives every word a new slot."""
    address: Literal["piece", "word", "pair"] = "piece"
    """What a slot is addressed by: the subword, the subword within its whole word, or with its source."""
    store_end: Flag = False
    """Remember the end of sentences too."""
    carry: Flag = False
    """Keep the memory from one document to the next."""
    k_best: Positive = 1
    """How many outputs of the search are remembered of each sentence, the best one last."""

    @model_validator(mode="after")
    def _belong_together(self) -> "MemoryConfig":
        if self.gate == "features" and self.fusion in ("deep", "auxiliary"):
            raise ValueError('gate = "features" is for shallow fusion: a deep gate needs vectors')
        if self.gate == "features" and self.match != "cosine":
            raise ValueError(
                'gate = "features" needs match = "cosine", whose scores mean the same everywhere'
            )
        return self


class PassOneConfig(Section):
    """Training of the sentence model on shuffled sentences."""

    optimiser: Optimiser = "adam"
    """Adam or Adadelta."""
    learning_rate: Number = 1e-3
    """Peak learning rate."""
    schedule: Literal["constant", "inverse-sqrt", "cosine", "trapezoid"] = "cosine"
    """How the learning rate falls after the warm-up: cosine all the way, trapezoid in its last steps only."""
    warmup: Count = 500
    """Steps over which the learning rate rises from zero."""
    cooldown: Count = 1000
    """Last steps of a trapezoid schedule, over which the learning rate falls."""
    batch: Positive = 4000
    """Target tokens, or sentences, per update."""
    batch_unit: Literal["tokens", "sentences"] = "tokens"
    """What batch counts."""
    window: Positive = 100
    """Batches whose sentences are sorted by length together."""
    clip: Number = 1.0
    """Largest norm of the gradient."""
    label_smoothing: Share = 0.1
    """Share of the probability mass spread over all words."""
    precision: Literal["float32", "bfloat16"] = "float32"
    """Of matrix products: bfloat16 is nearly twice as fast on a CPU with AVX-512 BF16, slow on others."""
    max_steps: Positive = 20000
    """Updates in all; may be changed when a run is resumed, unless the schedule is cosine."""
    max_epochs: Positive | None = None
    """Stop after so many epochs, if that comes first."""
    validate_every: Positive = 1000
    """Steps between validations on the tuning set."""
    metric: Literal["bleu", "perplexity"] = "bleu"
    """What the best checkpoint is best in."""
    patience: Positive | None = None
    """Stop after so many validations without a new best."""
    checkpoint_every: Positive = 500
    """Steps between checkpoints to resume from."""
    average: Count = 5
    """How many of the last validated weights to average at the end (0: none)."""


class PassTwoConfig(Section):
    """Training of the memory's gate on documents in order."""

    documents: Count = 200
    """How many training documents to use, spread evenly over the corpus; 0 uses all."""
    lanes: Positive = 32
    """Documents that advance side by side."""
    epochs: Positive = 5
    """Times through the documents."""
    optimiser: Optimiser = "adam"
    """Adam or Adadelta."""
    learning_rate: Number = 1e-3
    """Learning rate."""
    batch: Positive = 1000
    """Target tokens per update, at least; updates fall between sentences."""
    clip: Number = 1.0
    """Largest norm of the gradient."""
    precision: Literal["float16", "float32"] = "float16"
    """How activations are stored."""
    joint: Flag = False
    """Train all parameters together with the gate, instead of the gate alone on stored activations."""
    history: Literal["reference", "own", "mixed", "foreign", "shuffled"] = "reference"
    """What memories are filled with: the references, the model's own translations, either by the toss of a
    coin for each sentence (for a gate on features), or controls: another document's, or many documents'."""
    renamed: Share = 0.0
    """Share of the names that come again in a training document that become other names, so that only the
    memory can know them, as with a person's corrections (for a gate on features)."""

    @model_validator(mode="after")
    def _renaming_what_people_said(self) -> "PassTwoConfig":
        if self.renamed and self.history not in ("reference", "mixed"):
            raise ValueError('renamed names are those of references: history must be "reference" or "mixed"')
        return self


class DecodingConfig(Section):
    """Beam search."""

    beam: Positive = 5
    """Hypotheses kept; 1 is greedy."""
    length_penalty: Annotated[float, Field(ge=0, strict=True, allow_inf_nan=False)] = 1.0
    """Scores are divided by length to this power."""
    min_length: Count = 0
    """Shortest output in tokens."""
    max_length: Positive = 200
    """Longest output in tokens, whatever the source."""
    max_ratio: Number = 3.0
    """Longest output relative to the source (ten tokens are always allowed)."""
    lanes: Positive = 32
    """Documents that are translated side by side."""
    precision: Literal["float32", "float16", "int8"] = "float16"
    """Of the decoder's weights on a CPU; sums are always in single precision. int8 is the fastest."""
    proofreading: Annotated[float, Field(ge=0, strict=True, allow_inf_nan=False)] = 0.25
    """With a model that has a proofreader: how much it counts how well the source follows from each of the
    best translations that the beam has found (three, or as many as are asked for); 0 leaves it out."""
    length_reward: Annotated[float, Field(ge=0, strict=True, allow_inf_nan=False)] = 0.5
    """With a proofreader: what each token of a translation counts when these are ranked. The length penalty
    still guides the search for them."""


class Config(Section):
    """Everything a run depends on."""

    seed: Seed = 1
    """Seed of initialisation, shuffling and dropout."""
    data: DataConfig = DataConfig()
    vocabulary: VocabularyConfig = VocabularyConfig()
    model: ModelConfig = ModelConfig()
    context: ContextConfig = ContextConfig()
    memory: MemoryConfig = MemoryConfig()
    pass_one: PassOneConfig = PassOneConfig()
    pass_two: PassTwoConfig = PassTwoConfig()
    decoding: DecodingConfig = DecodingConfig()

    @model_validator(mode="after")
    def _belong_together(self) -> "Config":
        if self.context.kind != "none" and self.model.conditional:
            raise ValueError(
                f'[context] kind = "{self.context.kind}" is not for model.conditional: '
                "it has its place in the decoder of one GRU"
            )
        return self

    def options(self) -> dict[str, Any]:
        """Return every option by its full name, such as `memory.size`."""
        flat: dict[str, Any] = {}
        for name, value in self.model_dump(mode="json").items():
            flat |= (
                {f"{name}.{key}": each for key, each in value.items()}
                if isinstance(value, dict)
                else {name: value}
            )
        return flat

    def to_toml(self) -> str:
        """Return the configuration as TOML that `load_config` reads back equal."""
        return tomli_w.dumps(self.model_dump(mode="json", exclude_none=True))


def presets() -> list[str]:
    """Return the names of the configurations that come with the package."""
    folder = resources.files("recollect") / "presets"
    return sorted(item.name.removesuffix(".toml") for item in folder.iterdir() if item.name.endswith(".toml"))


def load_config(
    path: File | None = None, *, preset: str | None = None, overrides: Iterable[str] = ()
) -> Config:
    """Read a TOML file over a preset, apply overrides such as `memory.size=50`, and check the whole.

    The file may name its preset itself: `preset = "small"`. Relative paths are relative to the file.
    """
    problems: list[str] = []
    given = _read_toml(path) if path else {}
    named = given.pop("preset", None)
    origin = str(path) if path else "configuration"
    values: dict[str, Any] = {}
    chosen = preset or named
    if chosen is not None:
        if chosen in presets():
            values = tomllib.loads(
                (resources.files("recollect") / "presets" / f"{chosen}.toml").read_text("utf-8")
            )
        else:
            where = origin if preset is None else f"--preset {preset}"
            problems.append(f"{where}: there is no preset {chosen!r}; {_suggest(str(chosen), presets())}")
    if path:
        _anchor(given, path.parent)
    _merge(values, given)
    origins: dict[tuple[str, ...], str] = {}
    for override in overrides:
        problems += _override(values, override, origins)
    try:
        config = Config.model_validate(values)
    except ValidationError as error:
        problems += [_explain(item, origins, origin) for item in error.errors()]
    if problems:
        raise ConfigError("\n".join(problems))
    return config


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8-sig"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such configuration file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read as UTF-8 text ({error})") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from None


def _anchor(given: dict[str, Any], folder: Path) -> None:
    """Make the data section's relative paths relative to the configuration file."""
    data = given.get("data")
    if not isinstance(data, dict):
        return
    for name, value in data.items():
        if name not in DataConfig.model_fields or name in DataConfig.words:
            continue
        if isinstance(value, str):
            data[name] = str(folder / value)
        elif isinstance(value, list):
            data[name] = [str(folder / item) if isinstance(item, str) else item for item in value]


def _merge(below: dict[str, Any], above: Mapping[str, Any]) -> None:
    for key, value in above.items():
        if isinstance(value, dict) and isinstance(below.get(key), dict):
            _merge(below[key], value)
        else:
            below[key] = value


def _override(values: dict[str, Any], override: str, origins: dict[tuple[str, ...], str]) -> list[str]:
    """Put one `section.option=value` into place; return what is wrong with its form."""
    name, equals, text = override.partition("=")
    parts = tuple(part.strip() for part in name.split("."))
    if not equals or not all(parts):
        return [f"--set {override}: must look like section.option=value, for instance memory.size=50"]
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text  # a bare word is a string
    table = values
    for part in parts[:-1]:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            return [f"--set {override}: {part} is an option, not a section"]
    table[parts[-1]] = value
    origins[parts] = f"--set {override}"
    return []


def _suggest(name: str, known: Sequence[str]) -> str:
    close = get_close_matches(name, known, n=1, cutoff=0.5)
    return f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(sorted(known))}"


def _explain(item: Any, origins: Mapping[tuple[str, ...], str], origin: str) -> str:
    """Turn one of pydantic's findings into one clear line."""
    location = tuple(str(part) for part in item["loc"])
    where = next(
        (origins[location[:n]] for n in range(len(location), 0, -1) if location[:n] in origins), origin
    )
    section = f"[{location[0]}] " if len(location) > 1 or location[:1] in _sections() else ""
    name = ".".join(location[1:] if section and len(location) > 1 else location)
    kind, value, context = item["type"], item["input"], item.get("ctx", {})
    if kind == "extra_forbidden":
        known = _known(location[:-1])
        what = "option" if len(location) > 1 else "section or option"
        return f"{where}: {section}has no {what} {location[-1]!r}; {_suggest(location[-1], known)}"
    if kind == "literal_error":
        return f"{where}: {section}{name} must be one of {context['expected']}, not {value!r}"
    if kind.startswith("int"):
        return f"{where}: {section}{name} must be a whole number, not {value!r}"
    if kind.startswith("float"):
        return f"{where}: {section}{name} must be a number, not {value!r}"
    if kind.startswith("bool"):
        return f"{where}: {section}{name} must be true or false, not {value!r}"
    bounds = {"greater_than": "above", "greater_than_equal": "at least", "less_than": "below"}
    if kind in bounds:
        limit = next(iter(context.values()))
        return f"{where}: {section}{name} must be {bounds[kind]} {limit}, not {value!r}"
    if kind == "value_error":
        return f"{where}: {section}{f'{name}: ' if len(location) > 1 else ''}{context['error']}"
    if kind in ("model_type", "dict_type"):
        return f"{where}: [{name}] must be a section of options, not {value!r}"
    return f"{where}: {section}{name}: {item['msg']}"


def _sections() -> set[tuple[str, ...]]:
    return {(name,) for name, field in Config.model_fields.items() if field.annotation is not int}


def _known(location: tuple[str, ...]) -> list[str]:
    model: Any = Config
    for part in location:
        model = model.model_fields[part].annotation
    return list(model.model_fields)
