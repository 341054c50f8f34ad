"""Which words of a text and of somebody's translation belong together, by a model's own attention."""

from collections.abc import Sequence

from recollect.decoding.translation import Translation
from recollect.decoding.translator import Translator
from recollect.text.placing import Link

__all__ = ["link_by_attention"]


def link_by_attention(
    translator: Translator, sources: Sequence[str], targets: Sequence[str]
) -> list[list[Link]]:
    """Return, for each text and its translation, which stretches belong together, in characters.

    The model reads the translations word by word as if they were its own, and we see where it looks.
    """
    found = translator.force(sources, targets)
    return [
        []
        if each is None
        else translator.links(source, Translation(target, 0.0, tuple(each.tokens), tuple(each.aligned)))
        for source, target, each in zip(sources, targets, found, strict=True)
    ]
