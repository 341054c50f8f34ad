"""A translated sentence, and the news that one is done."""

from dataclasses import dataclass

__all__ = ["Finished", "Translation"]


@dataclass(frozen=True, slots=True)
class Translation:
    """A translated sentence."""

    text: str
    score: float
    tokens: tuple[int, ...]
    aligned: tuple[int, ...] = ()  # the source token that each token, and the end, looked at most
    alternatives: tuple["Translation", ...] = ()

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Finished:
    """One sentence of one document is done."""

    document: int
    sentence: int
    translation: Translation
