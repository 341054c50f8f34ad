import pytest

from recollect.text.lookalikes import SAME, known_lookalikes


@pytest.mark.parametrize(
    ("known", "text", "read"),
    [
        ('"-', "“a” — «b»", '"a" - "b"'),
        ("“”", '"a" 「b」 «c»', '"a" “b” “c”'),
        ("「」", "“a” 'b'", "「a」 'b'"),
        ("", "“a” — b", "“a” — b"),
        ('“"', "“a”", '“a"'),
    ],
)
def test_what_is_unknown_is_read_as_what_is_known(known: str, text: str, read: str) -> None:
    assert text.translate(known_lookalikes(known.__contains__)) == read


def test_every_character_is_like_one() -> None:
    assert all(len(one) == len(other) == 1 for one, other in SAME.items())
    assert not SAME.keys() & set(SAME.values())
