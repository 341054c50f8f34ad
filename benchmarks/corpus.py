"""A made-up corpus with the lengths and the word frequencies of subtitles, the same for us and our peers."""

from pathlib import Path

import numpy as np

__all__ = ["write_corpus"]

PIECES = 8000
PAIRS = 40_000
DOCUMENTS, SENTENCES = 32, 12


def write_corpus(folder: Path) -> Path:
    """Write training text, documents to translate and vocabularies, unless they are there."""
    if (folder / "vocab.trg").exists():
        return folder
    (folder / "documents").mkdir(parents=True, exist_ok=True)
    chance = np.random.default_rng(1)
    lengths = np.clip(chance.normal(7, 3, PAIRS).round(), 2, 30).astype(int)
    longer = np.clip(lengths * chance.normal(1.4, 0.25, PAIRS), 2, 40).round().astype(int)
    _write(folder / "train.src", _sentences(chance, lengths, "s"))
    _write(folder / "train.trg", _sentences(chance, longer, "t"))
    for document in range(DOCUMENTS):
        some = chance.choice(lengths, SENTENCES)
        _write(folder / "documents" / f"{document:02d}.src", _sentences(chance, some, "s"))
    _write(folder / "train.starts", [str(line) for line in range(1, PAIRS + 1, 500)])
    _write(folder / "vocab.src", [f"s{word}" for word in range(PIECES)])
    _write(folder / "vocab.trg", [f"t{word}" for word in range(PIECES)])
    return folder


def _sentences(chance: np.random.Generator, lengths: np.ndarray, letter: str) -> list[str]:
    """Draw words by Zipf's law; every word occurs at least once in a long enough text."""
    weights = 1 / (np.arange(PIECES) + 10.0)
    words = chance.choice(PIECES, int(lengths.sum()), p=weights / weights.sum())
    if len(words) > 10 * PIECES:
        words[chance.permutation(len(words))[:PIECES]] = np.arange(PIECES)
    return [" ".join(f"{letter}{word}" for word in each) for each in np.split(words, lengths.cumsum()[:-1])]


def _write(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
