"""Documents in two invented languages, in which some words are translated rightly only from memory."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from recollect.text.document import ParallelDocument

__all__ = [
    "Accuracy",
    "AmbiguousWord",
    "InventedCorpus",
    "InventedLanguage",
    "Mention",
    "ambiguous_accuracy",
    "invented_corpus",
    "invented_language",
    "write_plain",
]

# A document's target words must fit the smallest memory of the paper, 25 slots:
# 5 nouns + 3 verbs + 3 adjectives + 2 adverbs + 2 particles + 2 markers + 2 ambiguous words = 19.
_TOPIC_NOUNS, _TOPIC_VERBS, _TOPIC_ADJECTIVES, _TOPIC_ADVERBS = 5, 3, 3, 2
_SENTENCES = range(6, 11)


@dataclass(frozen=True, slots=True)
class AmbiguousWord:
    """A source noun with two translations, which nothing else translates to."""

    source: str
    senses: tuple[str, str]


@dataclass(frozen=True, slots=True)
class InventedLanguage:
    """The words of a language pair, each source word beside its translation.

    A source sentence reads [adverb] subject verb object particle, with adjectives before their nouns;
    a target sentence reads particle subject verb object [adverb] echo, with adjectives after them.
    The echo repeats the sentence's ambiguous noun.
    """

    nouns: dict[str, str]
    verbs: dict[str, str]
    adjectives: dict[str, str]
    adverbs: dict[str, str]
    particles: dict[str, str]
    markers: dict[str, str]  # an adjective each for "in the first sense" and "in the second sense"
    ambiguous: tuple[AmbiguousWord, ...]


@dataclass(frozen=True, slots=True)
class Mention:
    """An ambiguous word in a sentence; only where it is not marked must memory settle its sense."""

    document: int
    sentence: int
    word: str
    right: str  # its translation throughout this document
    wrong: str
    marked: bool  # a document's first mention of the word carries its marker


@dataclass(frozen=True, slots=True)
class InventedCorpus:
    """Documents with one reference each, and where their ambiguous words stand."""

    language: InventedLanguage
    documents: tuple[ParallelDocument, ...]
    mentions: tuple[Mention, ...]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How many of the words that only memory can settle were translated rightly."""

    correct: int
    total: int

    def __float__(self) -> float:
        return self.correct / self.total


