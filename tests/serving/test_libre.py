"""LibreTranslate's clients work here unchanged, and what they suggest is remembered."""

import json
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote, unquote

import httpx
import pytest
from running import thread

import recollect
from recollect.decoding.translator import Translator
from recollect.serving.settings import Settings

PAIR = {"source": "zh", "target": "en"}
SESSION = "X-Recollect-Session"


@pytest.fixture(scope="module")
def translator() -> Translator:
    return recollect.load("subtitle-zh-en")


@pytest.fixture(scope="module")
def server(translator: Translator, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with (
        thread(translator, tmp_path_factory.mktemp("server"), Settings()) as address,
        httpx.Client(base_url=address, timeout=60) as client,
    ):
        yield client


def sentences(server: httpx.Client, answer: httpx.Response) -> list[dict[str, Any]]:
    """Return the sentences of the session that an answer names."""
    found = server.get(f"/v1/sessions/{answer.headers[SESSION]}").json()["sentences"]
    assert isinstance(found, list)
    return found


def translated(answer: httpx.Response) -> Any:
    assert answer.status_code == 200, answer.text
    return answer.json()["translatedText"]


def test_a_string_is_answered_by_a_string_and_a_list_by_a_list(server: httpx.Client) -> None:
    one = server.post("/translate", json={"q": "安娜在哪里？"} | PAIR)
    assert one.json().keys() == {"translatedText"}
    assert translated(one)
    assert isinstance(translated(one), str)
    many = translated(server.post("/translate", json={"q": ["我走了。", "", "你好"]} | PAIR))
    assert len(many) == 3
    assert [bool(text) for text in many] == [True, False, True]


def test_forms_and_addresses_say_the_same_as_json(server: httpx.Client) -> None:
    fields = {"q": "我不知道。", "memory": "false"} | PAIR
    answers = [
        server.post("/translate", json=fields),
        server.post("/translate", data=fields),
        server.post("/translate", params=fields),
        server.post("/translate", files={name: (None, value) for name, value in fields.items()}),
        server.post(  # as curl -d sends it
            "/translate",
            content="&".join(f"{name}={value}" for name, value in fields.items()).encode(),
            headers={"Content-Type": "application/x-www-form-urlencoded"},
        ),
    ]
    assert len({translated(answer) for answer in answers}) == 1
    assert len(translated(server.post("/translate", data={"q": ["我走了。", "你好。"]} | PAIR))) == 2


def test_lines_and_the_white_space_around_them_stay(server: httpx.Client) -> None:
    text = translated(server.post("/translate", json={"q": "  我走了。\n\n\t你好！再见！\n123\n"} | PAIR))
    lines = text.split("\n")
    assert lines[0].startswith("  ")
    assert lines[1] == ""
    assert lines[2].startswith("\t")
    assert lines[3:] == ["123", ""]


def test_markup_survives(server: httpx.Client) -> None:
    page = (
        '<meta charset="gbk"><p class="green" onclick="f(\'你好\')">我爱<b>你</b>。</p>'
        '<script>"你好"</script>'
    )
    text = translated(server.post("/translate", json={"q": page, "format": "html", "alternatives": 1} | PAIR))
    assert text.startswith('<meta charset="gbk"><p class="green" onclick="f(\'你好\')">')
    assert text.endswith('</p><script>"你好"</script>')
    assert text.count("<b>") == text.count("</b>") == 1
    assert "我" not in text
    plain = translated(server.post("/translate", json={"q": "1 < 2 & 3 > 2。你好。"} | PAIR))
    assert "&amp;" not in plain


def test_alternatives_are_others(server: httpx.Client) -> None:
    for more in ({}, {"memory": False}):
        fields = {"q": "我不知道他在哪里。", "alternatives": 3} | PAIR | more
        answer = server.post("/translate", json=fields).json()
        assert 1 <= len(answer["alternatives"]) <= 3
        assert answer["translatedText"] not in answer["alternatives"]
        assert len(set(answer["alternatives"])) == len(answer["alternatives"])
    many = server.post("/translate", json={"q": ["你好。", "我走了。"], "alternatives": 2} | PAIR).json()
    assert [len(each) <= 2 for each in many["alternatives"]] == [True, True]


def test_the_source_language_is_found(server: httpx.Client) -> None:
    auto = {"source": "auto", "target": "en"}
    answer = server.post("/translate", json={"q": "我们在哪里见面？"} | auto).json()
    assert answer["detectedLanguage"]["language"] == "zh"
    assert answer["detectedLanguage"]["confidence"] > 90
    assert answer["translatedText"]
    listed = server.post("/translate", json={"q": ["你好。", "ok"]} | auto).json()
    assert [each["language"] for each in listed["detectedLanguage"]] == ["zh", "zh"]
    same = server.post("/translate", json={"q": "Where shall we meet tonight?"} | auto).json()
    assert same["translatedText"] == "Where shall we meet tonight?"
    assert same["detectedLanguage"]["language"] == "en"
    unclear = server.post("/translate", json={"q": "123"} | auto).json()
    assert unclear == {"translatedText": "123", "detectedLanguage": {"language": "zh", "confidence": 0}}
    other = server.post("/translate", json={"q": "Das ist ein deutscher Satz."} | auto)
    assert other.status_code == 400
    assert other.json()["error"] == (
        "this is German (de), which is not supported: this server translates Chinese (zh) into English (en)"
    )


def test_languages_and_their_detection(server: httpx.Client) -> None:
    assert server.get("/languages").json() == [
        {"code": "zh", "name": "Chinese", "targets": ["en"]},
        {"code": "en", "name": "English", "targets": []},
    ]
    for sent in ({"json": {"q": "Guten Morgen, wie geht es dir?"}}, {"data": {"q": "Guten Morgen!"}}):
        found = server.post("/detect", **sent).json()
        assert found[0]["language"] == "de"
        assert 0 < found[0]["confidence"] <= 100
    assert server.post("/detect", json={"q": "?!"}).json() == [{"language": "zh", "confidence": 0}]
    assert translated(server.post("/translate", json={"q": "你好", "source": "zh-Hans", "target": "EN"}))


def test_settings(server: httpx.Client) -> None:
    found = server.get("/frontend/settings").json()
    assert found["language"]["source"] == {"code": "zh", "name": "Chinese"}
    assert (found["suggestions"], found["apiKeys"], found["keyRequired"]) == (True, False, False)
    assert server.get("/health").json() == {"status": "ok"}


def test_requests_of_one_client_are_one_session(server: httpx.Client) -> None:
    first = server.post("/translate", json={"q": "安娜在哪里？"} | PAIR)
    second = server.post("/translate", json={"q": "她走了。"} | PAIR)
    assert first.headers[SESSION] == second.headers[SESSION]
    assert [each["source"] for each in sentences(server, second)][-2:] == ["安娜在哪里？", "她走了。"]
    terms = [{"source": "安娜", "target": "Hannah"}]
    third = server.post("/translate", json={"q": "安娜在哪里？", "glossary": terms} | PAIR)
    assert third.headers[SESSION] != first.headers[SESSION]
    form = {"q": "安娜走了。", "glossary": json.dumps(terms)} | PAIR
    assert server.post("/translate", data=form).headers[SESSION] == third.headers[SESSION]
    assert server.get(f"/v1/sessions/{third.headers[SESSION]}").json()["glossary"] == terms


def test_a_session_of_ones_own(server: httpx.Client) -> None:
    own = server.post("/v1/sessions", json={"sentences": ["安娜在哪里？"]}).json()["id"]
    terms = [{"source": "安娜", "target": "Hannah"}]
    fields = {"q": "她走了。", "session": own, "glossary": terms} | PAIR
    answer = server.post("/translate", json=fields)
    assert answer.headers[SESSION] == own
    assert [each["source"] for each in sentences(server, answer)] == ["安娜在哪里？", "她走了。"]
    assert server.get(f"/v1/sessions/{own}").json()["glossary"] == terms
    lost = server.post("/translate", json={"q": "她走了。", "session": "nowhere"} | PAIR)
    assert (lost.status_code, lost.json()) == (404, {"error": "there is no session 'nowhere'"})


def test_without_memory_nothing_is_kept(server: httpx.Client) -> None:
    before = server.post("/translate", json={"q": "你好。"} | PAIR)
    count = len(sentences(server, before))
    alone = server.post("/translate", json={"q": "这是秘密。", "memory": False} | PAIR)
    assert translated(alone)
    assert SESSION not in alone.headers
    assert len(sentences(server, before)) == count
    term = {"source": "安娜", "target": "Xenobia"}
    held = {"q": "安娜在哪里？", "memory": False, "glossary": [term]} | PAIR
    assert "Xenobia" in translated(server.post("/translate", json=held))


def test_a_suggestion_is_remembered(server: httpx.Client) -> None:
    server.post("/translate", json={"q": "安娜在哪里？她走了。"} | PAIR)
    fields = {"q": "安娜在哪里？", "s": "Where is Hannah?"} | PAIR
    for sent in ({"json": fields}, {"data": fields}):
        answer = server.post("/suggest", **sent)
        assert answer.json() == {"success": True}
    corrected, after = sentences(server, answer)[-2:]
    assert (corrected["text"], corrected["state"]) == ("Where is Hannah?", "corrected")
    assert after["state"] == "machine"


def test_a_suggestion_for_what_was_never_translated_is_remembered_too(server: httpx.Client) -> None:
    fields = {"q": "汉娜是我的老师。", "s": "Hannah is my teacher."} | PAIR
    *_, last = sentences(server, server.post("/suggest", json=fields))
    assert (last["source"], last["text"]) == ("汉娜是我的老师。", "Hannah is my teacher.")
    assert last["state"] == "corrected"
    several = {"q": "汉娜来了。\n老师走了。", "s": "Hannah came.\nThe teacher left."} | PAIR
    *_, first, second = sentences(server, server.post("/suggest", json=several))
    assert [(each["source"], each["text"]) for each in (first, second)] == [
        ("汉娜来了。", "Hannah came."),
        ("老师走了。", "The teacher left."),
    ]


@pytest.mark.parametrize(
    ("path", "fields", "said"),
    [
        ("/translate", {}, "missing q parameter"),
        ("/translate", {"q": ""} | PAIR, "missing q parameter"),
        ("/translate", {"q": "你好", "target": "en"}, "missing source parameter"),
        ("/translate", {"q": "你好", "source": "zh"}, "missing target parameter"),
        ("/translate", {"q": 5} | PAIR, "q: Input should be a valid string"),
        ("/translate", {"q": []} | PAIR, "q: "),
        ("/translate", {"q": "你好", "format": "pdf"} | PAIR, "format: Input should be 'text' or 'html'"),
        ("/translate", {"q": "你好", "alternatives": "some"} | PAIR, "alternatives: "),
        ("/translate", {"q": "你好", "alternatives": 1000} | PAIR, "alternatives: "),
        ("/translate", {"q": "你好", "source": "fr", "target": "en"}, "fr is not supported"),
        ("/translate", {"q": "你好", "source": "zh", "target": "fr"}, "fr is not supported"),
        ("/translate", {"q": "你好\0", "format": "html"} | PAIR, "NUL"),
        ("/translate", {"q": "你好\ud800"} | PAIR, "q: "),
        ("/translate", {"q": "你好", "glossary": "["} | PAIR, "glossary: in a form this is JSON"),
        ("/detect", {}, "missing q parameter"),
        ("/suggest", {"q": "你好"} | PAIR, "missing s parameter"),
        ("/suggest", {"q": "你好", "s": "Hello", "source": "xx", "target": "en"}, "xx is not supported"),
    ],
)
def test_what_is_wrong_is_said(server: httpx.Client, path: str, fields: dict[str, Any], said: str) -> None:
    answer = server.post(path, content=json.dumps(fields), headers={"Content-Type": "application/json"})
    assert answer.status_code == 400, answer.text
    assert answer.json().keys() == {"error"}
    assert said in answer.json()["error"]


@pytest.mark.parametrize("body", [b"{", b"[]", b"\xff", b"[" * 100_000])
def test_what_is_no_request_at_all(server: httpx.Client, body: bytes) -> None:
    for kind in (
        "application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "",
    ):
        answer = server.post("/translate", content=body, headers={"Content-Type": kind})
        assert answer.status_code == 400
        assert answer.json().keys() == {"error"}


def test_a_glossary_must_fit_into_the_memory_only_where_there_is_one(server: httpx.Client) -> None:
    terms = [{"source": f"a{number}", "target": "word " * 99} for number in range(9)]
    fields = {"q": "你好", "glossary": terms} | PAIR
    assert server.post("/translate", json=fields).status_code == 413
    assert server.post("/translate", json=fields | {"memory": False}).status_code == 200


def test_visits_end_after_a_while(translator: Translator, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("visits")
    # The next visit may begin even where there may be one session, and that is still there.
    with thread(translator, folder, Settings(window=1e-6, site_sessions=1)) as address:
        server = httpx.Client(base_url=address, timeout=60)
        first = server.post("/translate", json={"q": "安娜在哪里？"} | PAIR)
        second = server.post("/translate", json={"q": "她走了。"} | PAIR)
        assert first.headers[SESSION] != second.headers[SESSION]
        assert [each["source"] for each in sentences(server, second)] == ["她走了。"]
        gone = server.get(f"/v1/sessions/{first.headers[SESSION]}")
        assert gone.status_code == 404


def test_without_a_window_nothing_is_kept(
    translator: Translator, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("windowless")
    with thread(translator, folder, Settings(window=0)) as address:
        server = httpx.Client(base_url=address, timeout=60)
        answer = server.post("/translate", json={"q": "安娜在哪里？她走了。"} | PAIR)
        assert translated(answer)
        assert SESSION not in answer.headers
        kept = sqlite3.connect(folder / "sessions.db").execute("SELECT count(*) FROM session").fetchone()
        assert kept == (0,)
        assert not server.get("/frontend/settings").json()["suggestions"]
        fields = {"q": "安娜在哪里？", "s": "Where is Hannah?"} | PAIR
        assert server.post("/suggest", json=fields).status_code == 403
        own = server.post("/v1/sessions", json={"sentences": ["安娜在哪里？"]}).json()["id"]
        assert server.post("/suggest", json=fields | {"session": own}).json() == {"success": True}


def test_a_session_that_is_full_is_followed_by_another(
    translator: Translator, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("full")
    with thread(translator, folder, Settings(sentences=3)) as address:
        server = httpx.Client(base_url=address, timeout=60)
        first = server.post("/translate", json={"q": ["你好。", "再见。"]} | PAIR)
        second = server.post("/translate", json={"q": ["你好。", "再见。"]} | PAIR)
        assert translated(second)
        assert first.headers[SESSION] != second.headers[SESSION]
        large = server.post("/translate", json={"q": ["你好。"] * 4} | PAIR)
        assert (large.status_code, large.json()["error"]) == (413, "a session has at most 3 sentences")


def test_who_is_still_being_answered_is_not_hurt_by_the_next_session(
    translator: Translator, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("crowded")
    with (
        thread(translator, folder, Settings(sentences=5)) as address,
        httpx.Client(base_url=address, timeout=60) as server,
        ThreadPoolExecutor(8) as pool,
    ):
        fields = {"q": ["我们今天去看医生。", "他在哪里？"]} | PAIR
        answers = list(pool.map(lambda _: server.post("/translate", json=fields), range(24)))
        assert {answer.status_code for answer in answers} == {200}
        large = server.post("/translate", json={"q": ["你好。"] * 6} | PAIR)
        assert large.status_code == 413
        (kept,) = sqlite3.connect(folder / "sessions.db").execute("SELECT id FROM session").fetchall()
        assert kept[0] == server.post("/translate", json={"q": "你好。"} | PAIR).headers[SESSION]


SUBTITLES = "1\n00:00:01,000 --> 00:00:02,000\n安娜在哪里？\n\n2\n00:00:03,000 --> 00:00:04,500\n她走了。\n"


def test_a_file_comes_back_in_its_own_format(server: httpx.Client) -> None:
    for name, fetched in (
        ("film.zh.srt", "film.en.srt"),
        ("../../etc/电影.srt", "电影.en.srt"),
        ("C:\\films\\100% new.srt", "100% new.en.srt"),
    ):
        answer = server.post("/translate_file", files={"file": (name, SUBTITLES.encode())}, data=PAIR)
        assert answer.status_code == 200, answer.text
        address = answer.json()["translatedFileUrl"]
        assert address.startswith(f"{server.base_url}/download_file/")
        file = httpx.get(address)
        assert unquote(address).rpartition("/")[2] == fetched
        assert file.headers["Content-Disposition"].endswith(f"filename*=UTF-8''{quote(fetched)}")
        times = [line for line in file.text.splitlines() if "-->" in line]
        assert times == [line for line in SUBTITLES.splitlines() if "-->" in line]
        assert "她" not in file.text
        assert len(sentences(server, answer)) == 2


def test_a_correction_is_in_the_file_that_is_fetched(server: httpx.Client) -> None:
    answer = server.post("/translate_file", files={"file": ("a.srt", SUBTITLES.encode())}, data=PAIR)
    fields = {"q": "安娜在哪里？", "s": "Where is Hannah?", "session": answer.headers[SESSION]} | PAIR
    assert server.post("/suggest", json=fields).json() == {"success": True}
    assert "Where is Hannah?" in httpx.get(answer.json()["translatedFileUrl"]).text
    more = server.post("/translate", json={"q": "她走了。", "session": answer.headers[SESSION]} | PAIR)
    assert (more.status_code, "nothing can be added" in more.json()["error"]) == (400, True)


def test_files_that_cannot_be_translated(server: httpx.Client) -> None:
    auto = {"source": "auto", "target": "en"}
    english = b"Where is Anna? I have been waiting for her.\n"
    for file, fields, said in (
        (None, PAIR, "missing file parameter"),
        (("a.srt", SUBTITLES.encode()), {"source": "zh"}, "missing target parameter"),
        (("a.srt", SUBTITLES.encode()), {"source": "zh", "target": "fr"}, "fr is not supported"),
        (("a.exe", b"MZ"), PAIR, "its name does not tell its format"),
        (("a.docx", b"PK"), PAIR, "a.docx"),
        (("a.txt", b""), PAIR, "there is nothing to translate"),
        (("a.txt", english), auto, "this is English already"),
    ):
        files = {"file": file} if file else {"other": (None, "x")}
        answer = server.post("/translate_file", files=files, data=fields)
        assert answer.status_code == 400, answer.text
        assert said in answer.json()["error"]
    for path in ("/download_file/x/a.srt", "/download_file/..%2f..%2fetc/passwd"):
        assert server.get(path).status_code == 404
    formats = server.get("/frontend/settings").json()["supportedFilesFormat"]
    assert {".srt", ".docx", ".html"} < set(formats)
