"""Write a small corpus in two invented languages: train, tune and test, one sentence a line."""

import sys
from pathlib import Path

from recollect.text.invented import invented_corpus, write_plain

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for name, documents, seed in (("train", 1000, 1), ("tune", 30, 2), ("test", 60, 3)):
    write_plain(invented_corpus(documents, seed), folder / f"{name}.src", folder / f"{name}.trg")
