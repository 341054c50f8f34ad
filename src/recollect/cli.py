"""The command line: thin verbs over the library."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recollect.decoding.journal import PlainText
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
        "--model",
        "-m",
        help="A built-in model's name, a model's folder, or the run folder that training made. "
        "Default: the built-in subtitle-zh-en.",
        show_default=False,
    ),
]
MemoryKind = Annotated[
    str | None,
    typer.Option(
        "--memory-kind",
        help="Another memory that the model has, e.g. `paper`. Default: its own.",
        show_default=False,
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
    like: Annotated[
        str | None,
        typer.Option(
            "--like",
            help="A model whose vocabularies are used instead of new ones, to train it further.",
            show_default=False,
        ),
    ] = None,
    preset: Preset = None,
    overrides: Overrides = None,
) -> None:
    """Turn parallel text into vocabularies and memory-mapped ids that training reads."""
    from recollect.assemble import prepare_data
    from recollect.config import load_config
    from recollect.progress import TerminalProgress

    settings = load_config(config, preset=preset, overrides=overrides or ())
    with TerminalProgress().stages() as report:
        prepared = prepare_data(settings, output, report, like)
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
            "it may lack what a rival adds to it, layers after its encoder, and width of its readout.",
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
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="IN...",
            help="Documents (subtitles, PO, XLIFF, TMX, Word, Markdown, HTML, JSON, YAML, CSV, text) or "
            "folders of them; or text of one sentence a line, an empty line between documents (- reads it "
            "from standard input).",
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="<path>",
            help="File to write, or folder for several (or for one, with / at its end). Without it, "
            "documents are written beside their sources, and lines to standard output.",
            show_default=False,
        ),
    ] = None,
    model: ModelOption = None,
    memory: Annotated[
        bool, typer.Option("--memory/--no-memory", help="Remember, or translate each sentence alone.")
    ] = True,
    memory_kind: MemoryKind = None,
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="What the files are, if their names do not tell: srt, po, docx, ..., or `lines`.",
            show_default=False,
        ),
    ] = None,
    column: Annotated[
        str | None,
        typer.Option("--column", help="The column of a table to translate.", show_default=False),
    ] = None,
    into: Annotated[
        str | None,
        typer.Option(
            "--into", help="The column for its translation; without it, the same one.", show_default=False
        ),
    ] = None,
    as_one: Annotated[
        bool, typer.Option("--as-one", help="Several files are one document: remember from file to file.")
    ] = False,
    memory_in: Annotated[
        Path | None,
        typer.Option("--memory-in", help="Begin with what an earlier translation left.", show_default=False),
    ] = None,
    memory_out: Annotated[
        Path | None,
        typer.Option("--memory-out", help="Leave what is remembered at the end.", show_default=False),
    ] = None,
    filled_from: Annotated[
        Path | None,
        typer.Option(
            "--filled-from",
            help="A document with translations (TMX, XLIFF, PO), or the source of one: remembered at first.",
            show_default=False,
        ),
    ] = None,
    filled_with: Annotated[
        Path | None,
        typer.Option("--filled-with", help="The human translation of --filled-from.", show_default=False),
    ] = None,
    glossary: Annotated[
        Path | None,
        typer.Option(
            "--glossary",
            help="Terms and their translations (CSV or TBX), remembered throughout; a list tells where "
            "they were not followed.",
            show_default=False,
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Put the glossary's terms in, whatever the model thinks.")
    ] = False,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", help="Words that are never translated, one a line.", show_default=False),
    ] = None,
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
            help="For lines: a human translation, line by line, to remember instead of our own.",
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
            help="For lines: line numbers at which documents start, besides the empty lines.",
            show_default=False,
        ),
    ] = None,
    explain: Annotated[
        Path | None,
        typer.Option(
            "--explain",
            help="Write a page (HTML) that tells of every word what the memory had to do with it.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace existing output files.")] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Leave outputs that are there, translate the rest.")
    ] = False,
    overrides: Overrides = None,
) -> None:
    """Translate documents, remembering within each: the same file comes back, its prose translated."""
    from recollect.assemble import load, model_signature
    from recollect.documents import Errand, Reading, run_errand
    from recollect.files import fingerprint
    from recollect.memory.project import load_project
    from recollect.progress import TerminalProgress

    as_lines = _are_lines(sources, format_name)
    if as_lines and len(sources) > 1:
        raise RecollectError("text of one sentence a line is translated one file at a time")
    _check_fitting(
        as_lines,
        for_documents={
            "--as-one": as_one,
            "--memory-in": memory_in,
            "--memory-out": memory_out,
            "--filled-from": filled_from,
            "--filled-with": filled_with,
            "--glossary": glossary,
            "--strict": strict,
            "--keep": keep,
            "--explain": explain,
            "--column": column,
            "--into": into,
        },
        for_lines={"--history": history, "--starts": starts},
    )
    place = None if output is None else Path(output)
    into_folder = output is not None and output.endswith("/")
    if as_lines and into_folder:
        raise RecollectError(f"{output}: text of one sentence a line is written to a file, not into a folder")
    if as_lines and place is not None and place.exists() and not force:
        raise RecollectError(f"{place} exists already; choose another name, or --force to replace it")
    folder = _model(model)
    changes = list(overrides or ())
    changes += [f"decoding.beam={beam}"] if beam is not None else []
    changes += [f"decoding.lanes={lanes}"] if lanes is not None else []
    text = _plain_text(sources[0], history, starts) if as_lines else None
    translator = load(folder, memory_kind=memory_kind, overrides=changes)
    if not memory:
        translator = translator.without_memory()
    elif translator.memory is None and not translator.model.looks_back:
        print("recollect: this model has no memory: each sentence is translated alone", file=sys.stderr)
    signature = [model_signature(folder), f"memory={memory_kind or memory}", *sorted(changes)]
    if project is not None and memory:
        translator = translator.with_project(load_project(project, model_signature(folder)))
        signature.append(f"project={fingerprint(project)}")
    if text is not None:
        from recollect.decoding.journal import translate_text

        lines = translate_text(
            translator, text[0], place, history=text[1], signature=signature, progress=TerminalProgress()
        )
        if output is None:
            sys.stdout.write("".join(f"{line}\n" for line in lines))
        return
    for path in (memory_in, filled_from, filled_with, glossary, keep):
        signature += [f"{path.name}={fingerprint(path)}"] if path is not None else []
    errand = Errand(
        sources=[Path(source) for source in sources],
        output=place,
        into_folder=into_folder,
        reading=Reading(format_name, column, into),
        as_one=as_one,
        memory_in=memory_in,
        memory_out=memory_out,
        filled_from=filled_from,
        filled_with=filled_with,
        explain=explain,
        glossary=glossary,
        strict=strict,
        keep=keep,
        force=force,
        resume=resume,
    )
    report = run_errand(errand, translator, folder, signature, TerminalProgress())
    summary, written = report.summary, report.written
    kept = f", {summary.kept:,} were translated already" if summary.kept else ""
    print(f"{summary.files:,} files, {summary.sentences:,} sentences translated{kept}")
    for path in written[:10]:
        print(path)
    if len(written) > 10:
        print(f"... and {len(written) - 10:,} more")
    for line in report.unhonoured:
        print(f"glossary: {line}")


def _check_fitting(
    as_lines: bool, for_documents: "Mapping[str, object]", for_lines: "Mapping[str, object]"
) -> None:
    """Refuse options that would do nothing."""
    unfit = [name for name, given in (for_documents if as_lines else for_lines).items() if given]
    if unfit and as_lines:
        raise RecollectError(
            f"{', '.join(unfit)}: for documents, not for text of one sentence a line; "
            "--format text takes a file for a document"
        )
    if unfit:
        raise RecollectError(
            f"{', '.join(unfit)}: for text of one sentence a line; --format lines takes a file for that"
        )


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
def check(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SOURCE", help="A document, or a PO, XLIFF or TMX file that has its translation in it."
        ),
    ],
    translation: Annotated[
        Path | None,
        typer.Argument(
            metavar="TRANSLATION", help="Its translation: a file of the same shape.", show_default=False
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            "-m",
            help="A model for this pair of languages, whose attention says which words belong together. "
            "Without it, that is learned from the files.",
            show_default=False,
        ),
    ] = None,
    column: Annotated[
        str | None, typer.Option("--column", help="The column of a table.", show_default=False)
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option(
            "--json", help="Write everything here as JSON; - is standard output.", show_default=False
        ),
    ] = None,
    html_file: Annotated[
        Path | None, typer.Option("--html", help="Write a page for a browser here.", show_default=False)
    ] = None,
    fail_on: Annotated[
        str,
        typer.Option(
            "--fail-on",
            metavar="error|inconsistency|warning|never",
            help="The least grave thing that makes the exit code 1.",
        ),
    ] = "error",
) -> None:
    """Check a translation: terms that come out in two ways, wrong numbers, lost placeholders and more."""
    if fail_on not in ("error", "inconsistency", "warning", "never"):
        raise typer.BadParameter("must be error, inconsistency, warning or never", param_hint="--fail-on")
    from functools import partial

    from recollect.evaluation.check import check as check_units
    from recollect.evaluation.check_report import as_html, as_json, write_table
    from recollect.files import whole_file
    from recollect.text.aligner import link_texts
    from recollect.text.translated import beside, open_content, translated

    content, linker = open_content(source, column), link_texts
    if translation is None:
        units = translated(content, str(source))
    else:
        units = beside(content, open_content(translation, column), (str(source), str(translation)))
    if model is not None:
        from recollect.assemble import load
        from recollect.decoding.linking import link_by_attention

        linker = partial(link_by_attention, load(model))
    found = check_units(units, linker)
    if json_file == Path("-"):
        sys.stdout.write(as_json(found))
    else:
        write_table(found, sys.stdout)
    for path, text in (
        (json_file if json_file != Path("-") else None, as_json(found)),
        (html_file, as_html(found, f"{(translation or source).name}: consistency")),
    ):
        if path is not None:
            with whole_file(path) as draft:
                draft.write_text(text, "utf-8")
    if found.fails(fail_on):  # type: ignore[arg-type]  # it has been checked
        raise typer.Exit(1)


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
def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME...", help="Experiments, or `all`.", show_default=False),
    ] = None,
    scale: Annotated[
        str,
        typer.Option("--scale", help="How large: `smoke` (minutes, invented text), `small`, or `paper`."),
    ] = "smoke",
    corpus: Annotated[
        Path | None,
        typer.Option(
            "--corpus",
            help="TOML file that says where the text of each domain is; the smoke scale invents its own.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for everything; what is finished there is used.")
    ] = Path("runs/reproduce"),
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            help="Write a report of the scale's results here (after running, or alone).",
            show_default=False,
        ),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="Show all experiments, and do nothing.")] = False,
    processes: Annotated[
        int,
        typer.Option("--processes", min=1, help="Systems made side by side, in one thread each."),
    ] = 1,
    overrides: Overrides = None,
) -> None:
    """Run the paper's experiments and report them beside its own figures. Interrupted, it goes on."""
    from recollect.progress import TerminalProgress
    from recollect.reproduce.experiment import experiments, load_experiment
    from recollect.reproduce.report import write_report
    from recollect.reproduce.run import open_domains, results_of, run_experiments
    from recollect.reproduce.scale import load_scale

    if listed:
        for name in experiments():
            found = load_experiment(name)
            print(f"{name:18} {found.place:24} {found.title}")
        return
    if not names and report is None:
        raise RecollectError("which experiment? --list shows them; `all` runs all of them")
    chosen = [load_experiment(name) for name in (experiments() if "all" in (names or ()) else names or ())]
    settings = load_scale(scale)
    failures: list[str] = []
    if chosen:
        failures = run_experiments(
            chosen,
            settings,
            open_domains(settings, corpus, output),
            output,
            overrides=overrides or (),
            processes=processes,
            progress=TerminalProgress(),
        )
    if report is not None:
        print(f"{report}: {write_report(results_of(output, scale), report)} experiments")
    if failures:
        raise RecollectError("\n".join(failures))


