import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.batches import shard as shard_module
from recollect.batches.shard import Shard, ShardWriter
from recollect.errors import DataError

ids = st.lists(st.integers(0, 69_999), max_size=6)
documents = st.lists(st.lists(st.tuples(ids, ids), max_size=5), max_size=5)


def write(folder: Path, documents, source_size: int = 70_000, target_size: int = 70_000) -> None:
    with ShardWriter(folder, source_size, target_size) as writer:
        for document in documents:
            for source, target in document:
                writer.add(source, target)
            writer.end_document()


@given(documents)
def test_everything_written_is_read_again(tmp_path_factory, documents):
    folder = tmp_path_factory.mktemp("shard") / "train"
    write(folder, documents)
    shard = Shard.open(folder)
    pairs = [pair for document in documents for pair in document]
    assert len(shard) == len(pairs)
    assert [(shard.source(i).tolist(), shard.target(i).tolist()) for i in range(len(shard))] == pairs
    assert shard.source_lengths.tolist() == [len(source) for source, _ in pairs]
    assert shard.target_lengths.tolist() == [len(target) for _, target in pairs]
    assert shard.source_lengths.dtype == np.int32
    assert np.diff(shard.documents).tolist() == [len(document) for document in documents if document]
    assert shard.documents.dtype == np.int64


def test_small_vocabularies_take_two_bytes_an_id(tmp_path):
    write(tmp_path / "train", [[([65_534], [1, 2])]], source_size=65_535, target_size=65_536)
    shard = Shard.open(tmp_path / "train")
    assert (shard.source(0).dtype, shard.target(0).dtype) == (np.dtype("<u2"), np.dtype("<u4"))
    assert (tmp_path / "train" / "source.ids").stat().st_size == 2


def test_buffers_are_written_out_on_the_way(tmp_path, monkeypatch):
    monkeypatch.setattr(shard_module, "_BUFFERED", 3)
    document = [([n, n + 1], [n] * n) for n in range(9)]
    write(tmp_path / "train", [document])
    shard = Shard.open(tmp_path / "train")
    assert [(shard.source(i).tolist(), shard.target(i).tolist()) for i in range(9)] == document


def test_the_last_document_ends_with_the_shard(tmp_path):
    writer = ShardWriter(tmp_path / "train", 10, 10)
    writer.add([4], [5])
    writer.close()
    assert Shard.open(tmp_path / "train").documents.tolist() == [0, 1]


def test_an_unfinished_shard_cannot_be_opened(tmp_path):
    def interrupted() -> None:
        with ShardWriter(tmp_path / "train", 10, 10) as writer:
            writer.add([4], [5])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with pytest.raises(DataError, match=r"shard\.json is missing"):
        Shard.open(tmp_path / "train")


@pytest.mark.parametrize(
    "name", ["source.ids", "target.ids", "source.offsets", "target.offsets", "documents.offsets"]
)
def test_a_truncated_or_missing_file_is_named(tmp_path, name):
    write(tmp_path / "train", [[([4, 5], [6, 7])]])
    path = tmp_path / "train" / name
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DataError, match=rf"{name}: has \d+ bytes, expected \d+"):
        Shard.open(tmp_path / "train")
    path.unlink()
    with pytest.raises(DataError, match=f"{name}: is missing"):
        Shard.open(tmp_path / "train")


def test_offsets_out_of_order_are_damage(tmp_path):
    write(tmp_path / "train", [[([4, 5], [6, 7]), ([4], [5])]])
    np.array([0, 9, 3], dtype="<i8").tofile(tmp_path / "train" / "source.offsets")
    with pytest.raises(DataError, match=r"source\.offsets: damaged"):
        Shard.open(tmp_path / "train")


def test_a_broken_description_and_another_version_are_refused(tmp_path):
    write(tmp_path / "train", [[([4, 5], [6, 7])]])
    path = tmp_path / "train" / "shard.json"
    layout = json.loads(path.read_text())
    path.write_text(json.dumps({**layout, "version": 99}))
    with pytest.raises(DataError, match="version 99"):
        Shard.open(tmp_path / "train")
    path.write_text("{")
    with pytest.raises(DataError, match="damaged"):
        Shard.open(tmp_path / "train")


def test_a_shard_is_never_written_over_another(tmp_path):
    write(tmp_path / "train", [])
    with pytest.raises(FileExistsError):
        ShardWriter(tmp_path / "train", 10, 10)


def test_what_was_before_is_of_the_same_document(tmp_path):
    write(tmp_path / "train", [[([n], [n]) for n in range(4)], [([9], [9])], [([5], [5]), ([6], [6])]])
    shard = Shard.open(tmp_path / "train")
    assert [list(shard.before(pair, 2)) for pair in range(7)] == [[], [0], [0, 1], [1, 2], [], [], [5]]
    assert list(shard.before(np.int64(3), 9)) == [0, 1, 2]
