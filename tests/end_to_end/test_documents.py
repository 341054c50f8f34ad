"""Files as people have them go through `recollect translate` and come back."""

import re
from pathlib import Path

import polib
import pytest
from shell import Shell

TMX = """<tmx version="1.4"><header srclang="xx"/><body>
<tu><tuv xml:lang="xx"><seg>{0}</seg></tuv></tu>
<tu><tuv xml:lang="xx"><seg>{1}</seg></tuv><tuv xml:lang="yy"><seg>{1}</seg></tuv></tu>
</body></tmx>"""
XLIFF = """<xliff version="1.2"><file source-language="xx" original="o" datatype="x"><body>
<trans-unit id="1"><source>{0} <x id="1"/></source></trans-unit>
</body></file></xliff>"""


def sentences(trained: Shell, document: int = 0) -> list[str]:
    return (trained.folder / "test.src").read_text().split("\n\n")[document].split("\n")


def subtitle_file(lines: list[str]) -> str:
    cues = []
    for number, line in enumerate(lines, 1):
        at = f"00:{number // 30:02d}:{number % 30 * 2:02d}"
        cues.append(f"{number}\n{at},000 --> {at},900\n{line}\n")
    return "\n".join(cues)


def spoken(srt: str) -> list[str]:
    return [" ".join(block.split("\n")[2:]).strip() for block in srt.strip().split("\n\n")]


def test_subtitles_are_translated_as_their_lines_are(trained: Shell, tmp_path: Path) -> None:
    lines = [f"{line} ." for line in sentences(trained)]
    film = tmp_path / "film.srt"
    film.write_text(subtitle_file(lines), newline="\r\n")
    said = trained.works("translate", str(film), "-m", "run")
    output = tmp_path / "film.translated.srt"
    assert str(output) in said
    data = output.read_bytes()
    assert data.count(b"\r\n") == data.count(b"\n")
    found = output.read_text()
    assert re.findall("-->.*", found) == re.findall("-->.*", film.read_text())
    expected = trained.works("translate", "-", "-m", "run", stdin="\n".join(lines).encode())
    assert spoken(found) == expected.splitlines()
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["film.srt", "film.translated.srt"]


def catalogue(entries: list[tuple[str, str]]) -> str:
    head = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
    return head + "".join(f'\nmsgid "{source}"\nmsgstr "{target}"\n' for source, target in entries)


def test_a_catalogue_keeps_what_people_wrote_and_speaks_like_them(trained: Shell, tmp_path: Path) -> None:
    lines = sentences(trained)
    told = (trained.folder / "test.trg").read_text().split("\n\n")[0].split("\n")
    path = tmp_path / "a.po"
    path.write_text(catalogue([(lines[0], told[0]), (f"{lines[1]} %s", ""), (lines[2], told[2]), ("%d", "")]))
    said = trained.works("translate", str(path), "-o", str(tmp_path / "b.po"), "-m", "run")
    assert "2 were translated already" in said
    entries = list(polib.pofile(str(tmp_path / "b.po")))
    assert [entry.msgstr for entry in entries[:3:2]] == told[:3:2]
    assert entries[1].msgstr.count("%s") == 1
    assert len(entries[1].msgstr) > 2
    assert entries[3].msgstr == "%d"
    with_history = entries[1].msgstr.replace("%s", "").split()
    by_history = trained.works(
        "translate", "-", "-m", "run", "--history", _write(tmp_path / "h", told[:2]),
        stdin="\n".join(lines[:2]).encode(),
    )  # fmt: skip
    assert with_history == by_history.splitlines()[1].split()


def test_a_slash_asks_for_a_folder(trained: Shell, tmp_path: Path) -> None:
    path = tmp_path / "a.srt"
    path.write_text("1\n00:00:01,000 --> 00:00:02,000\nba\n", "utf-8")
    trained.works("translate", str(path), "-o", f"{tmp_path}/new/", "-m", "run")
    assert (tmp_path / "new" / "a.srt").is_file()
    assert "is a file" in trained.fails("translate", str(path), "-o", f"{path}/", "-m", "run")
    assert "not into a folder" in trained.fails("translate", "test.src", "-o", "lines/", "-m", "run")


def _write(path: Path, lines: list[str]) -> str:
    path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", "  {0} {1}\r\n\r\n{2}"),
        ("a.vtt", "WEBVTT\n\nNOTE x\n\n1\n00:00.000 --> 00:01.000 line:0\n<i>{0}</i>\n"),
        ("a.json", '{{"menu": {{"open": "{0} {{name}}", "n": 3}}}}'),
        ("a.yaml", "menu:\n  open: {0}  # comment\n"),
        ("a.csv", 'id,text\n1,"{0}"\n2,{1}\n'),
        ("a.tmx", TMX),
        ("a.xlf", XLIFF),
    ],
)
def test_every_format_comes_back(trained: Shell, tmp_path: Path, name: str, text: str) -> None:
    path, output = tmp_path / name, tmp_path / f"out-{name}"
    path.write_bytes(text.format(*sentences(trained)).encode())
    options = ("--column", "text") if name.endswith(".csv") else ()
    trained.works("translate", str(path), "-o", str(output), "-m", "run", *options)
    words = set(" ".join(sentences(trained)[:3]).split())
    found = output.read_text()
    kept = set(re.findall(r"\w+", re.sub(r"\{\d\}", "", text)))
    assert kept <= set(re.findall(r"\w+", found))
    assert found != path.read_text()
    if not name.endswith((".tmx", ".xlf")):  # these keep their sources
        assert not words & set(re.findall(r"\w+", found)) - kept


