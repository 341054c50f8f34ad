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

ALL = ("reproduce", "all", "-o", "run", "--report", "results.md")
LONG = 1800  # seconds, for a machine that is busy: on two quiet cores everything takes about one minute
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
        assert len([line for line in section.splitlines() if line.startswith("- ")]) >= len(
            experiment.expected
        )
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


def test_a_failure_is_said_and_the_others_go_on(shell):
    """The tuning set has another length than its reference in the second domain's corpus."""
    folder = shell.folder / "run" / "invented"
    sets = "\n".join(
        f'{name}_source = "run/invented/{name}.src"\n{name}_references = ["run/invented/{name}.trg"]'
        for name in ("tune", "test")
    )
    text = f'[other]\nsource = "run/invented/train.src"\ntarget = "run/invented/train.trg"\n{sets}\n'
    (shell.folder / "corpus.toml").write_text(f'{text}test_spoken = "short"\n', "utf-8")
    (shell.folder / "short").write_text("one line\n", "utf-8")
    command = (
        "reproduce",
        "overwrite",
        "gates",
        "-o",
        "other",
        "--corpus",
        "corpus.toml",
        "--processes",
        "2",
    )
    answer = shell.start(*command, "--set", "pass_one.max_steps=5").wait()
    assert answer.code == 1
    problem = f"gates: short has 1 lines, {folder.relative_to(shell.folder)}/test.src has"
    assert f"\nrecollect: {problem}" in answer.err
    assert [path.parent.name for path in (shell.folder / "other/results/smoke").glob("*/result.json")] == [
        "overwrite"
    ]


def test_the_papers_scale_starts_and_steps(shell):
    """The paper's sizes, but for the words, which the invented text has few of: two updates, no more."""
    command = ("reproduce", "data-statistics", "-o", "paper", "--scale", "paper", "--corpus", "corpus.toml")
    budget = ("--set", "pass_one.max_steps=2", "--set", "pass_one.batch=4", "--set", "data.tokenise=none")
    shell.works(*command, *budget)
    (base,) = (shell.folder / "paper" / "steps").glob("base-*")
    assert json.loads((base / "pass-one" / "result.json").read_text("utf-8"))["step"] == 2
    assert "hidden = 1000" in (base / "model" / "config.toml").read_text("utf-8")


def test_what_is_wrong_with_a_command(shell):
    assert "which experiment?" in shell.fails("reproduce")
    assert "there is no experiment 'sizes'" in shell.fails("reproduce", "sizes")
    assert "there is no scale 'large'" in shell.fails("reproduce", "all", "--scale", "large")
    assert "--scale small needs --corpus FILE" in shell.fails("reproduce", "all", "--scale", "small")
    assert "there are no results yet" in shell.fails("reproduce", "--report", "none.md", "-o", "nothing")
    assert "memory-size        Table 2 " in shell.works("reproduce", "--list")
