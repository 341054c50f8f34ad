"""Nobody gets in without a key where one is asked for, gets more than is granted, or sees another's text."""

import secrets
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from running import thread

from recollect.serving.keys import make_key, revoke_key
from recollect.serving.serve import warn_if_open
from recollect.serving.settings import Settings

Asked = Callable[..., httpx.Response]
PAIR = {"source": "auto", "target": "en"}
SESSION = "X-Recollect-Session"


@pytest.fixture(scope="module")
def started(
    make_translator: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[Settings], httpx.Client]]:
    """Start servers with settings of one's own."""
    translator = make_translator()
    with ExitStack() as stack:

        def start(settings: Settings) -> httpx.Client:
            folder = tmp_path_factory.mktemp("server")
            address = stack.enter_context(thread(translator, folder, settings))
            return stack.enter_context(httpx.Client(base_url=address, timeout=30))

        yield start


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("keys") / "keys.json"


@pytest.fixture(scope="module")
def keys(path: Path) -> dict[str, str]:
    return {
        "anna": make_key(path, "anna", "2026-01-02"),
        "ben": make_key(path, "ben", "2026-01-02"),
        "carla": make_key(path, "carla", "2026-01-02", requests=3, characters=20),
    }


@pytest.fixture(scope="module")
def keyed(
    started: Callable[[Settings], httpx.Client], path: Path, keys: dict[str, str]
) -> dict[str, httpx.Client]:
    """One server that asks for keys, as each of its clients sees it; `""` is one without a key."""
    server = started(Settings(keys=str(path)))
    clients = {
        name: httpx.Client(
            base_url=server.base_url, headers={"Authorization": f"Bearer {secret}"}, timeout=30
        )
        for name, secret in keys.items()
    }
    return {"": server} | clients


def test_without_a_key_nothing_is_said(keyed: dict[str, httpx.Client]) -> None:
    server = keyed[""]
    described = server.get("/openapi.json").json()["paths"]
    asked = 0
    for address, methods in described.items():
        for method in methods.keys() - {"parameters"}:
            if address.startswith("/v1/"):
                place = address.replace("{session}", "x").replace("{number}", "1")
                answer = server.request(method, place, json={})
                assert answer.status_code == 401, (method, address, answer.text)
                assert answer.headers["WWW-Authenticate"] == "Bearer"
                asked += 1
    assert asked > 8
    for address in ("/translate", "/detect", "/suggest"):
        answer = server.post(address, json={"q": "ba", "s": "ka"} | PAIR)
        assert answer.status_code == 403
        assert "an API key is needed" in answer.json()["error"]
    assert server.get("/frontend/settings").json()["keyRequired"]
    assert server.get("/languages").status_code == server.get("/health").status_code == 200


def test_keys_come_in_the_header_or_in_the_request(
    keyed: dict[str, httpx.Client], keys: dict[str, str]
) -> None:
    fields = {"q": "ba be", "api_key": keys["anna"]} | PAIR
    assert keyed[""].post("/translate", json=fields).status_code == 200
    assert keyed[""].post("/translate", data=fields).status_code == 200
    assert keyed["anna"].post("/translate", json={"q": "ba be"} | PAIR).status_code == 200
    for wrong in ("x", keys["anna"][:-1], "", None, secrets.token_urlsafe(43)):
        answer = keyed[""].post("/translate", json=fields | {"api_key": wrong})
        assert answer.status_code == 403
    basic = httpx.get(f"{keyed[''].base_url}/v1/sessions", auth=("anna", keys["anna"]))
    assert basic.status_code == 401


def test_a_key_is_revoked_while_the_server_runs(keyed: dict[str, httpx.Client], path: Path) -> None:
    secret = make_key(path, "dora", "2026-01-02")
    header = {"Authorization": f"bearer {secret}"}
    assert keyed[""].get("/v1/sessions", headers=header).status_code == 200
    revoke_key(path, "dora")
    assert keyed[""].get("/v1/sessions", headers=header).status_code == 401


def test_one_clients_memory_never_reaches_another(keyed: dict[str, httpx.Client]) -> None:
    anna, ben = keyed["anna"], keyed["ben"]
    theirs = anna.post("/translate", json={"q": "ba be bi."} | PAIR).headers[SESSION]
    own = ben.post("/translate", json={"q": "bo bu da."} | PAIR).headers[SESSION]
    assert theirs != own
    suggested = ben.post("/suggest", json={"q": "ba be bi.", "s": "ma me ma me"} | PAIR).headers[SESSION]
    assert suggested == own
    record = anna.get(f"/v1/sessions/{theirs}").json()
    assert "ma me" not in str(record)
    assert {each["id"] for each in ben.get("/v1/sessions").json()}.isdisjoint({theirs})
    for sent in ({"q": "ba"}, {"q": "ba be bi.", "s": "ma me"}):
        path = "/suggest" if "s" in sent else "/translate"
        assert ben.post(path, json=sent | PAIR | {"session": theirs}).status_code == 404


