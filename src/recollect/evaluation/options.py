"""How text is made comparable before it is scored."""

from dataclasses import dataclass
from typing import Literal, get_args

from recollect.errors import ConfigError

__all__ = ["ScoreOptions", "Tokenise"]

Tokenise = Literal["13a", "moses", "none", "zh", "char"]


@dataclass(frozen=True, slots=True)
class ScoreOptions:
    """The paper's scoring by default: case-insensitive, tokenised as mteval-v13a does."""

    lowercase: bool = True
    """Whether case is ignored."""
    tokenise: Tokenise = "13a"
    """How words are told apart.

    13a, zh, char: sacreBLEU's own, on both sides.
    moses: the references are already tokenised by Moses; the hypothesis is brought into their style.
    none: both sides are already tokenised alike.
    """

    def __post_init__(self) -> None:
        if self.tokenise not in get_args(Tokenise):
            right = ", ".join(get_args(Tokenise))
            raise ConfigError(f"scoring: there is no tokenisation {self.tokenise!r}; choose one of {right}")
