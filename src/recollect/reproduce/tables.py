"""Tables in Markdown: our figures, and the paper's beside them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["figures_table", "markdown_table", "tables"]


@dataclass(frozen=True, slots=True)
class Column:
    """How a figure is headed and written."""

    head: str
    written: Callable[[Any], str]


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _of_a_set(name: str) -> dict[str, Column]:
    """Columns of one evaluation set."""
    return {
        "bleu": Column(f"{name} BLEU", "{:.2f}".format),
        "p": Column("p", _p),
        "length": Column("length", "{:.3f}".format),
        "chrf": Column("chrF", "{:.2f}".format),
        "consistent": Column("consistent terms", "{:.1f}%".format),
        "repeated": Column("repeated words", "{:.1f}%".format),
    }


COLUMNS = {
    **{f"tune_{key}": column for key, column in _of_a_set("tuning").items()},
    **{f"test_{key}": column for key, column in _of_a_set("test").items()},
    "sentences": Column("sentences", "{:,.0f}".format),
    "documents": Column("documents", "{:,.0f}".format),
    "source_words": Column("source words", "{:,.0f}".format),
    "target_words": Column("target words", "{:,.0f}".format),
    "parameters": Column("parameters", lambda value: f"{value / 1e6:.2f}M"),
    "training": Column("training, words/s", "{:,.1f}".format),
    "decoding": Column("translating, words/s", "{:,.1f}".format),
    "packed": Column("translating, form for search", "{:,.1f}".format),
}


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Return a table; its first row is the head."""
    head, *body = rows
    lines = [head, ["---"] * len(head), *body]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def tables(rows: Mapping[str, Mapping[str, Any]], paper: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return a table for each evaluation set, and one for the other figures, as far as there are any."""
    figures = list(dict.fromkeys(figure for row in rows.values() for figure in row))
    groups: dict[str, list[str]] = {}
    for figure in figures:
        prefix = figure.partition("_")[0]
        groups.setdefault(prefix if prefix in ("tune", "test") else "", []).append(figure)

    def some(table: Mapping[str, Mapping[str, Any]], wanted: Sequence[str]) -> dict[str, dict[str, Any]]:
        return {name: {key: row[key] for key in wanted if key in row} for name, row in table.items()}

    return [figures_table(some(rows, group), some(paper, group)) for group in groups.values()]


def figures_table(rows: Mapping[str, Mapping[str, Any]], paper: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a table of systems and their figures; a figure that the paper has is followed by the paper's."""
    figures = list(dict.fromkeys(figure for row in rows.values() for figure in row))
    known = {figure for row in paper.values() for figure in row}
    head = [""]
    for figure in figures:
        head += [COLUMNS[figure].head] + (["paper"] if figure in known else [])
    table = [head]
    for name, row in rows.items():
        cells = [name]
        for figure in figures:
            cells.append(_written(figure, row.get(figure)))
            if figure in known:
                cells.append(_written(figure, paper.get(name, {}).get(figure)))
        table.append(cells)
    return markdown_table(table)


def _written(figure: str, value: Any) -> str:
    return "" if value is None else COLUMNS[figure].written(value)
