"""A document translated sentence by sentence: corrections replace what was remembered, at once."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from safetensors.torch import load, save
from torch import Tensor

from recollect.decoding.translation import Translation
from recollect.decoding.translator import Translator
from recollect.errors import ModelError
from recollect.memory.slots import CORRECTION, EMPTY, ORIGINS, OWN, Slots

__all__ = ["Remembered", "Sentence", "Session"]

SNAPSHOTS = 32


@dataclass(frozen=True, slots=True)
class Remembered:
    """A slot of the memory, in words."""

    word: str
    sentence: int  # the sentence in which it was last written
    age: int  # words written since
    origin: str  # whose word it is: own, correction, glossary, earlier


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the session and what it became."""

    source: str
    text: str
    tokens: tuple[int, ...]
    corrected: bool = False


class Session:
    """Translate as text comes in; correct what was said; the memory follows."""

    def __init__(self, translator: Translator) -> None:
        self.translator = translator
        self.sentences: list[Sentence] = []
        self.reset()

    def reset(self) -> None:
        """Forget the document and begin another."""
        memory = self.translator.memory
        self.sentences.clear()
        self._slots = None if memory is None else memory.empty(1, self.translator.model.device)
        self._snapshots: dict[int, Slots] = {}  # sentences remembered -> the memory then
        self._spacing = 16

    def translate(self, sentence: str) -> Translation:
        """Translate the next sentence and remember it."""
        earlier = [each.source for each in self.sentences]
        before = self.translator.sentences_before(earlier, len(earlier))
        found = self.translator.search([sentence], self._slots, [before])[0]
        translation = self.translator.express(sentence, found)
        self.sentences.append(Sentence(sentence, translation.text, translation.tokens))
        if self._slots is not None:
            self.translator.remember(self._slots, {0: found[0] if found else None})
            self._take_snapshot()
        return translation

    def correct(self, number: int, text: str) -> None:
        """Replace the translation of an earlier sentence, in the record and in the memory."""
        if not -len(self.sentences) <= number < len(self.sentences):
            raise IndexError(f"there is no sentence {number}: the session has {len(self.sentences)}")
        number %= len(self.sentences)
        tokens = tuple(self.translator.target_vocabulary.encode(text))
        self.sentences[number] = replace(self.sentences[number], text=text, tokens=tokens, corrected=True)
        self._replay(number)

    @property
    def memory(self) -> list[Remembered]:
        """What is remembered, the most recent first."""
        if self._slots is None:
            return []
        used, sentence, words = self._slots.used[0], self._slots.sentence[0], self._slots.words[0].tolist()
        clock, origins = int(self._slots.clock[0]), self._slots.origin[0].tolist()
        return [
            Remembered(
                self.translator.target_vocabulary.piece(words[slot]),
                int(sentence[slot]),
                clock - 1 - int(used[slot]),
                ORIGINS[origins[slot]],
            )
            for slot in np.argsort(-used, kind="stable")
            if used[slot] != EMPTY
        ]

    def save(self) -> bytes:
        """Return the whole session as bytes."""
        record = [[each.source, each.text, list(each.tokens), each.corrected] for each in self.sentences]
        tensors = {} if self._slots is None else self._slots.tensors()
        return save(tensors, {"format": "recollect-session-1", "sentences": json.dumps(record)})

    @classmethod
    def restore(cls, translator: Translator, data: bytes) -> "Session":
        """Return the session that `save` gave, for the same model."""
        session = cls(translator)
        try:
            size = int.from_bytes(data[:8], "little")
            notes = json.loads(data[8 : 8 + size])["__metadata__"]
            if notes["format"] != "recollect-session-1":
                raise ValueError(notes["format"])
            tensors = load(data)
            session.sentences = [
                Sentence(source, text, tuple(tokens), corrected)
                for source, text, tokens, corrected in json.loads(notes["sentences"])
            ]
        except Exception as error:
            raise ModelError(f"these bytes are no saved session ({error})") from error
        if session._slots is not None:
            session._slots = _fitting(tensors, session._slots)
            session._snapshots = {len(session.sentences): session._slots.select(np.array([0]))}
        return session

    def _take_snapshot(self) -> None:
        """Keep the memory now and then, ever more sparsely, so that a correction replays only a part."""
        assert self._slots is not None
        count = len(self.sentences)
        if count % self._spacing:
            return
        self._snapshots[count] = self._slots.select(np.array([0]))
        if len(self._snapshots) > SNAPSHOTS:
            self._spacing *= 2
            self._snapshots = {at: kept for at, kept in self._snapshots.items() if at % self._spacing == 0}

    def _replay(self, number: int) -> None:
        """Write the memory anew from sentence `number` on."""
        memory = self.translator.memory
        if self._slots is None or memory is None:
            return
        self._snapshots = {at: kept for at, kept in self._snapshots.items() if at <= number}
        start = max(self._snapshots, default=0)
        self._slots = (
            self._snapshots[start].select(np.array([0]))
            if start
            else memory.empty(1, self.translator.model.device)
        )
        later: Sequence[Sentence] = self.sentences[start:]
        self.translator.refill(
            self._slots,
            0,
            [each.source for each in later],
            [each.tokens for each in later],
            [CORRECTION if each.corrected else OWN for each in later],
        )


def _fitting(tensors: dict[str, Tensor], slots: Slots) -> Slots:
    """Return stored slots if they are of the translator's own shape."""
    if tensors and "origin" not in tensors:
        raise ModelError("the session was saved by an older version, without whose words it remembers")
    if tensors.keys() | {"pinned"} != slots.tensors().keys():  # older versions had no pins
        raise ModelError("the session has no memory, this model has; restore it with the model it came from")
    restored = Slots.from_tensors(tensors, slots.keys.device)
    if restored.keys.shape != slots.keys.shape or restored.values.shape != slots.values.shape:
        raise ModelError(
            f"the session's memory has slots of {tuple(restored.keys.shape[1:])}, "
            f"this model's of {tuple(slots.keys.shape[1:])}; restore it with the model it came from"
        )
    return restored
