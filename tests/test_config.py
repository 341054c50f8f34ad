from pathlib import Path

import pytest

from recollect.config import Config, load_config, presets
from recollect.errors import ConfigError


def complaints(path: Path | None = None, **options: object) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load_config(path, **options)  # type: ignore[arg-type]
    return str(caught.value).splitlines()


@pytest.mark.parametrize("preset", presets())
def test_presets_survive_the_way_through_toml(preset: str, tmp_path: Path) -> None:
    config = load_config(preset=preset)
    (tmp_path / "copy.toml").write_text(config.to_toml(), "utf-8")
    assert load_config(tmp_path / "copy.toml") == config


def test_the_papers_training_does_not_leak_from_the_everyday_preset() -> None:
    paper = load_config(preset="paper")
    assert (paper.pass_one.optimiser, paper.pass_one.label_smoothing, paper.pass_one.average) == (
        "adadelta",
        0,
        0,
    )
    assert (paper.model.embedding, paper.model.hidden, paper.model.dropout) == (620, 1000, 0.5)
    assert (paper.pass_one.batch, paper.pass_one.batch_unit, paper.pass_one.window) == (80, "sentences", 20)
    assert (paper.memory.size, paper.memory.fusion, paper.decoding.beam) == (25, "deep", 10)


def test_all_mistakes_are_answered_at_once_and_by_name(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(
        'preset = "smal"\n[memory]\nsizes = 3\nfusion = "depp"\n[model]\nhidden = "big"\ndropout = 1.5\n'
        '[data]\nsource = "none.txt"\ntarget = "none.txt"\n[pass_on]\nbatch = 1\n',
        "utf-8",
    )
    lines = complaints(path, overrides=["memory.size=x", "nonsense"])
    expected = [
        f"{path}: there is no preset 'smal'; did you mean 'small'?",
        "--set nonsense: must look like section.option=value, for instance memory.size=50",
        f"{path}: [data] source: there is no file {tmp_path / 'none.txt'}",
        f"{path}: [data] target: there is no file {tmp_path / 'none.txt'}",
        f"{path}: [model] hidden must be a whole number, not 'big'",
        f"{path}: [model] dropout must be below 1.0, not 1.5",
        "--set memory.size=x: [memory] size must be a whole number, not 'x'",
        f"{path}: [memory] fusion must be one of 'deep', 'auxiliary', 'shallow', 'both' or 'none', "
        "not 'depp'",
        f"{path}: [memory] has no option 'sizes'; did you mean 'size'?",
        f"{path}: has no section or option 'pass_on'; did you mean 'pass_one'?",
    ]
    assert sorted(lines) == sorted(expected)


def test_broken_toml_and_missing_files_get_one_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.toml"
    path.write_text("[memory\n", "utf-8")
    (line,) = complaints(path)
    assert line.startswith(f"{path}: not valid TOML")
    path.write_bytes(b"# caf\xe9\n")
    (line,) = complaints(path)
    assert line.startswith(f"{path}: cannot be read as UTF-8 text")
    (line,) = complaints(tmp_path / "none.toml")
    assert line == f"{tmp_path / 'none.toml'}: there is no such configuration file"


def test_overrides_win_over_the_file_and_the_file_over_the_preset(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('preset = "paper"\n[memory]\nsize = 50\npolicy = "fifo"\n', "utf-8")
    config = load_config(
        path, overrides=["memory.size=100", "decoding.length_penalty=0.5", "memory.match=bilinear"]
    )
    assert (config.memory.size, config.memory.policy, config.memory.match) == (100, "fifo", "bilinear")
    assert (config.model.hidden, config.decoding.length_penalty) == (1000, 0.5)


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    for name in ("a.src", "a.trg", "b.src", "b.trg"):
        (tmp_path / name).touch()
    path = tmp_path / "config.toml"
    path.write_text(
        '[data]\nsource = "a.src"\ntarget = "a.trg"\ntune_source = "b.src"\ntune_references = ["b.trg"]\n',
        "utf-8",
    )
    data = load_config(path).data
    assert data.source == tmp_path / "a.src"
    assert data.tune_references == (tmp_path / "b.trg",)


def test_a_copy_elsewhere_means_the_same_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.src", "a.trg", "b.src", "b.trg"):
        (tmp_path / name).touch()
    Path("config.toml").write_text('[data]\nsource = "a.src"\ntarget = "a.trg"\n', "utf-8")
    overrides = ["data.tune_source=b.src", 'data.tune_references=["b.trg"]']
    config = load_config(Path("config.toml"), overrides=overrides)
    Path("run").mkdir()
    Path("run/config.toml").write_text(config.to_toml(), "utf-8")
    assert load_config(Path("run/config.toml")) == config


def test_an_editors_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "notepad.toml").write_bytes(b"\xef\xbb\xbf[memory]\r\nsize = 3\r\n")
    assert load_config(tmp_path / "notepad.toml").memory.size == 3


@pytest.mark.parametrize(
    ("override", "complaint"),
    [
        ("memory.size=true", "[memory] size must be a whole number, not True"),
        ("memory.size=2.5", "[memory] size must be a whole number, not 2.5"),
        ('memory.size="5"', "[memory] size must be a whole number, not '5'"),
        ("memory.size=", "[memory] size must be a whole number, not ''"),
        ("memory.size=0", "[memory] size must be above 0, not 0"),
        ("memory.size.slots=5", "size is an option, not a section"),
        ("memory=5", "[memory] must be a section of options, not 5"),
        ("memory.carry=yes", "[memory] carry must be true or false, not 'yes'"),
        ("memory.theta=flat", "[memory] theta must be a number, not 'flat'"),
        ("memory.theta=inf", "[memory] theta: Input should be a finite number"),
        ("model.dropout=-0.1", "[model] dropout must be at least 0.0, not -0.1"),
        ("data.tune_references=[3]", "[data] tune_references.0: Input is not a valid path"),
        ("seed=-1", "seed must be at least 0, not -1"),
        ("seed=99999999999", "seed must be below 4294967296, not 99999999999"),
        ("sead=1", "has no section or option 'sead'; did you mean 'seed'?"),
        ("decoding.xyz=1", "[decoding] has no option 'xyz'; there are: beam, lanes, length_penalty"),
        ("=1", "must look like section.option=value, for instance memory.size=50"),
        ("memory.=1", "must look like section.option=value, for instance memory.size=50"),
    ],
)
def test_overrides_are_checked_and_quoted(override: str, complaint: str) -> None:
    (line,) = complaints(preset="small", overrides=[override])
    assert line.startswith(f"--set {override}: {complaint}")


def test_whole_numbers_will_do_where_numbers_are_wanted() -> None:
    config = load_config(overrides=["memory.theta=2", "decoding.length_penalty=0", " memory.size = 7"])
    assert (config.memory.theta, config.decoding.length_penalty, config.memory.size) == (2, 0, 7)


def test_an_unknown_preset_is_laid_to_who_named_it(tmp_path: Path) -> None:
    (line,) = complaints(preset="papr")
    assert line == "--preset papr: there is no preset 'papr'; did you mean 'paper'?"
    (tmp_path / "c.toml").write_text('preset = "zzz"\n', "utf-8")
    (line,) = complaints(tmp_path / "c.toml")
    assert line == f"{tmp_path}/c.toml: there is no preset 'zzz'; there are: invented, paper, small"
    assert load_config(tmp_path / "c.toml", preset="paper") == load_config(preset="paper")


def test_options_have_full_names() -> None:
    options = load_config(preset="paper").options()
    assert options["memory.size"] == 25
    assert options["seed"] == 1
    assert options["pass_one.max_epochs"] == 15


def test_one_side_alone_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    assert complaints(overrides=[f"data.source={tmp_path / 'a'}"]) == [
        "configuration: [data] source and target belong together: give both or neither"
    ]


def test_every_option_is_described() -> None:
    for name, field in Config.model_fields.items():
        if name == "seed":
            continue
        assert field.annotation is not None
        for option, known in field.annotation.model_fields.items():
            assert known.description, f"{name}.{option}"


@pytest.mark.parametrize(
    ("overrides", "complaint"),
    [
        (["context.kind=wang"], "[context] kind must be one of 'none', 'wang-init'"),
        (["context.kind=jean", "context.sentences=3"], '[context] kind = "jean" sees one sentence before'),
        (["context.sentences=3"], "`sentences` needs a kind that looks back"),
        (["context.kind=wang-both", "context.sentences=0"], "[context] sentences must be above 0, not 0"),
        (["context.kind=wang-init", "context.told_context=true"], 'told_context is for kind = "jean"'),
        (["context.kind=jean", "model.conditional=true"], 'kind = "jean" is not for model.conditional'),
    ],
)
def test_rivals_are_checked(overrides: list[str], complaint: str) -> None:
    (line,) = complaints(overrides=overrides)
    assert complaint in line
