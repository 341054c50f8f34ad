"""Whether our figures agree with the paper's: worked out from both, and said in one sentence."""

from dataclasses import dataclass
from typing import Any, Literal

from recollect.reproduce.experiment import Expected

__all__ = ["Compared", "Verdict", "judge"]

Verdict = Literal["agrees", "leans", "open", "disagrees"]
LEVEL = 0.05  # of significance


@dataclass(frozen=True, slots=True)
class Compared:
    """Two systems by one figure, here and in the paper."""

    system: str
    other: str
    figure: str
    relation: str
    difference: float
    p: float | None
    paper_difference: float | None
    verdict: Verdict | None  # None: the paper says nothing
    sentence: str


def judge(
    expected: Expected,
    ours: tuple[float, float],
    p: float | None,
    paper: tuple[Any, Any],
    *,
    relative: bool = False,
) -> Compared:
    """Compare a system's figure with another's, `ours` and the `paper`'s (None where it has none).

    `relative` differences are those of speeds and sizes, as shares of the other's figure.
    """
    difference = _difference(ours, relative)
    theirs = None if None in paper else _difference(paper, relative)
    verdict = _verdict(expected, difference, p, ours)
    how = "beside" if expected.relation == "beside" else f"should be {expected.relation}"
    sentence = (
        f"{expected.system} {how} {expected.other}"
        f"{'' if theirs is None else f' ({_signed(theirs, relative)} in the paper)'}: "
        f"here {_signed(difference, relative)}{'' if p is None else f', sign test {_p(p)}'}. "
        f"{_said(verdict, p)}"
    )
    return Compared(
        expected.system,
        expected.other,
        expected.figure,
        expected.relation,
        difference,
        p,
        theirs,
        verdict,
        sentence,
    )


WORDS: dict[Verdict, str] = {
    "agrees": "Agrees.",
    "leans": "The same direction, but not significant.",
    "open": "Not shown here: the other direction, but not significant.",
    "disagrees": "Disagrees.",
}


def _said(verdict: Verdict | None, p: float | None) -> str:
    if verdict is None:
        known = "" if p is None else f"{'Significant' if p < LEVEL else 'Not significant'}. "
        return f"{known}The paper has nothing on this."
    if verdict == "agrees" and p is not None and p >= LEVEL:
        return "Agrees, as far as this test can tell: no significant difference."
    return WORDS[verdict]


def _difference(pair: tuple[float, float], relative: bool) -> float:
    return pair[0] / pair[1] - 1 if relative else pair[0] - pair[1]


def _verdict(
    expected: Expected, difference: float, p: float | None, ours: tuple[float, float]
) -> Verdict | None:
    if expected.relation == "beside":
        return None
    significant = p is None or p < LEVEL
    if expected.relation == "like":
        close = expected.within is not None and abs(ours[0] - ours[1]) <= expected.within * abs(ours[1])
        return "agrees" if close or (p is not None and not significant) else "disagrees"
    right = difference > 0 if expected.relation == "above" else difference < 0
    if right:
        return "agrees" if significant else "leans"
    return "disagrees" if significant else "open"


def _signed(value: float, relative: bool) -> str:
    return f"{value:+.0%}" if relative else f"{value:+.2f}"


def _p(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
