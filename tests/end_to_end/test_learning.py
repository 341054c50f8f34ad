"""The memory must learn what only the document's history can tell."""

from pathlib import Path

from recollect.assemble import load, prepare_data, train
from recollect.demo import demo_config
from recollect.progress import SilentProgress
from recollect.text.invented import ambiguous_accuracy, invented_corpus

UNSEEN = 77  # a seed of documents that no choice was ever made on


def test_base_guesses_and_memory_knows(tmp_path: Path) -> None:
    config = demo_config(tmp_path)
    prepared = prepare_data(config, tmp_path / "prepared", lambda doing, done, total: None)
    translator = load(train(config, prepared, tmp_path / "run", progress=SilentProgress()))
    test = invented_corpus(60, UNSEEN)
    sources = [document.source for document in test.documents]

    def accuracy(**options: object) -> float:
        documents = translator.replaced(**options).translate_documents(sources)
        return float(ambiguous_accuracy(test, [[each.text for each in document] for document in documents]))

    assert 0.35 < accuracy(memory=None) < 0.65
    assert accuracy() > 0.95
