"""Every sample in examples/documents: the same file back, only its prose changed; damage gets a sentence."""

from pathlib import Path

import pytest

from recollect.errors import DataError
from recollect.text.formats.content import Content
from recollect.text.formats.registry import FORMATS, format_of, read_content
from recollect.text.passages import Passages, Spoken

FOLDER = Path(__file__).parents[2] / "examples" / "documents"
SAMPLES = sorted(path for path in FOLDER.iterdir() if format_of(path))
each_sample = pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
FOR_TWO_LANGUAGES = ("po", "tmx", "xliff")


def read(path: Path) -> Content:
    kind = format_of(path)
    assert kind is not None
    options = {"table": {"column": "text"}, "tmx": {"source": "zh", "target": "en"}}.get(kind, {})
    return read_content(path, kind, **options)


def test_there_is_a_sample_of_every_format() -> None:
    assert {format_of(path) for path in SAMPLES} == set(FORMATS)


@each_sample
def test_untouched_it_is_the_same_file(path: Path) -> None:
    content = read(path)
    assert content.units
    assert content.render([None] * len(content.units)) == path.read_bytes()
    if format_of(path) not in FOR_TWO_LANGUAGES:
        assert content.render([unit.source for unit in content.units]) == path.read_bytes()


@each_sample
def test_translated_by_the_identity_it_is_the_same_file(path: Path) -> None:
    passages = Passages(read(path), "zh")
    assert passages.sentences
    spoken = [Spoken(passages.settled.get(number, text)) for number, text in enumerate(passages.sentences)]
    found = passages.render(spoken)
    if format_of(path) in FOR_TWO_LANGUAGES:  # the sources now stand there as translations, too
        assert len(found) > len(path.read_bytes())
    else:
        assert found == path.read_bytes()


@each_sample
def test_translated_only_prose_changes(path: Path, tmp_path: Path) -> None:
    """A translation into signs that occur nowhere else: they are all found, and nothing else is new."""
    passages = Passages(read(path), "zh")
    count = len(passages.sentences)
    translated = tmp_path / path.name
    translated.write_bytes(passages.render([Spoken("ZQ ZQ.") for _ in range(count)]))
    after = Passages(read(translated), "zh")
    assert len(after.content.units) == len(passages.content.units)
    if format_of(path) not in FOR_TWO_LANGUAGES:
        assert set(" ".join(after.sentences).split()) <= {"ZQ", "ZQ."}
    else:
        assert len(after.settled) >= len(passages.settled)
        assert sum("ZQ" in text for text in after.settled.values()) >= count - len(passages.settled) - 1


@each_sample
@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_truncated_it_is_read_or_refused_in_a_sentence(path: Path, share: float, tmp_path: Path) -> None:
    data = path.read_bytes()
    broken = tmp_path / path.name
    broken.write_bytes(data[: int(share * len(data))])
    try:
        content = read(broken)
    except DataError as error:
        told = str(error)
    else:
        assert content.render([None] * len(content.units)) == broken.read_bytes()
        return
    assert len(told.splitlines()) == 1
    assert path.name in told


@each_sample
@pytest.mark.parametrize("junk", [b"\xff\xfe\x00\xd8", b"\x00" * 50, b"\x80\x81\xfe\xff" * 10])
def test_wrong_bytes_are_refused_in_a_sentence(path: Path, junk: bytes, tmp_path: Path) -> None:
    broken = tmp_path / path.name
    broken.write_bytes(junk)
    with pytest.raises(DataError, match=path.name) as told:
        read(broken)
    assert len(str(told.value).splitlines()) == 1
