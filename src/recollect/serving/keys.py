"""API keys in a file: shown once when they are made, kept as digests, revoked at any time."""

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from recollect.errors import DataError
from recollect.files import whole_file

__all__ = ["Key", "KeyFile", "make_key", "read_keys", "revoke_key"]

FORMAT = 1
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}")


@dataclass(frozen=True, slots=True)
class Key:
    """Whose key it is, what it may do, and the digest it is known by."""

    name: str
    id: str  # the readable part of the secret, by which it is looked up
    sha256: str  # of the whole secret, which is long and random: no salt or slow hash could add to it
    created: str  # a date
    requests: int | None = None  # a minute; None: as the server says
    characters: int | None = None  # a day; None: as the server says


def read_keys(path: Path) -> list[Key]:
    """Return the keys of a file."""
    try:
        found = json.loads(path.read_text("utf-8"))
        if found["format"] != FORMAT:
            raise ValueError(f"format {found['format']}, this version reads {FORMAT}")
        return [Key(**each) for each in found["keys"]]
    except FileNotFoundError:
        raise DataError(f"{path}: there are no keys; `recollect key NAME --keys {path}` makes one") from None
    except OSError as error:
        raise DataError(f"{path}: the keys cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path}: this is no file of keys ({error})") from None


def make_key(
    path: Path, name: str, today: str, *, requests: int | None = None, characters: int | None = None
) -> str:
    """Add a key to a file and return its secret, which is nowhere else."""
    if not _NAME.fullmatch(name):
        raise DataError(f"a key cannot be named '{name}': letters, digits, and - _ . @ within, at most 64")
    keys = read_keys(path) if path.exists() else []
    if any(key.name == name for key in keys):
        raise DataError(f"{path}: {name} has a key already; revoke it first (--revoke) to give a new one")
    identity = secrets.token_hex(4)
    secret = f"rc_{identity}_{secrets.token_urlsafe(32)}"
    _write(path, [*keys, Key(name, identity, _digest(secret), today, requests, characters)])
    return secret


def revoke_key(path: Path, name: str) -> None:
    """Take a key out of a file; a running server refuses it from then on."""
    keys = read_keys(path)
    rest = [key for key in keys if key.name != name]
    if len(rest) == len(keys):
        names = ", ".join(key.name for key in keys) or "none"
        raise DataError(f"{path}: there is no key of {name}; there are: {names}")
    _write(path, rest)


class KeyFile:
    """The keys of a file, read anew whenever the file has changed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[int, int, int] | None = None
        self._keys: dict[str, Key] = {}
        self._refresh()

    def find(self, secret: str) -> Key | None:
        """Return the key that a secret belongs to."""
        self._refresh()
        _, _, rest = secret.partition("rc_")
        key = self._keys.get(rest.partition("_")[0])
        if key is None or not hmac.compare_digest(key.sha256, _digest(secret)):
            return None
        return key

    def _refresh(self) -> None:
        try:
            status = self._path.stat()
            seen = (status.st_mtime_ns, status.st_size, status.st_ino)
        except OSError:
            seen = None
        if seen is None or seen != self._seen:
            self._keys = {}  # if it cannot be read, no key is good
            self._keys = {key.id: key for key in read_keys(self._path)}
            self._seen = seen


def _write(path: Path, keys: Sequence[Key]) -> None:
    with whole_file(path) as draft:
        draft.touch(mode=0o600)
        text = json.dumps({"format": FORMAT, "keys": [asdict(key) for key in keys]}, indent=1)
        draft.write_text(text + "\n", "utf-8")


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
