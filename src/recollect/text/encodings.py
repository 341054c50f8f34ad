"""How a text file's characters are stored: found out when it is read, and kept when it is written."""

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from dataclasses import dataclass
from itertools import islice

from recollect.errors import DataError
from recollect.text.places import breaks

__all__ = ["Decoded", "decode"]

_HAN = re.compile("[\u3400-\u9fff]")
_SAMPLE = 10_000  # Chinese characters, to judge whether they are Chinese
_MARKED = {BOM_UTF8: "utf-8", BOM_UTF16_LE: "utf-16-le", BOM_UTF16_BE: "utf-16-be"}


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text, and how it was stored."""

    text: str
    encoding: str = "utf-8"
    mark: bytes = b""  # the byte order mark at its beginning, if there was one

    def encode(self, text: str) -> bytes:
        """Store another text in the same way; every encoding here has all of Unicode."""
        return self.mark + text.encode(self.encoding)


def decode(data: bytes, name: str) -> Decoded:
    """Read UTF-8, UTF-16 with a byte order mark, or GB18030 with Chinese in it.

    >>> decode("你好".encode("gb18030"), "greeting.txt")
    Decoded(text='你好', encoding='gb18030', mark=b'')
    """
    decoded = _decode(data, name)
    if (nul := decoded.text.find("\0")) >= 0:
        raise DataError(
            f"{name}, line {breaks(decoded.text[:nul]) + 1}: a NUL character, which no text has; "
            "if this is text in UTF-16 or UTF-32, save it as UTF-8"
        )
    return decoded


def _decode(data: bytes, name: str) -> Decoded:
    if data.startswith((BOM_UTF32_LE, BOM_UTF32_BE)):
        raise DataError(f"{name}: is stored as UTF-32; save it as UTF-8")
    mark = next((mark for mark in _MARKED if data.startswith(mark)), b"")
    encoding = _MARKED.get(mark, "utf-8")
    body = data[len(mark) :]
    try:
        return Decoded(body.decode(encoding), encoding, mark)
    except UnicodeDecodeError as error:
        if not mark and (chinese := _chinese(data)) is not None:
            return Decoded(chinese, "gb18030")
        line = breaks(body[: error.start].decode(encoding, "replace")) + 1
        written = "UTF-8 or GB18030" if not mark else encoding.upper().removesuffix("-LE").removesuffix("-BE")
        raise DataError(
            f"{name}, line {line}: not {written} (byte 0x{body[error.start]:02x}); "
            "save the file as UTF-8, or fetch it again if it is damaged"
        ) from None


def _chinese(data: bytes) -> str | None:
    """Read GB18030 if that makes sense of it.

    Nearly any bytes are valid GB18030. Real Chinese is written almost wholly in its oldest part, GB2312;
    Western letters and other encodings, taken for Chinese, fall outside.
    """
    try:
        text = data.decode("gb18030")
    except UnicodeDecodeError:
        return None
    sample = "".join(found.group() for found in islice(_HAN.finditer(text), _SAMPLE))
    common = len(sample.encode("gb2312", "ignore")) // 2
    if not sample or common < 0.8 * len(sample) or text.encode("gb18030") != data:
        return None
    return text