@app.command()
def analyse(
    kind: Annotated[
        str,
        typer.Argument(metavar="KIND", help="ages, matrix, gates, remembers, contrastive or corrections."),
    ],
    source: Annotated[
        Path,
        typer.Argument(
            help="Source text: plain, SGML or TED XML; or, without a reference, any document that can be "
            "translated."
        ),
    ],
    references: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[REFERENCE...]", help="Its reference translations.", show_default=False),
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            help="A built-in model's name, a model's folder, or a run folder. Repeatable, to compare. "
            "Default: the built-in subtitle-zh-en.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for what comes of it.")] = Path(
        "analysis"
    ),
    memory_kind: MemoryKind = None,
    sizes: Annotated[
        str | None,
        typer.Option(
            "--sizes",
            metavar="25,50,...",
            help="Sizes to try the memory at. Default: its own.",
            show_default=False,
        ),
    ] = None,
    sentence: Annotated[
        int | None,
        typer.Option(
            "--sentence",
            min=1,
            help="For matrix: which one, counted through. Default: one with much to see.",
            show_default=False,
        ),
    ] = None,
    forced: Annotated[
        bool,
        typer.Option(
            "--forced", help="For ages, matrix and gates: go along the reference, not the model's output."
        ),
    ] = False,
    starts: Starts = None,
    force: Annotated[
        bool, typer.Option("--force", "-f", help="Replace what the folder has of this kind.")
    ] = False,
    overrides: Overrides = None,
) -> None:
    """Look into a memory, with figures and numbers.

    ages: how far back it looks; matrix: what the words of a sentence looked at; gates: how far it is heard;
    remembers: what it changed, and which words did it; contrastive: whether repeated words are preferred to
    others in their place; corrections: how far one correction carries.
    """
    from recollect.analyse import analyse as run_analysis
    from recollect.analyse import read_any, systems
    from recollect.analysis.kinds import KINDS

    if kind not in KINDS:
        raise RecollectError(f"there is no analysis {kind}; choose from {', '.join(KINDS)}")
    if (output / f"{kind}.json").exists() and not force:
        raise RecollectError(f"{output} has {kind} already; choose another folder, or --force to replace it")
    asked = {"sentence": sentence} if sentence is not None else {}
    chosen = _sizes(sizes)
    translators = systems(
        models or [_model(None)], memory_kind=memory_kind, sizes=chosen, overrides=overrides or ()
    )
    documents = read_any(source, references or [], starts, translators["base"])
    options = {**asked, **({"forced": True} if forced else {})}
    found = run_analysis(kind, translators, documents, output, options)
    print(found["markdown"])
    for name in found["files"]:
        print(output / name)


