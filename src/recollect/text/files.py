"""Reading files as bytes, compressed or not, with every failure told as one sentence."""

import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from recollect.errors import DataError

__all__ = ["base_name", "read_chunks", "read_lines"]

_COMPRESSED: dict[str, Callable[[Path], gzip.GzipFile | lzma.LZMAFile]] = {".gz": gzip.open, ".xz": lzma.open}
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_CHUNK = 1 << 16


def base_name(path: Path) -> str:
    """The file's name without a suffix that only tells how it is compressed."""
    return path.stem if path.suffix in _COMPRESSED else path.name


def read_lines(path: Path) -> Iterator[bytes]:
    """Lines without their ends; only a line feed ends a line, and a byte order mark is dropped."""
    with _reading(path) as file:
        for number, line in enumerate(file):
            if number == 0:
                line = line.removeprefix(_BYTE_ORDER_MARK)
            yield line.rstrip(b"\r\n")


def read_chunks(path: Path) -> Iterator[bytes]:
    """The file's content in pieces of bounded size."""
    with _reading(path) as file:
        while chunk := file.read(_CHUNK):
            yield chunk


@contextmanager
def _reading(path: Path) -> Iterator[IO[bytes]]:
    try:
        if path.suffix in _COMPRESSED:
            # A compressed file splits its lines in Python; a buffer around it does so in C.
            with _COMPRESSED[path.suffix](path) as raw, io.BufferedReader(raw, _CHUNK) as file:
                yield file
        else:
            with path.open("rb") as file:
                yield file
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file") from None
    except EOFError:
        raise DataError(f"{path}: the compressed file is truncated; fetch it again") from None
    except (lzma.LZMAError, gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"{path}: the compressed file is damaged ({error}); fetch it again") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from None
