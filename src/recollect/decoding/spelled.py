"""What search has found, with names spelled as the source spells them: read like a person's correction."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from recollect.decoding.hypothesis import Hypothesis
from recollect.decoding.remembered import remembered_words
from recollect.decoding.translation import Translation
from recollect.memory.slots import ORIGINS, OWN, Slots
from recollect.text.names import LETTERS
from recollect.text.scripts import usual_script
from recollect.text.spelling import Written, as_written, words_in
from recollect.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from recollect.decoding.translator import Translator

__all__ = ["spelled"]


def spelled(
    translator: "Translator",
    source: str,
    found: Sequence[Hypothesis],
    slots: Slots | None,
    before: Sequence[str],
) -> list[Hypothesis]:
    """Return the hypotheses of a sentence, those that spell a word of the source otherwise set right.

    What people have said (in the only lane of `slots`, or in a project's memory) is never changed. What is
    set right keeps the score of what was found; where two become one, the better stays.
    """
    vocabularies = translator.source_vocabulary, translator.target_vocabulary
    script = _copied_script(*vocabularies)  # type: ignore[arg-type]  # each is itself, and so has a hash
    written = words_in(source, script) if script and translator.dictionary is None else []
    if not written or all(_text(translator, each, source, written, set()) is None for each in found):
        return list(found)
    people = _words_of_people(translator, slots)
    texts = [_text(translator, each, source, written, people) for each in found]
    changed = [text for text in texts if text is not None]
    forced = iter(translator.force([source] * len(changed), changed, [before] * len(changed)))
    best: dict[str, Hypothesis] = {}
    for each, text in zip(found, texts, strict=True):
        read = each if text is None else next(forced)
        if read is not None:
            kept = replace(read, log_probability=each.log_probability, score=each.score)
            best.setdefault(translator.target_vocabulary.decode(read.tokens), kept)
    return list(best.values())


def _text(
    translator: "Translator", found: Hypothesis, source: str, written: Sequence[Written], people: set[str]
) -> str | None:
    """Return what should be said instead, if anything should."""
    vocabulary = translator.target_vocabulary
    text = vocabulary.decode(found.tokens)
    links = translator.links(source, Translation(text, 0.0, tuple(found.tokens), tuple(found.aligned)))

    def is_kept(word: str) -> bool:
        return word.casefold() in people or len(vocabulary.encode(word.lower())) == 1  # an ordinary word

    better = as_written(written, text, links, is_kept)
    return None if better == text else better


def _words_of_people(translator: "Translator", slots: Slots | None) -> set[str]:
    memories = [slots, None if translator.memory is None else translator.memory.project]
    return {
        word.casefold()
        for memory in memories
        if memory is not None
        for each in remembered_words(memory, translator.target_vocabulary)
        if each.origin != ORIGINS[OWN]
        for word in LETTERS.findall(each.word)  # Tony in Tony's
    }


@lru_cache(maxsize=8)
def _copied_script(source: Vocabulary, target: Vocabulary) -> str:
    """Return the target's script, if the source has another: then words in it come from there."""
    given, said = (
        usual_script(_letters(side.piece(token)) for token in range(side.size)) for side in (source, target)
    )
    return "" if given in ("", said) else said


def _letters(piece: str) -> str:
    return "" if piece.startswith("<") else piece  # specials and bytes
