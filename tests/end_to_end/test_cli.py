"""The command line as its users meet it: real processes, real files."""

import json
import shutil
from pathlib import Path

import pytest

from conftest import Shell

COMMANDS = ["prepare", "train", "translate", "score", "perplexity", "demo"]


def test_help_and_version(trained: Shell) -> None:
    assert trained.works("--version").startswith("recollect ")
    general = trained.works("--help")
    for command in COMMANDS:
        assert command in general
        assert "Usage" in trained.works(command, "--help")


@pytest.mark.parametrize(
    "text",
    [
        b"lilu kapa\nkipu\n\nlilu\n",
        b"lilu kapa\n\n\n\nkipu",
        b"\xef\xbb\xbflilu\r\n\r\nkipu\r\n",
        b"\n\n\n",
        b"",
        b"lilu",
        b"\nlilu\n",
        b"unseen words only\n",
    ],
)
def test_as_many_lines_come_out_as_go_in(trained: Shell, text: bytes) -> None:
    out = trained.works("translate", "-", "-m", "run", stdin=text)
    lines = text.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    lines = lines[:-1] if lines[-1].strip() == b"" else lines
    assert out.count("\n") == len(lines)
    for given, found in zip(lines, out.split("\n"), strict=False):
        assert given.strip() or not found


def test_translate_files(trained: Shell, tmp_path: Path) -> None:
    output = tmp_path / "out"
    trained.works("translate", "test.src", "-o", str(output), "-m", "run")
    assert output.read_text().count("\n") == (trained.folder / "test.src").read_text().count("\n")
    assert trained.works("translate", "test.src", "-m", "run", "--lanes", "1") == output.read_text()
    assert [item.name for item in tmp_path.iterdir()] == ["out"]
    assert "--force" in trained.fails("translate", "test.src", "-o", str(output), "-m", "run")
    trained.works(
        "translate", "test.src", "-o", str(output), "-m", "run", "--no-memory", "--beam", "1", "--force"
    )


def test_documents_can_be_told_apart_by_line_numbers(trained: Shell, tmp_path: Path) -> None:
    lines = (trained.folder / "test.src").read_text().split("\n\n")
    one, two = (document.strip() for document in lines[:2])
    (tmp_path / "joined").write_text(f"{one}\n{two}\n")
    (tmp_path / "starts").write_text(f"1\n{one.count(chr(10)) + 2}\n")
    joined = trained.works(
        "translate", str(tmp_path / "joined"), "-m", "run", "--starts", str(tmp_path / "starts")
    )
    apart = trained.works("translate", "-", "-m", "run", stdin=f"{one}\n\n{two}\n".encode())
    assert joined == apart.replace("\n\n", "\n")


def test_history_replaces_our_own_words(trained: Shell, tmp_path: Path) -> None:
    own = trained.works("translate", "test.src", "-m", "run")
    (tmp_path / "own").write_text(own)
    assert trained.works("translate", "test.src", "-m", "run", "--history", str(tmp_path / "own")) == own
    (tmp_path / "short").write_text("one\n")
    said = trained.fails("translate", "test.src", "-m", "run", "--history", str(tmp_path / "short"))
    assert "history must have a line for every line" in said


def test_score_and_compare(trained: Shell, tmp_path: Path) -> None:
    perfect = trained.works("score", "test.trg", "-r", "test.trg", "-t", "none")
    assert "100" in perfect
    assert "case:lc" in perfect
    worse = tmp_path / "worse"
    worse.write_text((trained.folder / "test.trg").read_text().replace("o", "u"))
    table = trained.works("score", "test.trg", "-r", "test.trg", "--baseline", str(worse), "-t", "none")
    assert "sign test" in table.lower()
    assert "better than" in table
    figures = json.loads(
        trained.works("score", "test.trg", "-r", "test.trg", "--baseline", str(worse), "-t", "none", "--json")
    )
    assert figures["sign"]["falls"] == 0
    assert figures["sign"]["p"] < 0.01


def test_perplexity_knows_history(trained: Shell, tmp_path: Path) -> None:
    def figure(*options: str) -> str:
        return trained.works("perplexity", "test.src", "test.trg", "-m", "run", *options).split()[1]

    assert figure("--history", "test.trg") == figure()
    assert figure("--no-memory") != figure()


def test_mistakes_get_one_clear_line(trained: Shell, tmp_path: Path) -> None:
    latin = tmp_path / "latin"
    latin.write_bytes(b"good\nb\xe9d\n")
    damaged = tmp_path / "damaged"
    shutil.copytree(trained.folder / "run" / "model", damaged)
    (damaged / "source.words.txt").unlink(missing_ok=True)
    for path in damaged.iterdir():
        if path.name.startswith("weights"):
            path.write_bytes(path.read_bytes()[:-8])
    cases = {
        "which model? give --model FOLDER": ("translate", "test.src"),
        "nowhere: there is no such model folder": ("translate", "test.src", "-m", "nowhere"),
        "there is no finished model here": ("translate", "test.src", "-m", "prepared"),
        "latin, line 2: this is not valid UTF-8 text": ("translate", str(latin), "-m", "run"),
        "none.txt: there is no such file": ("translate", "none.txt", "-m", "run"),
        f"{damaged}": ("translate", "test.src", "-m", str(damaged)),
        "[decoding] beam must be": ("translate", "test.src", "-m", "run", "--set", "decoding.beam=-1"),
        "there is no tokenisation 'moss'": ("score", "test.trg", "-r", "test.trg", "-t", "moss"),
        "must be the same sentence": ("score", "test.trg", "-r", "tune.trg"),
        "pass_one.batch is 100 there and 7 now": (
            "train", "config.toml", "-d", "prepared", "-r", "run", "--set", "pass_one.batch=7"
        ),
        "not a prepared folder": ("train", "config.toml", "-d", "run", "-r", "other"),
        "[data] source and target are needed": ("prepare", "--preset", "small", "-o", "other"),
    }  # fmt: skip
    for expected, command in cases.items():
        assert expected in trained.fails(*command)


def test_a_closed_pipe_is_no_traceback(trained: Shell) -> None:
    process = trained.start("translate", "test.src", "-m", "run")
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert b"Traceback" not in process.stderr.read()
    process.wait()
