"""A project's memory: saved, mapped, read behind the document's own."""

import pytest
import torch

from recollect.errors import ModelError
from recollect.memory.project import load_project, save_project
from recollect.memory.slots import EARLIER

EVERYDAY = {"fusion": "shallow", "gate": "features", "match": "cosine", "key": ("readout",), "top": 4}
EARLIER_TEXTS = [["ba be bi", "bo bu"], ["", "da de"]]
EARLIER_SAID = [["ka ke ki", "ko ku"], ["", "la le"]]
DOCUMENT = ["ba be", "bi bo bu", "da de di"]


@pytest.fixture(scope="module")
def translator(make_translator):
    return make_translator(memory=EVERYDAY)


@pytest.fixture
def project(translator, tmp_path):
    slots = translator.remembering(EARLIER_TEXTS, EARLIER_SAID)
    assert save_project(tmp_path / "p", slots, "signature") == 7
    return load_project(tmp_path / "p", "signature")


def test_every_word_is_there_with_its_place(translator, project):
    vocabulary = translator.target_vocabulary
    said = [vocabulary.encode(line) for lines in EARLIER_SAID for line in lines if line]
    assert project.words[0].tolist() == [token for line in said for token in line]
    assert project.before[0].tolist() == [2, *said[0][:-1], 2, *said[1][:-1], 2, *said[2][:-1]]
    assert (project.origin == EARLIER).all()
    assert project.filled.all()


def test_it_changes_what_is_said_even_in_an_empty_document(translator, project):
    """It speaks where the document's own memory is empty, and every distribution still sums to one."""
    behind = translator.with_project(project)
    source, lengths = torch.tensor([[5, 9, 4, 3]]), torch.tensor([4])
    model, memory = translator.model, behind.memory
    with torch.no_grad():
        step = model.unroll(source, lengths, torch.tensor([[2, 5, 6, 7]]))
        slots = memory.empty(1)
        scores = memory.fuse(step, memory.recall(slots, step, model), model)
        torch.testing.assert_close(scores.exp().sum(-1), torch.ones(1, 4), rtol=1e-4, atol=1e-4)
        assert (scores - model.predict(step)).abs().max() > 1e-3
        kept = torch.tensor([[True, False, True, True]])
        targets = torch.tensor([5, 6, 7])
        recall = memory.recall(slots, step, model).where(kept)
        scored = memory.score(step.where(kept), recall, targets, model)
        torch.testing.assert_close(scored, scores[kept].gather(1, targets.unsqueeze(1)).squeeze(1))
    assert len(behind.translate(DOCUMENT)) == 3
    plain, more = (
        each.likelihood([DOCUMENT], [["ka ke", "ki ko ku", "la le li"]]) for each in (translator, behind)
    )
    assert plain.log_probability != more.log_probability
    silent, alone = behind.silenced().translate(DOCUMENT), translator.without_memory().translate(DOCUMENT)
    assert [each.text for each in silent] == [each.text for each in alone]


def test_a_project_of_another_model_is_refused(translator, project, make_translator, tmp_path):
    slots = translator.remembering(EARLIER_TEXTS, EARLIER_SAID)
    save_project(tmp_path / "p", slots, "signature")
    with pytest.raises(ModelError, match="another model"):
        load_project(tmp_path / "p", "other")
    with pytest.raises(ModelError, match="shallow"):
        make_translator().with_project(project)
    with pytest.raises(ModelError, match="belongs to another model"):
        make_translator(memory=EVERYDAY | {"key": ("state",)}).with_project(project)
    with pytest.raises(ModelError, match="no memory"):
        translator.without_memory().with_project(project)
    (tmp_path / "p").write_bytes(b"nonsense")
    with pytest.raises(ModelError, match="cannot be read"):
        load_project(tmp_path / "p", "signature")
