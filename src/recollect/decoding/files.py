"""Translating files: each comes back as it was, its prose translated, none half written."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from recollect.decoding.journal import Journal
from recollect.decoding.translation import Finished, Translation
from recollect.decoding.translator import Translator
from recollect.errors import ModelError
from recollect.files import whole_file
from recollect.memory.slots import CORRECTION, EARLIER, OWN, Slots
from recollect.progress import SilentProgress, TerminalProgress
from recollect.text.formats.content import Content
from recollect.text.glossary import Term
from recollect.text.inline import Inline
from recollect.text.passages import Passages, Spoken
from recollect.text.placeholders import hold_placeholders

__all__ = ["Job", "Summary", "known_pairs", "memory_after", "remembered_pairs", "translate_files"]


@dataclass(slots=True)
class Job:
    """A file to translate, and where to."""

    source: Path
    output: Path
    passages: Passages
    done: list[Translation] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        source: Path,
        output: Path,
        content: Content,
        translator: Translator,
        held: Sequence[Term] = (),
    ) -> "Job":
        """Cut a file's prose into sentences that the translator can take; `held` terms are kept from it."""
        vocabulary = translator.source_vocabulary

        def length(text: str) -> int:
            return len(text) if len(text) > 2000 else len(vocabulary.encode(text))

        return cls(source, output, Passages(content, translator.languages[0], length, held=held))

    @property
    def digest(self) -> str:
        """What tells this file's prose from others."""
        known = sorted(self.passages.settled.items())
        return hashlib.sha256(json.dumps([self.passages.sentences, known]).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Summary:
    """What has been done."""

    files: int
    sentences: int  # translated now
    kept: int  # translated before, by a person


def translate_files(
    translator: Translator,
    jobs: Sequence[Job],
    *,
    as_one: bool = False,
    earlier: Slots | None = None,
    signature: Sequence[str] = (),
    conclude: Callable[[], None] | None = None,
    progress: SilentProgress | TerminalProgress,
) -> Summary:
    """Translate files side by side, or one after the other as a single document; each appears when done.

    While one is under way its finished sentences are in `<output>.journal`; the same call goes on from there.
    `signature` names what the result depends on besides the files; `earlier` is what is remembered at first.
    `conclude` makes what depends on all of it, before the journals go.
    """
    total = sum(len(job.passages.sentences) for job in jobs)
    begun = translated = 0
    journals: list[Journal] = []
    # A file that follows others as part of one document depends on them too.
    before = hashlib.sha256()
    for job in jobs:
        before.update(job.digest.encode())
        depends_on = [*signature, f"after={before.hexdigest()}"] if as_one else list(signature)
        journal = Journal.open(job.output, job.digest, depends_on)
        job.done = list(journal.done.get(0, []))
        journals.append(journal)
        begun += len(job.done)
    if begun:
        progress.say(f"going on after {begun:,} sentences that are already translated")
    with progress.bar("translate", total, "sentences", done=begun) as advance:
        for job in jobs:
            _write_if_done(translator, job)
        for number, item in _finished(translator, jobs, as_one, earlier):
            job, journal = jobs[number], journals[number]
            job.done.append(item.translation)
            journal.add(item)
            translated += item.sentence not in job.passages.settled
            # What is part of one document is needed to go on with the rest of it.
            if _write_if_done(translator, job) and not as_one and conclude is None:
                journal.remove()
            advance(1, "")
    if conclude is not None:
        conclude()
    for journal in journals:
        journal.remove()
    return Summary(len(jobs), translated, sum(len(job.passages.settled) for job in jobs))


def _finished(
    translator: Translator, jobs: Sequence[Job], as_one: bool, earlier: Slots | None
) -> Iterator[tuple[int, Finished]]:
    """Yield sentences as they are finished, each with the number of its file."""
    if not as_one:
        for item in translator.stream(
            [job.passages.sentences for job in jobs],
            done={number: [each.tokens for each in job.done] for number, job in enumerate(jobs)},
            settled={number: job.passages.settled for number, job in enumerate(jobs)},
            earlier=earlier,
        ):
            yield item.document, Finished(0, item.sentence, item.translation)
        return
    places = [(number, at) for number, job in enumerate(jobs) for at in range(len(job.passages.sentences))]
    first = {place: whole for whole, place in enumerate(places)}
    settled = {
        first[number, at]: text
        for number, job in enumerate(jobs)
        for at, text in job.passages.settled.items()
    }
    # A file is begun only when those before it are done.
    done = [each.tokens for job in jobs for each in job.done]
    sentences = list(chain.from_iterable(job.passages.sentences for job in jobs))
    for item in translator.stream([sentences], done={0: done}, settled={0: settled}, earlier=earlier):
        number, at = places[item.sentence]
        yield number, Finished(0, at, item.translation)


def _write_if_done(translator: Translator, job: Job) -> bool:
    """Write a file if all of its sentences are done; return whether they are."""
    sentences = job.passages.sentences
    if len(job.done) < len(sentences):
        return False
    spoken = [
        Spoken(each.text, translator.links(sentence, each))
        for sentence, each in zip(sentences, job.done, strict=True)
    ]
    data = job.passages.render(spoken)
    with whole_file(job.output) as draft:
        draft.write_bytes(data)
    return True


def known_pairs(content: Content) -> list[tuple[str, str]]:
    """Return the prose of a file that has translations in it, with them."""

    def text(inline: Inline) -> str:
        return hold_placeholders(inline).text

    return [(text(unit.source), text(unit.target)) for unit in content.units if unit.target is not None]


def remembered_pairs(
    translator: Translator, pairs: Iterable[tuple[str, str]], slots: Slots | None = None
) -> Slots:
    """Return a memory (`slots`, or a new one) that has gone along translations that people have made."""
    memory = translator.memory
    if memory is None:
        raise ModelError("this model has no memory to fill")
    slots = memory.empty(1, translator.model.device) if slots is None else slots
    given = list(pairs)
    for each in translator.force([source for source, _ in given], [target for _, target in given]):
        translator.remember(slots, {0: each}, EARLIER)
    return slots


def memory_after(translator: Translator, jobs: Sequence[Job], earlier: Slots | None) -> Slots:
    """Return what is remembered when files have been translated as one document."""
    assert translator.memory is not None
    slots = translator.memory.empty(1, translator.model.device)
    if earlier is not None:
        slots.put(0, earlier)
    for job in jobs:
        origins = [CORRECTION if number in job.passages.settled else OWN for number in range(len(job.done))]
        translator.refill(slots, 0, job.passages.sentences, [each.tokens for each in job.done], origins)
    return slots
