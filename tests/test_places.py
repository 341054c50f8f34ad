"""Which files are translated, where to, and how they are read."""

from pathlib import Path

import pytest

from recollect.decoding.journal import Journal
from recollect.documents import Errand, Reading, _places, _unfinished
from recollect.errors import DataError, RecollectError
from recollect.text.inline import plain

LANGUAGES = ("zh", "en")


def season(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")
    return folder


def outputs(folder: Path, output: Path | None = None, **options: bool) -> dict[str, str]:
    """Names below the folder, from sources to outputs."""
    errand = Errand([folder], output, Reading(), **options)
    places = _unfinished(errand, _places(errand, LANGUAGES))
    return {str(path.relative_to(folder)): str(into.relative_to(folder)) for path, into in places}


@pytest.mark.parametrize("there", [["e1.en.srt"], ["e1.en.srt", "e1.en.en.srt"]])
def test_a_translation_beside_its_source_is_no_source(tmp_path: Path, there: list[str]) -> None:
    season(tmp_path, "e1.zh.srt", "e2.zh.srt", *there)
    assert outputs(tmp_path, resume=True) == {"e2.zh.srt": "e2.en.srt"}
    assert outputs(tmp_path, force=True) == {"e1.zh.srt": "e1.en.srt", "e2.zh.srt": "e2.en.srt"}
    with pytest.raises(RecollectError, match=r"e1\.en\.srt exists already"):
        outputs(tmp_path)


def test_translations_in_a_folder_within_are_no_sources(tmp_path: Path) -> None:
    season(tmp_path, "e1.srt", "s/e2.srt", "en/e1.srt", "en/en/e1.srt")
    assert outputs(tmp_path, tmp_path / "en", resume=True) == {"s/e2.srt": "en/s/e2.srt"}
    assert len(outputs(tmp_path, tmp_path / "s" / ".." / "en", force=True)) == 2
    with pytest.raises(DataError, match="no file of a known format"):
        outputs(season(tmp_path / "x", "en/e1.srt"), tmp_path / "x" / "en")


def test_a_folder_may_be_translated_where_it_is_or_into_one_around_it(tmp_path: Path) -> None:
    season(tmp_path, "s/e1.srt", "s/e2.srt")
    assert len(outputs(tmp_path / "s", tmp_path / "s", force=True)) == 2
    places = _places(Errand([tmp_path / "s"], tmp_path, Reading()), LANGUAGES)
    assert [output.name for _, output in places] == ["e1.srt", "e2.srt"]


@pytest.mark.parametrize("end", ["memory_out", "explain"])
@pytest.mark.parametrize("as_one", [False, True])
def test_a_document_is_unfinished_until_its_memory_and_its_page_are_written(
    tmp_path: Path, end: str, as_one: bool
) -> None:
    names = ["1.srt", "2.srt"] if as_one else ["1.srt"]
    season(tmp_path, *names, *(f"en/{name}" for name in names))
    last = tmp_path / "last"
    sources = [tmp_path / name for name in names]
    errand = Errand(sources, tmp_path / "en", Reading(), as_one=as_one, resume=True, **{end: last})
    places = _places(errand, LANGUAGES)
    with pytest.raises(RecollectError, match=rf"not how it was translated, which {last} depends on; --force"):
        _unfinished(errand, places)
    journals = [Journal.beside(output) for _, output in places]
    for journal in journals:
        journal.write_text("")
    assert _unfinished(errand, places) == places
    last.write_text("")
    assert _unfinished(errand, places) == []
    assert not any(journal.exists() for journal in journals)


def test_an_interchange_file_learns_the_language_of_the_model(tmp_path: Path) -> None:
    path = tmp_path / "a.xlf"
    path.write_text(
        '<xliff version="2.0" srcLang="zh"><file id="f"><unit id="u">'
        "<segment><source>a</source></segment></unit></file></xliff>"
    )
    new = Reading().content(path, LANGUAGES).render([plain("b")])
    assert new.startswith(b'<xliff version="2.0" srcLang="zh" trgLang="en">')
    assert b"trgLang" not in Reading().content(path, ("", "")).render([plain("b")])
