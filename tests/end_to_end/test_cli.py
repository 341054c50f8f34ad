"""The command line as its users meet it: real processes, real files."""

import gzip
import json
import shutil
import signal
import time
from pathlib import Path

import pytest
from shell import Shell

COMMANDS = ["prepare", "train", "translate", "score", "perplexity", "demo"]


def test_help_and_version(trained: Shell) -> None:
    assert trained.console_works("--version").startswith("recollect ")
    general = trained.works("--help")
    for command in COMMANDS:
        assert command in general
        assert "Usage" in trained.works(command, "--help")
    answer = trained.start("translat").wait()
    assert answer.code == 2
    assert "No such command" in answer.err
    assert trained.start("train", "--passes", "three").wait().code == 2


# -- translate


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
        b"lilu\n  ",
        b"lilu\n \t \nkipu\n\n",
        b"unseen words only\n",
        "lilu\u2028kipu \x85 \x0b \x1d kapa\nlilu\n".encode(),  # no line ends but \n
    ],
)
def test_as_many_lines_come_out_as_go_in(trained: Shell, tmp_path: Path, text: bytes) -> None:
    (tmp_path / "in").write_bytes(text)
    trained.works("translate", str(tmp_path / "in"), "-o", str(tmp_path / "out"), "-m", "run")
    given = text.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    given = given[:-1] if given[-1] == b"" else given
    out = (tmp_path / "out").read_bytes().decode()
    found = out.split("\n")
    assert found.pop() == ""
    assert [bool(line) for line in found] == [bool(line.strip()) for line in given]
    assert not set(out) & set("\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")


def test_standard_input_to_standard_output(trained: Shell) -> None:
    text = (trained.folder / "test.src").read_bytes()
    out = trained.console_works("translate", "-", "-m", "run", stdin=text)
    assert out == trained.works("translate", "test.src", "-m", "run/model")


def test_files(trained: Shell, tmp_path: Path) -> None:
    output = tmp_path / "new folder" / "out"
    trained.works("translate", "test.src", "-o", str(output), "-m", "run")
    assert output.read_text().count("\n") == (trained.folder / "test.src").read_text().count("\n")
    assert trained.works("translate", "test.src", "-m", "run", "--lanes", "1") == output.read_text()
    assert [item.name for item in output.parent.iterdir()] == ["out"]
    assert "--force" in trained.fails("translate", "test.src", "-o", str(output), "-m", "run")
    before = output.read_text()
    alone = ("translate", "test.src", "-o", str(output), "-m", "run", "--no-memory", "--beam", "1", "--force")
    trained.works(*alone)
    assert output.read_text() != before
    packed = tmp_path / "test.src.gz"
    packed.write_bytes(gzip.compress((trained.folder / "test.src").read_bytes()))
    assert trained.works("translate", str(packed), "-m", "run") == before


def test_documents_can_be_told_apart_by_line_numbers(trained: Shell, tmp_path: Path) -> None:
    lines = (trained.folder / "test.src").read_text().split("\n\n")
    one, two = (document.strip() for document in lines[:2])
    joined, starts = tmp_path / "joined", tmp_path / "starts"
    joined.write_text(f"{one}\n{two}\n")
    starts.write_text(f"1\n{one.count(chr(10)) + 2}\n")
    found = trained.works("translate", str(joined), "-m", "run", "--starts", str(starts))
    apart = trained.works("translate", "-", "-m", "run", stdin=f"{one}\n\n{two}\n".encode())
    assert found == apart.replace("\n\n", "\n")
    starts.write_text("1\n999\n")
    said = trained.fails("translate", str(joined), "-m", "run", "--starts", str(starts))
    assert "a document is to start at line 999" in said


def test_history_replaces_our_own_words(trained: Shell, tmp_path: Path) -> None:
    own = trained.works("translate", "test.src", "-m", "run")
    (tmp_path / "own").write_text(own)
    assert trained.works("translate", "test.src", "-m", "run", "--history", str(tmp_path / "own")) == own
    (tmp_path / "short").write_text("one\n")
    said = trained.fails("translate", "test.src", "-m", "run", "--history", str(tmp_path / "short"))
    assert "history must have a line for every line" in said


# -- score, perplexity


