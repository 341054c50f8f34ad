"""A server as people start it: what its guide says works, and so does a client that is not ours."""

import os
import re
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
    cues = SAMPLE.read_text("utf-8").split("\n\n")
    (folder / "film.zh.srt").write_text("\n\n".join(cues[:6]) + "\n", "utf-8")
    return folder


def blocks(having: str) -> list[str]:
    found = re.findall(r"```bash\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    return [block for block in found if having in block]


def shell(script: str, folder: Path) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    answer = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env=os.environ | {"PATH": path, "COLUMNS": "100", "CURL_HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout


@pytest.fixture(scope="module")
def keys(folder: Path) -> list[str]:
    """The keys that the guide makes: the first of them is revoked again."""
    (script,) = blocks("recollect key")
    lines = shell(script, folder).splitlines()
    assert "60 requests a minute, 500,000 characters a day" in "\n".join(lines)
    return lines[:2]


@pytest.fixture(scope="module")
def address(folder: Path, keys: list[str]) -> Iterator[str]:
    with process(folder, "--keys", "keys.json") as address:
        yield address


def test_every_request_of_the_guide_works(folder: Path, address: str, keys: list[str]) -> None:
    requests = blocks("SERVER=http://127.0.0.1:5050\n")
    assert len(requests) == 3
    # The guide asks a server that needs no key; where one is needed, this is how curl has it.
    (folder / ".curlrc").write_text(f'header = "Authorization: Bearer {keys[1]}"\n')
    said = [shell(each.replace("http://127.0.0.1:5050", address), folder) for each in requests]
    for each in said:
        assert '"error"' not in each
    own, _, libre = said
    assert '"undone":"correction of sentence 1"' in own
    assert "event: done" in own
    assert '{"success":true}' in libre
    assert "translatedFileUrl" in libre
    films = [(folder / f"film.{code}.srt").read_text("utf-8") for code in ("zh", "en")]
    times = [re.findall("(?m)^.* --> .*$", film) for film in films]
    assert times[0] == times[1]
    assert films[1].isascii()


def test_a_client_that_is_not_ours(address: str, keys: list[str]) -> None:
    client = LibreTranslateAPI(address, keys[1])
    assert client.languages()[0]["code"] == "zh"
    assert client.detect("我们在哪里见面？")[0]["language"] == "zh"
    assert client.translate("我们在哪里见面？", "zh", "en").isascii()
    with pytest.raises(urllib.error.HTTPError) as refused:
        client.translate("Hello", "en", "es")
    assert refused.value.code == 400
    for key in (keys[0], None):
        with pytest.raises(urllib.error.HTTPError) as refused:
            LibreTranslateAPI(address, key).translate("你好", "zh", "en")
        assert refused.value.code == 403
