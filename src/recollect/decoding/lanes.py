"""Documents side by side: each in a lane with a memory of its own, its sentences in order.

A lane takes its next sentence as soon as the last one is done, while the others are in the middle of theirs.
Sentences are encoded some time before their turn, many at once: no encoding depends on what is remembered.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby, islice
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from recollect.batches.sentences import collate_source
from recollect.decoding.beam import Integers, Search
from recollect.decoding.draft import confirm
from recollect.decoding.hypothesis import Hypothesis
from recollect.decoding.translation import Finished, Translation
from recollect.decoding.workers import merged, parts
from recollect.memory.history import Heard, apart
from recollect.memory.memory import Memory
from recollect.memory.slots import CORRECTION, Slots
from recollect.models.interface import Step
from recollect.predict import predict

if TYPE_CHECKING:
    from recollect.decoding.translator import Translator

__all__ = ["Known", "stream_with_memory"]

Numbered = tuple[int, Sequence[str]]

ENCODED = 32  # sentences encoded at once, where there are so many
FEW = 8  # documents: fewer greedy ones are drafted, since side by side they fill no batch


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of documents beforehand, by their numbers."""

    done: Mapping[int, Sequence[Sequence[int]]]  # tokens of the sentences that need no translation any more
    history: Sequence[Sequence[Heard]] | None  # what is to be remembered, if not our own words
    settled: Mapping[int, Mapping[int, str]]  # sentences that a person has translated, and how
    earlier: Slots | None = None  # what every document remembers at first

    def heard(self, document: int, sentence: int) -> Heard | None:
        """Return what is to be remembered of a sentence, if it is not our own words."""
        text = self.settled.get(document, {}).get(sentence)
        if text is not None:
            return text
        return None if self.history is None else self.history[document][sentence]


def stream_with_memory(
    translator: "Translator", memory: Memory, documents: Iterable[Sequence[str]], known: Known
) -> Iterator[Finished]:
    """Yield sentences as they are finished; within a document they come in order."""
    # A memory carried from document to document makes them one: they cannot advance side by side.
    lanes = 1 if translator.carry else translator.lanes
    waiting = iter(documents)
    first = list(islice(waiting, lanes))
    numbered = enumerate(chain(first, waiting))
    if translator.beam.size == 1 and (len(first) < FEW or translator.carry):
        yield from _Drafted(translator, memory, known, numbered, 1).run()
        return
    shares = parts(len(first), translator.model.device)
    deal = _Deal(numbered, len(shares))
    yield from merged(
        [
            _SideBySide(translator, memory, known, deal.hand(number), len(share)).run()
            for number, share in enumerate(shares)
        ]
    )


class _Deal:
    """Documents dealt out in turn, whoever asks first: each player's are the same every time."""

    def __init__(self, documents: Iterator[Numbered], players: int) -> None:
        self._documents, self._lock = documents, Lock()
        self._hands: list[deque[Numbered]] = [deque() for _ in range(players)]

    def hand(self, player: int) -> Iterator[Numbered]:
        """Yield the player's documents as they are asked for."""
        while True:
            with self._lock:
                while not self._hands[player]:
                    following = next(self._documents, None)
                    if following is None:
                        return
                    self._hands[following[0] % len(self._hands)].append(following)
                document = self._hands[player].popleft()
            yield document


@dataclass(frozen=True, slots=True)
class Begun:
    """A sentence that has been encoded, one of several; nothing was to encode where `length` is 0."""

    source: Sequence[int]
    length: int  # in tokens, with the end
    progress: Any
    row: int
    given: Hypothesis | None  # what is to be remembered of it, where that is not what we shall say


@dataclass(slots=True)
class Lane:
    """A document under way."""

    number: int
    sentences: Sequence[str]
    at: int = 0
    ahead: deque[Begun] = field(default_factory=deque)  # the sentences from `at` on, as far as encoded


