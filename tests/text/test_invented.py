"""The invented corpus: the same for everyone, impossible by chance, possible by memory."""

import random
from collections import Counter, defaultdict
from math import sqrt

import pytest

from recollect.text.invented import (
    Accuracy,
    ambiguous_accuracy,
    invented_corpus,
    invented_language,
    write_plain,
)


@pytest.fixture(scope="module")
def corpus():
    return invented_corpus(600, seed=1)


def references(corpus):
    return [document.references[0] for document in corpus.documents]


def replaced(corpus, choose):
    """The references with every mention translated as choose(mention) says."""
    outputs = [list(sentences) for sentences in references(corpus)]
    for mention in corpus.mentions:
        words = outputs[mention.document][mention.sentence].split()
        chosen = choose(mention)
        rewritten = [chosen if word == mention.right else word for word in words]
        outputs[mention.document][mention.sentence] = " ".join(rewritten)
    return outputs


def test_deterministic_and_prefix_stable(corpus):
    again = invented_corpus(40, seed=1)
    assert again.documents == corpus.documents[:40]
    assert again.mentions == tuple(mention for mention in corpus.mentions if mention.document < 40)


def test_seeds_change_documents_but_not_the_language(corpus):
    other = invented_corpus(40, seed=2)
    assert other.language == corpus.language
    assert not {d.source for d in other.documents} & {d.source for d in corpus.documents}
    assert invented_corpus(1, seed=1, language_seed=5).language != corpus.language


def test_language_is_small_and_unambiguous_but_for_the_ambiguous():
    language = invented_language(3)
    lexicons = [language.nouns, language.verbs, language.adjectives, language.adverbs]
    lexicons += [language.particles, language.markers]
    source = [word for lexicon in lexicons for word in lexicon] + [word.source for word in language.ambiguous]
    target = [word for lexicon in lexicons for word in lexicon.values()]
    target += [sense for word in language.ambiguous for sense in word.senses]
    assert len(source) == len(set(source)) == 66
    assert len(target) == len(set(target)) == 76
    assert not set(source) & set(target)


def test_documents_and_sentences_have_their_sizes(corpus):
    assert {len(document.source) for document in corpus.documents} == {6, 7, 8, 9, 10}
    for document in corpus.documents:
        assert len(document.source) == len(document.references[0])
        assert all(
            4 <= len(sentence.split()) <= 9 for sentence in (*document.source, *document.references[0])
        )


def test_every_sentence_has_one_mention_and_every_word_is_marked_once(corpus):
    ambiguous = {word.source for word in corpus.language.ambiguous}
    at = {(mention.document, mention.sentence): mention for mention in corpus.mentions}
    assert len(at) == len(corpus.mentions)
    seen = set()
    for d, document in enumerate(corpus.documents):
        for s, sentence in enumerate(document.source):
            mention = at[d, s]
            words = sentence.split()
            assert ambiguous & set(words) == {mention.word}
            assert mention.marked == ((d, mention.word) not in seen)
            assert mention.marked == bool(set(words) & set(corpus.language.markers))
            seen.add((d, mention.word))


def test_a_word_keeps_its_translation_throughout_a_document(corpus):
    translations = defaultdict(set)
    for mention in corpus.mentions:
        translations[mention.document, mention.word].add(mention.right)
        words = corpus.documents[mention.document].references[0][mention.sentence].split()
        assert words.count(mention.right) == 2  # the noun and its echo
        assert mention.wrong not in words
    assert all(len(found) == 1 for found in translations.values())


def test_a_document_fits_into_25_slots(corpus):
    assert max(len(set(" ".join(sentences).split())) for sentences in references(corpus)) < 25


def test_who_remembers_is_always_right(corpus):
    made = ambiguous_accuracy(corpus, references(corpus))
    assert made == Accuracy(made.total, made.total)
    assert made.total > len(corpus.mentions) / 2
    assert float(ambiguous_accuracy(corpus, replaced(corpus, lambda mention: mention.wrong))) == 0.0


def test_naming_both_translations_is_wrong(corpus):
    both = replaced(corpus, lambda mention: f"{mention.right} {mention.wrong}")
    assert ambiguous_accuracy(corpus, both).correct == 0


def test_guessing_is_right_half_the_time(corpus):
    chance = random.Random(0)
    guesses = replaced(corpus, lambda mention: chance.choice([mention.right, mention.wrong]))
    assert float(ambiguous_accuracy(corpus, guesses)) == pytest.approx(0.5, abs=0.03)


def test_always_the_commoner_translation_is_right_half_the_time(corpus):
    common = defaultdict(Counter)
    for mention in corpus.mentions:
        common[mention.word][mention.right] += 1
    usual = {word: counts.most_common(1)[0][0] for word, counts in common.items()}
    unseen = invented_corpus(600, seed=2)
    outputs = replaced(unseen, lambda mention: usual[mention.word])
    assert float(ambiguous_accuracy(unseen, outputs)) == pytest.approx(0.5, abs=0.06)


def test_no_word_of_an_unmarked_sentence_tells_the_sense():
    # One mention a document, so that draws are independent: each word's count of first senses is binomial.
    corpus = invented_corpus(3000, seed=3)
    first_sense = {word.senses[0] for word in corpus.language.ambiguous}
    last = {mention.document: mention for mention in corpus.mentions}
    together: dict[str, list[bool]] = defaultdict(list)
    for mention in last.values():
        for word in corpus.documents[mention.document].source[mention.sentence].split():
            together[word].append(mention.right in first_sense)
    for word, senses in together.items():
        deviation = abs(sum(senses) - len(senses) / 2) / sqrt(len(senses) / 4)
        assert deviation < 4, f"{word} goes with one sense in {sum(senses)} of {len(senses)} sentences"


def test_plain_files_keep_lines_aligned_and_documents_apart(corpus, tmp_path):
    small = invented_corpus(3, seed=1)
    write_plain(small, tmp_path / "text.source", tmp_path / "text.target")
    source = (tmp_path / "text.source").read_text(encoding="utf-8")
    target = (tmp_path / "text.target").read_text(encoding="utf-8")
    assert source.count("\n") == target.count("\n")
    assert [tuple(part.splitlines()) for part in source.split("\n\n")] == [d.source for d in small.documents]
    assert [tuple(part.splitlines()) for part in target.split("\n\n")] == references(small)
