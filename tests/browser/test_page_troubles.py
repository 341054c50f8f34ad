"""The page when things do not go as planned: many files, many tabs, wrong texts, documents that are gone."""

import re
from pathlib import Path

import pytest
from desk import Desk
from playwright.sync_api import expect
from story import Story

PHONE = {"viewport": {"width": 375, "height": 740}, "has_touch": True, "is_mobile": True}


def test_every_tab_lists_the_documents_of_all(desk: Desk) -> None:
    desk.translate("你好")
    other = Desk(desk.page.context.new_page())
    other.page.goto(desk.page.url.split("#")[0])
    other.translate("我不知道")
    names = desk.page.locator("#document-list .name")
    expect(names).to_have_text(["我不知道", "你好"])
    desk.correct(1, "Hello there.")
    expect(names).to_have_text(["你好", "我不知道"])
    other.page.reload()
    expect(other.page.locator("#document-list .name")).to_have_text(["你好", "我不知道"])


def test_a_document_that_is_only_opened_is_not_new(desk: Desk) -> None:
    desk.translate("你好")
    first = desk.page.url
    desk.page.get_by_role("button", name="New document").click()
    desk.translate("我不知道")
    expect(desk.page.locator("#name")).to_have_text("我不知道")
    desk.page.goto(first)
    expect(desk.page.locator("#name")).to_have_text("你好")
    expect(desk.page.locator("#document-list .name")).to_have_text(["我不知道", "你好"])


def test_every_file_is_taken_and_every_refusal_told(make_page, server, tmp_path: Path) -> None:
    make_page.allowed = ("status of 400", "status of 415", "status of 422")
    desk = make_page(server.address)
    for name, text in (
        ("a.txt", "你好"),
        ("b.txt", "我不知道"),
        ("c.docx", "no zip"),
        ("d.docx", "nor this"),
    ):
        (tmp_path / name).write_text(text)
    desk.page.locator("#file").set_input_files(sorted(tmp_path.iterdir()))
    trouble = desk.page.get_by_role("alert").filter(has_text="c.docx")
    expect(trouble).to_contain_text("d.docx")
    expect(desk.page.locator("#document-list .name")).to_have_text(["a.txt", "b.txt"])
    expect(desk.page.locator("#name")).to_have_text("a.txt")
    desk.finished(1)
    expect(trouble).to_be_visible()


def test_a_document_that_is_gone_leaves_nothing_of_the_one_before(make_page, server) -> None:
    make_page.allowed = ("status of 404",)
    desk = make_page(server.address)
    desk.translate("你好")
    desk.page.goto(f"{server.address}/#nosuchdocument")
    expect(desk.page.get_by_role("alert").filter(has_text="no such document")).to_be_visible()
    expect(desk.page.get_by_label("Text to translate")).to_be_visible()
    expect(desk.page.get_by_role("button", name="Download")).to_be_hidden()
    expect(desk.page.locator("#name")).to_be_empty()


def test_a_text_in_another_language_is_doubted_once(desk: Desk) -> None:
    text = "Where is Anna? She left the bookshop yesterday, and nobody has seen her since then."
    desk.page.get_by_label("Text to translate").fill(text)
    desk.page.get_by_role("button", name="Translate", exact=True).click()
    expect(desk.page.get_by_role("alert").filter(has_text="English")).to_contain_text("Chinese")
    expect(desk.page.get_by_label("Text to translate")).to_have_value(text)
    desk.page.get_by_role("button", name="Translate", exact=True).click()
    expect(desk.row(1)).to_have_attribute("data-state", "machine")


def test_a_text_may_come_before_the_greeting(make_page, server, story: Story) -> None:
    desk = make_page(server.address)
    held = []
    desk.page.route("**/ready", lambda route: held.append(route))
    with desk.page.expect_request("**/ready"):
        desk.page.reload()
    desk.page.get_by_label("Text to translate").fill(story.text)
    with desk.page.expect_response("**/detect"):
        desk.page.get_by_role("button", name="Translate", exact=True).click()
    desk.page.wait_for_timeout(200)  # time for whatever does not wait for the greeting
    held[0].continue_()
    desk.finished(len(story.sentences))


