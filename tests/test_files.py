from pathlib import Path

import pytest

from recollect.files import fingerprint, whole_file, whole_folder


def test_a_file_is_whole_or_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), whole_file(path) as draft:
        draft.write_text(f"half {1 // 0}")
    assert path.read_text() == "old"
    with whole_file(path) as draft:
        draft.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert [item.name for item in tmp_path.iterdir()] == ["file"]


def test_a_folder_is_whole_or_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    for content in ("first", "second"):
        with whole_folder(path) as draft:
            (draft / "part").write_text(content)
    with pytest.raises(ZeroDivisionError), whole_folder(path) as draft:
        (draft / "part").write_text(f"half {1 // 0}")
    assert (path / "part").read_text() == "second"
    assert [item.name for item in tmp_path.iterdir()] == ["folder"]


def test_a_draft_left_by_a_killed_process_does_not_shine_through(tmp_path: Path) -> None:
    left = tmp_path / ".folder.draft"
    left.mkdir()
    (left / "stale").touch()
    with whole_folder(tmp_path / "folder") as draft:
        (draft / "part").touch()
    assert [item.name for item in (tmp_path / "folder").iterdir()] == ["part"]


def test_the_older_folder_comes_back_if_the_process_was_killed_between_the_renames(tmp_path: Path) -> None:
    path, older = tmp_path / "folder", tmp_path / ".folder.older"
    older.mkdir()
    (older / "part").write_text("old")
    with pytest.raises(RuntimeError), whole_folder(path):
        raise RuntimeError
    assert (path / "part").read_text() == "old"
    assert [item.name for item in tmp_path.iterdir()] == ["folder"]


def test_an_older_folder_left_by_a_killed_process_is_in_nobodys_way(tmp_path: Path) -> None:
    path, older = tmp_path / "folder", tmp_path / ".folder.older"
    for folder, content in ((path, "new"), (older, "old")):
        folder.mkdir()
        (folder / "part").write_text(content)
    with whole_folder(path) as draft:
        (draft / "part").write_text("newer")
    assert (path / "part").read_text() == "newer"
    assert [item.name for item in tmp_path.iterdir()] == ["folder"]


def test_a_file_makes_its_folder(tmp_path: Path) -> None:
    with whole_file(tmp_path / "a" / "b" / "file") as draft:
        draft.write_text("x")
    assert (tmp_path / "a" / "b" / "file").read_text() == "x"


def test_fingerprint(tmp_path: Path) -> None:
    (tmp_path / "abc").write_bytes(b"abc")
    assert fingerprint(tmp_path / "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
