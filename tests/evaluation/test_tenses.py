"""Past and present: what counts, what does not, and the shares that come of it."""

import pytest

from recollect.evaluation.agreement import Agreement
from recollect.evaluation.tenses import Tenses, tense_agreement, tense_consistency, tenses

LINES = {
    "Everyone felt that this was an opportunity.": (2, 0),
    "We feel that it is a challenge.": (0, 2),
    "I've seen it, and she has seen it.": (0, 2),  # the auxiliary counts, the participle does not
    "They had never been beaten.": (1, 0),
    "Did you know? Do you know?": (1, 1),
    "I didn't know you wanted that.": (2, 0),
    "You will go, he would stay, I'd rather not.": (0, 0),
    "the tired man needed a bed": (1, 0),
    "it 's late , is n't it ?": (0, 2),
    "He doesn &apos;t": (0, 0),
    "He does n&apos;t want to go": (0, 1),
    "Don't look. Put it there!": (0, 0),
    "John's car": (0, 0),
    "She flies, he tries, it goes, that works": (0, 4),
    "": (0, 0),
    "二十一": (0, 0),
}


@pytest.mark.parametrize("line", LINES)
def test_verbs_are_counted(line):
    assert tenses(line) == Tenses(*LINES[line])


def test_the_main_tense_is_the_more_frequent_one():
    assert Tenses(2, 1).main == "past"
    assert Tenses(0, 1).main == "present"
    assert Tenses(1, 1).main is None


def test_a_document_is_as_consistent_as_its_main_tense_is_frequent():
    told = ["I was there.", "He said so.", "It is late."]  # 2 past, 1 present
    talked = ["I know.", "You know.", "She went.", "We are here."]  # 1 past, 3 present
    found = tense_consistency([told, talked])
    assert found == Agreement(2 + 3, 3 + 4)
    assert found.share == pytest.approx(100 * 5 / 7)
    assert tense_consistency([["No verbs"]]) == Agreement(0, 0)
    assert tense_consistency([]).share == 0


def test_agreement_with_a_reference_is_by_sentence_where_both_have_a_tense():
    outputs = ["I feel it.", "He was here.", "Nothing.", "She is, she was."]
    references = ["I felt it.", "He was there.", "I know nothing.", "She was."]
    assert tense_agreement(outputs, references) == Agreement(1, 2)
