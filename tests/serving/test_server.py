"""A real server, asked over HTTP: translate, correct, follow, undo; files; and death in all forms."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from served import Served, texts

SAMPLE = Path(__file__).parents[2] / "src" / "recollect" / "samples" / "episode.zh.srt"
STORY = [
    "你好，王小明。",
    "我们今天去看医生。",
    "医生在哪里？",
    "王小明不知道。",
    "他说他想回家。",
    "王小明在家里睡觉。",
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    running = Served(tmp_path_factory.mktemp("server"), "sessions.db")
    yield running
    running.end()


def test_from_the_first_sentence_to_the_last_undo(server: Served) -> None:
    session = server.create(sentences=STORY, name="a story")["id"]
    events = server.done(session)
    assert {event["number"] for kind, event in events if kind == "sentence"} == {1, 2, 3, 4, 5, 6}
    first = server.show(session)
    assert None not in texts(first)
    assert {each["state"] for each in first["sentences"]} == {"machine"}
    assert (first["waiting"], first["can_undo"], first["report"]) == (0, False, None)

    answer = server.correct(session, 1, "Hello, Xiaoming.")
    assert (answer["sentence"]["text"], answer["sentence"]["state"]) == ("Hello, Xiaoming.", "corrected")
    events = server.done(session, after=first["revision"])
    (report,) = [event for kind, event in events if kind == "changed"]
    assert (report["because"], report["what"]) == (1, "correction of sentence 1")
    second = server.show(session)
    assert second["report"] == report
    changed = {each["number"]: each for each in report["sentences"]}
    for before, after in zip(first["sentences"][1:], second["sentences"][1:], strict=True):
        number = before["number"]
        assert (before["text"] != after["text"]) == (number in changed)
        if number in changed:
            told = changed[number]
            assert (told["before"], told["after"]) == (before["text"], after["text"])
            for word in told["words_changed"]:
                assert told["after"][word["start"] : word["end"]] == word["word"]
                assert all(look["sentence"] < number for look in word["looks"])

    confirmed = server.ask("POST", f"/sessions/{session}/sentences/3/confirm")
    assert confirmed["sentence"]["state"] == "confirmed"
    assert server.ask("POST", f"/sessions/{session}/undo")["undone"] == "confirmation of sentence 3"
    assert server.ask("POST", f"/sessions/{session}/undo")["undone"] == "correction of sentence 1"
    server.done(session)
    assert texts(server.show(session)) == texts(first)
    server.ask("POST", f"/sessions/{session}/undo", status=400)


def test_a_first_change_comes_soon_in_a_long_document(server: Served) -> None:
    """Of a hundred sentences the second is corrected: the third is the next that is looked at."""
    session = server.create(sentences=STORY * 4)["id"]
    revision = server.done(session)[-1][1]["revision"]
    with server.follow(session, revision) as events:
        server.correct(session, 2, "We go and see Doctor Foo.")
        numbers = []
        for kind, event in events:
            if kind == "sentence":
                numbers.append(event["number"])
            if kind == "done" and numbers:
                break
    assert numbers[0] == 2
    assert numbers == sorted(numbers), "they come in order, each as soon as it is said"


def test_what_the_memory_holds_and_did(server: Served) -> None:
    session = server.create(sentences=STORY, glossary=[{"source": "王小明", "target": "Xiaoming"}])["id"]
    server.done(session)
    memory = server.ask("GET", f"/sessions/{session}/memory")
    assert 0 < memory["used"] <= memory["size"]
    kept = [each for each in memory["slots"] if each["origin"] == "glossary"]
    assert [(each["word"], each["sentence"], each["pinned"]) for each in kept] == [("Xiaoming", 0, True)]
    found = server.ask("GET", f"/sessions/{session}/sentences/4/explain")
    assert found["text"] == server.show(session)["sentences"][3]["text"]
    assert all(found["text"][each["start"] : each["end"]] == each["piece"] for each in found["words"])
    assert any(each["looks"] for each in found["words"])

    word = next(each["word"] for each in memory["slots"] if each["origin"] == "own")
    answer = server.ask("POST", f"/sessions/{session}/memory/pin", json={"word": word})
    assert answer["pins"] == [word]
    server.done(session)
    slots = server.ask("GET", f"/sessions/{session}/memory")["slots"]
    assert any(each["pinned"] for each in slots if each["word"] == word)
    answer = server.ask("POST", f"/sessions/{session}/memory/forget", json={"word": word})
    assert (answer["pins"], answer["forgotten"]) == ([], [word])
    server.done(session)
    slots = server.ask("GET", f"/sessions/{session}/memory")["slots"]
    assert word not in [each["word"] for each in slots if each["origin"] == "own"]
    server.ask("PUT", f"/sessions/{session}/memory", json={"on": False})
    server.done(session)
    assert server.ask("GET", f"/sessions/{session}/memory")["on"] is False
    server.ask("PUT", f"/sessions/{session}/glossary", json={"terms": []})
    assert server.show(session)["glossary"] == []


def test_without_memory_the_difference_is_shown(server: Served) -> None:
    session = server.create(sentences=STORY[:3])["id"]
    server.done(session)
    server.client.get(f"/sessions/{session}", params={"alone": True})
    while None in [each["alone"] for each in server.show(session)["sentences"]]:
        time.sleep(0.05)
    off = server.create(sentences=STORY[:3], memory=False)["id"]
    server.done(off)
    alone = [each["alone"] for each in server.show(session)["sentences"]]
    assert alone == texts(server.show(off))


def test_a_file_comes_back_translated(server: Served) -> None:
    with SAMPLE.open("rb") as file:
        data = file.read().split(b"\n\n")[:8]
    film = b"\n\n".join(data) + b"\n"
    answer = server.client.post("/files", files={"file": ("../../film.zh.srt", film)})
    assert answer.status_code == 201, answer.text
    session = answer.json()
    assert (session["file"], session["format"]) == ("film.zh.srt", "subtitles")
    assert session["sentences"][0]["where"] == "cue 1"
    early = server.client.get(f"/sessions/{session['id']}/file")
    assert early.status_code in (200, 409)
    server.done(session["id"])
    server.correct(session["id"], 1, "Lydia, are you all right?")
    server.done(session["id"])
    file = server.client.get(f"/sessions/{session['id']}/file")
    assert file.status_code == 200
    assert file.headers["content-disposition"].startswith('attachment; filename="film.en.srt"')
    assert file.content.count(b"-->") == film.count(b"-->")
    assert b"Lydia, are you all right?" in file.content
    assert server.client.post("/files", params={"name": "a.srt"}, content=film).status_code == 201
    for name, content, status in (("a.xyz", b"x", 400), ("a.docx", b"no zip", 400), ("a.csv", b"a,b", 400)):
        answer = server.client.post("/files", params={"name": name}, content=content)
        assert answer.status_code == status, answer.text
        assert list(answer.json()) == ["error"]
    server.ask("POST", f"/sessions/{session['id']}/sentences", json={"text": "你好"}, status=400)


def test_text_that_was_pasted_comes_back_with_its_paragraphs(server: Served) -> None:
    session = server.create(text="你好。再见。\n\n他在哪里？\n", name="名/字")["id"]
    server.done(session)
    first, second, third = texts(server.show(session))
    file = server.client.get(f"/sessions/{session}/file")
    assert file.content.decode() == f"{first} {second}\n\n{third}\n"
    assert "filename*=UTF-8''" in file.headers["content-disposition"]


def test_a_session_is_exported_and_imported(server: Served) -> None:
    session = server.create(sentences=STORY[:2], name="one")["id"]
    server.done(session)
    server.correct(session, 1, "Hello!")
    server.done(session)
    taken = server.ask("GET", f"/sessions/{session}/export")
    other = server.ask("POST", "/sessions/import", json=taken, status=201)
    assert other["id"] != session
    assert texts(other) == texts(server.show(session))
    assert [each["state"] for each in other["sentences"]] == ["corrected", "machine"]
    assert server.client.delete(f"/sessions/{session}").status_code == 204
    assert server.client.get(f"/sessions/{session}").status_code == 404


def test_a_glossary_that_is_too_large_and_other_mistakes_get_one_sentence(server: Served) -> None:
    session = server.create(sentences=STORY[:1])["id"]
    for method, path, body, status in (
        ("POST", "/sessions", {"text": "a", "sentences": ["b"]}, 422),
        ("POST", "/sessions", {"sentences": ["长" * 6000]}, 413),
        ("POST", "/sessions", {"glossary": [{"source": "a", "target": "word " * 99}] * 9}, 413),
        ("POST", "/sessions", {"nam": "x"}, 422),
        ("PUT", f"/sessions/{session}/sentences/7", {"text": "x"}, 404),
        ("PUT", f"/sessions/{session}/sentences/0", {"text": "x"}, 422),
        ("POST", f"/sessions/{session}/memory/pin", {"word": "zebra"}, 400),
        ("GET", "/sessions/nobody", None, 404),
        ("GET", "/nowhere", None, 404),
    ):
        answer = server.client.request(method, path, json=body)
        assert answer.status_code == status, (path, body, answer.text)
        assert list(answer.json()) == ["error"]
    answer = server.client.post("/sessions", content=b'{"text": "\\ud800"}')
    assert answer.status_code == 422


def test_figures_for_operators(server: Served) -> None:
    server.done(server.create(sentences=STORY[:1])["id"])
    figures = httpx.get(f"{server.address}/metrics").text
    assert "recollect_sentences_total" in figures
    assert 'route="/v1/sessions",status="201"' in figures
    assert httpx.get(f"{server.address}/health").json() == {"status": "ok"}


def test_a_slow_follower_holds_up_nobody(server: Served) -> None:
    """One follows and does not listen; others are served, and it is told in the end."""
    session = server.create(sentences=STORY)["id"]
    with server.follow(session) as events:
        other = server.create(sentences=STORY[:2])["id"]
        server.done(other)
        server.done(session)
        assert [kind for kind, _ in zip(("sentence",) * 6, events, strict=False)] == ["sentence"] * 6


# -- the end of a server, and its beginning


def test_a_stopped_server_goes_on_where_it_was(tmp_path: Path) -> None:
    """Asked to stop in the middle of a document: streams end, nothing is lost, the rest is done later."""
    server = Served(tmp_path, "sessions.db")
    session = server.create(sentences=STORY * 5)["id"]
    server.correct(session, 1, "Hello, Xiaoming.")
    with server.follow(session) as events:
        next(events)
        server.stop()
        list(events)  # it ends
    server.end()
    again = Served(tmp_path, "sessions.db")
    found = again.show(session)
    assert found["sentences"][0]["text"] == "Hello, Xiaoming."
    assert found["can_undo"]
    again.done(session)
    assert None not in texts(again.show(session))
    again.stop()
    again.end()


def test_every_acknowledged_correction_survives_a_kill(tmp_path: Path) -> None:
    """Several clients correct as fast as they can; in the middle of it the server is killed."""
    server = Served(tmp_path, "sessions.db")
    sessions = [server.create(sentences=STORY * 3)["id"] for _ in range(3)]
    acknowledged: dict[tuple[str, int], str] = {}

    def correct(session: str, client: int) -> None:
        with httpx.Client(base_url=f"{server.address}/v1", timeout=30) as own:
            for at in range(1000):
                number, text = at % 18 + 1, f"correction {at} of client {client}"
                try:
                    answer = own.put(f"/sessions/{session}/sentences/{number}", json={"text": text})
                except httpx.TransportError:
                    return
                assert answer.status_code == 200, answer.text
                acknowledged[session, number] = text

    clients = [threading.Thread(target=correct, args=(session, n)) for n, session in enumerate(sessions)]
    for client in clients:
        client.start()
    while len(acknowledged) < 30:
        time.sleep(0.01)
    server.kill()
    for client in clients:
        client.join()
    server.end()

    again = Served(tmp_path, "sessions.db")
    for session in sessions:
        found = again.show(session)
        for each in found["sentences"]:
            text = acknowledged.get((session, each["number"]))
            if text is not None:
                # The last one that was on its way may be there without our knowing.
                assert each["state"] == "corrected"
                assert int(each["text"].split()[1]) >= int(text.split()[1])
    again.stop()
    again.end()
