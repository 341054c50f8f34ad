"""Files and folders to translate: which ones, where to, in what order, with what remembered beforehand."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from recollect.analysis.explain import explain
from recollect.analysis.page import explanation_page
from recollect.assemble import model_signature
from recollect.decoding.files import (
    Job,
    Summary,
    known_pairs,
    memory_after,
    remembered_pairs,
    translate_files,
)
from recollect.decoding.journal import Journal
from recollect.decoding.translator import Translator
from recollect.errors import DataError, ModelError, RecollectError
from recollect.files import whole_file
from recollect.memory.carried import load_memory, save_memory
from recollect.memory.slots import GLOSSARY, Slots
from recollect.progress import SilentProgress, TerminalProgress
from recollect.text.formats.content import Content
from recollect.text.formats.registry import format_named, format_of, read_content
from recollect.text.glossary import Term, is_honoured, read_glossary, read_untranslatables, terms_in
from recollect.text.placeholders import hold_placeholders

__all__ = ["Errand", "Reading", "Report", "find_files", "output_of", "run_errand"]


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are read: their format if not by name, and which column of a table has the prose."""

    format: str | None = None
    column: str | None = None
    into: str | None = None

    def content(self, path: Path, languages: tuple[str, str]) -> Content:
        """Read a file."""
        kind = format_of(path) if self.format is None else format_named(self.format)
        if kind is None:
            raise DataError(f"{path}: its name does not tell its format; say it with --format, e.g. text")
        if kind == "table":
            if self.column is None:
                raise DataError(f"{path}: which column is to be translated? give --column NAME")
            return read_content(path, kind, column=self.column, target=self.into)
        source, target = languages
        if kind == "tmx":
            return read_content(path, kind, source=source or None, target=target or None)
        if kind == "xliff":
            return read_content(path, kind, target=target or None)
        return read_content(path, kind)


@dataclass(frozen=True, slots=True)
class Errand:
    """What is to be translated, and how."""

    sources: Sequence[Path]
    output: Path | None
    reading: Reading
    into_folder: bool = False  # the output is a folder, even if it is not there yet
    as_one: bool = False
    memory_in: Path | None = None
    memory_out: Path | None = None
    filled_from: Path | None = None
    filled_with: Path | None = None
    explain: Path | None = None
    glossary: Path | None = None
    strict: bool = False  # the glossary's terms are put in whatever the model thinks
    keep: Path | None = None  # what is never translated
    force: bool = False
    resume: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """What was done, the files written, and where the glossary was not followed."""

    summary: Summary
    written: list[Path]
    unhonoured: list[str]


def run_errand(
    errand: Errand,
    translator: Translator,
    folder: Path | str,
    signature: Sequence[str],
    progress: SilentProgress | TerminalProgress,
) -> Report:
    """Translate what is asked for with the model of `folder`."""
    places = _places(errand, translator.languages)
    if errand.memory_out is not None and len(places) > 1 and not errand.as_one:
        raise RecollectError("--memory-out: several files have a memory each; give --as-one to make them one")
    if errand.explain is not None and len(places) > 1 and not errand.as_one:
        raise RecollectError("--explain tells of one document; give one file, or --as-one to make them one")
    places = _unfinished(errand, places)
    if not places:
        return Report(Summary(0, 0, 0), [], [])
    terms = [] if errand.glossary is None else read_glossary(errand.glossary, translator.languages)
    held = [] if errand.keep is None else read_untranslatables(errand.keep)
    held += terms if errand.strict else []
    jobs = _jobs(places, errand.reading, translator, held)
    if terms and not errand.strict:
        translator = _with_terms(translator, terms)
    earlier = _earlier(errand, translator, model_signature(folder))

    def conclude() -> None:
        if errand.memory_out is not None:
            save_memory(errand.memory_out, memory_after(translator, jobs, earlier), model_signature(folder))
        if errand.explain is not None:
            _explain(errand.explain, translator, jobs, earlier)

    summary = translate_files(
        translator,
        jobs,
        as_one=errand.as_one,
        earlier=earlier,
        signature=signature,
        conclude=conclude if errand.memory_out or errand.explain else None,
        progress=progress,
    )
    return Report(summary, [job.output for job in jobs], _unhonoured(jobs, [] if errand.strict else terms))


def _explain(path: Path, translator: Translator, jobs: Sequence[Job], earlier: Slots | None) -> None:
    """Write a page on why every word was chosen."""
    sentences = [sentence for job in jobs for sentence in job.passages.sentences]
    said = [translation for job in jobs for translation in job.done]
    starts = [sum(len(job.done) for job in jobs[:number]) for number in range(len(jobs))]
    settled = [start + at for start, job in zip(starts, jobs, strict=True) for at in job.passages.settled]
    page = explanation_page(
        ", ".join(str(job.source) for job in jobs),
        explain(translator, sentences, said, settled=settled, earlier=earlier),
    )
    with whole_file(path) as draft:
        draft.write_text(page, "utf-8")


def find_files(sources: Sequence[Path], output: Path | None = None) -> list[tuple[Path, Path]]:
    """Return files, and those of known formats in folders, each with its name below the one given.

    An output folder within a folder has translations, not sources.
    """
    found = []
    for source in sources:
        if source.is_dir():
            inside = [
                path for path in sorted(source.rglob("*")) if path.is_file() and format_of(path) is not None
            ]
            if output is not None and source.resolve() in output.resolve().parents:
                inside = [path for path in inside if not path.resolve().is_relative_to(output.resolve())]
            if not inside:
                raise DataError(f"{source}: there is no file of a known format in this folder")
            found += [(path, path.relative_to(source)) for path in inside]
        else:
            found.append((source, Path(source.name)))
    return found


