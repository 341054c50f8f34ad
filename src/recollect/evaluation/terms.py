"""Names and terms that a document repeats, found in its own text alone."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recollect.text.function_words import FUNCTION_CHARACTERS, is_function_word, very_frequent
from recollect.text.lexicon import Lexicon, Token
from recollect.text.scripts import is_dense
from recollect.text.segment import Span
from recollect.text.stems import stem

__all__ = ["Candidate", "Side", "candidates"]

_LONGEST = 3  # words of a term
_SHORTEST = 4  # letters of a word that is no name
_ENDS = ".!?:…。！？：\n"
_BETWEEN = " \"'“”‘’„«([{-—–*•"
_NOUNS_HAVE_CAPITALS = 0.25  # share of different words with one inside of sentences: German has more


@dataclass(frozen=True, slots=True)
class Candidate:
    """What may be a term, and everywhere it stands."""

    text: str
    name: bool
    places: tuple[tuple[int, Span], ...]  # number of the text, and where in it


class Side:
    """The texts of one language, cut into words."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self.lexicon = Lexicon.learned(texts)
        self.tokens = [self.lexicon.tokens(text) for text in texts]
        self.keys = [[stem(token.text) for token in each] for each in self.tokens]
        self.frequent = very_frequent(self.keys)
        letters = sum(len(token.text) for each in self.tokens for token in each)
        dense = sum(len(t.text) for each in self.tokens for t in each if is_dense(t.text[0]))
        self.dense = 2 * dense > letters
        self.cased = self._cased()

    def _cased(self) -> bool:
        """Whether a capital inside of a sentence makes a name."""
        inside = {
            token.text
            for text, tokens in zip(self.texts, self.tokens, strict=True)
            for token in tokens
            if token.text[0].isalpha() and not opens(text, token)
        }
        capitals = sum(word[0].isupper() for word in inside)
        return 0 < capitals < _NOUNS_HAVE_CAPITALS * len(inside)

    def is_function(self, word: str) -> bool:
        """Whether a word carries grammar only."""
        frequent = stem(word) in self.frequent and not (is_dense(word[0]) or word[0].isupper())
        return frequent or is_function_word(word)

    def named(self, number: int, token: Token) -> bool | None:
        """Whether the word is written as a name; None where it opens a sentence or is all capitals."""
        if opens(self.texts[number], token) or (len(token.text) > 1 and token.text.isupper()):
            return None
        return token.text[0].isupper()


def opens(text: str, token: Token) -> bool:
    """Whether a word is the first of its sentence."""
    before = text[: token.start].rstrip(_BETWEEN)
    return not before or before[-1] in _ENDS


def candidates(side: Side) -> list[Candidate]:
    """Return what stands in the texts at least twice and may be a term, the most frequent first."""
    places: dict[tuple[str, ...], list[tuple[int, Span]]] = defaultdict(list)
    forms: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    names: dict[tuple[str, ...], list[bool]] = defaultdict(list)
    for number, text in enumerate(side.texts):
        for key, tokens in _grams(side, number):
            span = tokens[0].start, tokens[-1].end
            places[key].append((number, span))
            forms[key][text[span[0] : span[1]]] += 1
            names[key] += [
                named for named in (side.named(number, token) for token in tokens) if named is not None
            ]
    kept = {key: found for key, found in places.items() if len(found) > 1}
    inner = _inner(kept)
    found = []
    for key, where in kept.items():
        name = side.cased and bool(names[key]) and sum(names[key]) >= 0.8 * len(names[key])
        if key not in inner and (name or _long_enough(key)):
            found.append(Candidate(forms[key].most_common(1)[0][0], name, tuple(where)))
    return sorted(found, key=lambda each: -len(each.places))


def _grams(side: Side, number: int) -> Iterator[tuple[tuple[str, ...], Sequence[Token]]]:
    """Yield words, and words beside each other, that grammar neither begins nor ends."""
    text, tokens, keys = side.texts[number], side.tokens[number], side.keys[number]
    content = [
        token.text[0].isalpha() and not side.is_function(token.text) and not _is_identifier(text, token)
        for token in tokens
    ]
    for begin, token in enumerate(tokens):
        if not content[begin]:
            continue
        if is_dense(token.text[0]):
            if len(token.text) > 1 and not {token.text[0], token.text[-1]} & FUNCTION_CHARACTERS:
                yield (token.text,), (token,)
            continue
        for end in range(begin + 1, min(begin + _LONGEST, len(tokens)) + 1):
            if end > begin + 1 and text[tokens[end - 2].end : tokens[end - 1].start].strip(" -"):
                break
            if content[end - 1]:
                yield tuple(keys[begin:end]), tokens[begin:end]


def _is_identifier(text: str, token: Token) -> bool:
    """Whether a word is a parameter or a variable, as documentation writes them."""
    around = text[max(0, token.start - 1) : token.start] + text[token.end : token.end + 1]
    return around in ("**", "__") or "_" in token.text


def _inner(places: dict[tuple[str, ...], list[tuple[int, Span]]]) -> set[tuple[str, ...]]:
    """Return parts of longer ones that stand nowhere else."""
    found = set()
    for key, where in places.items():
        for size in range(1, len(key)):
            for begin in range(len(key) - size + 1):
                part = key[begin : begin + size]
                if len(places.get(part, ())) == len(where):
                    found.add(part)
    return found


def _long_enough(key: tuple[str, ...]) -> bool:
    return is_dense(key[0][0]) or any(len(word) >= _SHORTEST for word in key)
