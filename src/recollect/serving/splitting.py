"""Text as it is pasted, cut into sentences that the model can take."""

from collections.abc import Callable, Sequence

from recollect.decoding.translator import Translator
from recollect.serving.record import Sentence
from recollect.text.passages import LONGEST
from recollect.text.segment import split_sentences

__all__ = ["as_sentences", "split_text", "token_length"]

MOST_GAP = 10  # characters of white space that are kept between sentences


def token_length(translator: Translator) -> Callable[[str], int]:
    """Return what says how long a text is for a model, in tokens."""
    vocabulary = translator.source_vocabulary
    return lambda text: len(text) if len(text) > 2000 else len(vocabulary.encode(text))


def split_text(translator: Translator, text: str) -> list[Sentence]:
    """Return the sentences of a text, and the white space after each; a line never goes on in the next."""
    found: list[Sentence] = []
    lines = text.splitlines()
    for number, line in enumerate(lines):
        spans = split_sentences(line, translator.languages[0], LONGEST, token_length(translator))
        for start, end in spans:
            found.append(Sentence(line[start:end], gap=" "))
        if found and number + 1 < len(lines):
            breaks = found[-1].gap.replace(" ", "") + "\n"
            found[-1] = Sentence(found[-1].source, gap=breaks[:MOST_GAP])
    return found


def as_sentences(texts: Sequence[str]) -> list[Sentence]:
    """Return sentences that somebody else has cut, one a line."""
    return [Sentence(" ".join(text.split()), gap="\n") for text in texts]
