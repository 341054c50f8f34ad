"""Sentence pairs as token ids in flat memory-mapped files, written as a stream."""

import json
import os
from array import array
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.errors import DataError

__all__ = ["Shard", "ShardWriter"]

_VERSION = 1
_OFFSET = "<i8"
_BUFFERED = 1 << 18  # items
_TYPECODES = {"<u2": "H", "<u4": "I", _OFFSET: "q"}


@dataclass(frozen=True, slots=True)
class _Layout:
    """What `shard.json` says; the byte sizes of the other files follow from it."""

    version: int
    source_dtype: str
    target_dtype: str
    pairs: int
    documents: int
    source_tokens: int
    target_tokens: int


class ShardWriter:
    """Appends pairs to a new shard; without `close` the shard is unfinished and cannot be opened."""

    def __init__(self, folder: Path, source_size: int, target_size: int) -> None:
        folder.mkdir(parents=True)
        self._folder = folder
        self._ids = {
            "source": _Column(folder / "source.ids", _id_dtype(source_size)),
            "target": _Column(folder / "target.ids", _id_dtype(target_size)),
        }
        self._offsets = {side: _Column(folder / f"{side}.offsets", _OFFSET, [0]) for side in self._ids}
        self._documents = _Column(folder / "documents.offsets", _OFFSET, [0])
        self.pairs = 0
        self._last_end = 0

    @property
    def documents(self) -> int:
        """Documents ended so far."""
        return self._documents.count - 1

    @property
    def source_tokens(self) -> int:
        """Ids on the source side so far."""
        return self._ids["source"].count

    @property
    def target_tokens(self) -> int:
        """Ids on the target side so far."""
        return self._ids["target"].count

    def add(self, source: Sequence[int], target: Sequence[int]) -> None:
        """Append one pair of id lists, without start and end."""
        for side, ids in (("source", source), ("target", target)):
            self._ids[side].extend(ids)
            self._offsets[side].extend((self._ids[side].count,))
        self.pairs += 1

    def end_document(self) -> None:
        """The next pair begins another document; a document without pairs leaves no trace."""
        if self.pairs > self._last_end:
            self._documents.extend((self.pairs,))
            self._last_end = self.pairs

    def close(self) -> None:
        """Write everything out, the description last."""
        self.end_document()
        for column in (*self._ids.values(), *self._offsets.values(), self._documents):
            column.close()
        layout = _Layout(
            version=_VERSION,
            source_dtype=self._ids["source"].dtype,
            target_dtype=self._ids["target"].dtype,
            pairs=self.pairs,
            documents=self.documents,
            source_tokens=self.source_tokens,
            target_tokens=self.target_tokens,
        )
        with (self._folder / "shard.json").open("w", encoding="utf-8") as file:
            json.dump(asdict(layout), file, indent=1)
            file.flush()
            os.fsync(file.fileno())

    def __enter__(self) -> "ShardWriter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()


class Shard:
    """Pairs of id arrays and the documents they belong to; only what is read is loaded."""

    def __init__(
        self,
        source: "_Texts",
        target: "_Texts",
        documents: NDArray[np.int64],  # [document + 1] document d: pairs documents[d] to documents[d + 1]
    ) -> None:
        self._source = source
        self._target = target
        self.documents = documents
        self.source_lengths = np.diff(source.offsets).astype(np.int32)  # [pair]
        self.target_lengths = np.diff(target.offsets).astype(np.int32)  # [pair]

    @classmethod
    def open(cls, folder: Path) -> "Shard":
        """Map a finished shard, checking that no file is cut off or out of order."""
        layout = _read_layout(folder / "shard.json")
        source_ids = _map(folder / "source.ids", layout.source_dtype, layout.source_tokens)
        target_ids = _map(folder / "target.ids", layout.target_dtype, layout.target_tokens)
        return cls(
            _Texts(source_ids, _bounds(folder / "source.offsets", layout.pairs, layout.source_tokens)),
            _Texts(target_ids, _bounds(folder / "target.offsets", layout.pairs, layout.target_tokens)),
            np.array(_bounds(folder / "documents.offsets", layout.documents, layout.pairs)),
        )

    def __len__(self) -> int:
        return len(self.source_lengths)

    def source(self, pair: int) -> NDArray[Any]:
        """Ids of one source sentence, without start and end."""
        return self._source[pair]

    def target(self, pair: int) -> NDArray[Any]:
        """Ids of one target sentence, without start and end."""
        return self._target[pair]

    def before(self, pair: int, count: int) -> range:
        """The `count` pairs before this one, or as many as its document has."""
        start = int(self.documents[np.searchsorted(self.documents, pair, side="right") - 1])
        return range(max(start, int(pair) - count), int(pair))


@dataclass(frozen=True, slots=True)
class _Texts:
    ids: NDArray[Any]
    offsets: NDArray[np.int64]  # [sentence + 1]

    def __getitem__(self, sentence: int) -> NDArray[Any]:
        return self.ids[self.offsets[sentence] : self.offsets[sentence + 1]]


class _Column:
    """One growing file of numbers."""

    def __init__(self, path: Path, dtype: str, first: Sequence[int] = ()) -> None:
        self.dtype = dtype
        self.count = 0
        self._file = path.open("wb")
        self._buffer = array(_TYPECODES[dtype])
        self.extend(first)

    def extend(self, values: Sequence[int]) -> None:
        self._buffer.extend(values)
        self.count += len(values)
        if len(self._buffer) >= _BUFFERED:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def _flush(self) -> None:
        self._file.write(np.array(self._buffer, dtype=self.dtype).tobytes())
        del self._buffer[:]


def _id_dtype(size: int) -> str:
    return "<u2" if size < 1 << 16 else "<u4"


def _read_layout(path: Path) -> _Layout:
    try:
        layout = _Layout(**json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise DataError(f"{path.parent}: shard.json is missing; prepare the data again") from None
    except (ValueError, TypeError):
        raise DataError(f"{path}: damaged; prepare the data again") from None
    if layout.version != _VERSION:
        raise DataError(
            f"{path}: version {layout.version} of the format, not {_VERSION}; prepare the data again"
        )
    return layout


def _map(path: Path, dtype: str, count: int) -> NDArray[Any]:
    expected = count * np.dtype(dtype).itemsize
    actual = path.stat().st_size if path.is_file() else None
    if actual != expected:
        found = "is missing" if actual is None else f"has {actual:,} bytes"
        raise DataError(f"{path}: {found}, expected {expected:,} bytes; prepare the data again")
    # An empty file cannot be mapped.
    return np.memmap(path, dtype=dtype, mode="r") if count else np.empty(0, dtype=dtype)


def _bounds(path: Path, count: int, last: int) -> NDArray[np.int64]:
    bounds: NDArray[np.int64] = _map(path, _OFFSET, count + 1)
    if bounds[0] != 0 or bounds[-1] != last or (np.diff(bounds) < 0).any():
        raise DataError(f"{path}: damaged, its offsets do not rise from 0 to {last}; prepare the data again")
    return bounds
