"""From a configuration to a working system: the only place where names become classes."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from recollect.allocator import keep_freed_memory
from recollect.batches.prepare import prepare
from recollect.batches.prepared import Prepared
from recollect.batches.sentences import SentenceBatches
from recollect.config import Config, ContextConfig, DataConfig, MemoryConfig, load_config
from recollect.context.hierarchical import HierarchicalRNNSearch
from recollect.context.second_attention import SecondAttentionRNNSearch
from recollect.decoding.beam import Beam
from recollect.decoding.proofreading import Proofreader
from recollect.decoding.translator import Packed, Translator
from recollect.errors import ConfigError, DataError, ModelError
from recollect.evaluation.bleu import bleu
from recollect.evaluation.lines import Lines
from recollect.evaluation.options import ScoreOptions
from recollect.files import fingerprint, whole_file, whole_folder
from recollect.folders import MANIFEST, PROOFREADER, find_model, read_manifest, write_manifest
from recollect.hindsight import Hindsight, Journal, pairs_of
from recollect.memory.address import Addresses, pair_addresses, piece_addresses, word_addresses
from recollect.memory.fast import FastMemory
from recollect.memory.fusion import AuxiliaryFusion, BothFusion, DeepFusion, Fusion, NoFusion, ShallowFusion
from recollect.memory.keys import Key
from recollect.memory.match import AdditiveMatch, BilinearMatch, DotMatch, FlatnessMatch, L2Match
from recollect.memory.memory import Memory
from recollect.memory.policies import Policy, first_in_first_out, least_recently_used
from recollect.memory.read import Weighing
from recollect.models.packed import PackedRNNSearch
from recollect.models.rnnsearch import RNNSearch
from recollect.models.unfilled import unfilled
from recollect.progress import SilentProgress, TerminalProgress
from recollect.text.corpora import read_parallel
from recollect.text.dictionary import load_dictionary, save_dictionary
from recollect.text.scripts import has_letters
from recollect.text.variants import Shares
from recollect.text.vocabulary import BOS, PAD, UNK, Vocabulary, load_vocabulary
from recollect.training.activations import choose_documents, store_activations
from recollect.training.gathered import fit_keys, train_on_gathered
from recollect.training.pass_one import PassOne, train_pass_one
from recollect.training.pass_two import PassTwo, stored_steps, train_pass_two, unrolled_steps
from recollect.training.run import Run
from recollect.weights import WEIGHTS, read_weights, write_weights

__all__ = [
    "build_memory",
    "build_model",
    "build_translator",
    "load",
    "model_signature",
    "prepare_data",
    "save_model",
    "train",
]

MODELS: dict[str, Callable[[ContextConfig], Callable[..., RNNSearch]]] = {
    "none": lambda config: RNNSearch,
    "wang-init": lambda config: _hierarchical(config, initial=True),
    "wang-auxiliary": lambda config: _hierarchical(config, auxiliary="plain"),
    "wang-gated": lambda config: _hierarchical(config, auxiliary="gated"),
    "wang-both": lambda config: _hierarchical(config, initial=True, auxiliary="gated"),
    "jean": lambda config: partial(SecondAttentionRNNSearch, told_context=config.told_context),
}

MATCHES: dict[str, Callable[[MemoryConfig, Key], nn.Module]] = {
    "dot": lambda config, key: DotMatch(),
    "cosine": lambda config, key: DotMatch(),  # of keys of length one
    "l2": lambda config, key: L2Match(config.theta),
    "flatness": lambda config, key: FlatnessMatch(config.theta),
    "bilinear": lambda config, key: BilinearMatch(key.size),
    "additive": lambda config, key: AdditiveMatch(key.size, key.size // 2 or 1),
}

FUSIONS: dict[str, Callable[[RNNSearch, bool], Fusion]] = {
    "deep": lambda model, features: DeepFusion(model.context_size, model.state_size),
    "auxiliary": lambda model, features: AuxiliaryFusion(model.context_size, model.state_size),
    "shallow": lambda model, features: ShallowFusion(model.context_size, model.state_size, features=features),
    "both": lambda model, features: BothFusion(model.context_size, model.state_size, features=features),
    "none": lambda model, features: NoFusion(),
}

POLICIES: dict[str, Policy] = {"lru": least_recently_used, "fifo": first_in_first_out}


def build_model(config: Config, source_tokens: int, target_tokens: int) -> RNNSearch:
    """Return an untrained sentence model, the same for the same seed."""
    torch.manual_seed(config.seed)
    build = MODELS[config.context.kind](config.context)
    return build(source_tokens, target_tokens, **config.model.model_dump())


def _hierarchical(config: ContextConfig, **variant: Any) -> Callable[..., RNNSearch]:
    return partial(HierarchicalRNNSearch, sentences=config.sentences or 3, **variant)


def build_memory(config: Config, model: RNNSearch, vocabulary: Vocabulary) -> Memory:
    """Return an untrained memory that fits `model`, the same for the same seed."""
    torch.manual_seed(config.seed)
    options = config.memory
    kinds: dict[str, Addresses] = {
        "piece": piece_addresses,
        "word": partial(word_addresses, starts_word=vocabulary.starts_word),
        "pair": pair_addresses,
    }
    sizes = {"context": model.context_size, "state": model.state_size, "readout": model.readout_size}
    scaled = options.match == "cosine"
    if options.whitened > sum(sizes[part] for part in options.key):
        whole = sum(sizes[part] for part in options.key)
        raise ConfigError(
            f"[memory] whitened must be at most {whole}, the size of the key, not {options.whitened}"
        )
    key = Key(options.key, [sizes[part] for part in options.key], scaled=scaled, whitened=options.whitened)
    # Without fusion nothing is read: parameters of a match could not be trained.
    match = MATCHES["dot" if options.fusion == "none" else options.match](options, key)
    features = options.gate == "features"
    return Memory(
        size=options.size,
        key=key,
        # Words alone, by a gate that does not look at states, need no values.
        value=0 if options.fusion == "shallow" and features else model.state_size,
        match=match,
        weighing=Weighing(options.temperature) if scaled and options.fusion != "none" else None,
        top=options.top,
        fusion=FUSIONS[options.fusion](model, features),
        policy=POLICIES[options.policy],
        addresses=kinds[options.address],
        inside=_inside(vocabulary),
    )


def _inside(vocabulary: Vocabulary) -> Tensor:
    """Return which pieces go on with a word [token]; what has no letters is none."""
    return torch.tensor(
        [
            not vocabulary.starts_word(token) and has_letters(vocabulary.piece(token))
            for token in range(vocabulary.size)
        ]
    )


def build_translator(
    config: Config,
    model: RNNSearch,
    memory: Memory | None,
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    dictionary: dict[str, str] | None,
) -> Translator:
    """Return a translator that decodes as the configuration says."""
    options = config.decoding
    beam = Beam(
        size=options.beam,
        length_penalty=options.length_penalty,
        min_length=options.min_length,
        max_length=options.max_length,
        max_ratio=options.max_ratio,
        # Subwords can spell anything; whole words need the unknown one, which is replaced afterwards.
        banned=(PAD, BOS) if config.vocabulary.kind == "words" else (PAD, BOS, UNK),
    )
    return Translator(
        model,
        memory,
        source_vocabulary,
        target_vocabulary,
        dictionary=dictionary,
        beam=beam,
        lanes=options.lanes,
        store_end=config.memory.store_end,
        carry=config.memory.carry,
        k_best=config.memory.k_best,
        languages=(config.data.source_language, config.data.target_language),
    )


def packed(translator: Translator, precision: str) -> Translator:
    """Return a translator whose model and memory, as they are now, are in a form made for search."""
    model, memory = translator.model, translator.memory
    if not isinstance(model, RNNSearch) or model.query_word is None or model.looks_back:
        return translator
    if memory is None:
        return translator.replaced(packed=Packed(PackedRNNSearch(model, precision), None))
    fast = PackedRNNSearch(model, precision, memory.fusion.rider)
    on_cpu = model.device.type == "cpu"
    spoken = FastMemory.of(memory) if on_cpu and FastMemory.fits(memory) else memory.packed(precision)
    return translator.replaced(packed=Packed(fast, spoken))


# -- data


def prepare_data(
    config: Config,
    folder: Path,
    progress: Callable[[str, int, int | None], None],
    like: str | Path | None = None,
) -> Prepared:
    """Turn the configured text files into ids and vocabularies in `folder`: new ones, or those of a model."""
    data, vocabulary = config.data, config.vocabulary
    if data.source is None or data.target is None:
        raise ConfigError("[data] source and target are needed: the training text and its translation")
    tune = None
    if data.tune_source is not None:
        tune = read_parallel(data.tune_source, data.tune_references, data.tune_starts)
        if data.reversed:
            tune = [document.reversed() for document in tune]
    return prepare(
        folder,
        source=data.source,
        target=data.target,
        starts=data.starts,
        vocabulary=vocabulary.kind,
        size_source=vocabulary.source_size,
        size_target=vocabulary.target_size,
        joint=vocabulary.joint,
        max_length=vocabulary.max_length,
        clean=data.clean,
        held_out=data.held_out,
        variants=Shares(joined=data.joined, written_names=data.written_names, punctuated=data.punctuated),
        redrawn=data.redrawn,
        reversed=data.reversed,
        vocabularies=None if like is None else find_model(like),
        tune=tune,
        seed=config.seed,
        progress=progress,
    )


# -- training


def train(
    config: Config,
    prepared: Prepared,
    folder: Path,
    *,
    progress: SilentProgress | TerminalProgress,
    passes: Sequence[str] = ("one", "two"),
    base: Path | None = None,
    start: Path | None = None,
    processes: int = 1,
    activations: Path | None = None,
) -> Path:
    """Train both passes (or the first) in a run folder, resuming what is there; return the model's folder.

    `base` is a model whose sentence model is taken as it is, instead of a first pass; `start` is one that the
    first pass begins with. `processes` share the work of the first pass. `activations` is a folder for
    what the second pass trains on, which memories of one sentence model may share; by default each has its
    own.
    """
    if len(prepared.train) == 0:
        raise DataError(f"{prepared.folder}: there are no sentence pairs to train on; see problems.tsv there")
    keep_freed_memory()
    if base is not None and config.context.kind != "none":
        raise ConfigError(
            f'--base trains a memory alone, but [context] kind = "{config.context.kind}" has none: '
            "start from that model instead"
        )
    run = Run.open(folder, config, asdict(prepared.manifest))
    source, target = prepared.source_vocabulary, prepared.target_vocabulary
    model = build_model(config, *_tokens(prepared))
    memory = None if model.looks_back else build_memory(config, model, target)
    translator = build_translator(config, model, None, source, target, prepared.dictionary)
    if base is not None and run.result("pass-one") is None:
        taken, folder_of_base = _sentence_model_of(base, model, config, prepared)
        with whole_file(run.folder / "pass-one" / "final.safetensors") as draft:
            save_file(taken, draft)
        run.finish("pass-one", {"chosen": f"taken from {folder_of_base}"})
    elif start is not None:
        # What the other model lacks stays as it is: the parts that look back, a layer that changes nothing
        # at first, or a name for a tied layer.
        taken, _ = _sentence_model_of(start, model, config, prepared, grown=True)
        model.load_state_dict(taken, strict=False)
    train_pass_one(
        model,
        SentenceBatches(
            prepared.train,
            batch=config.pass_one.batch,
            unit=config.pass_one.batch_unit,
            window=config.pass_one.window,
            seed=config.seed,
            looks_back=model.looks_back,
        ),
        PassOne(**_common(PassOne, config.pass_one.model_dump()), seed=config.seed),
        run,
        _validation(translator.replaced(beam=_greedy(translator.beam)), prepared, config),
        progress,
        processes,
    )
    if "two" not in passes and run.result("pass-two") is None:
        return _export(config, prepared, run, model, None)
    if memory is None:
        progress.say("there is no pass two: a model that looks back has no memory")
        return _export(config, prepared, run, model, None)
    documents = choose_documents(prepared.train, config.pass_two.documents)
    options = PassTwo(
        **_common(PassTwo, config.pass_two.model_dump()),
        store_end=config.memory.store_end,
        metric=config.pass_one.metric,
        seed=config.seed,
    )
    validate = _validation(translator.replaced(memory=memory), prepared, config)
    greedy = packed(translator, config.decoding.precision).replaced(beam=_greedy(translator.beam))
    weights = fingerprint(folder / "pass-one" / "final.safetensors")
    sight = Hindsight(
        prepared.train,
        documents,
        config.pass_two.history,
        greedy,
        Journal(folder / "own.jsonl", weights),
        renamed=config.pass_two.renamed,
        seed=config.seed,
        progress=progress,
    )
    if config.memory.gate == "features" and config.memory.fusion == "shallow":
        if config.pass_two.joint:
            raise ConfigError(
                '[pass_two] joint is not for memory.gate = "features": its gate is trained alone'
            )
        train_on_gathered(model, memory, sight.tutorials, options, run, validate, progress)
        return _export(config, prepared, run, model, memory)
    if config.pass_two.renamed:
        raise ConfigError('[pass_two] renamed is for memory.gate = "features" alone')
    if config.pass_two.joint:
        steps = unrolled_steps(model)
    elif config.memory.address == "pair" and config.pass_two.history == "reference":
        raise ConfigError(
            '[memory] address = "pair" needs to know where the model looked, which is not stored: use '
            'gate = "features", another history, or joint training'
        )
    else:
        stored = store_activations(
            model,
            prepared.train,
            documents,
            activations or folder / "activations",
            precision=config.pass_two.precision,
            weights=weights,
            progress=progress,
        )
        steps = stored_steps(model, prepared.train, stored)
    past = None
    if config.pass_two.history != "reference":
        sight.look()  # before anything is trained
        past = sight.past_of
    if memory.key.scaled and run.result("pass-two") is None:
        fit_keys(model.eval(), memory, [pairs_of(prepared.train, document) for document in documents])
    train_pass_two(model, memory, prepared.train, documents, steps, options, run, validate, progress, past)
    return _export(config, prepared, run, model, memory)


def _sentence_model_of(
    base: Path, model: RNNSearch, config: Config, prepared: Prepared, *, grown: bool = False
) -> tuple[dict[str, Tensor], Path]:
    """Return the weights of another sentence model, of the same sizes and vocabularies, and its folder.

    It may lack what `model` has to look back and, if it is to be `grown`, have a narrower readout and
    fewer layers after its encoder.
    """
    folder = find_model(base)
    for name in read_manifest(folder)["sha256"]:
        side = name.partition(".")[0]
        if side in ("source", "target") and (
            not (prepared.folder / name).is_file()
            or fingerprint(prepared.folder / name) != fingerprint(folder / name)
        ):
            raise ModelError(f"{folder}: its {side} vocabulary is not that of {prepared.folder}")
    stored = read_weights(folder / WEIGHTS)
    taken = {name.removeprefix("model."): each for name, each in stored.items() if name.startswith("model.")}
    least: dict[str, Any] = {"context": ContextConfig()}
    if grown:
        taken = model.readout.widened(taken, "readout.")
        least["model"] = config.model.model_copy(update={"feed_forward": 0, "self_attention": 0})
    own = {name: parameter.shape for name, parameter in model.named_parameters()}
    with torch.device("meta"):
        plain = build_model(config.model_copy(update=least), *_tokens(prepared))
    needed = {name for name, _ in plain.named_parameters()}
    if not needed <= taken.keys() or any(own.get(name) != each.shape for name, each in taken.items()):
        raise ModelError(f"{folder}: its sentence model has other sizes than this configuration asks for")
    return taken, folder


def _tokens(prepared: Prepared) -> tuple[int, int]:
    return prepared.source_vocabulary.size, prepared.target_vocabulary.size


def _common(options: Any, given: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name in options.__dataclass_fields__}


def _greedy(beam: Beam) -> Beam:
    return Beam(**(asdict(beam) | {"size": 1}))


def _validation(
    translator: Translator, prepared: Prepared, config: Config
) -> Callable[[], dict[str, float]] | None:
    """Return a function that measures perplexity and BLEU on the tuning set; None without one."""
    tune = prepared.tune
    if not tune:
        return None
    sources = [document.source for document in tune]
    first = [document.references[0] for document in tune]
    count = len(tune[0].references)
    references = [
        Lines(f"reference {n + 1}", [line for document in tune for line in document.references[n]])
        for n in range(count)
    ]

    def validate() -> dict[str, float]:
        translator.model.eval()
        outputs = packed(translator, config.decoding.precision).translate_documents(sources)
        lines = Lines("output", [item.text for document in outputs for item in document])
        score = bleu(lines, references, ScoreOptions(tokenise=config.data.tokenise))
        return {"perplexity": translator.likelihood(sources, first).perplexity, "bleu": score.score}

    return validate


def _export(config: Config, prepared: Prepared, run: Run, model: RNNSearch, memory: Memory | None) -> Path:
    folder = run.folder / "model"
    save_model(
        folder,
        config,
        model,
        memory,
        prepared.source_vocabulary,
        prepared.target_vocabulary,
        prepared.dictionary,
    )
    return folder


# -- models on disk


def save_model(
    folder: Path,
    config: Config,
    model: RNNSearch,
    memory: Memory | None,
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    dictionary: dict[str, str] | None,
) -> None:
    """Write everything `load` needs into one folder, whole or not at all."""
    tensors = {f"model.{name}": tensor.detach().contiguous() for name, tensor in model.named_parameters()}
    if memory is not None:
        tensors |= {
            f"memory.{name}": tensor.detach().contiguous() for name, tensor in memory.named_parameters()
        }
    with whole_folder(folder) as draft:
        write_weights(tensors, draft / WEIGHTS)
        source_vocabulary.save(draft, "source")
        target_vocabulary.save(draft, "target")
        if dictionary is not None:
            save_dictionary(dictionary, draft / "dictionary.tsv")
        # The model does not need the text it was trained on.
        kept = DataConfig(**config.data.model_dump(include=set(DataConfig.words)))
        alone = config.model_copy(update={"data": kept})
        (draft / "config.toml").write_text(alone.to_toml(), "utf-8")
        write_manifest(
            draft,
            source_tokens=source_vocabulary.size,
            target_tokens=target_vocabulary.size,
            memory=memory is not None,
        )


def load(
    name_or_path: str | Path,
    *,
    memory_kind: str | None = None,
    overrides: Sequence[str] = (),
    device: str = "cpu",
) -> Translator:
    """Return a translator from a model's folder (or a run folder that holds one), or of a built-in model.

    `memory_kind` names another memory that the model has, such as `paper`. `overrides` change decoding and
    memory options, for instance `["decoding.beam=10", "memory.size=50"]`.
    """
    folder = find_model(name_or_path)
    manifest = read_manifest(folder)
    settings = folder / "config.toml"
    if memory_kind is not None:
        settings = folder / f"{memory_kind}.toml"
        if not settings.is_file():
            kinds = sorted(path.stem for path in folder.glob("*.toml") if path.stem != "config")
            there = f"there is {', '.join(kinds)}" if kinds else "it has only its own"
            raise ModelError(f"{folder}: this model has no memory '{memory_kind}'; {there}")
    config = load_config(settings, overrides=overrides)
    translator = packed(_read(folder, manifest, memory_kind, config, device), config.decoding.precision)
    weight, reward = config.decoding.proofreading, config.decoding.length_reward
    if f"{PROOFREADER}/{MANIFEST}" not in manifest["sha256"] or not weight:
        return translator
    folder = folder / PROOFREADER
    back = _read(folder, read_manifest(folder), None, load_config(folder / "config.toml"), device)
    judge = packed(back, config.decoding.precision).searched
    proofreader = Proofreader(judge, back.source_vocabulary, back.target_vocabulary, weight, reward)
    return translator.replaced(proofreader=proofreader)


def _read(
    folder: Path, manifest: dict[str, Any], memory_kind: str | None, config: Config, device: str
) -> Translator:
    """Return the translator that a folder's files make."""
    keep_freed_memory()
    source, target = load_vocabulary(folder, "source"), load_vocabulary(folder, "target")
    with unfilled():
        model = build_model(config, manifest["source_tokens"], manifest["target_tokens"])
    model.to_empty(device="cpu")
    memory = build_memory(config, model, target) if manifest["memory"] else None
    model.tie()
    _fill(folder, memory_kind, model, memory)
    model.to(device)
    if memory is not None:
        memory.to(device)
    dictionary = folder / "dictionary.tsv"
    words = load_dictionary(dictionary) if dictionary.exists() else None
    return build_translator(config, model, memory, source, target, words)


def model_signature(name_or_path: str | Path) -> str:
    """Return what tells this model from any other: the checksum of its manifest."""
    return fingerprint(find_model(name_or_path) / "model.json")


def _fill(folder: Path, kind: str | None, model: nn.Module, memory: nn.Module | None) -> None:
    own = {f"model.{name}": parameter for name, parameter in model.named_parameters()}
    if memory is not None:
        own |= {f"memory.{name}": parameter for name, parameter in memory.named_parameters()}
    path = folder / WEIGHTS
    stored = read_weights(path)
    if kind is not None:
        stored = {name: each for name, each in stored.items() if name.startswith("model.")}
        stored |= read_weights(folder / f"{kind}.safetensors")
    for name in sorted(own.keys() ^ stored.keys()):
        raise ModelError(f"{path}: {name} is in the {'model' if name in own else 'file'} only; "
                         "were options of the model or the fusion changed?")  # fmt: skip
    with torch.no_grad():
        for name, parameter in own.items():
            if parameter.shape != stored[name].shape:
                shapes = f"{tuple(stored[name].shape)}, not {tuple(parameter.shape)}"
                raise ModelError(f"{path}: {name} has shape {shapes}")
            parameter.copy_(stored[name])
