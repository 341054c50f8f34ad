"""What is remembered of training documents in pass two: a person's words, our own, or a control's."""

import json
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Literal, TextIO

import numpy as np

from recollect.batches.sentences import Ids
from recollect.batches.shard import Shard
from recollect.decoding.translator import Translator
from recollect.files import whole_entries, whole_file
from recollect.memory.history import control_histories
from recollect.memory.slots import CORRECTION, EARLIER, OWN
from recollect.progress import SilentProgress, TerminalProgress
from recollect.renaming import rename
from recollect.training.past import Past, Tutorial

__all__ = ["Hindsight", "Journal", "pairs_of"]

EARLIER_SENTENCES = 100  # of the document before
AT_ONCE = 64  # sentences
OF_PEOPLE = 0.5  # of mixed histories: the share of sentences that a person has corrected


@dataclass(frozen=True, slots=True)
class Journal:
    """Translations made by one set of weights, kept so that they are made once."""

    path: Path
    weights: str

    def read(self) -> dict[int, list[int]]:
        """Return what is there of these weights, and drop all else from the file."""
        entries, header = list(whole_entries(self.path)), {"weights": self.weights}
        entries = entries if entries and entries[0] == header else [header]
        with whole_file(self.path) as draft:
            draft.write_text("".join(json.dumps(entry) + "\n" for entry in entries), "utf-8")
        return dict(entries[1:])

    @contextmanager
    def more(self) -> Iterator[TextIO]:
        """Yield the file, to add lines to."""
        with self.path.open("a", encoding="utf-8") as file:
            yield file


def pairs_of(shard: Shard, document: range) -> list[tuple[Ids, Ids]]:
    """Return the sentences of a document with their translations."""
    return [(shard.source(n), shard.target(n)) for n in document]


class Hindsight:
    """The past of each training sentence; `kind` is an option of `[pass_two] history`."""

    def __init__(
        self,
        shard: Shard,
        documents: Sequence[range],
        kind: Literal["reference", "own", "mixed", "foreign", "shuffled"],
        translator: Translator,
        journal: Journal,
        *,
        renamed: float = 0.0,
        seed: int,
        progress: SilentProgress | TerminalProgress,
    ) -> None:
        self.shard, self.documents, self.kind = shard, documents, kind
        self.translator, self.journal = translator, journal
        self.renamed, self.seed, self.progress = renamed, seed, progress

    def tutorials(self) -> list[Tutorial]:
        """Return every document with its past; some names are others' where `renamed` says so."""
        found = [
            Tutorial(
                pairs_of(self.shard, document),
                [self.past_of(n) for n in document],
                self._earlier(number, document),
            )
            for number, document in enumerate(self.documents)
        ]
        if not self.renamed:
            return found
        return rename(found, self.translator.target_vocabulary, self.renamed, self.seed)

    def _earlier(self, number: int, document: range) -> list[Past]:
        """Return the end of the document before this one, for every other document of a mixed history."""
        if self.kind != "mixed" or number % 2 or document.start == 0:
            return []
        before = int(np.searchsorted(self.shard.documents, document.start)) - 1
        sentences = range(int(self.shard.documents[before]), document.start)[-EARLIER_SENTENCES:]
        return [Past(self.shard.source(n), self.shard.target(n), EARLIER) for n in sentences]

    def look(self) -> None:
        """Find out now what the past is, rather than when it is first asked for."""
        self._past  # noqa: B018

    def past_of(self, sentence: int) -> Past:
        """Return what is remembered of a sentence, by its number in the shard."""
        return self._past[sentence]

    @cached_property
    def _past(self) -> dict[int, Past]:
        shard, numbers = self.shard, [n for document in self.documents for n in document]
        if self.kind == "own" or self.kind == "mixed":
            own, chance = self._own(numbers), random.Random(self.seed)
            corrected = {n for n in numbers if self.kind == "mixed" and chance.random() < OF_PEOPLE}
            return {
                n: Past(shard.source(n), shard.target(n), CORRECTION)
                if n in corrected
                else Past(shard.source(n), own[n], OWN)
                for n in numbers
            }
        others = chain(*control_histories(self.kind, self.documents, self.seed))
        return {
            n: Past(shard.source(other), shard.target(other), CORRECTION)
            for n, other in zip(numbers, others, strict=True)
        }

    def _own(self, numbers: Sequence[int]) -> dict[int, list[int]]:
        """Return our own translations, going on where an earlier attempt was interrupted."""
        found = self.journal.read()
        waiting = [n for n in numbers if n not in found]
        waiting.sort(
            key=lambda n: int(self.shard.source_lengths[n])
        )  # alike in length, whatever the document
        done = len(numbers) - len(waiting)
        with (
            self.journal.more() as file,
            self.progress.bar("own translations", len(numbers), "pairs", done=done) as advance,
        ):
            for start in range(0, len(waiting), AT_ONCE):
                some = waiting[start : start + AT_ONCE]
                said = self.translator.search_ids([self.shard.source(n) for n in some])
                for n, hypotheses in zip(some, said, strict=True):
                    found[n] = hypotheses[0].tokens if hypotheses else []
                    file.write(json.dumps([n, found[n]]) + "\n")
                file.flush()
                advance(len(some), "")
        return found
