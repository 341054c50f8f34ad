"""`recollect check` as its users meet it: files in, a report and an exit code out."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from recollect.cli import main

SOURCE = """安德烈走进了房间。
玛丽看见了安德烈，她笑了。
安德烈说：“你好，玛丽。”
后来玛丽和安德烈去了图书馆。
图书馆里没有人。
安德烈在图书馆等玛丽。
安德烈不喜欢等人。
玛丽带来了一本书。
"""
TARGET = """Slowly Andrei walked into the room.
When Mary saw Andrei, she smiled.
Then Andrei said: “Hello, Mary.”
Later Mary and Andrew went to the library.
There was nobody in the library.
So Andrew waited for Mary in the library.
It is hard for Andrei to wait.
This time Mary brought a book.
"""
CATALOGUE = """msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

msgid "Hello %s, you have %d files."
msgstr "Hallo %s, Sie haben %d Dateien."

msgid "%d files were lost."
msgstr "Dateien gingen verloren."

msgid "Not translated yet."
msgstr ""
"""
XLIFF = """<?xml version="1.0"?>
<xliff version="1.2"><file source-language="en" target-language="de" datatype="plaintext" original="x"><body>
<trans-unit id="one"><source>Press <x id="1"/>.</source><target>Drücke <x id="1"/>.</target></trans-unit>
<trans-unit id="two"><source>Press <x id="1"/> now.</source><target>Jetzt drücken.</target></trans-unit>
</body></file></xliff>
"""
MEMORY = """<?xml version="1.0"?>
<tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="en"><seg>Chapter 347.</seg></tuv><tuv xml:lang="de"><seg>Kapitel 374.</seg></tuv></tu>
</body></tmx>
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command came to."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder in which commands run, in this very process: they need no torch, and start at once."""

    path: Path
    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]

    def run(self, *arguments: str) -> Answer:
        self.monkeypatch.chdir(self.path)
        self.monkeypatch.setattr(sys, "argv", ["recollect", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        out, err = self.capsys.readouterr()
        return Answer(int(end.value.code or 0), out, err)

    def fails(self, *arguments: str) -> str:
        """Run a command that must fail in one clear sentence; return that."""
        answer = self.run(*arguments)
        assert (answer.code, answer.out) == (1, "")
        (line,) = answer.err.splitlines()
        return line.removeprefix("recollect: ")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Folder:
    for name, text in {
        "story.zh": SOURCE,
        "story.en": TARGET,
        "short.en": "One line.\n",
        "app.po": CATALOGUE,
        "app.xlf": XLIFF,
        "app.tmx": MEMORY,
    }.items():
        (tmp_path / name).write_text(text, "utf-8")
    return Folder(tmp_path, monkeypatch, capsys)


def test_an_inconsistent_name_in_every_form(folder: Folder) -> None:
    answer = folder.run("check", "story.zh", "story.en", "--json", "out.json", "--html", "out.html")
    assert answer.code == 0, answer.err
    assert "安德烈\tname\tAndrew\t2\tline 4, line 6" in answer.out
    assert "1 inconsistent, 0 errors" in answer.out
    found = json.loads((folder.path / "out.json").read_text("utf-8"))
    assert [term["term"] for term in found["terms"] if not term["consistent"]] == ["安德烈"]
    assert "<mark>Andrew</mark>" in (folder.path / "out.html").read_text("utf-8")
    assert json.loads(folder.run("check", "story.zh", "story.en", "--json", "-").out) == found


@pytest.mark.parametrize(
    ("level", "code"), [("never", 0), ("error", 0), ("inconsistency", 1), ("warning", 1)]
)
def test_exit_code(folder: Folder, level: str, code: int) -> None:
    assert folder.run("check", "story.zh", "story.en", "--fail-on", level).code == code


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("app.po", "error\tplaceholders\tline 7 ('%d files were lost.')\tplaceholder missing: %d"),
        ("app.xlf", "error\tplaceholders\tline 4 (unit 'two')\tplaceholder missing"),
        ("app.tmx", "error\tnumbers\tline 3\tnumber missing: 347; number added: 374"),
    ],
)
def test_files_with_both_sides(folder: Folder, name: str, line: str) -> None:
    answer = folder.run("check", name)
    assert answer.code == 1, answer.err
    assert line in answer.out
    assert "1 errors" in answer.out
    assert folder.run("check", name, "--fail-on", "never").code == 0


def test_what_cannot_be_checked(folder: Folder) -> None:
    assert folder.fails("check", "story.zh", "short.en") == (
        "story.zh has 8 texts and short.en has 1; they must be the same, one by one"
    )
    assert "none of its 8 texts has a translation" in folder.fails("check", "story.zh")
    assert "no such file" in folder.fails("check", "story.zh", "nowhere.en")
    assert folder.run("check", "story.zh", "story.en", "--fail-on", "anything").code == 2
