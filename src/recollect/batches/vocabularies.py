"""Both sides' vocabularies, learned from one stream of training pairs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from recollect.text.pairs import DocumentEnd, Pair
from recollect.text.sample import Sample
from recollect.text.subwords import SubwordVocabulary
from recollect.text.vocabulary import Vocabulary
from recollect.text.words import WordCounts, WordVocabulary

__all__ = ["Progress", "Vocabularies", "VocabularyKind", "VocabularyOptions", "learn_vocabularies"]

VocabularyKind = Literal["words", "subwords"]
Progress = Callable[[str, int, int | None], None]  # what is being done, how many done, of how many

_SAMPLE = 500_000  # pairs that subwords are learned from
_REPORT = 20_000


@dataclass(frozen=True, slots=True)
class VocabularyOptions:
    """What to learn: sizes count words without the specials, and subwords with them."""

    vocabulary: VocabularyKind
    size_source: int
    size_target: int
    joint: bool  # one vocabulary for both sides
    seed: int


@dataclass(frozen=True, slots=True)
class Vocabularies:
    """One vocabulary for each side, and how many pairs the stream had."""

    source: Vocabulary
    target: Vocabulary
    pairs: int


def learn_vocabularies(
    stream: Iterable[Pair | DocumentEnd], options: VocabularyOptions, progress: Progress
) -> Vocabularies:
    """Read the stream once and learn from all of it (words) or from a fair sample (subwords)."""
    return {"words": _learn_words, "subwords": _learn_subwords}[options.vocabulary](stream, options, progress)


def _learn_words(
    stream: Iterable[Pair | DocumentEnd], options: VocabularyOptions, progress: Progress
) -> Vocabularies:
    source = WordCounts()
    target = source if options.joint else WordCounts()
    pairs = 0
    for item in stream:
        if isinstance(item, Pair):
            source.add(item.source)
            target.add(item.target)
            pairs += 1
            if pairs % _REPORT == 0:
                progress("counting words", pairs, None)
    return Vocabularies(
        WordVocabulary.most_frequent(source.counts, options.size_source),
        WordVocabulary.most_frequent(target.counts, options.size_target),
        pairs,
    )


def _learn_subwords(
    stream: Iterable[Pair | DocumentEnd], options: VocabularyOptions, progress: Progress
) -> Vocabularies:
    sample: Sample[Pair] = Sample(_SAMPLE, options.seed)
    pairs = 0
    for item in stream:
        if isinstance(item, Pair):
            sample.offer(item)
            pairs += 1
            if pairs % _REPORT == 0:
                progress("sampling sentences", pairs, None)
    sources = [pair.source for pair in sample.items]
    targets = [pair.target for pair in sample.items]
    if options.joint:
        progress("learning subwords", 0, None)
        both = SubwordVocabulary.learn(sources + targets, options.size_source, written=True)
        return Vocabularies(both.only_read(), both, pairs)
    progress("learning source subwords", 0, None)
    source = SubwordVocabulary.learn(sources, options.size_source, written=False)
    progress("learning target subwords", 0, None)
    return Vocabularies(source, SubwordVocabulary.learn(targets, options.size_target, written=True), pairs)
