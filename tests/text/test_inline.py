from hypothesis import given
from hypothesis import strategies as st

from recollect.text.inline import Inline, Mark

ROLES = st.sampled_from(["open", "close", "point", "word"])


@st.composite
def inlines(draw: st.DrawFn) -> Inline:
    text = draw(st.text(max_size=20))
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=5)))
    return Inline(text, tuple(Mark(at, draw(st.text(max_size=4)), draw(ROLES)) for at in places))


@given(inlines())
def test_pieces_put_together_are_the_whole(inline: Inline) -> None:
    assert Inline.joined(inline.pieces()) == inline


@given(inlines(), st.data())
def test_cut_parts_put_together_are_the_whole(inline: Inline, data: st.DataObject) -> None:
    ends = sorted(data.draw(st.sets(st.integers(1, max(1, len(inline.text) - 1)), max_size=3)))
    ends = [end for end in ends if end < len(inline.text)]
    parts = inline.cut(ends)
    assert len(parts) == len(ends) + 1
    assert "".join(part.text for part in parts) == inline.text
    assert "".join(map(str, parts)) == str(inline)


def test_marks_are_written_where_they_stand() -> None:
    inline = Inline("Hi  there", (Mark(3, "{name}"), Mark(4, "<b>", "open", 1), Mark(9, "</b>", "close", 1)))
    assert str(inline) == "Hi {name} <b>there</b>"
