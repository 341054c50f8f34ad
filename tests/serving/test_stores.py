"""What every store must do: one contract for all of them."""

import asyncio
from pathlib import Path

import pytest
from redis_server import redis_server

from recollect.errors import DataError
from recollect.serving.redis_store import RedisStore
from recollect.serving.refusals import StoreError
from recollect.serving.sqlite_store import SQLiteStore
from recollect.serving.store import Change, Head, Store


@pytest.fixture(scope="module", params=["sqlite", "redis"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("store")
    if request.param == "sqlite":
        yield folder / "sessions.db"
    else:
        with redis_server(folder) as address:
            yield address


def opened(place: "Path | str") -> Store:
    return SQLiteStore(place) if isinstance(place, Path) else RedisStore(place, expiry=1000)


def with_store(place, work, count=1):
    """Run `work` with as many stores at the same place."""

    async def run():
        stores = [opened(place) for _ in range(count)]
        try:
            return await work(*stores)
        finally:
            for store in stores:
                await store.close()

    return asyncio.run(run())


def change(session, put, removed=(), owner="anna", changed=1.0):
    return Change(Head(session, owner, "a name 名", 3, 0.5, changed), put, removed)


def test_items_are_replaced_and_removed(place):
    async def work(store):
        assert await store.revision("a") is None
        assert await store.read("a") is None
        assert await store.write("a", 0, change("a", {"head": b"1", "s0": "名".encode(), "u0": b"\0\xff"}))
        assert await store.write("a", 1, change("a", {"head": b"2", "file": b"large"}, ["u0", "never"]))
        kept = await store.read("a")
        assert kept.revision == await store.revision("a") == 2
        assert kept.items == {"head": b"2", "s0": "名".encode()}
        assert await store.item("a", "file") == b"large"
        assert await store.item("a", "u0") is None
        assert await store.item("b", "file") is None

    with_store(place, work)


def test_what_is_written_is_there_for_those_who_come_later(place):
    with_store(place, lambda store: store.write("later", 0, change("later", {"head": b"1"})))

    async def work(store):
        assert (await store.read("later")).items == {"head": b"1"}

    with_store(place, work)


def test_of_two_who_change_the_same_revision_one_has_to_look_again(place):
    async def work(one, other):
        assert await one.write("race", 0, change("race", {"head": b"0"}))
        done = await asyncio.gather(
            *(store.write("race", 1, change("race", {"head": text})) for store, text in
              ((one, b"one"), (other, b"other"), (one, b"again")))
        )  # fmt: skip
        assert sorted(done) == [False, False, True]
        winner = [b"one", b"other", b"again"][done.index(True)]
        assert (await other.read("race")).items["head"] == winner
        assert await one.revision("race") == 2
        assert not await other.write("race", 0, change("race", {"head": b"new"}))

    with_store(place, work, count=2)


def test_lists_belong_to_their_owners(place):
    async def work(store):
        for session, owner, changed in (("x", "bob", 5.0), ("y", "bob", 7.0), ("z", "carl", 6.0)):
            assert await store.write(session, 0, change(session, {}, owner=owner, changed=changed))
        assert [head.id for head in await store.heads("bob")] == ["y", "x"]
        assert (await store.heads("bob"))[0] == Head("y", "bob", "a name 名", 3, 0.5, 7.0)
        assert await store.heads("nobody") == []
        assert (await store.count("bob"), await store.count("nobody")) == (2, 0)
        assert await store.remove("y")
        assert not await store.remove("y")
        assert await store.read("y") is None
        assert [head.id for head in await store.heads("bob")] == ["x"]
        await store.expire(before=6.0)
        assert await store.heads("bob") == []
        assert [head.id for head in await store.heads("carl")] == ["z"]

    with_store(place, work)


def test_one_at_a_time_translates_a_session(place):
    async def work(one, other):
        assert await one.claim("claimed", 30)
        assert await one.claim("claimed", 30)
        if one.shared:
            assert not await other.claim("claimed", 30)
            await other.release("claimed")  # which is not its own
            assert not await other.claim("claimed", 30)
        await one.release("claimed")
        assert await other.claim("claimed", 0.01)
        await asyncio.sleep(0.05)
        assert await one.claim("claimed", 30)

    with_store(place, work, count=2)


def test_it_answers(place):
    with_store(place, lambda store: store.check())


# -- one by one


def test_a_file_that_is_no_store_is_refused(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("something else " * 100)
    with pytest.raises(DataError, match="cannot be used as a store of sessions"):
        SQLiteStore(path)


def test_a_store_of_a_later_version_is_refused(tmp_path):
    import sqlite3

    path = tmp_path / "sessions.db"
    with_store(path, lambda store: store.check())
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version=99")
    connection.close()
    with pytest.raises(DataError, match="sessions of format 99; this version keeps 1"):
        SQLiteStore(path)


def test_nobody_else_on_the_machine_reads_what_is_stored(tmp_path):
    async def work(store):
        await store.write("a", 0, change("a", {"head": b"1"}))
        return {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}

    modes = with_store(tmp_path / "sessions.db", work)
    assert modes == dict.fromkeys(("sessions.db", "sessions.db-wal", "sessions.db-shm"), 0o600)


def test_a_file_is_synced_before_an_answer(tmp_path):
    async def work(store):
        found = await store._do(lambda base: [base.execute(f"PRAGMA {name}").fetchone()[0] for name in
                                              ("journal_mode", "synchronous")])  # fmt: skip
        assert found == ["wal", 2]

    with_store(tmp_path / "sessions.db", work)


def test_one_bad_change_does_not_spoil_those_that_share_its_commit(tmp_path):
    async def work(store):
        good = [store.write(f"g{n}", 0, change(f"g{n}", {"head": b"1"})) for n in range(5)]
        bad = store.write("bad", 0, change("bad", {"head": object()}))
        answers = await asyncio.gather(*good[:3], bad, *good[3:], return_exceptions=True)
        assert answers[:3] + answers[4:] == [True] * 5
        assert isinstance(answers[3], StoreError)
        assert await store.read("bad") is None

    with_store(tmp_path / "sessions.db", work)


def test_a_server_that_is_not_there_is_told():
    async def work():
        store = RedisStore("redis://127.0.0.1:1/0")
        with pytest.raises(StoreError, match="the store does not answer"):
            await store.check()
        with pytest.raises(StoreError, match="the store does not answer"):
            await store.write("a", 0, change("a", {}))
        await store.close()

    asyncio.run(work())


def test_an_address_that_is_none_is_told():
    with pytest.raises(DataError, match="no address of a Redis server"):
        RedisStore("redis://127.0.0.1:port")
