"""The page of a server that asks for a key: it is asked for once, and shows its owner's documents only."""

from desk import Desk
from playwright.sync_api import expect

TEXT = "你好\n我不知道"


def test_a_key_opens_ones_own_documents(make_page, keyed_server) -> None:
    make_page.allowed = ("status of 401", "status of 404")
    anna = make_page(keyed_server.address)
    dialog = anna.page.get_by_role("dialog", name="This server asks for a key")
    _give(anna, "a key of nobody")
    expect(dialog).to_contain_text("does not know that key")
    _give(anna, keyed_server.keys["anna"])
    expect(dialog).to_be_hidden()
    anna.translate(TEXT)
    listed = anna.page.locator("#document-list li")
    expect(listed).to_contain_text("你好")
    anna.page.reload()
    anna.finished(2)
    expect(listed).to_have_count(1)
    assert anna.page.evaluate("localStorage.length") == 0

    ben = make_page(anna.page.url)
    _give(ben, keyed_server.keys["ben"])
    expect(ben.page.get_by_role("alert").filter(has_text="no such document")).to_be_visible()
    expect(ben.page.locator("#document-list li")).to_have_count(0)
    expect(ben.page.locator(".row[data-number]")).to_have_count(0)


def _give(desk: Desk, key: str) -> None:
    desk.page.get_by_label("API key").fill(key)
    desk.page.get_by_role("button", name="Go on").click()
