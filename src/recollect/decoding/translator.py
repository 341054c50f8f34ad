"""Documents in, documents out: many documents advance side by side, each with its own memory."""

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from recollect.batches.before import collate_before
from recollect.batches.sentences import Ids, collate_source
from recollect.decoding.beam import Beam, search
from recollect.decoding.forced import force, score
from recollect.decoding.hypothesis import Hypothesis
from recollect.decoding.lanes import Known, stream_with_memory
from recollect.decoding.proofreading import CANDIDATES, Proofreader
from recollect.decoding.spelled import spelled
from recollect.decoding.translation import Finished, Translation
from recollect.decoding.workers import in_parts
from recollect.errors import DataError, ModelError
from recollect.memory.history import Heard, apart
from recollect.memory.memory import Memory, Note
from recollect.memory.policies import first_in_first_out
from recollect.memory.slots import CORRECTION, EARLIER, OWN, Slots
from recollect.models.interface import SearchModel, SentenceModel, Step
from recollect.predict import predict
from recollect.text.placing import Link
from recollect.text.spans import piece_spans
from recollect.text.unknowns import replace_unknowns
from recollect.text.vocabulary import BOS, EOS, Vocabulary
from recollect.text.words import split_words

__all__ = ["Finished", "Likelihood", "Packed", "Translation", "Translator"]

WINDOW = 8  # batches of sentences sorted by length together, where no memory ties them to their order


@dataclass(frozen=True, slots=True)
class Likelihood:
    """How probable given translations are: natural logarithms, summed."""

    log_probability: float
    tokens: int

    @property
    def perplexity(self) -> float:
        """Per token, the ends of sentences included."""
        return float(np.exp(-self.log_probability / max(self.tokens, 1)))


class Packed(NamedTuple):
    """A sentence model and its memory in forms made for search."""

    model: SearchModel
    memory: Memory | None