def output_of(source: PurePath, languages: tuple[str, str]) -> str:
    """Return a name for a translation: the language in a name is changed, or put in.

    >>> output_of(Path("film.zh.srt"), ("zh", "en")), output_of(Path("film.srt"), ("zh", "en"))
    ('film.en.srt', 'film.en.srt')
    """
    before, after = languages[0].lower(), languages[1] or "translated"
    stem, suffix = source.stem, source.suffix
    head, dot, tag = stem.rpartition(".")
    if dot and before and tag.lower().replace("_", "-").split("-")[0] == before:
        return f"{head}.{after}{suffix}"
    return f"{stem}.{after}{suffix}"


def _places(errand: Errand, languages: tuple[str, str]) -> list[tuple[Path, Path]]:
    """Return files and where their translations go."""
    files = find_files(errand.sources, errand.output)
    single = len(files) == 1 and not errand.sources[0].is_dir()
    places = []
    for path, name in files:
        if errand.output is None:
            output = path.with_name(output_of(path, languages))
        elif single and not errand.into_folder and not errand.output.is_dir():
            output = errand.output
        else:
            output = errand.output / name
        places.append((path, output))
    if errand.output is not None and errand.output.is_file() and (errand.into_folder or not single):
        raise RecollectError(
            f"{errand.output} is a file; several translations, or a name with / at its end, need a folder"
        )
    outputs = [output for _, output in places]
    twice = [output for output, count in Counter(outputs).items() if count > 1]
    if twice:
        raise RecollectError(f"{twice[0]}: two files would be written there; translate them one by one")
    # What was written beside its source in an earlier run is no source.
    written = {output for path, output in places if output != path}
    return [(path, output) for path, output in places if path not in written]


def _unfinished(errand: Errand, places: list[tuple[Path, Path]]) -> list[tuple[Path, Path]]:
    """Return the files that are still to be translated, or needed for what is."""
    outputs = [output for _, output in places]
    there = [output for output in outputs if output.exists()]
    # What depends on every sentence of a document; it is written last.
    ends = [path for path in (errand.memory_out, errand.explain) if path is not None]
    missing = [path for path in (*(outputs if errand.as_one else ()), *ends) if not path.exists()]
    if errand.resume and missing:
        lost = [output for output in there if not Journal.beside(output).exists()]
        if lost:
            raise RecollectError(
                f"{lost[0]} is there, but not how it was translated, which {missing[0]} depends on; "
                "--force begins anew"
                + ("" if missing[0] in ends else ", or translate the rest with --memory-in")
            )
        return places
    if errand.resume:
        for output in there:  # one that was killed between writing the file and dropping the journal
            Journal.beside(output).unlink(missing_ok=True)
        return [(path, output) for path, output in places if not output.exists()]
    if there and not errand.force:
        raise RecollectError(
            f"{there[0]} exists already; --force replaces it, --resume leaves it and translates the rest"
        )
    return places


def _with_terms(translator: Translator, terms: Sequence[Term]) -> Translator:
    """Return a translator that also remembers a glossary, which is never forgotten."""
    translator.check_project()
    slots = translator.remembering(
        [[term.source for term in terms]], [[term.target for term in terms]], GLOSSARY
    )
    memory = translator.memory
    project = memory.project if memory is not None else None
    return translator.with_project(slots if project is None else project.beside(slots))


def _unhonoured(jobs: Sequence[Job], terms: Sequence[Term]) -> list[str]:
    """Return a line for each sentence whose translation lacks a term that its source has."""
    return [
        f"{job.source}, {job.passages.where(number)}: '{term.source}' is not '{term.target}' in: {said.text}"
        for job in jobs
        for number, (sentence, said) in enumerate(zip(job.passages.sentences, job.done, strict=True))
        for term in dict.fromkeys(terms_in(sentence, terms))
        if not is_honoured(term, said.text)
    ]


def _jobs(
    places: Sequence[tuple[Path, Path]], reading: Reading, translator: Translator, held: Sequence[Term]
) -> list[Job]:
    """Read all files; every bad one is told before anything is translated."""
    jobs, faults = [], []
    for source, output in places:
        try:
            content = reading.content(source, translator.languages)
            jobs.append(Job.of(source, output, content, translator, held))
        except RecollectError as error:
            faults.append(str(error))
    if faults:
        raise DataError("\n".join(faults))
    return jobs


def _earlier(errand: Errand, translator: Translator, signature: str) -> Slots | None:
    """Return what is remembered before the first sentence: a memory from a file, then people's work."""
    if errand.memory_in is None and errand.filled_from is None and errand.memory_out is None:
        return None
    if translator.memory is None:
        raise ModelError("this model has no memory: there is nothing to carry over or to fill")
    slots = translator.memory.empty(1, translator.model.device)
    if errand.memory_in is not None:
        slots = load_memory(errand.memory_in, slots, signature)
    if errand.filled_from is not None:
        pairs = _pairs(errand.filled_from, errand.filled_with, errand.reading, translator.languages)
        slots = remembered_pairs(translator, pairs, slots)
    return slots


def _pairs(
    source: Path, translation: Path | None, reading: Reading, languages: tuple[str, str]
) -> list[tuple[str, str]]:
    content = reading.content(source, languages)
    if translation is None:
        pairs = known_pairs(content)
        if not pairs:
            raise DataError(f"{source}: has no translations in it; give the translated file as --filled-with")
        return pairs
    other = reading.content(translation, languages)
    ours, theirs = ([hold_placeholders(unit.source).text for unit in each.units] for each in (content, other))
    if len(ours) != len(theirs):
        raise DataError(
            f"{source} has {len(ours)} stretches of text and {translation} has {len(theirs)}: "
            "they must be the same document"
        )
    return list(zip(ours, theirs, strict=True))
