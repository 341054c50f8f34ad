"""Letters of other scripts in figures: a font that has them is found, and where there is none, it is said."""

import warnings

import numpy as np
import pytest

from recollect.analysis.figures import drawing, figure_files
from recollect.analysis.matrix import Matrix, Slot, draw_matrix

pytest.importorskip("matplotlib")


def draw(folder, label):
    with drawing(folder, "f", 2, 2, [label]) as figure:
        figure.add_subplot().set_xlabel(label)


def test_nothing_is_cut_off(tmp_path):
    """Of a matrix of few slots and long words, the edge stays white."""
    from matplotlib.image import imread

    long = "internationalisation"
    slots = tuple(Slot(word, number, number) for number, word in enumerate([long, "b", "c", "d"]))
    words = ("He", "-llo", "it", "is", long)
    matrix = Matrix(words, (4, 1, 2, 3, 0), (0.1, 0.2, 0.3, 0.4, 0.2), slots, np.full((5, 4), 0.25))
    draw_matrix(matrix, 3, tmp_path, "f")
    picture = imread(tmp_path / "f.png")[..., :3]
    for edge in (picture[0], picture[-1], picture[:, 0], picture[:, -1]):
        assert (edge == 1).all()


def charmap(name):
    from matplotlib.font_manager import findfont, get_font

    return set(get_font(findfont(name)).get_charmap())


def test_any_font_that_has_the_letters_is_taken(tmp_path):
    """A sign that the usual font lacks and one of those that come with matplotlib has."""
    sign = chr(min(charmap("STIXGeneral") - charmap("DejaVu Sans")))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # matplotlib warns of every glyph that becomes a box
        draw(tmp_path, f"a {sign} b")
    assert all((tmp_path / name).stat().st_size > 100 for name in figure_files("f"))


def test_letters_that_no_font_has(tmp_path, monkeypatch):
    from matplotlib.font_manager import fontManager

    usual = [
        font for font in fontManager.ttflist if font.name in ("DejaVu Sans", "Last Resort High-Efficiency")
    ]
    monkeypatch.setattr(fontManager, "ttflist", usual)
    with pytest.warns(UserWarning, match="no font is installed") as said:
        draw(tmp_path, "字 and 典")
    (sentence,) = [str(each.message) for each in said if "no font is installed" in str(each.message)]
    assert "has 典字: the PNG shows boxes" in sentence
    assert "字 and 典" in (tmp_path / "f.svg").read_text("utf-8")