def test_a_document_without_a_name_can_be_found(make_page, keyed_server) -> None:
    make_page.allowed = ("status of 401",)
    desk = make_page(keyed_server.address)
    key = keyed_server.keys["cleo"]
    made = desk.page.request.post(
        f"{keyed_server.address}/v1/sessions",
        data={"sentences": ["你好"]},
        headers={"Authorization": f"Bearer {key}"},
    )
    assert made.ok
    desk.page.get_by_label("API key").fill(key)
    desk.page.get_by_role("button", name="Go on").click()
    expect(desk.page.get_by_role("link", name="Untitled")).to_be_visible()


def test_what_was_not_saved_is_not_counted(make_page, server) -> None:
    make_page.allowed = ("status of 502",)
    desk = make_page(server.address)
    desk.translate("你好\n我不知道")
    desk.page.route("**/sentences/1", lambda route: route.fulfill(status=502, body="<h1>Bad Gateway</h1>"))
    desk.target(1).click()
    desk.page.get_by_label("Translation of sentence 1").fill("Good evening.")
    desk.page.keyboard.press("Enter")
    expect(desk.page.get_by_role("alert").filter(has_text="does not answer (502)")).to_be_visible()
    expect(desk.page.locator("#count")).to_have_text("2 sentences")


def test_the_end_of_a_translation_is_told(desk: Desk, story: Story) -> None:
    desk.translate(story.text)
    said = f"{len(story.sentences)} sentences are translated"
    expect(desk.page.locator("[aria-live=polite]", has_text=said)).to_have_count(1)


def test_the_legend_adds_up_to_the_slots_in_use(desk: Desk, story: Story) -> None:
    desk.translate(story.text)
    desk.correct(2, story.correction)
    legend = desk.page.locator("#legend button")
    expect(legend).to_have_count(2)  # the model's words and the person's, when the memory has been read again
    used = int(desk.page.locator("#memory-used").inner_text().split(" of ")[0])
    shares = [int(re.findall(r"\d+", text)[0]) for text in legend.all_inner_texts()]
    assert sum(shares) == used
    expect(desk.page.get_by_role("columnheader", name="Words ago")).to_be_visible()


def test_comparing_on_a_phone(make_page, server, story: Story) -> None:
    desk = make_page(server.address, **PHONE)
    desk.translate("\n".join(story.sentences[:2]))
    desk.page.get_by_text("Compare", exact=True).tap()
    expect(desk.row(1).locator(".alone .word").first).to_be_visible()
    for place in (".source", ".target", ".alone"):
        assert desk.row(1).locator(place).bounding_box()["width"] > 250


@pytest.mark.parametrize("drawer", ["Documents", "Memory"])
def test_an_open_drawer_has_the_page_to_itself(make_page, server, drawer: str) -> None:
    desk = make_page(server.address, **PHONE)
    desk.translate("你好")
    opener = desk.page.get_by_role("button", name=drawer, exact=True)
    opener.tap()
    inside = desk.page.locator("#documents" if drawer == "Documents" else "#panel")
    for _ in range(30):  # the tab key never leads behind the drawer
        desk.page.keyboard.press("Tab")
        assert desk.page.evaluate("document.activeElement.closest('main, .bar, .foot')") is None
    inside.get_by_role("button", name="Close").tap()
    expect(inside).to_be_hidden()
    expect(opener).to_be_focused()
    opener.tap()
    desk.page.set_viewport_size({"width": 1400, "height": 900})  # turned, or made larger: no drawers there
    desk.target(1).click()
    expect(desk.page.get_by_label("Translation of sentence 1")).to_be_focused()


def test_a_card_does_not_hide_its_word(make_page, server, story: Story) -> None:
    desk = make_page(server.address, viewport={"width": 700, "height": 450})
    desk.translate(story.text)
    desk.target(1).focus()
    for _ in range(8):
        desk.page.keyboard.press("ArrowDown")
    desk.page.keyboard.press("ArrowRight")
    expect(desk.page.locator("#card")).to_be_visible()
    word, card = desk.page.locator(".word:focus").bounding_box(), desk.page.locator("#card").bounding_box()
    assert word["y"] + word["height"] <= card["y"]
    assert word["y"] >= 0
