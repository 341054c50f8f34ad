"""Keys are shown once, kept as digests, and revoked while the server runs."""

import re
import stat
from pathlib import Path

import pytest

from recollect.errors import DataError
from recollect.serving.keys import KeyFile, make_key, read_keys, revoke_key

DAY = "2026-01-02"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "keys.json"


def test_a_key_is_found_by_its_secret_alone(path: Path) -> None:
    anna, ben = (make_key(path, name, DAY) for name in ("anna", "ben"))
    keys = KeyFile(path)
    assert [keys.find(secret).name for secret in (anna, ben)] == ["anna", "ben"]
    for wrong in (
        "",
        "rc_",
        anna[:-1],
        anna + "x",
        anna.replace("rc_", "RC_"),
        ben[:11] + anna[11:],
        "\ud800",
    ):
        assert keys.find(wrong) is None


def test_only_the_digest_is_kept_and_only_the_owner_may_read_it(path: Path) -> None:
    secret = make_key(path, "anna", DAY, requests=5, characters=1000)
    assert re.fullmatch(r"rc_[0-9a-f]{8}_[\w-]{43}", secret)
    assert secret.rpartition("_")[2] not in path.read_text("utf-8")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (key,) = read_keys(path)
    assert (key.name, key.created, key.requests, key.characters) == ("anna", DAY, 5, 1000)


def test_a_revoked_key_is_refused_by_a_server_that_runs(path: Path) -> None:
    anna, ben = (make_key(path, name, DAY) for name in ("anna", "ben"))
    keys = KeyFile(path)
    assert keys.find(anna)
    revoke_key(path, "anna")
    assert keys.find(anna) is None
    assert keys.find(ben)
    assert keys.find(make_key(path, "anna", DAY))


def test_a_file_that_is_lost_or_damaged_lets_nobody_in(path: Path) -> None:
    secret = make_key(path, "anna", DAY)
    keys = KeyFile(path)
    path.write_text("{", "utf-8")
    for _ in range(2):
        with pytest.raises(DataError, match="no file of keys"):
            keys.find(secret)
    path.unlink()
    with pytest.raises(DataError, match="there are no keys"):
        keys.find(secret)
    path.mkdir()
    with pytest.raises(DataError, match="the keys cannot be read"):
        keys.find(secret)


def test_what_cannot_be_done_is_said(path: Path) -> None:
    make_key(path, "anna", DAY)
    with pytest.raises(DataError, match="has a key already"):
        make_key(path, "anna", DAY)
    for name in ("", "a b", "../x", "x" * 65, "a\n"):
        with pytest.raises(DataError, match="cannot be named"):
            make_key(path, name, DAY)
    with pytest.raises(DataError, match="no key of ben; there are: anna"):
        revoke_key(path, "ben")
