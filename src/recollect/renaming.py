"""Training documents in which names that come again have become other names, which only a memory can know."""

import random
from collections.abc import Sequence
from dataclasses import replace

from recollect.batches.sentences import Ids
from recollect.evaluation.repeats import names_again
from recollect.memory.slots import OWN
from recollect.text.names import names_in, put_words
from recollect.text.vocabulary import Vocabulary
from recollect.training.past import Past, Tutorial

__all__ = ["rename"]


def rename(tutorials: Sequence[Tutorial], vocabulary: Vocabulary, share: float, seed: int) -> list[Tutorial]:
    """Give a share of the repeated names of each document those of other documents, in all that people said.

    A person who corrects a name says what the model could not have guessed. References of training text say
    it too rarely for a gate to learn how far to follow.
    """
    texts = [[vocabulary.decode(list(map(int, target))) for _, target in each.pairs] for each in tutorials]
    names = sorted({name for lines in texts for line in lines for name in names_in(line)})
    chance = random.Random(seed)
    found = []
    for tutorial, lines in zip(tutorials, texts, strict=True):
        known = {name for line in lines for name in names_in(line)}
        strange = [name for name in names if name not in known]
        again = [each.name for each in names_again(lines)] if strange else []
        others = {name: chance.choice(strange) for name in again if chance.random() < share}
        found.append(_renamed(tutorial, lines, others, vocabulary))
    return found


def _renamed(
    tutorial: Tutorial, lines: Sequence[str], others: dict[str, str], vocabulary: Vocabulary
) -> Tutorial:
    targets: list[Ids] = []
    for (_, target), line in zip(tutorial.pairs, lines, strict=True):
        text = put_words(line, others)
        targets.append(target if text == line else vocabulary.encode(text))
    return replace(
        tutorial,
        pairs=[(source, target) for (source, _), target in zip(tutorial.pairs, targets, strict=True)],
        past=[
            past if past.origin == OWN else Past(past.source, target, past.origin)
            for past, target in zip(tutorial.past, targets, strict=True)
        ],
    )