def test_what_is_anothers_is_not_there(keyed: dict[str, httpx.Client]) -> None:
    anna, ben = keyed["anna"], keyed["ben"]
    session = anna.post("/v1/sessions", json={"sentences": ["ba be", "bi bo"]}).json()["id"]
    described = ben.get("/openapi.json").json()["paths"]
    bodies: dict[str, Any] = {"text": "ka", "terms": [], "word": "ka", "on": True}
    asked = 0
    for address, methods in described.items():
        if "{session}" not in address:
            continue
        for method, description in methods.items():
            place = address.replace("{session}", session).replace("{number}", "1")
            content = description.get("requestBody", {}).get("content", {})
            name = content.get("application/json", {}).get("schema", {}).get("$ref", "").rpartition("/")[2]
            schema = ben.get("/openapi.json").json()["components"]["schemas"].get(name, {})
            body = {field: bodies[field] for field in schema.get("properties", {}) if field in bodies}
            answer = ben.request(method, place, json=body)
            assert answer.status_code == 404, (method, address, answer.text)
            asked += 1
    assert asked > 6
    assert len(anna.get(f"/v1/sessions/{session}").json()["sentences"]) == 2


def test_without_keys_an_id_is_a_secret(started: Callable[[Settings], httpx.Client]) -> None:
    server = started(Settings())
    session = server.post("/v1/sessions", json={"text": "ba be"}).json()["id"]
    assert server.get("/v1/sessions").json() == []
    assert len(session) >= 22  # more than 128 bits
    assert server.get(f"/v1/sessions/{session}").status_code == 200
    assert server.get(f"/v1/sessions/{session[:-1]}").status_code == 404


def test_a_model_that_does_not_say_its_languages_translates(
    started: Callable[[Settings], httpx.Client],
) -> None:
    server = started(Settings())
    (first, _) = server.get("/languages").json()
    fields = {"q": "ba be", "source": first["code"], "target": first["targets"][0]}
    answer = server.post("/translate", json=fields)
    assert answer.status_code == 200
    assert SESSION in answer.headers, "it came back as it was"


def test_a_keys_own_quota(keyed: dict[str, httpx.Client]) -> None:
    carla = keyed["carla"]
    much = carla.post("/translate", json={"q": "ba " * 7} | PAIR)
    assert much.status_code == 429
    assert "no more than 20 characters a day are granted" in much.json()["error"]
    assert 0 < int(much.headers["Retry-After"]) <= 86_400
    answers = [carla.post("/v1/sessions", json={"sentences": ["ba be"]}) for _ in range(4)]
    codes = [answer.status_code for answer in answers]
    assert codes[-1] == 429  # one more if a minute has just begun
    assert codes[0] == 201
    assert 0 < int(answers[-1].headers["Retry-After"]) <= 60
    assert keyed["anna"].get("/v1/sessions").status_code == 200


def test_everyones_quota(started: Callable[[Settings], httpx.Client]) -> None:
    server = started(Settings(daily=10))
    assert server.post("/translate", json={"q": "ba be bi"} | PAIR).status_code == 200
    for address, body in (("/translate", {"q": "ba be"} | PAIR), ("/v1/sessions", {"sentences": ["ba be"]})):
        answer = server.post(address, json=body)
        assert answer.status_code == 429, address
    counted = started(Settings(requests=5))
    codes = [counted.post("/detect", json={"q": "ba"}).status_code for _ in range(12)]
    assert 5 <= codes.count(200) <= 10  # twice as many if a minute has just begun
    assert set(codes) == {200, 429}


def test_requests_have_a_size(started: Callable[[Settings], httpx.Client]) -> None:
    server = started(Settings(body=2000, characters=50))
    for address in ("/translate", "/v1/sessions", "/suggest"):
        answer = server.post(address, json={"q": "ba " * 1000} | PAIR)
        assert answer.status_code == 413
        assert "at most 2,000 bytes" in answer.json()["error"]
    assert server.post("/suggest", json={"q": "ba", "s": "ka " * 50} | PAIR).status_code == 413


