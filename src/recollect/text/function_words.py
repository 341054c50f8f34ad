"""Words that carry grammar and are no terms: short lists, and whatever a document says all the time."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

from recollect.text.scripts import is_dense
from recollect.text.stems import without_genitive

__all__ = ["FUNCTION_CHARACTERS", "FUNCTION_WORDS", "is_function_word", "very_frequent"]

_ENGLISH = """
a about according after again all already also although always am among an and another any are aren around
as at away back based be because been before being between both but by called came can cannot come could
couldn currently d did didn different do does doesn doing don done down dr during each either else enough
even ever every example examples few following for from get gets getting given go goes going gone gonna got
had has hasn have haven having he her here hers him himself his how however i if in instead into is isn it
its itself just know let like ll m make makes many may maybe me might mine more most mr mrs ms much must my
n't never no nor not nothing now of off often oh ok okay on once one only onto or order other otherwise our
ours out over own please possible put rather re really s said same say see several she should shouldn
similar since so some something sometimes still such sure t take tell than thank that the their them then
there therefore these they thing things think this those through to told too two under unless until up upon
us use used using usually various ve very wanna want was wasn way we well were weren what when where whether
which while who whole whom whose why will with within without won would wouldn yeah yes yet you your yours
yourself
"""
_GERMAN = """
aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist da dabei
damit dann das dass dein deine dem den denn der des dich die dies diese diesem diesen dieser dieses dir doch
dort du durch ein eine einem einen einer eines er es etwas euch euer für gegen habe haben hat hatte hatten
ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes kann kein keine
keinen können man mehr mein meine mich mir mit muss müssen nach nicht nichts noch nun nur ob oder ohne schon
sehr sein seine seinen seiner seit sich sie sind so soll sollte sondern sowie um und uns unser unter vom von
vor wann war waren was weil wenn wer werden wie wieder will wir wird wo wurde wurden zu zum zur zwischen
über
"""
_ROMANCE = """
al au aux avec ce ces cette como con dans de del des deux di du e el elle en entre es est esta este et ha il
ils je la las le les leur lo los lui mais me mi ne ni no nos notre nous o on ou où para pas per più plus por
pour que qui sa se ses si son su sur sus te toi tout tu un una une uno vous y à
"""
FUNCTION_WORDS = frozenset(chain(*(words.split() for words in (_ENGLISH, _GERMAN, _ROMANCE))))
FUNCTION_CHARACTERS = frozenset(
    "的了是在我你您他她它们这那此其不没有就都也还又很太和与及或之吗呢吧啊呀嘛哦喔么着过把被给让对从到向于以为所而且但"
    "要会能可该得地个些什怎谁哪几一两说来去只才再更最如果因请每跟别"
)
_SHARE = 0.12  # of the sentences; terms are rarer than that in any document but a very short one
_SENTENCES = 25


def is_function_word(word: str) -> bool:
    """Whether a word is known to carry grammar only.

    >>> is_function_word("The"), is_function_word("的"), is_function_word("library")
    (True, True, False)
    """
    if is_dense(word[:1]):
        return all(character in FUNCTION_CHARACTERS for character in word)
    return without_genitive(word.lower()) in FUNCTION_WORDS


def very_frequent(sentences: Iterable[Sequence[str]]) -> set[str]:
    """Return words that stand in so many sentences that they must be grammar, if there are enough of them."""
    found = [set(sentence) for sentence in sentences]
    if len(found) < _SENTENCES:
        return set()
    counts = Counter(chain.from_iterable(found))
    return {word for word, count in counts.items() if count > _SHARE * len(found)}