class Translator:
    """A sentence model, its memory and its vocabularies, ready to translate.

    `packed` is used for searching where it is given; it must be made anew when the model's weights change.
    """

    def __init__(
        self,
        model: SentenceModel[Any],
        memory: Memory | None,
        source_vocabulary: Vocabulary,
        target_vocabulary: Vocabulary,
        *,
        packed: Packed | None = None,
        dictionary: Mapping[str, str] | None = None,
        proofreader: Proofreader | None = None,
        beam: Beam | None = None,
        lanes: int = 32,
        store_end: bool = False,
        carry: bool = False,
        k_best: int = 1,
        languages: tuple[str, str] = ("", ""),
    ) -> None:
        self.languages = languages
        if memory is not None and model.looks_back:
            raise ModelError("a model that looks back at the sentences before has no memory besides")
        self.model, self.memory = model.eval(), memory
        self.packed = packed
        self.searched, self.spoken = packed or Packed(model, memory)
        self.source_vocabulary, self.target_vocabulary = source_vocabulary, target_vocabulary
        self.dictionary, self.proofreader = dictionary, proofreader
        beam = beam or Beam()
        self.beam = replace(beam, n_best=max(beam.n_best, k_best))  # what is remembered must be found first
        self.lanes, self.store_end, self.carry, self.k_best = lanes, store_end, carry, k_best

    # -- the public surface

    def translate(self, document: Sequence[str]) -> list[Translation]:
        """Translate the sentences of one document in order."""
        if isinstance(document, str):
            raise TypeError("translate takes a list of sentences; for one sentence: translate([sentence])")
        return self.translate_documents([document])[0]

    def translate_documents(
        self,
        documents: Sequence[Sequence[str]],
        history: Sequence[Sequence[Heard]] | None = None,
    ) -> list[list[Translation]]:
        """Translate many documents side by side; `history` fills their memories instead of our own words."""
        found: list[list[Translation | None]] = [[None] * len(document) for document in documents]
        for item in self.stream(documents, history=history):
            found[item.document][item.sentence] = item.translation
        return [[item for item in document if item is not None] for document in found]

    def silenced(self) -> "Translator":
        """Return a translator whose memory is kept but says nothing: a control for what its gate does."""

        def quiet(memory: Memory) -> Memory:
            twin = copy.copy(memory)
            twin.silenced = True
            return twin

        return self._with_changed_memory(quiet)

    def check_project(self) -> None:
        """Refuse where the model's own memory cannot have a project's behind it."""
        if self.memory is None:
            raise ModelError("this model has no memory: a project's memory needs one in front of it")
        self.memory.check_project()

    def with_project(self, project: Slots) -> "Translator":
        """Return a translator with a project's memory (see `recollect.memory.project`) behind its own."""
        self.check_project()
        return self._with_changed_memory(lambda memory: memory.with_project(project))

    def _with_changed_memory(self, change: Callable[[Memory], Memory]) -> "Translator":
        if self.memory is None:
            return self
        packed = self.packed
        if packed is not None and packed.memory is not None:
            packed = Packed(packed.model, change(packed.memory))
        return self.replaced(memory=change(self.memory), packed=packed)

    def remembering(
        self, documents: Sequence[Sequence[str]], translations: Sequence[Sequence[str]], origin: int = EARLIER
    ) -> Slots:
        """Return one memory of every word of documents that have been translated already."""
        if self.memory is None:
            raise ModelError("this model has no memory")
        forced = self.force(list(chain(*documents)), list(chain(*translations)))
        words = sum(len(each.tokens) + self.store_end for each in forced if each is not None)
        if not words:
            raise DataError("there is nothing to remember: no sentence has words on both sides")

        def roomy(memory: Memory) -> Memory:
            twin = copy.copy(memory)
            twin.size, twin.policy = max(1, words), first_in_first_out
            return twin

        wide = self._with_changed_memory(roomy)
        assert wide.memory is not None
        slots = wide.memory.empty(1, self.model.device)
        for each in forced:
            wide.remember(slots, {0: each}, origin)
        return slots

    def without_memory(self) -> "Translator":
        """Return the sentence model alone, as a translator of its own."""
        return self.replaced(memory=None)

    def replaced(self, **options: Any) -> "Translator":
        """Return a translator that shares the weights but has other options: memory, beam, lanes, ..."""
        given = {
            "memory": self.memory,
            "packed": self.packed,
            "dictionary": self.dictionary,
            "proofreader": self.proofreader,
            "beam": self.beam,
            "lanes": self.lanes,
            "store_end": self.store_end,
            "carry": self.carry,
            "k_best": self.k_best,
            "languages": self.languages,
        } | options
        memory = given.pop("memory")
        if "memory" in options and "packed" not in options and self.packed is not None:
            given["packed"] = Packed(self.packed.model, memory)
        return Translator(self.model, memory, self.source_vocabulary, self.target_vocabulary, **given)

    def stream(
        self,
        documents: Iterable[Sequence[str]],
        *,
        done: Mapping[int, Sequence[Sequence[int]]] | None = None,
        history: Sequence[Sequence[Heard]] | None = None,
        settled: Mapping[int, Mapping[int, str]] | None = None,
        earlier: Slots | None = None,
    ) -> Iterator[Finished]:
        """Yield sentences as they are finished; within a document they come in order.

        `done` holds the tokens of sentences that an earlier, interrupted attempt has finished: they are
        remembered, not translated again. `settled` holds sentences (by document and number) that a person
        has translated: they are remembered as a person's words, and yielded as they are. `earlier` is what
        every document remembers at first.
        """
        known = Known(done or {}, history, settled or {}, earlier)
        if self.spoken is None:
            yield from self._stream_alone(documents, known)
        else:
            yield from stream_with_memory(self, self.spoken, documents, known)

    # -- without: any order will do

    def _stream_alone(self, documents: Iterable[Sequence[str]], known: Known) -> Iterator[Finished]:
        places = (
            (document, number, text, self.sentences_before(sentences, number))
            for document, sentences in enumerate(documents)
            for number, text in enumerate(sentences)
            if number >= len(known.done.get(document, ()))
        )
        while window := list(islice(places, WINDOW * self.lanes)):
            found: dict[tuple[int, int], Translation] = {}
            rest = []
            for document, number, text, before in window:
                settled = known.settled.get(document, {}).get(number)
                if settled is None:
                    rest.append((document, number, text, before))
                else:
                    tokens = tuple(self.target_vocabulary.encode(settled))
                    found[document, number] = Translation(settled, 0.0, tokens)
            rest.sort(key=lambda place: len(place[2]))
            for start in range(0, len(rest), self.lanes):
                some = rest[start : start + self.lanes]
                said = self.search([text for _, _, text, _ in some], before=[each[3] for each in some])
                for (document, number, text, _), each in zip(some, said, strict=True):
                    found[document, number] = self.express(text, each)
            for document, number in sorted(found):
                yield Finished(document, number, found[document, number])

    # -- the parts, also for sessions and analysis

    def sentences_before(self, sentences: Sequence[str], number: int) -> list[str]:
        """Return those sentences of a document, before one of them, that a model that looks back sees.

        Sentences without words are passed over: there were none in training.
        """
        earlier = (sentences[at] for at in range(number - 1, -1, -1))
        wordy = (text for text in earlier if text.strip())
        return list(islice(wordy, self.model.looks_back))[::-1]

    def _histories(self, before: Sequence[Sequence[str]] | None) -> list[list[list[int]]] | None:
        """Return as tokens what a model that looks back sees of the sentences before each one."""
        if not self.model.looks_back or before is None:
            return None
        ids = iter(self.source_vocabulary.encode_many([text for history in before for text in history]))
        return [[next(ids) for _ in history] for history in before]

    def search(
        self,
        texts: Sequence[str],
        slots: Slots | None = None,
        before: Sequence[Sequence[str]] | None = None,
    ) -> list[list[Hypothesis]]:
        """Translate one sentence per lane, with its memory if given; an empty text gets no hypothesis.

        `before` are the sentences before each one, for a model that looks back (see `sentences_before`).
        """
        ids = self.source_vocabulary.encode_many(list(texts))
        found = self._candidates(ids, slots, self._histories(before))
        return self._chosen(
            texts,
            found,
            [None if slots is None else slots.view([lane]) for lane in range(len(texts))],
            before or [()] * len(texts),
        )

    def search_ids(self, ids: Sequence[Ids], slots: Slots | None = None) -> list[list[Hypothesis]]:
        """Do the same for sentences as tokens, and neither spell nor proofread what is found."""
        return [found[: self.beam.n_best] for found in self._candidates(ids, slots)]

    @property
    def candidates(self) -> Beam:
        """The beam to search with: a proofreader wants to see several translations."""
        beam = self.beam
        if self.proofreader is None:
            return beam
        return replace(beam, n_best=max(beam.n_best, min(beam.size, CANDIDATES)))

    def _candidates(
        self,
        ids: Sequence[Ids],
        slots: Slots | None = None,
        histories: Sequence[Sequence[Ids]] | None = None,
    ) -> list[list[Hypothesis]]:
        real = [number for number, sentence in enumerate(ids) if len(sentence)]
        if not real:
            return [[] for _ in ids]

        def search_some(part: range) -> list[list[Hypothesis]]:
            lanes = real[part.start : part.stop]
            source, lengths = (each.to(device) for each in collate_source([ids[lane] for lane in lanes]))
            seen = None if slots is None else slots.view(lanes)
            reader = LaneReader(self.searched, self.spoken, seen)
            before = None
            if histories is not None:
                before = collate_before([histories[lane] for lane in lanes]).to(device)
            return search(self.searched, reader, source, lengths, self.candidates, before)

        device = self.model.device
        by_lane = dict(zip(real, in_parts(search_some, len(real), device), strict=True))
        return [
            [replace(each, source=sentence) for each in by_lane.get(number, [])]
            for number, sentence in enumerate(ids)
        ]

    def chosen(
        self,
        source: str,
        found: Sequence[Hypothesis],
        slots: Slots | None = None,
        before: Sequence[str] = (),
    ) -> list[Hypothesis]:
        """Return the best of all that search has found for a sentence, as many as are asked for.

        Names that the source leaves in the target's letters are spelled as it does, and then the
        proofreader is asked, if there is one; `slots` have one lane.
        """
        return self._chosen([source], [found], [slots], [before])[0]

    def _chosen(
        self,
        sources: Sequence[str],
        found: Sequence[Sequence[Hypothesis]],
        slots: Sequence[Slots | None],
        before: Sequence[Sequence[str]],
    ) -> list[list[Hypothesis]]:
        proofreader = self.proofreader
        if proofreader is not None:
            found = [proofreader.rewarded(some) for some in found]
        said = [spelled(self, *each) for each in zip(sources, found, slots, before, strict=True)]
        if proofreader is None:
            return said
        texts = [
            [self._text(source, each) for each in some] for source, some in zip(sources, said, strict=True)
        ]

        def rank_some(part: range) -> list[list[Hypothesis]]:
            some = slice(part.start, part.stop)

            def raised(number: int) -> list[float]:
                return self._raised(said[part.start + number], slots[part.start + number])

            return proofreader.ranked(sources[some], texts[some], said[some], raised)

        ranked = in_parts(rank_some, len(sources), self.model.device)
        return [each[: self.beam.n_best] for each in ranked]

    @torch.inference_mode()
    def _raised(self, found: Sequence[Hypothesis], slots: Slots | None) -> list[float]:
        """Return by how much a memory (of one lane) has raised each log probability, if it has."""
        if self.spoken is None or slots is None:
            return [0.0] * len(found)
        ends = [[*each.tokens, EOS] for each in found]
        previous, tokens = (
            torch.tensor([list(chain(*some))], device=self.model.device)
            for some in ([[BOS, *each.tokens] for each in found], ends)
        )
        step = self.searched.rebuild(
            torch.cat([each.states for each in found]).unsqueeze(0),
            torch.cat([each.contexts for each in found]).unsqueeze(0),
            previous,
        )
        alone, remembering = (
            scores.gather(-1, tokens.unsqueeze(-1)).flatten()
            for scores in (self.searched.predict(step), predict(self.searched, step, self.spoken, slots))
        )
        raised = torch.split(remembering - alone, [len(each) for each in ends])
        return [max(0.0, float(each.sum())) for each in raised]

    def force(
        self,
        texts: Sequence[str],
        translations: Sequence[str],
        before: Sequence[Sequence[str]] | None = None,
    ) -> list[Hypothesis | None]:
        """Return given translations as hypotheses; None where either side is empty.

        `before`: see `search`.
        """
        sources = self.source_vocabulary.encode_many(list(texts))
        targets = self.target_vocabulary.encode_many(list(translations))
        real = [number for number in range(len(texts)) if sources[number] and targets[number]]
        histories = self._histories(before)
        seen = None if histories is None else [histories[n] for n in real]
        found = force(self.searched, [sources[n] for n in real], [targets[n] for n in real], seen)
        by_number = dict(zip(real, found, strict=True))
        return [by_number.get(number) for number in range(len(texts))]

    def force_ids(
        self,
        sources: Sequence[Ids],
        targets: Sequence[Ids],
        before: Sequence[Sequence[str]] | None = None,
    ) -> list[Hypothesis]:
        """Do the same for sentences as tokens, none of them empty."""
        return force(self.searched, sources, targets, self._histories(before))

    def remember(self, slots: Slots, hypotheses: Mapping[int, Hypothesis | None], origin: int = 0) -> None:
        """Write hypotheses into the lanes they belong to; None is a sentence without words.

        `origin` says whose words they are, as a number of `recollect.memory.slots.ORIGINS`.
        """
        if self.memory is None:
            return
        for lane, each in hypotheses.items():
            own = slots.view([lane])
            if each is None:
                self.memory.skip(own)
            else:
                self.memory.take(own, self.note(each), origin)

    def note(self, hypothesis: Hypothesis) -> Note:
        """Return what is remembered of a hypothesis."""
        assert self.memory is not None
        tokens = hypothesis.tokens + ([EOS] if self.store_end else [])
        step = self.searched.rebuild(
            hypothesis.states.unsqueeze(0),
            hypothesis.contexts.unsqueeze(0),
            torch.tensor([[BOS, *hypothesis.tokens]], device=hypothesis.states.device),
        )
        return self.memory.note(step, tokens, self.searched, hypothesis.looked_at[: len(tokens)])

    def remember_best(self, slots: Slots, lane: int, found: Sequence[Hypothesis]) -> None:
        """Write the best outputs of a sentence into its lane: by default one, of several the best last."""
        if not found:
            self.remember(slots, {lane: None})
        for number, each in enumerate(reversed(found[: self.k_best])):
            if number:
                slots.sentences[lane] -= 1  # they are one sentence
            self.remember(slots, {lane: each})

    def refill(
        self,
        slots: Slots,
        lane: int,
        texts: Sequence[str],
        tokens: Sequence[Sequence[int]],
        origins: Sequence[int] | None = None,
    ) -> None:
        """Remember sentences whose translations (as tokens) are known already; by default our own."""
        sources = self.source_vocabulary.encode_many(list(texts))
        pairs = [(source, ids) for source, ids in zip(sources, tokens, strict=True) if source]
        found = iter(force(self.searched, [source for source, _ in pairs], [ids for _, ids in pairs]))
        for source, origin in zip(sources, origins or [OWN] * len(sources), strict=True):
            self.remember(slots, {lane: next(found) if source else None}, origin)

    def express(self, source: str, hypotheses: Sequence[Hypothesis]) -> Translation:
        """Return the best hypothesis as text, the others as its alternatives."""
        if not hypotheses:
            return Translation("", 0.0, ())
        best, *others = [
            Translation(self._text(source, each), each.score, tuple(each.tokens), tuple(each.aligned))
            for each in hypotheses
        ]
        return replace(best, alternatives=tuple(others))

    def links(self, source: str, translation: Translation) -> list[Link]:
        """Return which stretch of the source each piece of its translation speaks of."""
        sources = piece_spans(source, self._pieces(self.source_vocabulary, source))
        targets = piece_spans(
            translation.text, [self.target_vocabulary.piece(token) for token in translation.tokens]
        )
        return [
            Link(*sources[position], *target)
            for position, target in zip(translation.aligned, targets, strict=False)  # the end is aligned too
            if position < len(sources)
        ]

    @staticmethod
    def _pieces(vocabulary: Vocabulary, text: str) -> list[str]:
        return [vocabulary.piece(token) for token in vocabulary.encode(text)]

    def _text(self, source: str, hypothesis: Hypothesis) -> str:
        if self.dictionary is None:
            return self.target_vocabulary.decode(hypothesis.tokens)
        words = [self.target_vocabulary.piece(token) for token in hypothesis.tokens]
        given = split_words(source)
        aligned = [min(position, len(given) - 1) for position in hypothesis.aligned[: len(words)]]
        return " ".join(replace_unknowns(words, given, aligned, self.dictionary))

    def likelihood(
        self,
        documents: Sequence[Sequence[str]],
        translations: Sequence[Sequence[str]],
        history: Sequence[Sequence[Heard]] | None = None,
        origin: int = CORRECTION,
    ) -> Likelihood:
        """Score given translations, the memory filled from `history` (by default from them themselves).

        `origin` says whose words these are.
        """
        history = translations if history is None else history
        if self.carry and self.memory is not None:
            documents, translations = ([list(chain(*side))] for side in (documents, translations))
            history = [list(chain(*history))]
        total, tokens = 0.0, 0
        for start in range(0, len(documents), self.lanes):
            some = slice(start, start + self.lanes)
            slots = (
                None if self.memory is None else self.memory.empty(len(documents[some]), self.model.device)
            )
            longest = max((len(document) for document in documents[some]), default=0)
            for at in range(longest):
                now = [n for n, document in enumerate(documents[some]) if at < len(document)]
                texts = [documents[start + n][at] for n in now]
                before = [self.sentences_before(documents[start + n], at) for n in now]
                scores = self.score(texts, [translations[start + n][at] for n in now], slots, now, before)
                total += sum(sum(each) for each in scores)
                tokens += sum(len(each) for each in scores)
                if slots is not None:
                    remembered = self.force(*apart(texts, [history[start + n][at] for n in now]))
                    self.remember(slots, dict(zip(now, remembered, strict=True)), origin)
        return Likelihood(total, tokens)

    def score(
        self,
        texts: Sequence[str],
        translations: Sequence[str],
        slots: Slots | None,
        lanes: Sequence[int],
        before: Sequence[Sequence[str]] | None = None,
    ) -> list[list[float]]:
        """Return log P of every token of given translations, each with its lane's memory as it is.

        `before`: see `search`.
        """
        sources = self.source_vocabulary.encode_many(list(texts))
        targets = self.target_vocabulary.encode_many(list(translations))
        seen = None if slots is None else slots.select(np.array(lanes))
        return score(self.model, sources, targets, self.memory, seen, self._histories(before))


class LaneReader:
    """The distribution that search asks for: it keeps the memories in step with the lanes still under way."""

    def __init__(self, model: SearchModel, memory: Memory | None, slots: Slots | None) -> None:
        self.model, self.memory, self.slots, self.view = model, memory, slots, slots

    def __call__(self, step: Step, alive: NDArray[np.int64] | None = None) -> Tensor:
        """Return log P(y_t) [lane, many, token]."""
        view = self.view
        if self.slots is not None and view is not None and alive is not None and len(alive) != view.lanes:
            self.view = self.slots.select(alive)
        return predict(self.model, step, self.memory, self.view)
