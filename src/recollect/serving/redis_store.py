"""Sessions in a Redis server, for several servers of one site."""

import secrets
from collections.abc import Awaitable
from itertools import chain
from typing import Any, TypeVar

from redis.asyncio import Redis
from redis.exceptions import RedisError

from recollect.errors import DataError
from recollect.serving.refusals import StoreError
from recollect.serving.store import Change, Head, Kept

__all__ = ["RedisStore"]

Answer = TypeVar("Answer")

# A session is a hash: its items under their own names, what a list tells of it under these. The item `file`
# has a key of its own, so that the rest can be read at once.
_FIELDS = (":owner", ":name", ":sentences", ":created", ":changed")

_WRITE = """
local revision = tonumber(redis.call('HGET', KEYS[1], ':revision') or '0')
if revision ~= tonumber(ARGV[1]) then return 0 end
local expiry, removed = tonumber(ARGV[2]), tonumber(ARGV[5])
redis.call('HSET', KEYS[1], ':revision', revision + 1)
for at = 6, 5 + removed do redis.call('HDEL', KEYS[1], ARGV[at]) end
for at = 6 + removed, #ARGV, 2 do
    if ARGV[at] == 'file' then
        redis.call('SET', KEYS[3], ARGV[at + 1])
    else
        redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1])
    end
end
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[4])
if expiry > 0 then
    for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, expiry) end
end
return 1
"""

_CLAIM = """
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""

_RELEASE = """
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
"""


class RedisStore:
    """A change is one script, which Redis does as a whole or not at all.

    How much survives the death of Redis itself is for its own settings to say: `appendonly yes` and
    `appendfsync always` keep everything that was acknowledged.
    """

    shared = True

    def __init__(self, address: str, expiry: float = 0.0) -> None:
        try:
            self._redis: Redis = Redis.from_url(address, socket_timeout=10, socket_connect_timeout=5)
        except ValueError as error:
            raise DataError(f"{address}: no address of a Redis server ({error})") from None
        self._expiry, self._me = int(expiry * 1000), secrets.token_hex(8)
        self._write, self._claim, self._release = (
            self._redis.register_script(each) for each in (_WRITE, _CLAIM, _RELEASE)
        )

    async def revision(self, session: str) -> int | None:
        """Return a session's revision; None: there is no such session."""
        found = await _ask(self._redis.hget(_key(session), ":revision"))
        return None if found is None else int(found)

    async def read(self, session: str) -> Kept | None:
        """Return a whole session, but for the item `file`."""
        found = {
            name.decode(): value for name, value in (await _ask(self._redis.hgetall(_key(session)))).items()
        }
        if not found:
            return None
        revision = int(found.pop(":revision"))
        return Kept(revision, {name: value for name, value in found.items() if name[0] != ":"})

    async def item(self, session: str, name: str) -> bytes | None:
        """Return one item of a session; None: there is none."""
        file = name == "file"
        found: bytes | None = await _ask(
            self._redis.get(_file_key(session)) if file else self._redis.hget(_key(session), name)
        )
        return found

    async def write(self, session: str, expected: int, change: Change) -> bool:
        """Change a session whose revision is `expected`; see `Store`."""
        head = change.head
        facts = (head.owner, head.name, head.sentences, head.created, head.changed)
        values: dict[str, str | bytes | int | float] = dict(zip(_FIELDS, facts, strict=True))
        values |= change.put
        done = await _ask(
            self._write(
                keys=[_key(session), _owner_key(head.owner), _file_key(session)],
                args=[
                    expected,
                    self._expiry,
                    head.changed,
                    session,
                    len(change.removed),
                    *change.removed,
                    *chain.from_iterable(values.items()),
                ],
            )
        )
        return bool(done)

    async def remove(self, session: str) -> bool:
        """Remove a session; False: there was none."""
        owner = await _ask(self._redis.hget(_key(session), ":owner"))
        if owner is None:
            return False
        async with self._redis.pipeline(transaction=True) as pipe:
            pipe.delete(_key(session), _file_key(session))
            pipe.zrem(_owner_key(owner.decode()), session)
            gone, _ = await _ask(pipe.execute())
        return bool(gone)

    async def heads(self, owner: str) -> list[Head]:
        """Return the sessions of an owner, the last changed first."""
        ids = [each.decode() for each in await _ask(self._redis.zrevrange(_owner_key(owner), 0, -1))]
        if not ids:
            return []
        async with self._redis.pipeline(transaction=False) as pipe:
            for each in ids:
                pipe.hmget(_key(each), list(_FIELDS))
            rows = await _ask(pipe.execute())
        expired = [each for each, row in zip(ids, rows, strict=True) if row[0] is None]
        if expired:
            await _ask(self._redis.zrem(_owner_key(owner), *expired))
        return [
            Head(each, row[0].decode(), row[1].decode(), int(row[2]), float(row[3]), float(row[4]))
            for each, row in zip(ids, rows, strict=True)
            if row[0] is not None
        ]

    async def count(self, owner: str) -> int:
        """Return how many sessions an owner has."""
        return int(await _ask(self._redis.zcard(_owner_key(owner))))

    async def expire(self, before: float) -> int:
        """Strike sessions off the lists of their owners; Redis itself removes them when their time comes."""
        struck = [
            await _ask(self._redis.zremrangebyscore(key, "-inf", f"({before}"))
            for key in await _ask(self._owner_keys())
        ]
        return sum(struck)

    async def _owner_keys(self) -> list[bytes]:
        return [key async for key in self._redis.scan_iter(_owner_key("*"))]

    async def claim(self, session: str, seconds: float) -> bool:
        """Ask to be the only one who translates a session for some time."""
        return bool(await _ask(self._claim(keys=[_claim_key(session)], args=[self._me, int(seconds * 1000)])))

    async def release(self, session: str) -> None:
        """Let others translate a session."""
        await _ask(self._release(keys=[_claim_key(session)], args=[self._me]))

    async def check(self) -> None:
        """Do nothing, if the store answers."""
        await _ask(self._redis.ping())

    async def close(self) -> None:
        """Let go of the connections."""
        await self._redis.aclose()


def _key(session: str) -> str:
    return f"recollect:session:{session}"


def _file_key(session: str) -> str:
    return f"recollect:file:{session}"


def _owner_key(owner: str) -> str:
    return f"recollect:owner:{owner}"


def _claim_key(session: str) -> str:
    return f"recollect:claim:{session}"


async def _ask(answer: "Awaitable[Any] | Any") -> Any:
    try:
        return await answer
    except (RedisError, OSError) as error:
        raise StoreError(f"the store does not answer ({error})") from error
