"""Figures as PNG and SVG, in colours that everybody can tell apart, and the numbers behind them as CSV."""

import csv
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.errors import RecollectError
from recollect.files import whole_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["COLOURS", "GREY", "LINES", "check_figures", "drawing", "figure_files", "write_numbers"]

# Okabe and Ito: told apart by people of every colour vision; the yellow is too pale for lines on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
LINES = ("-", "--", "-.", ":")  # and without any colours at all
GREY = "#888888"
_USUAL = "DejaVu Sans"
_BETTER = ("Noto Sans", "Source Han Sans")  # where several fonts have a letter
_NO_LETTERS = "Last Resort"  # a font of boxes
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

    style: Any = {**_STYLE, "font.family": _fonts({character for label in labels for character in label})}
    with matplotlib.rc_context(style):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        for file in figure_files(name):
            kind = file.rpartition(".")[2]
            notes = {"Date": None} if kind == "svg" else {"Software": None}
            with whole_file(folder / file) as draft, warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Glyph .* missing")  # that has been said
                # A label may be longer than its axes: the picture is cut around all that is drawn.
                figure.savefig(draft, format=kind, dpi=160, metadata=notes, bbox_inches="tight")


def _fonts(characters: set[str]) -> list[str]:
    """Return fonts that have all of these, the usual one first; where there are none, say so."""
    from matplotlib.font_manager import fontManager, get_font

    paths = {font.name: font.fname for font in fontManager.ttflist if font.style == "normal"}
    others = sorted(paths.keys() - {_USUAL}, key=lambda name: (not name.startswith(_BETTER), name))
    chosen, missing = [_USUAL], {character for character in characters if not character.isspace()}
    for name in (_USUAL, *others):
        if not missing:
            break
        there = get_font(paths[name]).get_charmap()
        found = set() if name.startswith(_NO_LETTERS) else {each for each in missing if ord(each) in there}
        if found and name != _USUAL:
            chosen.append(name)
        missing -= found
    if missing:
        warnings.warn(
            f"no font is installed that has {''.join(sorted(missing))}: the PNG shows boxes in their place, "
            "the SVG has the text; install one, such as Noto Sans CJK",
            stacklevel=4,
        )
    return chosen


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