class _Documents:
    """What both ways of going through documents share: where the next one comes from, and remembering."""

    def __init__(
        self,
        translator: "Translator",
        memory: Memory,
        known: Known,
        documents: Iterator[Numbered],
        lanes: int,
    ) -> None:
        self.translator, self.memory, self.known, self.documents = translator, memory, known, documents
        with torch.inference_mode(False):  # written by threads that know nothing of the caller's mode
            self.slots = memory.empty(lanes, translator.model.device)

    def next_document(self, place: int) -> Lane | None:
        """Take the next document that has sentences left, its memory filled from those already done."""
        known, translator = self.known, self.translator
        for number, sentences in self.documents:
            tokens = known.done.get(number, ())
            if not translator.carry or number == 0:
                self.slots.clear(place)
                if known.earlier is not None:
                    self.slots.put(place, known.earlier)
            self._catch_up(place, number, sentences, tokens)
            if len(tokens) < len(sentences):
                return Lane(number, sentences, len(tokens))
        return None

    def _catch_up(
        self, place: int, number: int, sentences: Sequence[str], tokens: Sequence[Sequence[int]]
    ) -> None:
        """Remember the sentences of a document that are done: our own tokens, or what is to be remembered."""
        heard = [self.known.heard(number, at) for at in range(len(tokens))]
        for own, run in groupby(range(len(tokens)), key=lambda at: heard[at] is None):
            some = list(run)
            texts = [sentences[at] for at in some]
            if own:
                self.translator.refill(self.slots, place, texts, [tokens[at] for at in some])
                continue
            given = [each for at in some if (each := heard[at]) is not None]
            for forced in self.translator.force(*apart(texts, given)):
                self.translator.remember(self.slots, {place: forced}, CORRECTION)

    def predict(self, step: Step, rows: Integers | None) -> Tensor:
        """Return log P(y_t) [lane, many, token]: the distribution that search asks for."""
        return predict(self.translator.searched, step, self.memory, self.slots)

    def given(self, lanes: Sequence[tuple[Lane, int]]) -> list[Hypothesis | None]:
        """Return what is to be remembered of some sentences, where it is not what we shall say."""
        heard = [self.known.heard(lane.number, at) for lane, at in lanes]
        some = [(lane.sentences[at], each) for (lane, at), each in zip(lanes, heard, strict=True) if each]
        forced = iter(self.translator.force(*apart([text for text, _ in some], [each for _, each in some])))
        return [next(forced) if each else None for each in heard]

    def to_translate(self, lane: Lane, at: int) -> str:
        """Return a sentence, or nothing where a person has translated it."""
        return "" if at in self.known.settled.get(lane.number, ()) else lane.sentences[at]

    def finish(
        self, place: int, lane: Lane, found: Sequence[Hypothesis], given: Hypothesis | None
    ) -> Finished:
        """Remember a sentence, and say that it is done."""
        found = self.translator.chosen(lane.sentences[lane.at], found, self.slots.view([place]))
        if self.known.heard(lane.number, lane.at) is None:
            self.translator.remember_best(self.slots, place, found)
        else:
            self.translator.remember(self.slots, {place: given}, CORRECTION)
        settled = self.known.settled.get(lane.number, {}).get(lane.at)
        if settled is None:
            translation = self.translator.express(lane.sentences[lane.at], found)
        else:
            translation = Translation(settled, 0.0, tuple(given.tokens) if given else ())
        done = Finished(lane.number, lane.at, translation)
        lane.at += 1
        return done


