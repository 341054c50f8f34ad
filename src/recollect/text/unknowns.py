"""Unknown words in a translation, replaced by the dictionary or copied from the source."""

from collections.abc import Mapping, Sequence

from recollect.text.specials import SPECIALS, UNK

__all__ = ["replace_unknowns"]


def replace_unknowns(
    target_words: Sequence[str],
    source_words: Sequence[str],
    aligned: Sequence[int],
    dictionary: Mapping[str, str],
) -> list[str]:
    """Each `<unk>` becomes the translation of its aligned source word, or else that word itself.

    `aligned[i]` is the place of the source word that target word `i` attended to most.

    >>> replace_unknowns(["<unk>", "met", "<unk>"], ["小明", "见", "Ann"], [0, 1, 2], {"小明": "Xiaoming"})
    ['Xiaoming', 'met', 'Ann']
    """
    unknown = SPECIALS[UNK]
    return [
        dictionary.get(source_words[place], source_words[place]) if word == unknown else word
        for word, place in zip(target_words, aligned, strict=True)
    ]
