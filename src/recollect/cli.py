"""The command line: thin verbs over the library."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.evaluation import Lines
    from recollect.text.document import ParallelDocument

from recollect.errors import RecollectError

__all__ = ["app", "main"]

app = typer.Typer(
    name="recollect",
    help="Machine translation that remembers: names, terms and tenses stay the same through a document.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="SECTION.OPTION=VALUE", help="Change one option, e.g. memory.size=50. Repeatable."
    ),
]
Preset = Annotated[
    str | None,
    typer.Option("--preset", help="Options to start from: `small` (a CPU) or `paper` (its sizes)."),
]
ConfigFile = Annotated[
    Path | None,
    typer.Argument(metavar="CONFIG", help="TOML file with your data and options.", show_default=False),
]
Starts = Annotated[
    Path | None,
    typer.Option(
        "--starts", help="Line numbers at which documents start, if not at empty lines.", show_default=False
    ),
]
Tokenise = Annotated[
    str,
    typer.Option("--tokenise", "-t", help="13a, moses (raw output, tokenised references), none, zh or char."),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model", "-m", help="A model's folder, or the run folder that training made.", show_default=False
    ),
]


def main() -> None:
    """Run the command line; problems the user can mend end in one clear line each, without a traceback."""
    try:
        app()
    except RecollectError as error:
        _fail(str(error), 1)
    except (KeyboardInterrupt, SystemExit) as end:
        if isinstance(end, SystemExit) and end.code != 130:  # typer's word for Ctrl-C
            raise
        _fail("interrupted; the same command goes on where it stopped", 130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)
    except OSError as error:
        _fail(f"{error.filename or 'a file'}: {error.strerror or error}", 1)


def _fail(text: str, code: int) -> NoReturn:
    for line in text.splitlines():
        print(f"recollect: {line}", file=sys.stderr)
    sys.exit(code)


def _print_version(asked: bool) -> None:
    if asked:
        from recollect import __version__

        print(f"recollect {__version__}")
        raise typer.Exit


@app.callback()
def _everywhere(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version and exit.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    pass


@app.command()
def prepare(
    config: ConfigFile = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for ids and vocabularies.", show_default=False)
    ] = Path("prepared"),
    preset: Preset = None,
    overrides: Overrides = None,
) -> None:
    """Turn parallel text into vocabularies and memory-mapped ids that training reads."""
    from recollect.assemble import prepare_data
    from recollect.config import load_config
    from recollect.progress import TerminalProgress

    settings = load_config(config, preset=preset, overrides=overrides or ())
    with TerminalProgress().stages() as report:
        prepared = prepare_data(settings, output, report)
    manifest = prepared.manifest
    for name, count in {
        **manifest.counts,
        **{f"skipped, {kind}": n for kind, n in manifest.skipped.items()},
    }.items():
        print(f"{name.replace('_', ' '):32} {count:>12,}")
    if any(manifest.skipped.values()):
        print(f"skipped pairs are listed by file and line in {output / 'problems.tsv'}")
    print(f"prepared in {output}")


@app.command()
def train(
    config: ConfigFile = None,
    data: Annotated[Path, typer.Option("--data", "-d", help="What `recollect prepare` made.")] = Path(
        "prepared"
    ),
    run: Annotated[
        Path, typer.Option("--run", "-r", help="Folder of the run; if it holds this run already, it goes on.")
    ] = Path("runs/default"),
    preset: Preset = None,
    only: Annotated[
        str,
        typer.Option("--passes", help="`both`, or `one` for the sentence model alone.", metavar="both|one"),
    ] = "both",
    base: Annotated[
        Path | None,
        typer.Option(
            "--base",
            help="A trained model whose sentence model is kept; only a memory is trained for it.",
            show_default=False,
        ),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(
            "--start-from",
            help="A trained model whose sentence model is trained further, instead of a new one; "
            "it may lack what a rival adds to it.",
            show_default=False,
        ),
    ] = None,
    processes: Annotated[
        int,
        typer.Option(
            "--processes", min=1, help="Processes that share the work of pass one: one for each core is best."
        ),
    ] = 1,
    overrides: Overrides = None,
) -> None:
    """Train the sentence model, then its memory. Interrupted at any moment, the same command goes on."""
    if only not in ("both", "one"):
        raise typer.BadParameter("must be both or one", param_hint="--passes")
    if base is not None and start is not None:
        raise RecollectError("--base takes a sentence model as it is, --start-from trains it: give one")
    from recollect.assemble import train as train_passes
    from recollect.batches.prepared import Prepared
    from recollect.config import load_config
    from recollect.progress import TerminalProgress

    settings = load_config(config, preset=preset, overrides=overrides or ())
    passes = ("one",) if only == "one" else ("one", "two")
    prepared = Prepared.open(data)
    model = train_passes(
        settings,
        prepared,
        run,
        progress=TerminalProgress(),
        passes=passes,
        base=base,
        start=start,
        processes=processes,
    )
    print(f"trained: {model}")


@app.command()
def translate(
    source: Annotated[
        str,
        typer.Argument(
            metavar="IN",
            help="Text, one sentence a line, an empty line between documents; - reads standard input.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="File to write; without it, standard output.", show_default=False
        ),
    ] = None,
    model: ModelOption = None,
    memory: Annotated[
        bool, typer.Option("--memory/--no-memory", help="Remember, or translate each sentence alone.")
    ] = True,
    beam: Annotated[
        int | None,
        typer.Option(
            "--beam",
            "-b",
            min=1,
            help="Hypotheses kept in the search; 1 is greedy. Default: the model's.",
            show_default=False,
        ),
    ] = None,
    lanes: Annotated[
        int | None,
        typer.Option(
            "--lanes",
            min=1,
            help="Documents translated side by side. Default: the model's.",
            show_default=False,
        ),
    ] = None,
    history: Annotated[
        Path | None,
        typer.Option(
            "--history",
            help="A human translation, line by line, to remember instead of our own.",
            show_default=False,
        ),
    ] = None,
    project: Annotated[
        Path | None,
        typer.Option(
            "--project",
            help="Earlier documents to remember too: what `recollect remember` made.",
            show_default=False,
        ),
    ] = None,
    starts: Annotated[
        Path | None,
        typer.Option(
            "--starts",
            help="Line numbers at which documents start, besides the empty lines.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace an existing output file.")] = False,
    overrides: Overrides = None,
) -> None:
    """Translate a text, remembering within each document. Writes exactly as many lines as it reads."""
    from recollect.assemble import load, model_signature
    from recollect.decoding.journal import PlainText, translate_text
    from recollect.files import fingerprint
    from recollect.memory.project import load_project
    from recollect.progress import TerminalProgress
    from recollect.text.formats.plain import read_starts

    if output is not None and output.exists() and not force:
        raise RecollectError(f"{output} exists already; choose another name, or --force to replace it")
    folder = _model(model)
    changes = list(overrides or ())
    changes += [f"decoding.beam={beam}"] if beam is not None else []
    changes += [f"decoding.lanes={lanes}"] if lanes is not None else []
    begins = read_starts(starts) if starts is not None else [1]
    text = PlainText.parse(_read(source), source, begins)
    given = PlainText.parse(_read(str(history)), str(history), begins) if history is not None else None
    translator = load(folder, overrides=changes)
    if not memory:
        translator = translator.without_memory()
    elif translator.memory is None and not translator.model.looks_back:
        print("recollect: this model has no memory: each sentence is translated alone", file=sys.stderr)
    signature = [model_signature(folder), f"memory={memory}", *sorted(changes)]
    if project is not None and memory:
        translator = translator.with_project(load_project(project, model_signature(folder)))
        signature.append(f"project={fingerprint(project)}")
    lines = translate_text(
        translator, text, output, history=given, signature=signature, progress=TerminalProgress()
    )
    if output is None:
        sys.stdout.write("".join(f"{line}\n" for line in lines))


@app.command()
def remember(
    source: Annotated[Path, typer.Argument(help="Source text: plain, SGML or TED XML.")],
    target: Annotated[Path, typer.Argument(help="Its translation, by people.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The project's memory to write.")],
    model: ModelOption = None,
    starts: Starts = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace an existing file.")] = False,
) -> None:
    """Remember documents that have been translated: `translate --project` then speaks as they do."""
    from recollect.assemble import load, model_signature
    from recollect.memory.project import save_project
    from recollect.text.corpora import read_parallel

    if output.exists() and not force:
        raise RecollectError(f"{output} exists already; choose another name, or --force to replace it")
    folder = _model(model)
    documents = read_parallel(source, [target], starts)
    translator = load(folder)
    translator.check_project()
    slots = translator.remembering(
        [document.source for document in documents], [document.references[0] for document in documents]
    )
    words = save_project(output, slots, model_signature(folder))
    print(f"{output}: {words:,} words of {len(documents):,} documents")


@app.command()
def score(
    hypothesis: Annotated[Path, typer.Argument(help="The system's output, one sentence a line.")],
    reference: Annotated[
        list[Path],
        typer.Option(
            "--reference",
            "-r",
            help="Reference translations: plain, SGML or TED XML. Repeatable.",
            show_default=False,
        ),
    ],
    baseline: Annotated[
        Path | None,
        typer.Option(
            "--baseline",
            "-b",
            help="Another output to compare with: is the difference significant?",
            show_default=False,
        ),
    ] = None,
    tokenise: Tokenise = "13a",
    cased: Annotated[bool, typer.Option("--cased", help="Tell upper from lower case.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """BLEU of an output, or a comparison of two: sign test, bootstrap, approximate randomisation."""
    import json
    from dataclasses import asdict

    from recollect.evaluation import ScoreOptions, as_dictionary, as_table, bleu, compare

    options = ScoreOptions(lowercase=not cased, tokenise=tokenise)  # type: ignore[arg-type]  # it checks
    references = [side for path in reference for side in _references(path)]
    count = len(references[0].lines)
    system = _lines(hypothesis, count)
    if baseline is None:
        found = bleu(system, references, options)
        print(json.dumps(asdict(found)) if as_json else found)
        return
    comparison = compare(_lines(baseline, count), system, references, options)
    print(json.dumps(as_dictionary(comparison), indent=2) if as_json else as_table(comparison))


@app.command()
def perplexity(
    source: Annotated[Path, typer.Argument(help="Source text: plain, SGML or TED XML.")],
    target: Annotated[Path, typer.Argument(help="Its translation, of which the first reference is scored.")],
    model: ModelOption = None,
    memory: Annotated[
        bool, typer.Option("--memory/--no-memory", help="Remember, or score each sentence alone.")
    ] = True,
    history: Annotated[
        Path | None,
        typer.Option(
            "--history", help="What to remember instead of TARGET, line by line.", show_default=False
        ),
    ] = None,
    starts: Starts = None,
    overrides: Overrides = None,
) -> None:
    """How well a model predicts a given translation, its memory filled from that translation or another."""
    from recollect.assemble import load
    from recollect.text.corpora import read_parallel

    documents = read_parallel(source, [target], starts)
    remembered = None if history is None else _by_document(history, documents, source)
    translator = load(_model(model), overrides=overrides or ())
    translator = translator if memory else translator.without_memory()
    found = translator.likelihood(
        [document.source for document in documents],
        [document.references[0] for document in documents],
        remembered,
    )
    print(f"perplexity {found.perplexity:.3f} over {found.tokens:,} tokens")


@app.command()
def controls(
    source: Annotated[Path, typer.Argument(help="Source text: plain, SGML or TED XML.")],
    references: Annotated[list[Path], typer.Argument(help="Its reference translations.")],
    models: Annotated[
        list[Path],
        typer.Option(
            "--model", "-m", help="A model with a memory. Repeatable, for the same model.", show_default=False
        ),
    ],
    spoken: Annotated[
        Path | None,
        typer.Option(
            "--spoken",
            help="A reference in the model's own style (cased, not tokenised), to remember and to score.",
            show_default=False,
        ),
    ] = None,
    histories: Annotated[
        str, typer.Option("--histories", help="Which, separated by commas.")
    ] = "own,reference,foreign,shuffled,none",
    starts: Starts = None,
    tokenise: Tokenise = "13a",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the figures here, as JSON.", show_default=False),
    ] = None,
    overrides: Overrides = None,
) -> None:
    """Does the right history matter? Perplexity and BLEU of memories filled with right and wrong ones."""
    import json
    from dataclasses import asdict

    from recollect.assemble import load
    from recollect.controls import CONTROLS, as_markdown, measure_controls
    from recollect.evaluation import ScoreOptions
    from recollect.files import whole_file
    from recollect.progress import TerminalProgress
    from recollect.text.corpora import read_parallel

    chosen = histories.split(",")
    for name in chosen:
        if name not in CONTROLS:
            raise RecollectError(f"--histories: there is no {name}; choose from {', '.join(CONTROLS)}")
    options = ScoreOptions(tokenise=tokenise)  # type: ignore[arg-type]  # it checks
    documents = read_parallel(source, references, starts)
    heard = None if spoken is None else _by_document(spoken, documents, source)
    translators = {str(path): load(path, overrides=overrides or ()) for path in models}
    for path, translator in translators.items():
        if translator.memory is None:
            raise RecollectError(f"{path}: this model has no memory")
    rows = measure_controls(
        translators,
        documents,
        options,
        histories=[each for each in CONTROLS if each in chosen],
        spoken=heard,
        progress=TerminalProgress(),
    )
    print(as_markdown(rows), end="")
    if output is not None:
        with whole_file(output) as draft:
            draft.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", "utf-8")


@app.command()
def demo(
    folder: Annotated[
        Path, typer.Option("--folder", help="Where to put the corpus, the run and the output.")
    ] = Path("demo"),
) -> None:
    """Invent two languages with ambiguous words, train for a minute or two, show what the memory does."""
    from recollect.demo import run_demo
    from recollect.progress import TerminalProgress

    run_demo(folder, TerminalProgress())


def _model(name: str | None) -> str:
    if name is None:
        raise RecollectError("which model? give --model FOLDER (train one with `recollect train`)")
    return name


def _read(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read()
    from recollect.text.files import read_chunks

    return b"".join(read_chunks(Path(name)))


def _lines(path: Path, count: int) -> "Lines":
    """Return an output's lines; empty ones between documents are dropped where the references have none."""
    from recollect.evaluation import Lines

    versions = _references(path)
    if len(versions) > 1:
        raise RecollectError(f"{path} holds {len(versions)} versions; an output has one")
    filled = [line for line in versions[0].lines if line]
    return Lines(str(path), filled) if len(filled) == count != len(versions[0].lines) else versions[0]


def _by_document(path: Path, documents: "Sequence[ParallelDocument]", source: Path) -> list[list[str]]:
    """Return a file's lines, cut into the documents of `source`."""
    sentences = sum(len(document.source) for document in documents)
    lines = _lines(path, sentences).lines
    if len(lines) != sentences:
        raise RecollectError(f"{path} has {len(lines)} lines, but {source} has {sentences} sentences")
    rest = iter(lines)
    return [[next(rest) for _ in document.source] for document in documents]


def _references(path: Path) -> "list[Lines]":
    from recollect.evaluation import Lines
    from recollect.text.corpora import read_versions

    versions = read_versions(path)
    return [
        Lines(f"{path} ({n + 1})" if len(versions) > 1 else str(path), lines)
        for n, lines in enumerate(versions)
    ]
