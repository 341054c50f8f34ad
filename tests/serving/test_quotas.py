"""What clients use is counted in SQLite and in Redis alike, and refused when it is too much."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from sqlite3 import connect

import pytest
from redis import Redis
from redis_server import redis_server

from recollect.errors import DataError
from recollect.serving.ledger import Ledger, SqliteLedger
from recollect.serving.quotas import Quota, Quotas
from recollect.serving.redis_ledger import RedisLedger
from recollect.serving.refusals import StoreError, TooManyError

NOON = 4_000_000_000.0  # far in the future, so that Redis keeps what is noted until then
NOON -= NOON % 86_400


@pytest.fixture(scope="module")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with redis_server(tmp_path_factory.mktemp("redis")) as url:
        yield url


@pytest.fixture(params=["sqlite", "redis"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Ledger]:
    if request.param == "sqlite":
        return lambda: SqliteLedger(tmp_path / "ledger.db")
    url = request.getfixturevalue("redis_url")
    Redis.from_url(url).flushall()
    return lambda: RedisLedger(url)


def run(opened: Callable[[], Ledger], work: Callable[[Ledger], Awaitable[None]]) -> None:
    async def whole() -> None:
        ledger = opened()
        await work(ledger)
        await ledger.close()

    asyncio.run(whole())


def test_counts_end_at_their_bound_and_outlive_the_server(opened: Callable[[], Ledger]) -> None:
    async def first(ledger: Ledger) -> None:
        assert await ledger.take("a", 3, 5, NOON, NOON + 10) == 2
        assert await ledger.take("a", 3, 5, NOON, NOON + 10) is None
        assert await ledger.take("b", 5, 5, NOON, NOON + 10) == 0

    async def then(ledger: Ledger) -> None:
        assert await ledger.take("a", 2, 5, NOON, NOON + 10) == 0
        assert await ledger.take("a", 1, 5, NOON, NOON + 10) is None

    run(opened, first)
    run(opened, then)


def test_notes_are_replaced_and_outlive_the_server(opened: Callable[[], Ledger]) -> None:
    async def first(ledger: Ledger) -> None:
        assert await ledger.noted("a", NOON) is None
        await ledger.note("a", "one", NOON + 10)
        await ledger.note("a", "two", NOON + 10)

    async def then(ledger: Ledger) -> None:
        assert await ledger.noted("a", NOON) == "two"
        await ledger.note("past", "gone", 1.0)
        assert await ledger.noted("past", NOON) is None

    run(opened, first)
    run(opened, then)


def test_of_two_that_claim_one_is_first(opened: Callable[[], Ledger]) -> None:
    async def work(ledger: Ledger) -> None:
        other = opened()
        for before in (None, "0", "1", "2"):
            now = "0" if before is None else str(int(before) + 1)
            both = (each.claim("a", before, now, NOON, NOON + 10) for each in (ledger, other))
            assert sorted(await asyncio.gather(*both)) == [False, True]
            assert await ledger.noted("a", NOON) == now
        assert not await ledger.claim("a", None, "x", NOON, NOON + 10)
        await other.close()

    run(opened, work)


def test_a_minute_and_a_day_begin_anew(opened: Callable[[], Ledger]) -> None:
    async def work(ledger: Ledger) -> None:
        now = NOON
        quotas = Quotas(ledger, lambda: now)
        quota = Quota(requests=2, characters=100)
        for _ in range(2):
            await quotas.count_request("anna", quota)
        with pytest.raises(
            TooManyError, match="no more than 2 requests a minute are granted; wait 60 seconds"
        ):
            await quotas.count_request("anna", quota)
        await quotas.count_request("ben", quota)
        await quotas.count_request("anna", Quota())
        await quotas.count_characters("anna", quota, 60)
        with pytest.raises(TooManyError, match="100 characters a day"):
            await quotas.count_characters("anna", quota, 41)
        await quotas.count_characters("anna", quota, 40)
        now = NOON + 59
        with pytest.raises(TooManyError) as refused:
            await quotas.count_request("anna", quota)
        assert refused.value.wait == 1
        now = NOON + 60
        await quotas.count_request("anna", quota)
        with pytest.raises(TooManyError):
            await quotas.count_characters("anna", quota, 1)
        now = NOON + 86_400
        await quotas.count_characters("anna", quota, 100)

    run(opened, work)


def test_a_ledger_that_cannot_be_kept_is_told(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").write_text("something else, which is no ledger", "utf-8")
    with pytest.raises(DataError, match="cannot be used to count"):
        SqliteLedger(tmp_path / "ledger.db")

    async def work(ledger: Ledger) -> None:
        with pytest.raises(StoreError, match="the store does not answer"):
            await ledger.take("a", 1, 1, NOON, NOON + 1)

    run(lambda: RedisLedger("redis://127.0.0.1:1/0"), work)


def test_a_ledger_that_fails_later_is_told_too(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"

    async def work(ledger: Ledger) -> None:
        assert path.stat().st_mode & 0o777 == 0o600
        with connect(path) as other:
            other.execute("DROP TABLE ledger")
        with pytest.raises(StoreError, match="the store does not answer"):
            await ledger.take("a", 1, 1, NOON, NOON + 1)
        with pytest.raises(StoreError, match="the store does not answer"):
            await ledger.note("a", "one", NOON + 1)
        with pytest.raises(StoreError, match="the store does not answer"):
            await ledger.noted("a", NOON)

    run(lambda: SqliteLedger(path), work)


def test_what_is_over_is_cleared_away(tmp_path: Path) -> None:
    async def work(ledger: Ledger) -> None:
        for second in range(2500):
            await ledger.take(f"minute {second}", 1, 1, NOON + second, NOON + second + 1)

    run(lambda: SqliteLedger(tmp_path / "ledger.db"), work)
    (count,) = connect(tmp_path / "ledger.db").execute("SELECT count(*) FROM ledger").fetchone()
    assert count < 1500
