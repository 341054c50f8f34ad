"""The page in the hands of somebody: what they do, and what they see."""

from playwright.sync_api import Locator, Page, expect

__all__ = ["Desk"]


class Desk:
    def __init__(self, page: Page) -> None:
        self.page = page

    def translate(self, text: str) -> None:
        """Type a text and wait until every sentence is translated."""
        self.page.get_by_label("Text to translate").fill(text)
        self.page.get_by_role("button", name="Translate", exact=True).click()
        self.finished(len(text.splitlines()))

    def settle(self, translations: dict[str, str]) -> None:
        """Open a document that people have translated."""
        address = self.page.url.split("#")[0]
        made = self.page.request.post(f"{address}v1/sessions", data={"sentences": list(translations)}).json()
        for number, text in enumerate(translations.values(), 1):
            path = f"{address}v1/sessions/{made['id']}/sentences/{number}"
            assert self.page.request.put(path, data={"text": text}).ok
        self.page.goto(f"{address}#{made['id']}")
        self.finished(len(translations))

    def finished(self, sentences: int) -> None:
        expect(self.page.locator(".row[data-state]")).to_have_count(sentences)
        expect(self.page.locator(".row[data-state=waiting]")).to_have_count(0)
        self.settled()

    def settled(self) -> None:
        """Wait until nothing follows anything any more."""
        expect(self.page.locator("#progress")).to_be_hidden()

    def row(self, number: int) -> Locator:
        return self.page.locator(f".row[data-number='{number}']")

    def target(self, number: int) -> Locator:
        return self.row(number).locator(".target")

    def translations(self) -> list[str]:
        return self.page.locator(".row .target").all_inner_texts()

    def word(self, number: int, text: str) -> Locator:
        return self.target(number).locator(".word", has_text=text).first

    def correct(self, number: int, text: str) -> None:
        self.target(number).click()
        self.page.get_by_label(f"Translation of sentence {number}").fill(text)
        self.page.keyboard.press("Enter")
        expect(self.row(number)).to_have_attribute("data-state", "corrected")
        self.settled()
