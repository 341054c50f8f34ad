"""Sentences of different sessions in one search: they come in when they are ready and leave when they end."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from recollect.batches.before import collate_before
from recollect.batches.sentences import collate_source
from recollect.decoding.beam import Integers, Search
from recollect.decoding.hypothesis import Hypothesis
from recollect.decoding.translator import Translator
from recollect.memory.slots import Slots
from recollect.models.interface import Step
from recollect.predict import predict

__all__ = ["Entrant", "Lanes"]


@dataclass(frozen=True, slots=True)
class Entrant:
    """A sentence that is to be translated, what is remembered for it, and the sentences before it."""

    ids: Sequence[int]  # not empty
    slots: Slots | None  # one lane, which is copied
    before: Sequence[Sequence[int]] = ()  # for a model that looks back


class Lanes:
    """A search that never ends: its rows are sentences at times of their own."""

    def __init__(self, translator: Translator) -> None:
        self.translator = translator
        self._search = Search(translator.searched, self._predict, translator.candidates)
        self._slots: Slots | None = None  # as many lanes as the search has rows, in their order
        self._sources: dict[int, Sequence[int]] = {}

    @property
    def busy(self) -> int:
        """How many sentences are under way."""
        return len(self._search.rows)

    @torch.inference_mode()
    def join(self, entrants: Sequence[Entrant]) -> list[int]:
        """Let sentences come in; return their rows."""
        translator, device = self.translator, self.translator.model.device
        source, lengths = (each.to(device) for each in collate_source([each.ids for each in entrants]))
        before = None
        if translator.model.looks_back:
            before = collate_before([each.before for each in entrants]).to(device)
        progress = translator.searched.start(source, lengths, before)
        own = [each.slots for each in entrants if each.slots is not None]
        if own:
            there = [] if self._slots is None or not self.busy else [self._slots]
            self._slots = Slots.together([*there, *own])
        rows = self._search.join(progress, lengths)
        self._sources |= {row: each.ids for row, each in zip(rows, entrants, strict=True)}
        return rows

    def advance(self) -> dict[int, list[Hypothesis]]:
        """Take one step; return the hypotheses of the sentences that end with it, by their rows."""
        ended = self._search.advance()
        if not ended:
            return {}
        found = {
            row: [replace(each, source=self._sources[row]) for each in hypotheses]
            for row, hypotheses in ended.items()
        }
        self.leave(list(ended))
        return found

    def leave(self, rows: Sequence[int]) -> None:
        """Let sentences leave, ended or not."""
        kept = (~np.isin(self._search.rows, rows)).nonzero()[0]
        if self._slots is not None:
            self._slots = self._slots.select(kept)
        self._search.drop(rows)
        for row in rows:
            del self._sources[row]

    def _predict(self, step: Step, rows: Integers | None) -> Tensor:
        return predict(self.translator.searched, step, self.translator.spoken, self._slots)