class _SideBySide(_Documents):
    """Documents in lanes of one search; a lane without a document leaves."""

    def run(self) -> Iterator[Finished]:
        """Translate until there is no document left."""
        taken = [self.next_document(place) for place in range(self.slots.lanes)]
        self.lanes = [lane for lane in taken if lane is not None]
        self._keep(np.array([place for place, lane in enumerate(taken) if lane is not None], np.int64))
        search = Search(self.translator.searched, self.predict, self.translator.candidates)
        waiting = list(range(len(self.lanes)))  # places whose sentence has ended, or has not begun
        while self.lanes:
            begun: dict[int, Begun] = {}
            for place in waiting:
                following, finished = self._next_sentence(place)
                yield from finished
                if following is not None:
                    begun[place] = following
            gone = [place for place in waiting if place not in begun]
            if gone:
                if len(search.rows):
                    search.drop([int(search.rows[place]) for place in gone])
                stay = [place for place in range(len(self.lanes)) if place not in gone]
                begun = {stay.index(place): each for place, each in begun.items()}
                self.lanes = [self.lanes[place] for place in stay]
                self._keep(np.array(stay, np.int64))
            if not self.lanes:
                return
            self._start(search, begun)
            ended = search.advance()
            waiting = np.searchsorted(search.rows, list(ended)).tolist()
            for place, hypotheses in zip(waiting, ended.values(), strict=True):
                lane = self.lanes[place]
                ended_here = lane.ahead.popleft()
                found = [replace(each, source=ended_here.source) for each in hypotheses]
                yield self.finish(place, lane, found, ended_here.given)

    def _keep(self, places: Integers) -> None:
        if len(places) < self.slots.lanes:
            self.slots = self.slots.select(places)

    def _next_sentence(self, place: int) -> tuple[Begun | None, list[Finished]]:
        """Return the lane's next sentence, still in its queue, and what was done at once: sentences without
        words."""
        finished: list[Finished] = []
        while True:
            lane = self.lanes[place]
            if lane.at == len(lane.sentences):
                following = self.next_document(place)
                if following is None:
                    return None, finished
                lane = self.lanes[place] = following
            if not lane.ahead:
                self._encode_ahead()
            if lane.ahead[0].length:
                return lane.ahead[0], finished
            finished.append(self.finish(place, lane, [], lane.ahead.popleft().given))

    @torch.inference_mode()
    def _encode_ahead(self) -> None:
        """Encode the sentences that come next in all lanes that have few."""
        depth = max(2, ENCODED // len(self.lanes))
        wanted = [
            (lane, at)
            for lane in self.lanes
            for at in range(lane.at + len(lane.ahead), min(lane.at + depth, len(lane.sentences)))
        ]
        texts, translator = [self.to_translate(lane, at) for lane, at in wanted], self.translator
        ids = translator.source_vocabulary.encode_many(texts)
        real = [sentence for sentence in ids if sentence]
        progress, row = None, 0
        if real:
            device = translator.model.device
            source, lengths = (each.to(device) for each in collate_source(real))
            progress = translator.searched.start(source, lengths)
        for (lane, _), sentence, given in zip(wanted, ids, self.given(wanted), strict=True):
            length = len(sentence) + 1 if sentence else 0
            lane.ahead.append(Begun(sentence, length, progress, row, given))
            row += bool(sentence)

    @torch.inference_mode()
    def _start(self, search: Search, begun: Mapping[int, Begun]) -> None:
        """Let sentences take their places in the search; those encoded together do so together."""
        together: dict[int, list[int]] = {}
        for place, each in begun.items():
            together.setdefault(id(each.progress), []).append(place)
        for places in together.values():
            some = [begun[place] for place in places]
            progress, lengths = self._rows(some)
            if not len(search.rows):  # at first anything will do in the others' places: theirs come next
                search.begin(*self._rows([some[0]] * len(self.lanes)))
            search.put([int(search.rows[place]) for place in places], progress, lengths)

    def _rows(self, some: Sequence[Begun]) -> tuple[Any, Tensor]:
        """Return sentences encoded together, without their neighbours, and their lengths."""
        device = self.translator.model.device
        rows = torch.tensor([each.row for each in some], device=device)
        first = torch.zeros(len(some), 1, dtype=torch.long, device=device)
        progress = self.translator.searched.select(some[0].progress, rows, first)
        return progress, torch.tensor([each.length for each in some], device=device)


class _Drafted(_Documents):
    """One document after the other, greedily, sentences drafted many at once and then confirmed in order."""

    def run(self) -> Iterator[Finished]:
        """Translate until there is no document left."""
        while (lane := self.next_document(0)) is not None:
            places = iter([(lane, at) for at in range(lane.at, len(lane.sentences))])
            while some := list(islice(places, self.translator.lanes)):
                texts = [self.to_translate(lane, at) for _, at in some]
                drafts = self.translator.search_ids(self.translator.source_vocabulary.encode_many(texts))
                for draft, given in zip(drafts, self.given(some), strict=True):
                    found = [self._confirm(lane, draft[0])] if draft else []
                    yield self.finish(0, lane, found, given)

    def _confirm(self, lane: Lane, draft: Hypothesis) -> Hypothesis:
        translator = self.translator
        ids = translator.source_vocabulary.encode(lane.sentences[lane.at])
        return confirm(translator.searched, self.predict, ids, draft, translator.beam)