def _sizes(text: str | None) -> list[int]:
    parts = text.split(",") if text else []
    if not all(part.strip().isdecimal() and int(part) > 0 for part in parts):
        raise RecollectError(f"--sizes must be whole numbers with commas between them, not {text}")
    return [int(part) for part in parts]


@app.command()
def card(
    model: Annotated[str | None, typer.Argument(help="A model; default: the built-in one.")] = None,
) -> None:
    """Print what there is to know of a model: its data and licence, its training, its scores and limits."""
    from recollect.folders import read_card

    print(read_card(_model(model)), end="")


@app.command()
def pack(
    model: Annotated[Path, typer.Argument(help="A model's folder, or the run folder that training made.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write.", show_default=False)],
    also: Annotated[
        list[str] | None,
        typer.Option(
            "--also",
            metavar="NAME=MODEL",
            help="Take along the memory of another model, trained for the same sentence model. Repeatable.",
            show_default=False,
        ),
    ] = None,
    card_file: Annotated[
        Path | None,
        typer.Option("--card", help="Markdown to print with `recollect card`.", show_default=False),
    ] = None,
    stored: Annotated[
        Literal["float16", "int8"],
        typer.Option("--stored", help="How weights are kept; int8 halves the size once more."),
    ] = "float16",
    mean_with: Annotated[
        Path | None,
        typer.Option(
            "--mean-with",
            help="The model that this one, without a memory, was trained further from: their mean is packed.",
            show_default=False,
        ),
    ] = None,
    proofreader: Annotated[
        Path | None,
        typer.Option(
            "--proofreader",
            help="A model that translates back, trained with data.reversed: it looks over what is found.",
            show_default=False,
        ),
    ] = None,
    overrides: Overrides = None,
) -> None:
    """Make a model small enough to give away: half precision or less, several memories, a card, checksums."""
    from recollect.shipping import pack_model

    others = dict(each.partition("=")[::2] for each in also or ())
    for name, path in others.items():
        if not path or not name.isidentifier() or name == "config":
            raise RecollectError(f"--also {name}: must look like NAME=MODEL, for instance paper=runs/paper")
    size = pack_model(
        model,
        output,
        others={name: Path(path) for name, path in others.items()},
        card=card_file,
        stored=stored,
        mean_with=mean_with,
        proofreader=proofreader,
        overrides=overrides or (),
    )
    print(f"{output}: {size / 1e6:.1f} MB")


