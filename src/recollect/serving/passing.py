"""Texts that are translated in passing: taken apart into sentences, put together from translations."""

from collections.abc import Sequence

from recollect.decoding.translation import Translation
from recollect.decoding.translator import Translator
from recollect.serving.splitting import token_length
from recollect.text.formats.html import read_html
from recollect.text.formats.prose import read_prose
from recollect.text.glossary import Term
from recollect.text.passages import Passages, Spoken
from recollect.text.segment import split_sentences

__all__ = ["PassingText", "suggested_pairs"]

_UTF8 = b"\xef\xbb\xbf"  # what begins with this mark is UTF-8, whatever a page may say of itself


class PassingText:
    """A text, plain or HTML, as sentences."""

    def __init__(
        self, translator: Translator, text: str, *, markup: bool = False, held: Sequence[Term] = ()
    ) -> None:
        """`held` terms are put in as they are, where no memory will remember them."""
        self._translator = translator
        content = (read_html if markup else read_prose)(_UTF8 + text.encode(), "q")
        language, length = translator.languages[0], token_length(translator)
        self._passages = Passages(content, language, length, held=held)

    @property
    def sentences(self) -> list[str]:
        """The sentences in reading order."""
        return self._passages.sentences

    def versions(self, said: Sequence[Translation], alternatives: int) -> list[str]:
        """Return the text translated, and then as many other versions of that as there are, at most.

        Another version has the next best translation of every sentence that has one.
        """
        choices = [list({one.text: one for one in (each, *each.alternatives)}.values()) for each in said]
        whole = [
            self._render([own[min(version, len(own) - 1)] for own in choices])
            for version in range(1 + min(alternatives, max((len(own) - 1 for own in choices), default=0)))
        ]
        return list(dict.fromkeys(whole))

    def _render(self, said: Sequence[Translation]) -> str:
        spoken = [
            Spoken(each.text, self._translator.links(sentence, each) if each.tokens else ())
            for sentence, each in zip(self.sentences, said, strict=True)
        ]
        return self._passages.render(spoken)[len(_UTF8) :].decode()


def suggested_pairs(translator: Translator, text: str, suggestion: str) -> list[tuple[str, str]]:
    """Return the sentences of a text with those of its suggested translation, if they are as many.

    Otherwise the whole text is one sentence with one translation.
    """
    sentences = PassingText(translator, text).sentences
    spans = split_sentences(suggestion, translator.languages[1])
    if len(sentences) == len(spans) > 1:
        return [(each, suggestion[slice(*span)]) for each, span in zip(sentences, spans, strict=True)]
    return [(sentences[0] if len(sentences) == 1 else " ".join(text.split()), " ".join(suggestion.split()))]