def test_score_and_compare(trained: Shell, tmp_path: Path) -> None:
    perfect = trained.works("score", "test.trg", "-r", "test.trg", "-t", "none")
    assert "100" in perfect
    assert "case:lc" in perfect
    worse = tmp_path / "worse"
    worse.write_text((trained.folder / "test.trg").read_text().replace("o", "u"))
    compare = ("score", "test.trg", "-r", "test.trg", "--baseline", str(worse), "-t", "none")
    table = trained.works(*compare)
    for wanted in ("sign test", "paired bootstrap", "approximate randomisation", "better than"):
        assert wanted in table
    figures = json.loads(trained.works(*compare, "--json"))
    assert figures["sign"]["falls"] == 0
    assert figures["sign"]["p"] < 0.01
    flat = tmp_path / "flat"  # an output without the empty lines between documents
    flat.write_text((trained.folder / "test.trg").read_text().replace("\n\n", "\n"))
    assert "100" in trained.works("score", "test.trg", "-r", str(flat), "-t", "none")


def test_perplexity_knows_history(trained: Shell, tmp_path: Path) -> None:
    def figure(*options: str) -> str:
        return trained.works("perplexity", "test.src", "test.trg", "-m", "run", *options).split()[1]

    assert figure("--history", "test.trg") == figure()
    assert figure("--no-memory") != figure()
    (tmp_path / "short").write_text("one\n")
    history = ("perplexity", "test.src", "test.trg", "-m", "run", "--history", str(tmp_path / "short"))
    assert "short has 1 lines, but test.src has" in trained.fails(*history)


# -- prepare, train


def test_the_same_data_is_not_prepared_twice(trained: Shell) -> None:
    before = (trained.folder / "prepared" / "prepared.json").stat().st_mtime_ns
    trained.works("prepare", "config.toml", "-o", "prepared")
    assert (trained.folder / "prepared" / "prepared.json").stat().st_mtime_ns == before
    said = trained.fails("prepare", "config.toml", "-o", "prepared", "--set", "vocabulary.source_size=50")
    assert "size_source was 500, now 50" in said


def test_a_finished_run_is_left_as_it_is_wherever_it_is_called_from(trained: Shell) -> None:
    weights = trained.folder / "run" / "model" / "weights.safetensors"
    before = weights.read_bytes()
    assert trained.works("train", "config.toml", "-d", "prepared", "-r", "run") == "trained: run/model\n"
    (trained.folder / "elsewhere").mkdir()
    Shell(trained.folder / "elsewhere").works("train", "../config.toml", "-d", "../prepared", "-r", "../run")
    assert weights.read_bytes() == before


def test_the_second_pass_can_wait(trained: Shell) -> None:
    train = ("train", "config.toml", "-d", "prepared", "-r", "one-then-two")
    trained.works(*train, "--passes", "one")
    answer = trained.start("translate", "test.src", "-m", "one-then-two").wait()
    assert answer.code == 0
    assert "this model has no memory" in answer.err
    assert answer.out == trained.works("translate", "test.src", "-m", "run", "--no-memory")
    trained.works(*train)
    for name in ("pass-one/final", "pass-two/final", "model/weights"):
        found, expected = (trained.folder / run / f"{name}.safetensors" for run in ("one-then-two", "run"))
        assert found.read_bytes() == expected.read_bytes()


def test_interrupted_by_the_user(trained: Shell) -> None:
    longer = ("--set", "pass_one.max_steps=1000000")  # it cannot be done before the signal arrives
    process = trained.console("train", "config.toml", "-d", "prepared", "-r", "interrupted", *longer)
    while not (trained.folder / "interrupted" / "config.toml").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in err.decode()
    assert err.decode().endswith("recollect: interrupted; the same command goes on where it stopped\n")


# -- mistakes