def test_folders_resume_and_are_not_overwritten(trained: Shell, tmp_path: Path) -> None:
    folder, output = tmp_path / "in", tmp_path / "out"
    for number in range(4):
        path = folder / f"season {number % 2}" / f"{number}.srt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(subtitle_file(sentences(trained, number)[:3]))
    (folder / "poster.png").write_bytes(b"\x89PNG")
    command = ("translate", str(folder), "-o", str(output), "-m", "run")
    assert "4 files" in trained.works(*command)
    whole = {path.relative_to(output): path.read_bytes() for path in output.rglob("*.srt")}
    assert {str(path) for path in whole} == {f"season {n % 2}/{n}.srt" for n in range(4)}
    assert "--resume" in trained.fails(*command)
    (output / "season 1" / "3.srt").unlink()
    kept = output / "season 0" / "0.srt"
    kept.write_bytes(b"mine")
    assert "1 files" in trained.works(*command, "--resume")
    assert kept.read_bytes() == b"mine"
    assert (output / "season 1" / "3.srt").read_bytes() == whole[Path("season 1/3.srt")]


def test_killed_half_way_and_resumed_it_is_the_same(trained: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(100):
        lines = sentences(trained, number % 8)
        (folder / f"{number:03d}.srt").write_text(subtitle_file(lines * 2))
    command = ("translate", str(folder), "-m", "run", "-o")
    trained.works(*command, str(tmp_path / "whole"))
    broken = tmp_path / "broken"
    process = trained.start(*command, str(broken))
    while len(list(broken.glob("[0-9]*.srt"))) < 30:
        assert not process.ended
    process.kill()
    assert len(list(broken.glob("[0-9]*.srt"))) < 100
    trained.works(*command, str(broken), "--resume")
    files = {path.name: path.read_bytes() for path in (tmp_path / "whole").iterdir()}
    assert files == {path.name: path.read_bytes() for path in broken.iterdir() if path.suffix != ".draft"}
    assert len(files) == 100


def test_one_document_of_several_files_is_resumed_with_its_memory(trained: Shell, tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.srt" for number in range(3)]
    for number, path in enumerate(files):
        path.write_text(subtitle_file(sentences(trained, number) * 8))
    command = ("translate", *map(str, files), "--as-one", "-m", "run", "-o")
    trained.works(*command, str(tmp_path / "whole"))
    broken = tmp_path / "broken"
    process = trained.start(*command, str(broken))
    while not (broken / "0.srt").exists():
        assert not process.ended
    process.kill()
    trained.works(*command, str(broken), "--resume")
    for path in files:
        assert (broken / path.name).read_bytes() == (tmp_path / "whole" / path.name).read_bytes()
    assert len([path for path in broken.iterdir() if path.suffix == ".srt"]) == 3
    assert not list(broken.glob("*.journal"))
    (broken / "2.srt").unlink()
    assert "not how it was translated" in trained.fails(*command, str(broken), "--resume")


def test_a_memory_goes_from_episode_to_episode(trained: Shell, tmp_path: Path) -> None:
    first, second = sentences(trained, 0), sentences(trained, 1)
    one, two = tmp_path / "1.srt", tmp_path / "2.srt"
    one.write_text(subtitle_file(first))
    two.write_text(subtitle_file(second))
    together = tmp_path / "together"
    trained.works("translate", str(one), str(two), "--as-one", "-o", str(together), "-m", "run")
    apart, memory = tmp_path / "apart", str(tmp_path / "memory")
    apart.mkdir()
    trained.works("translate", str(one), "-o", str(apart), "-m", "run", "--memory-out", memory)
    trained.works("translate", str(two), "-o", str(apart), "-m", "run", "--memory-in", memory)
    for name in ("1.srt", "2.srt"):
        assert (apart / name).read_text() == (together / name).read_text()
    said = trained.fails(
        "translate", str(two), "-o", str(tmp_path / "x"), "-m", "run", "--memory-in", str(two)
    )
    assert "memory" in said
    again = ("translate", str(one), "-o", str(apart), "-m", "run", "--memory-out", memory, "--resume")
    assert "0 files" in trained.works(*again)
    Path(memory).unlink()
    assert "--force begins anew" in trained.fails(*again)


def test_a_memory_that_could_not_be_written_is_written_when_resumed(trained: Shell, tmp_path: Path) -> None:
    film, whole, broken = tmp_path / "film.srt", tmp_path / "whole.srt", tmp_path / "broken.srt"
    film.write_text(subtitle_file(sentences(trained)))
    command = ("translate", str(film), "-m", "run", "--memory-out")
    trained.works(*command, str(tmp_path / "memory"), "-o", str(whole))
    answer = trained.start(*command, str(film / "memory"), "-o", str(broken)).wait()  # a file is no folder
    assert answer.code == 1
    assert "Traceback" not in answer.err
    assert broken.read_bytes() == whole.read_bytes()
    said = trained.works(*command, str(tmp_path / "again"), "-o", str(broken), "--resume")
    assert "0 sentences translated" in said
    assert (tmp_path / "again").read_bytes() == (tmp_path / "memory").read_bytes()
    assert not list(tmp_path.glob("*.journal"))


def test_a_memory_is_filled_from_what_people_translated(trained: Shell, tmp_path: Path) -> None:
    lines = sentences(trained)
    told = (trained.folder / "test.trg").read_text().split("\n\n")[0].split("\n")
    film = tmp_path / "film.srt"
    film.write_text(subtitle_file(lines[3:]))
    pairs, source, translation = tmp_path / "old.po", tmp_path / "old.txt", tmp_path / "old.trg.txt"
    pairs.write_text(catalogue(list(zip(lines[:3], told[:3], strict=True))))
    source.write_text("\n".join(lines[:3]))
    translation.write_text("\n".join(told[:3]))
    outputs = []
    for options in (
        ("--filled-from", str(pairs)),
        ("--filled-from", str(source), "--filled-with", str(translation)),
    ):
        outputs.append(tmp_path / f"{len(outputs)}.srt")
        trained.works("translate", str(film), "-o", str(outputs[-1]), "-m", "run", *options)
    assert outputs[0].read_text() == outputs[1].read_text()
    empty = tmp_path / "empty.po"
    empty.write_text(catalogue([]))
    said = trained.fails("translate", str(film), "-m", "run", "--filled-from", str(empty))
    assert "has no translations in it" in said


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.po", b'msgid "x\nmsgstr ""\n', "line 1"),
        ("a.tmx", b"<!DOCTYPE x [<!ENTITY a 'b'>]><tmx/>", "declarations"),
        ("a.json", b'{"a": ', "line 1"),
        ("a.srt", b"\xff\xfe\x00", "a.srt"),
        ("a.csv", b"x,y\n1,2\n", "column"),
        ("missing.srt", None, "no such file"),
    ],
)
def test_bad_files_get_one_clear_line(
    trained: Shell, tmp_path: Path, name: str, data: bytes | None, expected: str
) -> None:
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    said = trained.fails("translate", str(path), "-m", "run")
    assert name in said
    assert expected in said
    assert len(said.strip().splitlines()) == 1
    assert {item.name for item in tmp_path.iterdir()} <= {name}


