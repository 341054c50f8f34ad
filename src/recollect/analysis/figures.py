"""Figures as PNG and SVG, in colours that everybody can tell apart, and the numbers behind them as CSV."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.errors import RecollectError
from recollect.files import whole_file
from recollect.text.scripts import is_dense

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["COLOURS", "GREY", "LINES", "check_figures", "drawing", "figure_files", "write_numbers"]

# Okabe and Ito: told apart by people of every colour vision; the yellow is too pale for lines on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
LINES = ("-", "--", "-.", ":")  # and without any colours at all
GREY = "#888888"
_OTHER_SCRIPTS = ("Noto Sans CJK SC", "Noto Serif CJK SC", "Source Han Sans SC", "WenQuanYi Zen Hei")
_STYLE = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "axes.grid": False,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "recollect",  # the same figure is the same file
}


def check_figures() -> None:
    """Refuse where figures cannot be drawn."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise RecollectError("figures need matplotlib: pip install recollect[figures]") from error


@contextmanager
def drawing(
    folder: Path, name: str, width: float, height: float, labels: Iterable[str] = ()
) -> "Iterator[Figure]":
    """Yield an empty figure, of inches, and write it as the files that `figure_files` names.

    `labels` say whether it needs letters beyond the usual ones.
    """
    check_figures()
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.font_manager import get_font_names

    fonts = ["DejaVu Sans"]
    if any(is_dense(character) for label in labels for character in label):
        installed = set(get_font_names())
        fonts += [font for font in _OTHER_SCRIPTS if font in installed]
    style: Any = {**_STYLE, "font.family": fonts}
    with matplotlib.rc_context(style):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        for file in figure_files(name):
            kind = file.rpartition(".")[2]
            notes = {"Date": None} if kind == "svg" else {"Software": None}
            with whole_file(folder / file) as draft:
                figure.savefig(draft, format=kind, dpi=160, metadata=notes)


def figure_files(name: str) -> list[str]:
    """Return the names of a figure's files."""
    return [f"{name}.png", f"{name}.svg"]


def write_numbers(folder: Path, name: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write a table, figures with six digits, and return the name of its file."""
    with whole_file(folder / f"{name}.csv") as draft, draft.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(header)
        writer.writerows([f"{cell:.6g}" if isinstance(cell, float) else cell for cell in row] for row in rows)
    return f"{name}.csv"