def damaged(model: Path, folder: Path, name: str, change: str) -> str:
    shutil.copytree(model, folder)
    path = folder / name
    data = bytearray(path.read_bytes())
    if change == "flip":
        data[len(data) // 2] ^= 1
    path.write_bytes(b"{}" if change == "empty" else data[:-8] if change == "cut" else data)
    return str(folder)


def test_mistakes_get_one_clear_line(trained: Shell, tmp_path: Path) -> None:
    model = trained.folder / "run" / "model"
    latin = tmp_path / "latin"
    latin.write_bytes(b"good\nb\xe9d\n")
    void = tmp_path / "void"
    void.mkdir()
    flipped = damaged(model, tmp_path / "flipped", "weights.safetensors", "flip")
    cut = damaged(model, tmp_path / "cut", "weights.safetensors", "cut")
    empty = damaged(model, tmp_path / "empty", "model.json", "empty")
    translate = ("translate", "test.src", "-m")
    train = ("train", "config.toml", "-d", "prepared", "-r")
    cases = {
        "nowhere: there is no such model folder": (*translate, "nowhere"),
        "there is no finished model here": (*translate, "prepared"),
        f"{flipped}/weights.safetensors: damaged": (*translate, flipped),
        f"{cut}/weights.safetensors: damaged": (*translate, cut),
        f"{empty}/model.json: damaged": (*translate, empty),
        "latin, line 2: this is not valid UTF-8 text": ("translate", str(latin), "-m", "run"),
        "none.txt: there is no such file": ("translate", "none.txt", "-m", "run"),
        "there is no file of a known format in this folder": ("translate", str(void), "-m", "run"),
        "none.his: there is no such file": (*translate, "run", "--history", "none.his"),
        "--glossary, --strict: for documents": (*translate, "run", "--glossary", "none.csv", "--strict"),
        "--starts: for text of one sentence a line": ("translate", str(void), "--starts", "none.starts"),
        "tune.src: File exists": (*translate, "run", "-o", "tune.src/out"),
        "--set decoding.beam=-1: [decoding] beam must be": (*translate, "run", "--set", "decoding.beam=-1"),
        "did you mean 'beam'?": (*translate, "run", "--set", "decoding.beem=2"),
        "must look like section.option=value": (*translate, "run", "--set", "beam"),
        "options of the model or the fusion changed?": (*translate, "run", "--set", "memory.fusion=none"),
        "has shape": (*translate, "run", "--set", "model.hidden=8"),
        "there is no tokenisation 'moss'": ("score", "test.trg", "-r", "test.trg", "-t", "moss"),
        "must be the same sentence": ("score", "test.trg", "-r", "tune.trg"),
        "none.ref: there is no such file": ("score", "test.trg", "-r", "none.ref"),
        "tune.trg has": ("perplexity", "test.src", "tune.trg", "-m", "run"),
        "pass_one.batch is 100 there and 7 now": (*train, "run", "--set", "pass_one.batch=7"),
        "not a prepared folder": ("train", "config.toml", "-d", "run", "-r", "other"),
        "config.toml: File exists": (*train, "config.toml"),
        "[data] source and target are needed": ("prepare", "--preset", "small", "-o", "other"),
        "--preset smal: there is no preset": ("prepare", "--preset", "smal", "-o", "other"),
        "none.toml: there is no such configuration file": ("prepare", "none.toml", "-o", "other"),
        "config.toml/prepared.json: Not a directory": ("prepare", "config.toml", "-o", "config.toml"),
        "tune.trg": ("prepare", "config.toml", "--set", "data.target=tune.trg", "-o", "other"),
    }
    for expected, command in cases.items():
        said = trained.fails(*command)
        assert expected in said, command
    assert not (trained.folder / "other").exists()


def test_five_mistakes_get_five_lines(trained: Shell, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(
        'seed = "x"\n[memory]\nsizes = 3\n[model]\ndropout = 2\n[pass_too]\nepochs = 1\n', "utf-8"
    )
    answer = trained.start("prepare", str(path), "--set", "memory.fusion=depp").wait()
    assert answer.code == 1
    assert sorted(answer.err.splitlines()) == [
        "recollect: --set memory.fusion=depp: "
        "[memory] fusion must be one of 'deep', 'auxiliary', 'shallow', 'both' or 'none', not 'depp'",
        f"recollect: {path}: [memory] has no option 'sizes'; did you mean 'size'?",
        f"recollect: {path}: [model] dropout must be below 1.0, not 2",
        f"recollect: {path}: has no section or option 'pass_too'; did you mean 'pass_two'?",
        f"recollect: {path}: seed must be a whole number, not 'x'",
    ]


def test_a_closed_pipe_is_no_traceback(trained: Shell) -> None:
    process = trained.console("translate", "test.src", "-m", "run")
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert b"Traceback" not in process.stderr.read()
    assert process.wait() != 0


# -- check


def test_a_model_says_which_words_belong_together(trained: Shell) -> None:
    answer = trained.start(
        "check", "test.src", "test.trg", "-m", "run", "--json", "-", "--fail-on", "never"
    ).wait()
    assert answer.code == 0, answer.err
    found = json.loads(answer.out)
    assert found["texts"] > 0
    assert found["errors"] == 0
