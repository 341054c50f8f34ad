import pytest

from recollect.errors import DataError
from recollect.memory.history import control_histories

DOCUMENTS = [["a1", "a2", "a3"], [], ["c1"], ["d1", "d2"]]


def test_the_reference_is_the_documents_own():
    assert control_histories("reference", DOCUMENTS) == DOCUMENTS


def test_foreign_history_is_another_document_in_order():
    assert control_histories("foreign", DOCUMENTS) == [["c1", "c1", "c1"], [], ["d1"], ["a1", "a2"]]


def test_shuffled_history_comes_from_all_the_others():
    found = control_histories("shuffled", DOCUMENTS * 20, seed=3)
    assert [len(each) for each in found] == [len(each) for each in DOCUMENTS] * 20
    assert found == control_histories("shuffled", DOCUMENTS * 20, seed=3)
    assert found != control_histories("shuffled", DOCUMENTS * 20, seed=4)
    alone = control_histories("shuffled", DOCUMENTS, seed=3)
    for document, history in zip(DOCUMENTS, alone, strict=True):
        assert not set(document) & set(history)


@pytest.mark.parametrize("kind", ["foreign", "shuffled"])
def test_one_document_has_no_others(kind):
    with pytest.raises(DataError, match="at least two"):
        control_histories(kind, [["a"], []])
