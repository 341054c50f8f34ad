"""Experiments and scales are data: everything they name must exist, for every scale."""

import pytest

from recollect.config import load_config
from recollect.errors import ConfigError
from recollect.reproduce.experiment import BASE, experiments, load_experiment
from recollect.reproduce.kinds import KINDS
from recollect.reproduce.scale import load_scale, scales
from recollect.reproduce.tables import COLUMNS
from recollect.reproduce.workshop import TRANSLATION_ONLY, as_overrides

every_experiment = pytest.mark.parametrize("name", experiments())


def test_all_of_them_are_there():
    assert experiments() == [
        "data-statistics",
        "memory-size",
        "overwrite",
        "quality",
        "speed",
        "fusion",
        "matching",
        "auxiliary-gate",
        "k-best",
        "joint",
        "ages",
        "matrix",
        "gates",
        "remembers",
        "controls",
        "carried",
        "contrastive",
        "corrections",
    ]
    assert scales() == ["paper", "small", "smoke"]


@every_experiment
def test_names_are_known(name):
    experiment = load_experiment(name)
    assert experiment.kind in KINDS
    rows = experiment.systems or {"training", "tuning", "test"}
    for domain, paper in experiment.paper.items():
        assert domain in ("news", "subtitle", "ted", "all")
        assert paper.keys() <= set(rows)
        assert {figure for row in paper.values() for figure in row} <= COLUMNS.keys()
    for each in experiment.expected:
        assert each.figure in COLUMNS
        assert set(each.domains) <= {"news", "subtitle", "ted"}
    if experiment.kind == "quality":
        assert BASE in experiment.systems  # the sign test is against it


@every_experiment
@pytest.mark.parametrize("scale", scales())
def test_options_are_valid_at_every_scale(name, scale):
    settings = load_scale(scale)
    for system in load_experiment(name).systems.values():
        budget = {"base": settings.base, "further": settings.further, "joint": settings.joint}
        options = {**settings.options, **budget.get(system.trained, {}), **system.options, **system.decoding}
        load_config(preset=settings.preset, overrides=as_overrides(options))
        assert all(option.startswith(TRANSLATION_ONLY) for option in system.decoding)
        assert system.options.get("pass_two.joint", False) == (system.trained == "joint")
        assert (system.options.get("context.kind", "none") == "none") or system.trained == "further"


def test_what_is_expected_of_the_rivals_is_what_the_paper_says_of_each_domain():
    """They are significantly better than the base in News and TED, but not in Subtitle (Table 4's stars)."""
    quality = load_experiment("quality")
    for domain, relation in (("news", "above"), ("ted", "above"), ("subtitle", "like")):
        found = [each for each in quality.expected_in(domain) if each.other == BASE]
        said = {each.system: each.relation for each in found}
        assert said == {
            "memory": "above",
            "Wang et al. 2017": relation,
            "Jean et al. 2017": relation,
            "everyday memory": "beside",
        }


@every_experiment
def test_the_paper_is_agreed_with_only_where_it_says_something(name):
    experiment = load_experiment(name)
    if experiment.place == "beyond the paper":
        assert all(each.relation == "beside" for each in experiment.expected)


def test_the_paper_scale_is_the_papers():
    settings = load_scale("paper")
    config = load_config(preset=settings.preset, overrides=as_overrides(settings.options))
    assert config == load_config(preset="paper")


def test_the_papers_figures_are_typed_right():
    """Averages that the paper prints, which the figures of its three domains must give."""
    for experiment, figure, averages in (
        (
            "memory-size",
            "tune_bleu",
            {"base": 24.78, "25 slots": 25.65, "1000 slots": 25.39},
        ),
        ("overwrite", "tune_bleu", {"without overwrite": 25.60, "with overwrite": 25.65}),
        (
            "quality",
            "test_bleu",
            {"base": 26.70, "Wang et al. 2017": 27.43, "Jean et al. 2017": 27.19, "memory": 27.82},
        ),
    ):
        paper = load_experiment(experiment).paper
        for system, average in averages.items():
            found = sum(paper[domain][system][figure] for domain in ("news", "subtitle", "ted")) / 3
            assert found == pytest.approx(average, abs=0.04)  # as the paper rounds


@pytest.mark.parametrize("load", [load_experiment, load_scale])
def test_an_unknown_name(load):
    with pytest.raises(ConfigError, match=r"there is no .* 'nothing'; there are: "):
        load("nothing")
