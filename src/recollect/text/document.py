"""Documents: sentences in order, with what belongs to them in the other language."""

from dataclasses import dataclass

__all__ = ["Document", "ParallelDocument"]


@dataclass(frozen=True, slots=True)
class Document:
    """Sentences in reading order."""

    name: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ParallelDocument:
    """A document and one or more translations of it, sentence by sentence."""

    name: str
    source: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]  # [reference][sentence]

    def reversed(self) -> "ParallelDocument":
        """Return the first translation as the source, and what it translates as its one reference."""
        return ParallelDocument(self.name, self.references[0], (self.source,))
