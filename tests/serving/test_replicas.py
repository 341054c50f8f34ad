"""Two servers of one site, with a real Redis between them: sessions move from one to the other."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx
import pytest
from redis_server import redis_server
from served import Served, texts

from recollect.serving.keys import make_key

STORY = ["你好，王小明。", "我们今天去看医生。", "医生在哪里？", "王小明不知道。", "王小明在家里睡觉。"]


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Served]]:
    folder = tmp_path_factory.mktemp("replicas")
    with redis_server(folder) as address:
        both = Served(folder, address), Served(folder, address)
        yield both
        for server in both:
            server.end()


def test_what_one_has_begun_the_other_goes_on_with(servers: tuple[Served, Served]) -> None:
    one, other = servers
    session = one.create(sentences=STORY)["id"]
    other.done(session)
    first = other.show(session)
    assert None not in texts(first)
    assert texts(one.show(session)) == texts(first)
    # Corrected on one, followed on the other: both tell the same.
    with other.follow(session, first["revision"]) as events:
        one.correct(session, 1, "Hello, Xiaoming.")
        told = []
        for kind, event in events:
            told += [event] if kind == "sentence" else []
            if kind == "changed":
                break
    assert told[0]["text"] == "Hello, Xiaoming."
    assert other.show(session)["report"] == event == one.show(session)["report"]
    assert other.ask("POST", f"/sessions/{session}/undo")["undone"] == "correction of sentence 1"
    other.done(session)
    assert texts(one.show(session)) == texts(first)
    assert other.client.delete(f"/sessions/{session}").status_code == 204
    assert one.client.get(f"/sessions/{session}").status_code == 404


def test_both_may_correct_at_the_same_time(servers: tuple[Served, Served]) -> None:
    session = servers[0].create(sentences=STORY * 4)["id"]

    def correct(number: int) -> None:
        servers[number % 2].correct(session, number, f"correction {number}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(correct, range(1, 13)))
    for server in servers:
        assert texts(server.show(session))[:12] == [f"correction {number}" for number in range(1, 13)]
        server.done(session)
    found = [texts(server.show(session)) for server in servers]
    assert found[0] == found[1]
    assert None not in found[0]


def test_requests_that_name_no_session_share_one_wherever_they_arrive(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("visits")
    key = make_key(folder / "keys.json", "anna", "2026-01-02")
    fields = {"q": "你好", "source": "zh", "target": "en", "api_key": key}
    with redis_server(folder) as address, ExitStack() as stack:
        both = [Served(folder, address, "--keys", str(folder / "keys.json")) for _ in range(2)]
        for server in both:
            stack.callback(server.end)

        def ask(number: int) -> str:
            answer = httpx.post(f"{both[number % 2].address}/translate", json=fields, timeout=60)
            return answer.headers["X-Recollect-Session"]

        with ThreadPoolExecutor(8) as pool:
            assert len(set(pool.map(ask, range(16)))) == 1


def test_when_one_dies_the_other_does_its_work(servers: tuple[Served, Served]) -> None:
    one, other = servers
    session = one.create(sentences=STORY * 4)["id"]
    one.correct(session, 2, "We're off to Doctor Foo.")
    one.kill()
    other.done(session)
    found = texts(other.show(session))
    assert found[1] == "We're off to Doctor Foo."
    assert None not in found
