"""A document whose later sentences follow a corrected name, whatever model is built in.

A retrained model may say a name right by itself, or cling to its own: of several names the first is taken
that is said otherwise before the correction, with a memory and without, and followed after it.
"""

from dataclasses import dataclass

import recollect
from recollect.folders import DEFAULT

NAMES = {
    "布莱克伍德": "Blackwood",
    "阿什克罗夫特": "Ashcroft",
    "奥克塔维奥": "Octavio",
    "哈弗斯托克": "Haverstock",
    "温特伯恩": "Winterborne",
    "斯特林菲尔德": "Sterlingfield",
    "格林菲尔德": "Greenfield",
    "费尔班克斯": "Fairbanks",
}
SENTENCES = (
    "我们到了 就是这栋房子",
    "{}先生昨天来过书店",
    "他想买我祖父的表",
    "你卖给他了吗",
    "{}先生不是个好人",
    "他生气了吗",
    "他住在湖边的老房子里",
    "我跟你一起去",
    "{}先生 开门",
    "莉迪亚的表被偷了",
)


@dataclass(frozen=True, slots=True)
class Story:
    sentences: tuple[str, ...]
    name: str
    correction: str  # of the second sentence

    @property
    def text(self) -> str:
        return "\n".join(self.sentences)


def find_story() -> Story:
    translator = recollect.load(DEFAULT)
    for source, name in NAMES.items():
        sentences = tuple(sentence.format(source) for sentence in SENTENCES)
        correction = f"Mr. {name} came to the bookshop yesterday."
        before, after = (_translated(translator, sentences, said) for said in (None, correction))
        alone = [each.text for each in translator.without_memory().translate(sentences)]
        followed = [name in text for text in after]
        if not any(name in text for text in (*alone, *before)) and followed[4] and followed[8]:
            return Story(sentences, name, correction)
    raise AssertionError("the built-in model follows none of the names: add some that it does not know")


def _translated(
    translator: "recollect.Translator", sentences: tuple[str, ...], correction: str | None
) -> list[str]:
    session = recollect.Session(translator)
    for number, sentence in enumerate(sentences):
        session.translate(sentence)
        if number == 1 and correction is not None:
            session.correct(1, correction)
    return [sentence.text for sentence in session.sentences]
