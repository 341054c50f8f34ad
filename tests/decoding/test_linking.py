"""Links by attention: whatever somebody's translation is, they stay inside of it."""

from recollect.decoding.linking import link_by_attention

SOURCES = ["ba be bi", "", "da de", "unheard ba", "bo"]
TARGETS = ["ka ke", "ka", "", "something else lu", "ki ko ku la"]


def test_words_are_linked_inside_of_both_texts(make_translator):
    found = link_by_attention(make_translator(lanes=3), SOURCES, TARGETS)
    assert [bool(links) for links in found[:4]] == [True, False, False, True]
    for source, target, links in zip(SOURCES, TARGETS, found, strict=True):
        for link in links:
            assert source[link.source_start : link.source_end].strip()
            assert target[link.target_start : link.target_end].strip()


def test_one_sentence_is_linked_as_among_others(make_translator):
    translator = make_translator(lanes=3)
    assert (
        link_by_attention(translator, SOURCES[:1], TARGETS[:1])[0]
        == (link_by_attention(translator, SOURCES, TARGETS)[0])
    )