@app.command()
def serve(
    model: ModelOption = None,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen at; 0.0.0.0 is every one of this machine's.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to listen at.")] = 5050,
    store: Annotated[
        str,
        typer.Option(
            "--store",
            help="Where sessions are kept: a SQLite file, or redis://... for several servers of one site. "
            "Default: recollect.db in the user's data folder.",
            show_default=False,
        ),
    ] = "",
    keys: Annotated[
        str,
        typer.Option("--keys", help="Ask for a key of this file (see `recollect key`).", show_default=False),
    ] = "",
    requests: Annotated[
        int | None,
        typer.Option(
            "--requests",
            min=1,
            help="Requests a minute of one key, or of one address without keys. Default: no bound.",
            show_default=False,
        ),
    ] = None,
    characters: Annotated[
        int | None,
        typer.Option(
            "--characters",
            min=1,
            help="Characters a day of one key, or of one address without keys. Default: no bound.",
            show_default=False,
        ),
    ] = None,
    upload: Annotated[int, typer.Option("--upload", min=1, help="Megabytes of a file.")] = 10,
    window: Annotated[
        float | None,
        typer.Option(
            "--window",
            min=0,
            help="Minutes without a request that end the session of a LibreTranslate client; 0: each request "
            "has its own. Default: 15; for a site without keys 0, since people may share an address.",
            show_default=False,
        ),
    ] = None,
    sites: Annotated[
        list[str] | None,
        typer.Option(
            "--site",
            metavar="NAME",
            help="A name of this server behind a proxy, e.g. translate.example.org. Repeatable.",
            show_default=False,
        ),
    ] = None,
    origins: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-origin",
            metavar="ORIGIN",
            help="Let pages of another site use this server, e.g. https://example.org, or * for all. "
            "Repeatable.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Serve translations over HTTP: sessions that people correct, and that remember it."""
    try:
        from recollect.serving.guards import LOOPBACK
        from recollect.serving.serve import serve as run
        from recollect.serving.settings import DEFAULT_WINDOW, Settings
    except ModuleNotFoundError as error:
        raise RecollectError(
            f"the server needs {error.name}: install it with pip install 'recollect[serve]'"
        ) from None
    private = host in LOOPBACK and not sites  # nobody else is there
    settings = Settings(
        host=host,
        port=port,
        store=store,
        keys=keys,
        requests=requests,
        daily=characters,
        upload=upload << 20,
        window=DEFAULT_WINDOW if window is None and (keys or private) else 60 * (window or 0),
        sites=tuple(sites or ()),
        origins=tuple(origins or ()),
    )
    run(settings, _model(model))


@app.command()
def key(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Whose key it is.", show_default=False)
    ] = None,
    keys: Annotated[
        Path, typer.Option("--keys", help="The file of keys that `recollect serve --keys` reads.")
    ] = Path("keys.json"),
    requests: Annotated[
        int | None,
        typer.Option(
            "--requests", min=1, help="Requests a minute. Default: the server's.", show_default=False
        ),
    ] = None,
    characters: Annotated[
        int | None,
        typer.Option(
            "--characters", min=1, help="Characters a day. Default: the server's.", show_default=False
        ),
    ] = None,
    revoke: Annotated[bool, typer.Option("--revoke", help="Take the key away again, at once.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="Show who has a key.")] = False,
) -> None:
    """Make a key for those who use a server, print it once, and keep only its digest."""
    from datetime import date

    from recollect.serving.keys import make_key, read_keys, revoke_key

    if listed:
        for each in read_keys(keys):
            granted = [
                f"{amount:,} {what}"
                for amount, what in (
                    (each.requests, "requests a minute"),
                    (each.characters, "characters a day"),
                )
                if amount is not None
            ]
            print(f"{each.name}\t{each.created}\t{', '.join(granted) or 'as the server grants'}")
    elif name is None:
        raise RecollectError("whose key? give a NAME, or --list to see who has one")
    elif revoke:
        revoke_key(keys, name)
        print(f"{name} has no key any more")
    else:
        print(make_key(keys, name, date.today().isoformat(), requests=requests, characters=characters))
        print(f"the key of {name}: only its digest is in {keys}, so keep it now", file=sys.stderr)


@app.command()
def demo(
    folder: Annotated[Path, typer.Option("--folder", help="Where to put what comes of it.")] = Path("demo"),
    invented: Annotated[
        bool,
        typer.Option(
            "--invented",
            help="Instead: invent two languages with ambiguous words, train for a minute or two, and see "
            "what the memory resolves.",
        ),
    ] = False,
) -> None:
    """Translate a sample episode with the built-in model, and show what its memory does."""
    from recollect.progress import TerminalProgress

    if invented:
        from recollect.invented_demo import run_invented_demo

        run_invented_demo(folder, TerminalProgress())
    else:
        from recollect.demo import run_demo

        run_demo(folder, TerminalProgress())


def _are_lines(sources: "Sequence[str]", format_name: str | None) -> bool:
    """Whether this is text of one sentence a line: it is said so, or the file's name tells nothing."""
    from recollect.text.formats.registry import format_of

    if format_name is not None or len(sources) > 1:
        return format_name == "lines"
    path = Path(sources[0])
    return sources[0] == "-" or (not path.is_dir() and format_of(path) is None)


def _plain_text(
    source: str, history: Path | None, starts: Path | None
) -> "tuple[PlainText, PlainText | None]":
    """Return text of one sentence a line, and what is to be remembered of it."""
    from recollect.decoding.journal import PlainText
    from recollect.text.formats.plain import read_starts

    begins = read_starts(starts) if starts is not None else [1]
    given = PlainText.parse(_read(str(history)), str(history), begins) if history is not None else None
    return PlainText.parse(_read(source), source, begins), given


def _model(name: str | None) -> str:
    """Return the model that is asked for, or else the one that comes with the package."""
    from recollect.folders import DEFAULT, built_in

    if name is None and DEFAULT not in built_in():
        raise RecollectError("which model? give --model FOLDER (train one with `recollect train`)")
    return name or DEFAULT


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
