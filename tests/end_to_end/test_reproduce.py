"""Every experiment at the smallest scale: killed in the middle, gone on with, reported, and found again."""

import json
import math
import time
from pathlib import Path

import pytest
import sacrebleu
from shell import Shell

from recollect.reproduce.experiment import experiments, load_experiment
from recollect.reproduce.run import open_domains
from recollect.reproduce.scale import load_scale
from recollect.reproduce.workshop import Workshop
from recollect.text.invented import invented_corpus, write_plain

ALL = ("reproduce", "all", "-o", "run", "--report", "results.md")
LONG = 1800  # seconds, for a machine that is busy
FIGURES = ["ages/ages", "matrix/invented/matrix", "gates/invented/gates"]


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A folder in which everything has been run, by a command that was killed and one that went on."""
    shell = Shell(tmp_path_factory.mktemp("reproduce"))
    killed = shell.start(*ALL)
    while len(list(shell.folder.glob("run/steps/*/result.json"))) < 6:
        assert not killed.ended, killed.wait().err
        time.sleep(0.05)
    killed.kill()
    before = made(shell)
    answer = shell.start(*ALL).wait(LONG)
    assert (answer.code, answer.out) == (0, f"results.md: {len(experiments())} experiments\n"), answer.err
    assert made(shell).items() >= before.items()  # nothing was made twice
    return shell


def made(shell: Shell) -> dict[Path, int]:
    """When each step was finished."""
    found = [*shell.folder.glob("run/steps/*/result.json"), *shell.folder.glob("run/results/*/*/result.json")]
    return {path: path.stat().st_mtime_ns for path in found}


def results(shell: Shell, name: str) -> dict:
    text = (shell.folder / "run" / "results" / "smoke" / name / "result.json").read_text("utf-8")
    return json.loads(text)


def test_every_table_and_figure_is_there(shell):
    report = (shell.folder / "results.md").read_text("utf-8")
    for name in experiments():
        experiment = load_experiment(name)
        section = report.partition(f"## {experiment.title} ({experiment.place})\n")[2].partition("\n## ")[0]
        assert experiment.claim in section
        assert all(
            f"| {system} |" in section for system in experiment.systems if experiment.kind == "quality"
        )
        assert "Scale smoke, seed 1, commit `" in section
        expected = experiment.expected_in("invented")
        assert len([line for line in section.splitlines() if line.startswith("- ")]) >= len(expected)
    for figure in FIGURES:
        assert f"![{figure.partition('/')[2]}.png](figures/{figure}.png)" in report
        for suffix in ("png", "svg", "csv"):
            assert (shell.folder / "figures" / f"{figure}.{suffix}").stat().st_size > 100


def test_again_everything_is_found(shell):
    before = made(shell)
    answer = shell.start(*ALL).wait()
    assert answer.code == 0
    assert answer.err.count(": done before\n") == len(experiments())
    assert made(shell) == before


def test_equal_systems_are_made_once(shell):
    """The memory of 25 slots is in most tables; the last of them needed nothing new for it."""
    systems = {
        json.dumps([system.trained, system.options], sort_keys=True)
        for name in experiments()
        for system in load_experiment(name).systems.values()
        if system.trained != "base"
    }
    folders = [path.parent.name for path in shell.folder.glob("run/steps/*/model")]
    assert len(folders) == 1 + len(systems)


def test_figures_by_another_way(shell):
    """BLEU by sacreBLEU itself, and the sign test by scoring the corpus anew for every sentence."""
    scale = load_scale("smoke")
    home = shell.folder / "run"
    (domain,) = open_domains(scale, None, home)
    workshop, experiment = Workshop(home / "steps", scale, domain), load_experiment("fusion")
    references = [line for document in domain.evaluation("test").documents for line in document.references[0]]

    def score(lines: list[str]) -> float:
        found = sacrebleu.corpus_bleu(lines, [references], lowercase=True, tokenize="none", force=True)
        return float(found.score)

    outputs = {
        name: [line for document in workshop.output(system, "test") for line in document]
        for name, system in experiment.systems.items()
    }
    rows = results(shell, "fusion")["domains"]["invented"]["rows"]
    base = outputs["base"]
    for name, lines in outputs.items():
        assert rows[name]["test_bleu"] == pytest.approx(score(lines))
        if name == "base":
            continue
        changes = [
            round(score([*base[:at], line, *base[at + 1 :]]) - score(base), 9)
            for at, line in enumerate(lines)
        ]
        rises, falls = sum(change > 0 for change in changes), sum(change < 0 for change in changes)
        tail = sum(math.comb(rises + falls, k) for k in range(min(rises, falls) + 1)) / 2 ** (rises + falls)
        assert rows[name]["test_p"] == pytest.approx(min(1.0, 2 * tail))


@pytest.fixture
def corpus(tmp_path: Path) -> Shell:
    """A folder with a corpus of our own, one of whose sets has a reference that is too short."""
    lines = ["[other]"]
    for name, seed in (("train", 1), ("tune", 2), ("test", 3)):
        write_plain(invented_corpus(8, seed), tmp_path / f"{name}.src", tmp_path / f"{name}.trg")
        if name != "train":
            lines += [f'{name}_source = "{name}.src"', f'{name}_references = ["{name}.trg"]']
    lines += ['source = "train.src"', 'target = "train.trg"', 'tokenise = "none"', 'test_spoken = "short"']
    (tmp_path / "corpus.toml").write_text("\n".join(lines), "utf-8")
    (tmp_path / "short").write_text("one line\n", "utf-8")
    return Shell(tmp_path)


def test_a_failure_is_said_and_the_others_go_on(corpus):
    command = ("reproduce", "overwrite", "gates", "--corpus", "corpus.toml", "--processes", "2")
    answer = corpus.start(*command, "--set", "pass_one.max_steps=5").wait(LONG)
    assert answer.code == 1
    assert "\nrecollect: gates: short has 1 lines, but test.src has" in answer.err
    found = (corpus.folder / "runs/reproduce/results/smoke").glob("*/result.json")
    assert [path.parent.name for path in found] == ["overwrite"]


def test_only_what_may_be_shown_is_quoted(corpus):
    """Of the other sets there is not one sentence in the report or its files."""
    path = corpus.folder / "corpus.toml"
    write_plain(invented_corpus(1, 4), corpus.folder / "shown.src", corpus.folder / "shown.trg")
    shown = 'shown_source = "shown.src"\nshown_references = ["shown.trg"]'
    path.write_text(path.read_text("utf-8").replace('test_spoken = "short"', shown), "utf-8")
    command = ("reproduce", "matrix", "remembers", "contrastive", "--corpus", "corpus.toml")
    options = ("--set", "pass_one.max_steps=5", "--report", "results.md")
    answer = corpus.start(*command, *options).wait(LONG)
    assert answer.code == 0, answer.err
    texts = [corpus.folder / "results.md", *(corpus.folder / "figures").rglob("*.[cjm]*")]
    said = "".join(each.read_text("utf-8") for each in texts)
    lines = {
        name: (corpus.folder / f"{name}.src").read_text("utf-8").split("\n") for name in ("shown", "test")
    }
    assert any(line and f"- source: {line}\n" in said for line in lines["shown"])
    assert not any(line in said for line in lines["test"] if len(line.split()) > 3)
    assert len(texts) > 5


def test_the_papers_scale_starts_and_steps(corpus):
    """All of the paper's sizes but the vocabularies, since the invented text has few words: two updates."""
    command = ("reproduce", "data-statistics", "--scale", "paper", "--corpus", "corpus.toml")
    answer = corpus.start(*command, "--set", "pass_one.max_steps=2", "--set", "pass_one.batch=4").wait(LONG)
    assert answer.code == 0, answer.err
    (base,) = (corpus.folder / "runs/reproduce/steps").glob("base-*")
    assert json.loads((base / "pass-one" / "result.json").read_text("utf-8"))["step"] == 2
    assert "hidden = 1000" in (base / "model" / "config.toml").read_text("utf-8")


def test_what_is_wrong_with_a_command(tmp_path):
    shell = Shell(tmp_path)
    assert "which experiment?" in shell.fails("reproduce")
    assert "there is no experiment 'sizes'" in shell.fails("reproduce", "sizes")
    assert "there is no scale 'large'" in shell.fails("reproduce", "all", "--scale", "large")
    assert "--scale small needs --corpus FILE" in shell.fails("reproduce", "all", "--scale", "small")
    assert "there are no results yet" in shell.fails("reproduce", "--report", "none.md", "-o", "nothing")
    assert "memory-size        Table 2 " in shell.works("reproduce", "--list")
