"""A server as people start it: what its guide says works, and so does a client that is not ours."""

import os
import re
import shutil
import subprocess
import sys
import urllib.error
from collections.abc import Iterator
from pathlib import Path

import pytest
from libretranslatepy import LibreTranslateAPI
from running import process

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "how-to" / "serve.md"
SAMPLE = ROOT / "src" / "recollect" / "samples" / "episode.zh.srt"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served")
    shutil.copy(SAMPLE, folder / "film.zh.srt")
    return folder


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with process(folder) as address:
        yield address


def blocks(having: str) -> list[str]:
    found = re.findall(r"```bash\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    return [block for block in found if having in block]


def shell(script: str, folder: Path) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    answer = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env=os.environ | {"PATH": path, "COLUMNS": "100"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout


def test_every_request_of_the_guide_works(folder: Path, address: str) -> None:
    requests = blocks("http://127.0.0.1:5050\n")
    assert len(requests) == 3
    said = [shell(each.replace("http://127.0.0.1:5050", address), folder) for each in requests]
    for each in said:
        assert '"error"' not in each
    own, _, libre = said
    assert '"undone":"correction of sentence 1"' in own
    assert "event: done" in own
    assert '{"success":true}' in libre
    assert "translatedFileUrl" in libre
    times = [
        re.findall("(?m)^.* --> .*$", (folder / f"film.{code}.srt").read_text()) for code in ("zh", "en")
    ]
    assert times[0] == times[1]


def test_a_client_that_is_not_ours(address: str) -> None:
    client = LibreTranslateAPI(address)
    assert client.languages()[0]["code"] == "zh"
    assert client.detect("我们在哪里见面？")[0]["language"] == "zh"
    assert client.translate("我们在哪里见面？", "zh", "en").isascii()
    with pytest.raises(urllib.error.HTTPError) as refused:
        client.translate("Hello", "en", "es")
    assert refused.value.code == 400


def test_keys_as_the_guide_makes_them(folder: Path, tmp_path: Path) -> None:
    (script,) = blocks("recollect key")
    lines = shell(script, folder).splitlines()
    assert [line[:3] for line in lines[:2]] == ["rc_", "rc_"]
    assert "60 requests a minute, 500,000 characters a day" in "\n".join(lines)
    ours, theirs = lines[:2]
    with process(tmp_path, "--keys", str(folder / "keys.json")) as address:
        assert LibreTranslateAPI(address, theirs).translate("你好", "zh", "en")
        for key in (ours, None):  # the first has been revoked
            with pytest.raises(urllib.error.HTTPError) as refused:
                LibreTranslateAPI(address, key).translate("你好", "zh", "en")
            assert refused.value.code == 403