def test_all_bad_files_are_told_before_anything_is_done(trained: Shell, tmp_path: Path) -> None:
    (tmp_path / "a.srt").write_text(subtitle_file(["ka"]))
    for name in ("b.json", "c.json"):
        (tmp_path / name).write_text("{")
    answer = trained.start("translate", str(tmp_path), "-o", str(tmp_path / "out"), "-m", "run").wait()
    assert answer.code == 1
    assert [line.split("/")[-1][:6] for line in answer.err.splitlines()] == ["b.json", "c.json"]
    assert not (tmp_path / "out").exists()


def test_every_word_is_explained(trained: Shell, tmp_path: Path) -> None:
    film, page = tmp_path / "<film>.srt", tmp_path / "why.html"
    film.write_text(subtitle_file(sentences(trained)))
    trained.works(
        "translate", str(film), "-o", str(tmp_path / "out.srt"), "-m", "run", "--explain", str(page)
    )
    html = page.read_text()
    found = spoken((tmp_path / "out.srt").read_text())
    shown = [
        re.sub(r"\s+", " ", re.sub(r'<span class="tip".*?</span></span>|<[^>]*>', "", row)).strip()
        for row in re.findall(r"<td>.*?</td><td>.*?</td><td>(.*?)</td></tr>", html)
    ]
    assert shown == found
    assert "sentence 1</a>" in html
    assert "&lt;film&gt;" in html
    assert "<film>" not in html
    assert not re.search(r'(src|href)="(?!#)', html)


def test_a_glossary_is_followed_or_told(trained: Shell, tmp_path: Path) -> None:
    lines = sentences(trained)
    word = lines[0].split()[0]
    film, terms, keep = tmp_path / "a.txt", tmp_path / "terms.csv", tmp_path / "keep.txt"
    film.write_text("\n".join(lines))
    terms.write_text(f"{word},XYZZY\n")
    keep.write_text(f"{lines[1].split()[0]}\n")
    strict = ("--glossary", str(terms), "--strict", "--keep", str(keep))
    trained.works("translate", str(film), "-o", str(tmp_path / "b.txt"), "-m", "run", *strict)
    found = (tmp_path / "b.txt").read_text().splitlines()
    assert "XYZZY" in found[0]
    assert lines[1].split()[0] in found[1].split()
    assert sum(line.count("XYZZY") for line in found) == sum(line.split().count(word) for line in lines)
    said = trained.fails("translate", str(film), "-m", "run", "--glossary", str(keep))
    assert "two cells" in said