def test_names_of_files_never_touch_paths(
    make_translator: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "a" / "b" / "c"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    with thread(make_translator(), folder, Settings(upload=2000)) as address:
        server = httpx.Client(base_url=address, timeout=30)
        for name in (
            "../../x.txt",
            "/etc/x.txt",
            "..\\x.txt",
            "%2e%2e%2fx.txt",
            "con.txt",
            "a" * 999 + ".txt",
        ):
            files = {"file": (name, b"ba be bi\n")}
            session = server.post("/v1/files", files=files).json()["id"]
            link = server.post("/translate_file", files=files, data=PAIR).json()["translatedFileUrl"]
            for place in (link, f"/v1/sessions/{session}/file"):
                offered = server.get(place).headers["Content-Disposition"]
                assert not set("/\\\r\n") & set(offered.partition("filename=")[2].partition(";")[0])
                assert len(offered) < 800
    there = {each.name.partition("-")[0] for each in tmp_path.rglob("*") if each.is_file()}
    assert there == {"sessions.db", "ledger.db"}


def test_what_is_refused_for_its_size_is_not_counted(started: Callable[[Settings], httpx.Client]) -> None:
    server = started(Settings(sentences=2, characters=10, daily=30))
    session = server.post("/v1/sessions", json={"sentences": ["ba be"]}).json()["id"]  # 5 of 30
    many, long = ["ba be bi"] * 3, ["ba be bi bo bu"]
    for path, body in (
        ("/v1/sessions", {"sentences": many}),
        ("/v1/sessions", {"sentences": long}),
        (f"/v1/sessions/{session}/sentences", {"sentences": many[:2]}),
        ("/translate", {"q": many} | PAIR),
        ("/translate", {"q": many[:2], "session": session} | PAIR),
        ("/translate", {"q": long, "memory": False} | PAIR),
    ):
        for _ in range(2):
            assert server.post(path, json=body).status_code == 413, path
    for path in ("/v1/files", "/translate_file"):
        refused = server.post(path, files={"file": ("a.txt", b"ba be\n\n" * 3)}, data=PAIR)
        assert refused.status_code == 413
    assert server.post("/v1/sessions", json={"sentences": ["ba be bi", "ba be"]}).status_code == 201  # 18
    assert server.post("/v1/sessions", json={"sentences": ["ba be bi", "ba be"]}).status_code == 429


def test_files_have_a_size(started: Callable[[Settings], httpx.Client]) -> None:
    server = started(Settings(upload=2000))
    for path in ("/v1/files", "/translate_file"):
        for size, status in ((2000, (200, 201)), (2001, (413,)), (200_000, (413,))):
            text = (b"ba be bi  " * (size // 10 + 1))[:size]
            answer = server.post(path, files={"file": ("a.txt", text)}, data=PAIR)
            assert answer.status_code in status, answer.text


def test_a_session_with_a_file_of_the_largest_size_is_taken_in_again(
    started: Callable[[Settings], httpx.Client],
) -> None:
    server = started(Settings(upload=300_000))
    text = b"ba be bi\n\n" * 40 + b"1 " * 149_800
    session = server.post("/v1/files", params={"name": "a.txt"}, content=text).json()["id"]
    taken = server.get(f"/v1/sessions/{session}/export").json()
    assert server.post("/v1/sessions/import", json=taken).status_code == 201
    taken["data"] = b64encode(b"x" * 300_001).decode()
    assert server.post("/v1/sessions/import", json=taken).status_code == 413


def test_translations_have_a_time(started: Callable[[Settings], httpx.Client]) -> None:
    server = started(Settings(answer=0.0))
    for more in ({}, {"memory": False}):
        answer = server.post("/translate", json={"q": "ba be bi"} | PAIR | more)
        assert answer.status_code == 503
        assert "not translated within 0 seconds" in answer.json()["error"]


def test_pages_of_other_sites(started: Callable[[Settings], httpx.Client]) -> None:
    closed, opened = started(Settings()), started(Settings(origins=("https://friend.example",)))
    fields = {"q": "ba be"} | PAIR
    ask = {"Access-Control-Request-Method": "POST", "Origin": "https://friend.example"}
    for server, welcome in ((closed, False), (opened, True)):
        answer = server.post("/translate", json=fields, headers={"Origin": "https://friend.example"})
        assert answer.status_code == (200 if welcome else 403)
        assert ("access-control-allow-origin" in answer.headers) == welcome
        assert (SESSION in answer.headers.get("access-control-expose-headers", "")) == welcome
        assert ("access-control-allow-origin" in server.options("/translate", headers=ask).headers) == welcome
        assert server.post("/translate", json=fields, headers={"Origin": "https://evil.example"}).is_error
    assert closed.get("/languages", headers={"Host": "evil.example"}).status_code == 403
    named = started(replace(Settings(), sites=("translate.example.org",)))
    assert named.get("/languages", headers={"Host": "translate.example.org"}).status_code == 200


def test_an_operator_is_told_that_strangers_may_come(caplog: pytest.LogCaptureFixture) -> None:
    for settings in (Settings(), Settings(host="0.0.0.0", keys="keys.json")):
        warn_if_open(settings)
    assert not caplog.records
    warn_if_open(Settings(host="0.0.0.0"))
    assert "--keys" in caplog.text
