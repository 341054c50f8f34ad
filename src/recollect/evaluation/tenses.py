"""Past and present in English text, by lists of common verbs: how far a document keeps to one of them.

There is no grammar behind it. Auxiliaries, common irregular verbs and words in -ed count as past; forms of
be, have and do, and common verbs right after a pronoun, as present. What can or will be, what would have
been, and forms that tell nothing (put, read, 'd) do not count; a participle does not either, its auxiliary
does. Rare irregular verbs, present-tense verbs after nouns, and imperatives are missed, and a few adjectives
in -ed are taken for verbs. The same mistakes are made with every system, so compare systems, and do not take
the figures for those of a grammarian.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from recollect.evaluation.agreement import Agreement

__all__ = ["Tenses", "tense_agreement", "tense_consistency", "tenses"]

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*|[.,;:!?…]")
_IRREGULAR = """
become became begin began break broke bring brought build built buy bought catch caught choose chose come came
draw drew drink drank drive drove eat ate fall fell feel felt fight fought find found fly flew forget forgot
get got give gave go went grow grew hear heard hide hid hold held keep kept know knew lead led leave left lend
lent lose lost make made mean meant meet met pay paid ride rode ring rang rise rose run ran say said see saw
sell sold send sent shake shook shoot shot sing sang sit sat sleep slept speak spoke spend spent stand stood
steal stole swear swore swim swam take took teach taught tell told think thought throw threw understand
understood wake woke wear wore win won write wrote
"""
_REGULAR = """
agree ask believe call care change die expect happen hate help hope kill like live look love move need play
promise remember seem start stay stop talk thank try turn use wait walk want watch wish wonder work worry
"""


def _those(words: str) -> frozenset[str]:
    return frozenset(words.split())


_PASTS = frozenset(_IRREGULAR.split()[1::2])
_BASES = frozenset([*_IRREGULAR.split()[::2], *_REGULAR.split()])
_THIRDS = frozenset(
    base[:-1] + "ies" if base.endswith(("ly", "ry")) else base + ("es" if base[-1] in "osh" else "s")
    for base in _BASES
)
_NOT_PAST = _those(
    "bed bleed breed exceed feed fred greed hundred indeed kindred naked need proceed red sacred seed shed "
    "speed succeed ted wed weed wicked"
)
_SUBJECTS = _those("i you we they")
_THIRD_SUBJECTS = _those(
    "he she it who that this there what here where everybody everyone nobody somebody someone"
)
_ALWAYS_PAST = _those("was wasn't were weren't had hadn't did didn't")
_ALWAYS_PRESENT = _those("am is isn't are aren't has hasn't does doesn't")
_NEAR_SUBJECT = _those("do don't have haven't")
_SHORT_PRESENT = ("'m", "'re", "'ve")
# After these a verb is no finite one: a participle, an infinitive, or part of a question.
_BEFORE_PARTICIPLE = _those(
    "am is isn't are aren't was wasn't were weren't be been being have haven't has hasn't had hadn't get "
    "gets getting got having"
)
_BEFORE_INFINITIVE = _those(
    "do don't does doesn't did didn't to will won't would wouldn't can can't cannot could couldn't shall "
    "should shouldn't may might must let make makes made help"
)
_BEFORE_ADJECTIVE = _those(
    "a an the my your his her its our their this these those no some any very so too more most of in"
)
_SKIPPED = _those("not never always just also really ever even still already only")
_STOPS = frozenset(".,;:!?…")


@dataclass(frozen=True, slots=True)
class Tenses:
    """How many verbs of some text are past and how many are present."""

    past: int
    present: int

    @property
    def main(self) -> Literal["past", "present"] | None:
        """The more frequent one, if there is one."""
        if self.past == self.present:
            return None
        return "past" if self.past > self.present else "present"


def tenses(line: str) -> Tenses:
    """Count the past and the present verbs of a line, tokenised or not.

    >>> tenses("She said he was tired, but I don't think so.")
    Tenses(past=2, present=1)
    >>> tenses("I 've seen it. Did you know? You will!")
    Tenses(past=1, present=1)
    """
    words = _words(line)
    kinds = [_tense(words, place) for place in range(len(words))]
    return Tenses(kinds.count("past"), kinds.count("present"))


def tense_consistency(documents: Sequence[Sequence[str]]) -> Agreement:
    """Count the verbs that are in the main tense of their document."""
    same = total = 0
    for document in documents:
        found = [tenses(line) for line in document]
        past, present = sum(each.past for each in found), sum(each.present for each in found)
        same += max(past, present)
        total += past + present
    return Agreement(same, total)


def tense_agreement(outputs: Sequence[str], references: Sequence[str]) -> Agreement:
    """Count the sentences whose main tense is the reference's, of those where both have one."""
    pairs = [
        (tenses(said).main, tenses(wanted).main) for said, wanted in zip(outputs, references, strict=True)
    ]
    known = [(said, wanted) for said, wanted in pairs if said is not None and wanted is not None]
    return Agreement(sum(said == wanted for said, wanted in known), len(known))


def _words(line: str) -> list[str]:
    """Return words in lower case, with the contractions of tokenised text put together again."""
    text = line.lower().replace("&apos;", "'").replace("’", "'")
    text = re.sub(r"\s+(n't|'(?:s|re|m|ve|ll|d))\b", r"\1", text)
    return _WORD.findall(text)


def _tense(words: Sequence[str], place: int) -> Literal["past", "present"] | None:
    word = words[place]
    before = _before(words, place)
    last = before[-1] if before else ""
    following = words[place + 1] if place + 1 < len(words) else ""
    if word in _ALWAYS_PAST:
        return "past"
    if word in _ALWAYS_PRESENT or word.endswith(_SHORT_PRESENT):
        return "present"
    if word.endswith("'s") and word[:-2] in _THIRD_SUBJECTS:
        return "present"
    if word in _NEAR_SUBJECT:
        beside = last in _SUBJECTS or (word in ("do", "don't") and following in _SUBJECTS)
        return "present" if beside and not _asked(before) else None
    if word in _PASTS or _is_regular_past(word):
        return None if _is_participle(word, before) else "past"
    if word in _BASES and last in _SUBJECTS:
        return None if _asked(before) else "present"
    return "present" if word in _THIRDS and last in _THIRD_SUBJECTS else None


def _before(words: Sequence[str], place: int) -> list[str]:
    """Return the words before one in its own clause, without adverbs that may stand between."""
    start = place
    while start and words[start - 1] not in _STOPS:
        start -= 1
    return [word for word in words[start:place] if word not in _SKIPPED]


def _asked(before: Sequence[str]) -> bool:
    """Whether the subject before a verb follows an auxiliary: did you know, let us go."""
    return len(before) > 1 and before[-2] in _BEFORE_INFINITIVE


def _is_regular_past(word: str) -> bool:
    return len(word) > 3 and word.endswith("ed") and word not in _NOT_PAST


def _is_participle(word: str, before: Sequence[str]) -> bool:
    """Whether an auxiliary is near, or (for words in -ed) what would make it an adjective."""
    near = before[-2:]
    if any(each in _BEFORE_PARTICIPLE or "'" in each for each in near):
        return True
    return word not in _PASTS and bool(near) and near[-1] in _BEFORE_ADJECTIVE
