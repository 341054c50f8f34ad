"""Text as it is pasted, cut into sentences that the model can take."""

from recollect.decoding.translator import Translator
from recollect.text.passages import LONGEST
from recollect.text.segment import split_sentences

__all__ = ["split_text"]


def split_text(translator: Translator, text: str) -> list[str]:
    """Return the sentences of a text, in order; a line never goes on in the next."""
    vocabulary = translator.source_vocabulary

    def length(part: str) -> int:
        return len(part) if len(part) > 2000 else len(vocabulary.encode(part))

    return [
        line[start:end]
        for line in text.splitlines()
        for start, end in split_sentences(line, translator.languages[0], LONGEST, length)
    ]
