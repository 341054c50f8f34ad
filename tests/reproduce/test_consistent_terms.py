"""The share of consistent terms in the tables, beside a count that needs neither an aligner nor stems."""

import itertools
import random

import pytest

from recollect.reproduce.quality import consistency
from recollect.text.document import ParallelDocument

TERMS, TIMES = 12, 6
SYLLABLES = [one + other for one in "bdfgklmnprstvz" for other in "aeiou"]


def translated(seed: int, wavering: int) -> tuple[ParallelDocument, list[str]]:
    """A document said word by word, in which some terms come out in another way every third time."""
    chance = random.Random(seed)
    made = itertools.product(SYLLABLES, repeat=3)
    words = map("".join, chance.sample(list(made), 1000))
    terms = [(next(words), next(words), next(words)) for _ in range(TERMS)]
    order = list(range(TERMS)) * TIMES
    chance.shuffle(order)
    said = [0] * TERMS
    source, output = [], []
    for number in order:
        said[number] += 1
        term, usual, other = terms[number]
        rendering = other if number < wavering and said[number] % 3 == 0 else usual
        around = [(next(words), next(words)) for _ in range(2)]
        pairs = around[0], (term, rendering), around[1]
        source.append(" ".join(one for one, _ in pairs))
        output.append(" ".join(other for _, other in pairs))
    return ParallelDocument("d", tuple(source), ()), output


def by_place(document: ParallelDocument, output: list[str]) -> dict[str, list[str]]:
    """Each repeated word with what stands in its place."""
    found: dict[str, list[str]] = {}
    for ours, theirs in zip(document.source, output, strict=True):
        for word, rendering in zip(ours.split(), theirs.split(), strict=True):
            found.setdefault(word, []).append(rendering)
    return {word: renderings for word, renderings in found.items() if len(renderings) > 1}


@pytest.mark.parametrize("wavering", [(0, 0), (3, 0), (4, 7), (12, 12)])
def test_the_share_of_two_documents(wavering):
    made = [translated(seed, count) for seed, count in enumerate(wavering)]
    repeated = [each for document in made for each in by_place(*document).values()]
    share = 100 * sum(len(set(each)) == 1 for each in repeated) / len(repeated)
    assert share == 100 * (2 * TERMS - sum(wavering)) / (2 * TERMS)  # as it was made
    assert consistency([document for document, _ in made], [output for _, output in made]) == pytest.approx(
        share
    )


def test_without_repeated_terms_there_is_no_share():
    assert consistency([ParallelDocument("d", ("a b", "c"), ())], [["x", "y"]]) is None
