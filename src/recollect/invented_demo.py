"""A demonstration from nothing: two invented languages, ambiguous words, and a memory that settles them."""

from collections.abc import Sequence
from pathlib import Path

import torch

from recollect.assemble import load, prepare_data, train
from recollect.config import Config, load_config
from recollect.decoding.translator import Translator
from recollect.files import whole_file
from recollect.progress import SilentProgress, TerminalProgress
from recollect.text.invented import Accuracy, InventedCorpus, ambiguous_accuracy, invented_corpus, write_plain

__all__ = ["demo_config", "run_invented_demo"]

TRAIN, TUNE, TEST = 1, 2, 3  # seeds of the three sets of documents


def demo_config(folder: Path, documents: int = 1000) -> Config:
    """Write the corpus into `folder` and return the configuration that trains on it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, seed, count in (("train", TRAIN, documents), ("tune", TUNE, 30), ("test", TEST, 60)):
        write_plain(invented_corpus(count, seed), folder / f"{name}.src", folder / f"{name}.trg")
    return load_config(
        preset="invented",
        overrides=[
            f'data.source="{folder}/train.src"',
            f'data.target="{folder}/train.trg"',
            f'data.tune_source="{folder}/tune.src"',
            f'data.tune_references=["{folder}/tune.trg"]',
        ],
    )


def run_invented_demo(folder: Path, progress: SilentProgress | TerminalProgress) -> None:
    """Generate, train both passes, translate unseen documents, and print base against memory."""
    torch.set_num_threads(1)  # matrices this small only lose by being shared out
    config = demo_config(folder)
    prepared = prepare_data(config, folder / "prepared", lambda doing, done, total: None)
    counts = prepared.manifest.counts
    progress.say(
        f"two invented languages: {counts['pairs']:,} sentences in {counts['documents']:,} documents"
    )
    translator = load(train(config, prepared, folder / "run", progress=progress))
    test = invented_corpus(60, TEST)
    base = _translate(translator.without_memory(), test)
    memory = _translate(translator, test)
    _show(test, base, memory)
    output = folder / "test.out"
    with whole_file(output) as draft:
        draft.write_text("\n\n".join("\n".join(document) for document in memory) + "\n", "utf-8")
    print(
        f"\nOf the later mentions of ambiguous words, {_percent(ambiguous_accuracy(test, base))} were right "
        f"without memory,\n{_percent(ambiguous_accuracy(test, memory))} with it. "
        "Within its sentence such a word could mean either: the memory still\nheld how it was translated at "
        f"its first, marked mention. All {len(test.documents)} test documents: {output}"
    )


def _translate(translator: Translator, corpus: InventedCorpus) -> list[list[str]]:
    documents = translator.translate_documents([document.source for document in corpus.documents])
    return [[sentence.text for sentence in document] for document in documents]


def _percent(accuracy: Accuracy) -> str:
    return f"{float(accuracy):.1%} ({accuracy.correct} of {accuracy.total})"


def _show(corpus: InventedCorpus, base: Sequence[Sequence[str]], memory: Sequence[Sequence[str]]) -> None:
    """Print the document that the memory changed most, side by side."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    def changed(number: int) -> int:
        return sum(one != other for one, other in zip(base[number], memory[number], strict=True))

    chosen = max(range(len(base)), key=changed)
    mentions = {item.sentence: item for item in corpus.mentions if item.document == chosen}
    table = Table(
        "source", "base", "with memory", title=f"Test document {chosen + 1}, where the memory changed most"
    )
    for number, source in enumerate(corpus.documents[chosen].source):
        mention = mentions.get(number)
        right, wrong = (mention.right, mention.wrong) if mention else ("", "")
        row = [Text(source), Text(base[chosen][number]), Text(memory[chosen][number])]
        if mention:
            row[0].highlight_words([mention.word], "bold")
        for cell in row[1:]:
            cell.highlight_words([right] if right else [], "bold green")
            cell.highlight_words([wrong] if wrong else [], "bold red")
        table.add_row(*row)
    Console().print(table)
