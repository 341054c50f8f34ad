"""The page for everyone: small screens, dark rooms, screen readers, eyes that want contrast or no motion."""

from pathlib import Path

import pytest
from desk import Desk
from playwright.sync_api import expect
from story import Story

CONTRAST = (Path(__file__).parent / "contrast.js").read_text()
NAMES = (Path(__file__).parent / "names.js").read_text()
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_can_be_read_and_has_a_name(make_page, server, story: Story, scheme: str) -> None:
    desk = make_page(server.address, color_scheme=scheme, reduced_motion="reduce")
    assert desk.page.evaluate(CONTRAST) == []
    assert desk.page.evaluate(NAMES) == []
    desk.translate(story.text)
    desk.correct(2, story.correction)
    desk.page.get_by_text("Compare", exact=True).click()
    expect(desk.row(5).locator(".alone")).to_be_visible()
    desk.word(5, story.name).hover()
    expect(desk.page.locator("#card")).to_be_visible()
    assert desk.page.evaluate(CONTRAST) == []
    assert desk.page.evaluate(NAMES) == []
    desk.page.get_by_role("button", name="Help").click()
    assert desk.page.evaluate(CONTRAST) == []
    ground = desk.page.evaluate("getComputedStyle(document.body).backgroundColor")
    brightness = sum(int(part) for part in ground.strip("rgb()").split(",")) / 3
    assert brightness > 200 if scheme == "light" else brightness < 60


def test_a_screen_reader_finds_its_way(desk: Desk, story: Story) -> None:
    desk.translate(story.text)
    page = desk.page
    for landmark in ("banner", "main", "contentinfo"):
        expect(page.get_by_role(landmark)).to_have_count(1)
    expect(page.get_by_role("navigation", name="Documents")).to_be_visible()
    expect(page.get_by_role("complementary", name="Memory")).to_be_visible()
    grid = page.get_by_role("grid", name="Sentences and their translations")
    expect(grid).to_have_attribute("aria-rowcount", str(len(story.sentences) + 1))
    expect(grid.get_by_role("columnheader", name="English")).to_be_visible()
    expect(desk.row(2).get_by_role("gridcell").nth(1)).to_have_attribute("lang", "en")
    expect(desk.row(2).get_by_role("gridcell").nth(0)).to_have_attribute("lang", "zh")
    desk.correct(2, story.correction)
    expect(desk.row(2).get_by_role("rowheader")).to_contain_text("corrected")
    expect(page.locator("[aria-live=polite]", has_text="followed")).to_have_count(1)
    assert page.locator("#sentences [tabindex='0']").count() == 1  # one stop for the tab key
    expect(desk.target(2)).to_be_focused()
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_at_phone_width(make_page, server, story: Story) -> None:
    desk = make_page(server.address, **PHONE)
    page = desk.page

    def fits() -> bool:
        return page.evaluate(
            "document.documentElement.scrollWidth <= innerWidth && document.body.scrollWidth <= innerWidth"
        )

    assert fits()
    desk.translate(story.text)
    assert fits()
    page.get_by_role("button", name="Edit sentence 1").tap()
    page.keyboard.press("Escape")
    desk.target(2).tap()
    desk.page.get_by_role("button", name="Edit sentence 2").tap()
    page.get_by_label("Translation of sentence 2").fill(story.correction)
    assert fits()
    page.keyboard.press("Enter")
    expect(desk.target(9)).to_contain_text(story.name)
    desk.settled()
    desk.word(5, story.name).tap()
    expect(page.locator("#card")).to_be_in_viewport()
    expect(page.locator("#card")).to_contain_text("correction")
    assert fits()
    page.get_by_role("button", name="Memory", exact=True).tap()
    expect(page.get_by_role("complementary", name="Memory")).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(page.get_by_role("complementary", name="Memory")).to_be_hidden()
    page.get_by_role("button", name="Documents").tap()
    expect(page.get_by_role("navigation", name="Documents")).to_be_in_viewport()
    page.get_by_role("button", name="New document").tap()
    expect(page.get_by_label("Text to translate")).to_be_visible()
    assert fits()


def test_no_motion_for_those_who_want_none(make_page, server) -> None:
    desk = make_page(server.address, reduced_motion="reduce")
    desk.translate("你好")
    assert desk.page.evaluate("document.getAnimations().length") == 0


def test_the_policy_lets_nothing_else_in(make_page, server) -> None:
    make_page.allowed = ("Content Security Policy", "TrustedHTML", "Executing inline script")
    desk = make_page(server.address)
    policy = desk.page.request.get(server.address).headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for name in ("nothing.js", "..%2Fapp.py", "%2e%2e/app.py"):
        assert desk.page.request.get(f"{server.address}/static/{name}").status == 404
    refused = desk.page.evaluate(
        """() => {
          try {
            document.body.innerHTML = "<b>no</b>";
            return false;
          } catch (error) {
            return error instanceof TypeError;
          }
        }"""
    )
    assert refused