@dataclass(frozen=True, slots=True)
class _Pair:
    """A phrase in both languages."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class _WrittenDocument:
    document: ParallelDocument
    mentions: tuple[Mention, ...]


def invented_language(seed: int = 0) -> InventedLanguage:
    """A language pair of 66 source and 76 target words; train, tuning and test corpora share its seed."""
    chance = random.Random(f"invented language {seed}")
    source_words = _words(chance, onsets="ptkmnsl", vowels="aiu", count=66)
    target_words = _words(chance, onsets="bdgvzrf", vowels="eoa", count=76)

    def lexicon(count: int) -> dict[str, str]:
        return {source_words.pop(): target_words.pop() for _ in range(count)}

    return InventedLanguage(
        nouns=lexicon(24),
        verbs=lexicon(12),
        adjectives=lexicon(10),
        adverbs=lexicon(6),
        particles=lexicon(2),
        markers=lexicon(2),
        ambiguous=tuple(
            AmbiguousWord(source_words.pop(), (target_words.pop(), target_words.pop())) for _ in range(10)
        ),
    )


def invented_corpus(documents: int, seed: int, language_seed: int = 0) -> InventedCorpus:
    """Documents that a seed settles one by one: asking for more leaves the first ones as they were."""
    language = invented_language(language_seed)
    written = [_write_document(language, seed, index) for index in range(documents)]
    return InventedCorpus(
        language=language,
        documents=tuple(one.document for one in written),
        mentions=tuple(mention for one in written for mention in one.mentions),
    )


def ambiguous_accuracy(corpus: InventedCorpus, outputs: Sequence[Sequence[str]]) -> Accuracy:
    """The unmarked mentions whose output [document][sentence] holds the right translation, not the other."""
    unmarked = [mention for mention in corpus.mentions if not mention.marked]
    correct = 0
    for mention in unmarked:
        words = outputs[mention.document][mention.sentence].split()
        correct += mention.right in words and mention.wrong not in words
    return Accuracy(correct, len(unmarked))


def write_plain(corpus: InventedCorpus, source: Path, target: Path) -> None:
    """Two line-aligned files, one sentence a line, an empty line between documents."""
    sources = ("\n".join(document.source) for document in corpus.documents)
    targets = ("\n".join(document.references[0]) for document in corpus.documents)
    source.write_text("\n\n".join(sources) + "\n", encoding="utf-8")
    target.write_text("\n\n".join(targets) + "\n", encoding="utf-8")


def _words(chance: random.Random, onsets: str, vowels: str, count: int) -> list[str]:
    syllables = [onset + vowel for onset in onsets for vowel in vowels]
    return chance.sample([first + second for first in syllables for second in syllables], count)


def _write_document(language: InventedLanguage, seed: int, index: int) -> _WrittenDocument:
    chance = random.Random(f"invented document {seed} {index}")
    writer = _Writer(
        chance=chance,
        nouns=_choose(chance, language.nouns, _TOPIC_NOUNS),
        verbs=_choose(chance, language.verbs, _TOPIC_VERBS),
        adjectives=_choose(chance, language.adjectives, _TOPIC_ADJECTIVES),
        adverbs=_choose(chance, language.adverbs, _TOPIC_ADVERBS),
        particles=_choose(chance, language.particles, len(language.particles)),
    )
    words = chance.sample(language.ambiguous, chance.randint(1, 2))
    senses = [chance.randrange(2) for _ in words]
    markers = [_Pair(*marker) for marker in language.markers.items()]

    sentences: list[_Pair] = []
    mentions: list[Mention] = []
    for number in range(chance.choice(_SENTENCES)):
        marked = number < len(words)
        which = number if marked else chance.randrange(len(words))
        word, sense = words[which], senses[which]
        right, wrong = word.senses[sense], word.senses[1 - sense]
        phrase = _Pair(word.source, right)
        phrase = _described(phrase, markers[sense]) if marked else phrase
        sentences.append(writer.sentence(phrase, echo=right))
        mentions.append(Mention(index, number, word.source, right, wrong, marked))

    source, target = tuple(s.source for s in sentences), tuple(s.target for s in sentences)
    return _WrittenDocument(ParallelDocument(f"invented-{seed}-{index}", source, (target,)), tuple(mentions))


def _choose(chance: random.Random, lexicon: dict[str, str], count: int) -> list[_Pair]:
    return [_Pair(*entry) for entry in chance.sample(sorted(lexicon.items()), count)]


def _described(noun: _Pair, adjective: _Pair) -> _Pair:
    return _Pair(f"{adjective.source} {noun.source}", f"{noun.target} {adjective.target}")


@dataclass(frozen=True, slots=True)
class _Writer:
    """A document's topic: the few words its sentences are made of."""

    chance: random.Random
    nouns: list[_Pair]
    verbs: list[_Pair]
    adjectives: list[_Pair]
    adverbs: list[_Pair]
    particles: list[_Pair]

    def sentence(self, phrase: _Pair, echo: str) -> _Pair:
        """A sentence with the phrase as its subject or object, and the target's echo of the phrase's noun."""
        chance = self.chance
        other = chance.choice(self.nouns)
        if chance.random() < 0.5:
            other = _described(other, chance.choice(self.adjectives))
        subject, object_ = (phrase, other) if chance.random() < 0.5 else (other, phrase)
        verb, particle = chance.choice(self.verbs), chance.choice(self.particles)
        source = f"{subject.source} {verb.source} {object_.source} {particle.source}"
        target = f"{particle.target} {subject.target} {verb.target} {object_.target}"
        if chance.random() < 0.5:
            adverb = chance.choice(self.adverbs)
            source, target = f"{adverb.source} {source}", f"{target} {adverb.target}"
        # Averaging on write halves what a slot knows of the marker at every unmarked mention. The decoder's
        # state at the echo knows the sense from its own output, and so keeps the slot telling.
        return _Pair(source, f"{target} {echo}")
