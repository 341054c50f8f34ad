"""The API's description is a page that needs nothing from elsewhere, and says what there is."""

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import httpx
from running import thread

from recollect.serving.routes_docs import description_page
from recollect.serving.settings import Settings


def test_every_operation_is_there_and_nothing_comes_from_elsewhere(
    make_translator: Callable[..., Any], tmp_path: Path
) -> None:
    with thread(make_translator(), tmp_path, Settings()) as address:
        page = httpx.get(f"{address}/docs").text
        description = httpx.get(f"{address}/openapi.json").json()
    for path, methods in description["paths"].items():
        for method in methods:
            assert f"<code>{method.upper()} {path}</code>" in page
    assert "list of {source, target}, optional" in page
    assert not re.search(r"https?:|<script|<style|style=|onclick", page)
    HTMLParser().feed(page)


def test_monitors_may_ask_for_heads_alone(make_translator: Callable[..., Any], tmp_path: Path) -> None:
    with thread(make_translator(), tmp_path, Settings()) as address:
        for path in ("/", "/static/app.js", "/ready"):
            answer = httpx.head(f"{address}{path}")
            assert answer.status_code == 200
            assert answer.headers["content-type"] == httpx.get(f"{address}{path}").headers["content-type"]
            assert not answer.content


def test_what_is_described_is_no_markup() -> None:
    operation = {"tags": ["<i>"], "summary": "<b>", "responses": {"200": {"description": "<u>"}}}
    page = description_page({"info": {"title": "<x>"}, "paths": {"/<a>": {"get": operation}}})
    assert not re.search("<[abiux]>", page)
