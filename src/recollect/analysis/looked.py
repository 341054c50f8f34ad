"""What the words of a document looked at most: the same phrase, the same word, a related one, or neither."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from recollect.analysis.replay import Said
from recollect.evaluation.matches import Shares, is_content, kind_of_match
from recollect.text.vocabulary import BOS, Vocabulary

__all__ = ["Looked", "count_looks"]


@dataclass(frozen=True, slots=True)
class Looked:
    """Kinds of matches: of the slot that each word looked at most, and of any slot, as by chance."""

    most: Shares = field(default_factory=Shares)
    chance: Shares = field(default_factory=Shares)


def count_looks(sentences: Iterable[Said], vocabulary: Vocabulary) -> Looked:
    """Go through all words that carry more than grammar and were said when something was remembered."""
    looked = Looked()
    for said in sentences:
        assert said.recall is not None
        assert said.slots is not None
        filled = said.slots.filled[0].nonzero()[:, 0].tolist()
        if not filled:
            continue
        words, before = (each[0].tolist() for each in (said.slots.words, said.slots.before))
        remembered = {
            slot: (vocabulary.piece(words[slot]), vocabulary.piece(before[slot])) for slot in filled
        }
        best = said.recall.places[0].gather(1, said.recall.match[0].argmax(-1, keepdim=True))[:, 0].tolist()
        for time, token in enumerate(said.tokens):
            piece = vocabulary.piece(token)
            if not is_content(piece):
                continue
            own = piece, vocabulary.piece(said.tokens[time - 1] if time else BOS)
            looked.most.add([(kind_of_match(*own, *remembered[best[time]]), 1.0)])
            share = 1 / len(filled)
            looked.chance.add([(kind_of_match(*own, *each), share) for each in remembered.values()])
    return looked
