"""The report: what has been run beside the paper's own figures, written from result files alone."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from recollect.errors import DataError
from recollect.files import whole_file, whole_folder
from recollect.reproduce.experiment import experiments
from recollect.reproduce.steps import RESULT
from recollect.reproduce.tables import markdown_table, tables

__all__ = ["write_report"]

FIGURES = "figures"
PICTURES = (".png",)


def write_report(results: Path, path: Path) -> int:
    """Write the report of all results below a folder; return how many experiments it tells of."""
    found = [
        (json.loads((results / name / RESULT).read_text("utf-8")), results / name)
        for name in experiments()
        if (results / name / RESULT).is_file()
    ]
    if not found:
        raise DataError(f"{results}: there are no results yet; run `recollect reproduce` first")
    text = "\n".join(_page([result for result, _ in found]))
    for result, folder in found:
        _copy_files(result, folder, path.parent / FIGURES)
    with whole_file(path) as draft:
        draft.write_text(text, "utf-8")
    return len(found)


def _page(results: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield "# Results beside the paper's"
    yield ""
    yield (
        f"Written by `recollect reproduce --scale {results[0]['scale']} --report` from its runs; "
        "nothing is typed by hand. How to run it: [how-to/reproduce.md](how-to/reproduce.md)."
    )
    yield ""
    yield f"Scale `{results[0]['scale']}`: {results[0]['about']}"
    yield ""
    rows = [["experiment", "in the paper", "agreement"]]
    for result in results:
        anchor = _heading(result).lower().replace(" ", "-")
        link = "".join(c for c in anchor if c.isalnum() or c in "-_")
        rows.append([f"[{result['title']}](#{link})", result["place"], _agreement(result)])
    yield markdown_table(rows)
    for result in results:
        yield from _section(result)


def _heading(result: Mapping[str, Any]) -> str:
    return f"{result['title']} ({result['place']})"


def _agreement(result: Mapping[str, Any]) -> str:
    """Count the verdicts of all domains."""
    verdicts = Counter(each["verdict"] for _, each in _compared(result) if each["verdict"])
    if not verdicts:
        return "not judged"
    words = {
        "agrees": "agree",
        "leans": "lean the same way",
        "open": "lean the other way",
        "disagrees": "disagree",
    }
    return ", ".join(f"{verdicts[verdict]} {word}" for verdict, word in words.items() if verdicts[verdict])


def _compared(result: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for domain, found in result["domains"].items():
        for each in found.get("compared", ()):
            yield domain, each


def _section(result: Mapping[str, Any]) -> Iterator[str]:
    yield f"## {_heading(result)}"
    yield ""
    yield f"> {result['claim']}"
    yield ""
    for domain, found in result["domains"].items():
        if len(result["domains"]) > 1 or domain != "invented":
            yield f"### {domain.capitalize()}"
            yield ""
        if "rows" in found:
            paper = result["paper"].get(domain) or result["paper"].get("all", {})
            yield from tables(found["rows"], paper)
        if found.get("markdown"):
            yield found["markdown"]
        if found.get("examples"):
            yield found["examples"]
        yield from _files(result["name"], found)
        for each in found.get("compared", ()):
            yield f"- {each['sentence']}"
        yield from (f"- {note}" for note in found.get("notes", ()))
        if found.get("signatures"):
            yield ""
            for name, signature in found["signatures"].items():
                yield f"{'Tuning' if name == 'tune' else 'Test'} set: `{signature}`  "
        yield ""
    yield (
        f"Scale {result['scale']}, seed {result['seed']}, commit `{result['commit']}`, "
        f"{result['cpu_seconds'] / 60:.1f} minutes of processor time."
    )
    yield ""


def _files(name: str, found: Mapping[str, Any]) -> Iterator[str]:
    """Show pictures, and link everything else."""
    others = []
    for file in found.get("files", ()):
        place = f"{FIGURES}/{name}/{file}"
        if Path(file).suffix in PICTURES:
            yield f"![{file}]({place})"
            yield ""
        else:
            others.append(f"[{file}]({place})")
    if others:
        yield f"Files: {', '.join(others)}"
        yield ""


def _copy_files(result: Mapping[str, Any], folder: Path, figures: Path) -> None:
    files = sorted({file for found in result["domains"].values() for file in found.get("files", ())})
    if files:
        with whole_folder(figures / result["name"]) as draft:
            for file in files:
                (draft / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(folder / file, draft / file)
