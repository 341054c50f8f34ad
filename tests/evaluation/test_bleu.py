"""BLEU from our statistics is sacreBLEU's, whatever the tokenisation, and says how it was made."""

import math

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.errors import ConfigError, DataError
from recollect.evaluation import Bleu, Lines, ScoreOptions, bleu, chrf, segment_statistics
from recollect.evaluation.reference_style import detokenised_to_reference_style, unescaped

sentences = st.lists(st.sampled_from(["a", "b", "C", "c", "it's", "mix-up", "3,4", "."]), max_size=9).map(
    " ".join
)
corpora = st.lists(st.tuples(sentences, sentences, sentences), min_size=1, max_size=12)


@settings(deadline=None, max_examples=60)
@given(corpora, st.booleans(), st.sampled_from(["13a", "none", "zh", "char"]))
def test_corpus_score_is_sacrebleus(corpus, lowercase, tokenise):
    output, first, second = zip(*corpus, strict=True)
    ours = bleu(
        Lines("output", output),
        [Lines("first", first), Lines("second", second)],
        ScoreOptions(lowercase=lowercase, tokenise=tokenise),
    )
    metric = sacrebleu.BLEU(lowercase=lowercase, tokenize=tokenise, force=True)
    theirs = metric.corpus_score(output, [first, second])
    assert ours.score == pytest.approx(theirs.score, rel=1e-12)
    assert ours.precisions == pytest.approx(theirs.precisions)
    assert ours.brevity_penalty == pytest.approx(theirs.bp)
    assert ours.length_ratio == pytest.approx(theirs.ratio) or theirs.ref_len == 0
    assert ours.signature == str(metric.get_signature())


def test_statistics_by_hand():
    made = segment_statistics(Lines("output", ["The cat sat"]), [Lines("reference", ["the cat sat down"])])
    assert made.counts.tolist() == [[3, 4, 3, 2, 1, 0, 3, 2, 1, 0]]


def test_score_by_hand():
    made = bleu(Lines("output", ["a b c d"]), [Lines("reference", ["a b c e f"])])
    precisions = [75, 200 / 3, 50, 50]  # no 4-gram matches: the first empty order counts as 1/2
    assert made.precisions == pytest.approx(precisions)
    assert made.brevity_penalty == pytest.approx(math.exp(1 - 5 / 4))
    assert made.score == pytest.approx(math.exp(-1 / 4) * np.prod(precisions) ** 0.25)


def test_moses_brings_raw_output_into_the_references_style():
    reference = Lines("reference", ["it &apos;s okay . a mix @-@ up , &quot; he said . &quot;"])
    raw = Lines("output", ['It\'s okay. A mix-up, "he said."'])
    made = bleu(raw, [reference], ScoreOptions(tokenise="moses"))
    assert made.score == pytest.approx(100)
    assert "tok:moses-en-hyphens-unescaped-sacremoses." in made.signature


def test_reference_style():
    assert detokenised_to_reference_style(["It's okay.", "A & B [1]"]) == ["It 's okay .", "A & B [ 1 ]"]
    assert unescaped(["&amp;apos; &#91;x&#93; &lt;&gt;&#124;"]) == ["&apos; [x] <>|"]


def test_printed_with_its_signature():
    made = Bleu(34.3, (60.0, 40.0, 30.0, 20.0), 1.0, 1.01, "nrefs:3|case:lc")
    assert str(made) == "BLEU 34.30 | nrefs:3|case:lc"


def test_chrf_is_sacrebleus():
    made = chrf(Lines("output", ["a cat sat"]), [Lines("reference", ["A cat sits"])])
    assert made.score == pytest.approx(
        sacrebleu.CHRF(lowercase=True).corpus_score(["a cat sat"], [["A cat sits"]]).score
    )
    assert "case:lc" in made.signature


def test_different_lengths_are_named_with_their_counts():
    with pytest.raises(DataError, match=r"out\.txt has 1, ref\.txt has 2 lines"):
        bleu(Lines("out.txt", ["a"]), [Lines("ref.txt", ["a", "b"])])


def test_nothing_to_score():
    with pytest.raises(DataError, match="nothing to score"):
        bleu(Lines("out.txt", []), [Lines("ref.txt", [])])


def test_unknown_tokenisation():
    with pytest.raises(ConfigError, match="'14b'; choose one of 13a, moses"):
        ScoreOptions(tokenise="14b")
