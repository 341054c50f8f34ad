"""`recollect check` as its users meet it: files in, a report and an exit code out."""

import json
from pathlib import Path

import pytest
from shell import Shell

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
<trans-unit id="one"><source>Press <x id="1"/> now.</source><target>Jetzt <x id="1"/> drücken.</target></trans-unit>
<trans-unit id="two"><source>Press <x id="1"/> now.</source><target>Jetzt drücken.</target></trans-unit>
</body></file></xliff>
"""
MEMORY = """<?xml version="1.0"?>
<tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="en"><seg>Chapter 347.</seg></tuv><tuv xml:lang="de"><seg>Kapitel 374.</seg></tuv></tu>
</body></tmx>
"""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    folder = tmp_path / "here"
    folder.mkdir()
    for name, text in {
        "story.zh": SOURCE,
        "story.en": TARGET,
        "short.en": "One line.\n",
        "app.po": CATALOGUE,
        "app.xlf": XLIFF,
        "app.tmx": MEMORY,
    }.items():
        (folder / name).write_text(text, "utf-8")
    return Shell(folder)


def test_an_inconsistent_name_in_every_form(shell: Shell) -> None:
    answer = shell.start("check", "story.zh", "story.en", "--json", "out.json", "--html", "out.html").wait()
    assert answer.code == 0, answer.err
    assert "安德烈\tname\tAndrew\t2\tline 4, line 6" in answer.out
    assert "1 inconsistent, 0 errors" in answer.out
    found = json.loads((shell.folder / "out.json").read_text("utf-8"))
    assert [term["term"] for term in found["terms"] if not term["consistent"]] == ["安德烈"]
    assert "<mark>Andrew</mark>" in (shell.folder / "out.html").read_text("utf-8")
    assert json.loads(shell.works("check", "story.zh", "story.en", "--json", "-")) == found


@pytest.mark.parametrize(
    ("level", "code"), [("never", 0), ("error", 0), ("inconsistency", 1), ("warning", 1)]
)
def test_exit_code(shell: Shell, level: str, code: int) -> None:
    assert shell.start("check", "story.zh", "story.en", "--fail-on", level).wait().code == code


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("app.po", "error\tplaceholders\tline 7 ('%d files were lost.')\tplaceholder missing: %d"),
        ("app.xlf", "error\tplaceholders\tline 4 (unit 'two')\tplaceholder missing"),
        ("app.tmx", "error\tnumbers\tline 3\tnumber missing: 347; number added: 374"),
    ],
)
def test_files_with_both_sides(shell: Shell, name: str, line: str) -> None:
    answer = shell.start("check", name).wait()
    assert answer.code == 1, answer.err
    assert line in answer.out
    assert "1 errors" in answer.out
    assert shell.start("check", name, "--fail-on", "never").wait().code == 0


def test_what_cannot_be_checked(shell: Shell) -> None:
    assert shell.fails("check", "story.zh", "short.en") == (
        "story.zh has 8 texts and short.en has 1; they must be the same, one by one"
    )
    assert "none of its 8 texts has a translation" in shell.fails("check", "story.zh")
    assert "no such file" in shell.fails("check", "story.zh", "nowhere.en")
    assert shell.start("check", "story.zh", "story.en", "--fail-on", "anything").wait().code == 2
