"""The demonstration: a sample episode, each line alone and with a memory, and what the memory did."""

from difflib import SequenceMatcher
from importlib.resources import files
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from recollect.assemble import load
from recollect.decoding.files import Job, translate_files
from recollect.folders import DEFAULT
from recollect.progress import SilentProgress, TerminalProgress
from recollect.text.formats.subtitles import read_subtitles

__all__ = ["run_demo"]

SAMPLE = "episode.zh.srt"


def run_demo(folder: Path, progress: SilentProgress | TerminalProgress) -> None:
    """Translate the sample with the built-in model, and print both ways side by side."""
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / SAMPLE
    source.write_bytes((files("recollect") / "samples" / SAMPLE).read_bytes())
    output = folder / "episode.en.srt"
    translator = load(DEFAULT)
    content = read_subtitles(source.read_bytes(), str(source))
    job = Job.of(source, output, content, translator)
    sentences = job.passages.sentences
    base = [each.text for each in translator.without_memory().translate(sentences)]
    translate_files(translator, [job], progress=progress)
    memory = [each.text for each in job.done]
    _show(sentences, base, memory)
    changed = sum(one != other for one, other in zip(base, memory, strict=True))
    print(
        f"\nThe memory changed {changed} of {len(sentences)} lines: what had been said in earlier lines, and "
        "how, made words more\nprobable there than they are in the line alone. "
        f"The translated subtitles are in {output}."
    )


def _show(sources: list[str], base: list[str], memory: list[str]) -> None:
    table = Table(title=f"{SAMPLE}, by {DEFAULT}")
    for heading in ("", "source", "each line alone", "with memory"):
        table.add_column(heading, overflow="fold")
    for number, (source, one, other) in enumerate(zip(sources, base, memory, strict=True), 1):
        left, right = _marked(one, other)
        table.add_row(str(number), Text(source), left, right)
    Console().print(table)


def _marked(one: str, other: str) -> tuple[Text, Text]:
    """Return two sentences with the words that differ set off."""
    words = one.split(), other.split()
    shown = Text(), Text()
    for kind, a, b, c, d in SequenceMatcher(a=words[0], b=words[1], autojunk=False).get_opcodes():
        for text, side, start, end, style in (
            (shown[0], words[0], a, b, "bold red"),
            (shown[1], words[1], c, d, "bold green"),
        ):
            for word in side[start:end]:
                text.append(word, style if kind != "equal" else "")
                text.append(" ")
    return shown
