import multiprocessing

import pytest
import torch

from recollect.assemble import build_model
from recollect.batches.sentences import Batch, collate
from recollect.config import load_config
from recollect.errors import RunError
from recollect.models.rnnsearch import RNNSearch
from recollect.training.crew import Crew, _serve


def small_model() -> RNNSearch:
    sizes = ["model.embedding=6", "model.hidden=8", "model.attention=8", "model.dropout=0.0"]
    config = load_config(None, preset="small", overrides=[*sizes, "model.embedding_dropout=0.0"])
    return build_model(config, 20, 20)


def some_batch(rows: int = 5) -> Batch:
    sources = [[4 + (row + place) % 16 for place in range(3 + row)] for row in range(rows)]
    return collate(sources, [list(reversed(source)) for source in sources])


def gradients(model: RNNSearch) -> dict[str, torch.Tensor]:
    return {name: each.grad.clone() for name, each in model.named_parameters() if each.grad is not None}


@pytest.mark.parametrize("rows", [5, 1])
def test_two_processes_find_the_gradient_of_one(rows: int) -> None:
    model, batch = small_model(), some_batch(rows)
    with Crew(model, 1, label_smoothing=0.1, seed=1) as crew:
        expected = crew.add_gradient(batch, 1)
    alone = gradients(model)
    with Crew(model, 2, label_smoothing=0.1, seed=1) as crew:
        for _ in range(2):  # the second time they start from nothing again
            model.zero_grad(set_to_none=True)
            loss = crew.add_gradient(batch, 1)
        assert loss == pytest.approx(expected, rel=1e-5)
        together = gradients(model)
        with torch.no_grad():  # what is learned here is seen there
            for parameter in model.parameters():
                parameter.mul_(0.5)
        model.zero_grad(set_to_none=True)
        changed = crew.add_gradient(batch, 1)
    for name, gradient in alone.items():
        torch.testing.assert_close(together[name], gradient, rtol=1e-4, atol=1e-6)
    model.zero_grad(set_to_none=True)
    with Crew(model, 1, label_smoothing=0.1, seed=1) as crew:
        assert changed == pytest.approx(crew.add_gradient(batch, 1), rel=1e-5)


def test_a_lost_process_is_told_in_a_sentence() -> None:
    with Crew(small_model(), 2, label_smoothing=0.0, seed=1) as crew:
        crew.add_gradient(some_batch(), 1)
        [lost] = multiprocessing.active_children()
        lost.kill()
        lost.join()
        with pytest.raises(RunError, match="process has ended"):
            crew.add_gradient(some_batch(), 2)


def test_a_process_whose_answer_nobody_takes_ends_quietly() -> None:
    ours, theirs = multiprocessing.Pipe()
    model, batch = small_model(), some_batch()
    gradients_of = [torch.zeros_like(each) for each in model.parameters()]

    def killed_meanwhile(*_: object, **__: object) -> float:
        ours.close()
        return 1.0

    ours.send((batch, 10, 1))
    _serve(theirs, model, killed_meanwhile, gradients_of, torch.get_num_threads())
    assert ours.closed
