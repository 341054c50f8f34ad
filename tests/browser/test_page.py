"""The page at `/`, in a real browser, against a real server: what a translator does with it."""

import re
from pathlib import Path

from desk import Desk
from playwright.sync_api import expect
from story import Story

SAMPLES = Path(__file__).parents[2] / "examples" / "documents"
# A watch and a woman, each with two names: one of them at least is noticed, whatever the model.
SEVERAL_WAYS = {
    "这是我的怀表": "This is my pocketwatch.",
    "怀表在哪里": "Where is the pocketwatch?",
    "怀表被偷了": "The timepiece was stolen.",
    "我喜欢这块怀表": "I like this timepiece.",
    "怀表不见了": "The pocketwatch is gone.",
    "莉迪亚来了": "Lydia came.",
    "莉迪亚走了": "Lydia left.",
    "我爱莉迪亚": "I love Lydia.",
    "莉迪亚在哪里": "Where is Helena?",
    "我看见了莉迪亚": "I saw Helena.",
}


def test_a_correction_is_followed_undone_and_found_again(desk: Desk, story: Story) -> None:
    desk.translate(story.text)
    before = desk.translations()
    desk.correct(2, story.correction)
    for number in (5, 9):
        expect(desk.target(number)).to_contain_text(story.name)
        expect(desk.row(number).locator(".changed", has_text=story.name)).to_be_visible()
    expect(desk.page.locator("#message")).to_contain_text(
        re.compile(r"orrection of sentence 2: .*5.* 9.*followed")
    )
    followed = desk.translations()

    desk.page.get_by_role("button", name="Undo").click()
    expect(desk.target(5)).to_have_text(before[4])
    desk.settled()
    assert desk.translations() == before
    expect(desk.row(2)).to_have_attribute("data-state", "machine")

    desk.correct(2, story.correction)
    assert desk.translations() == followed
    desk.page.reload()
    desk.finished(len(story.sentences))
    assert desk.translations() == followed
    expect(desk.row(2)).to_have_attribute("data-state", "corrected")
    expect(desk.page.get_by_role("button", name="Undo")).to_be_enabled()
    expect(desk.page.locator("#document-list [aria-current=page]")).to_contain_text(story.sentences[0])


def test_with_the_keyboard_alone(desk: Desk, story: Story) -> None:
    page, press = desk.page, desk.page.keyboard.press
    page.keyboard.insert_text(story.text)  # the field for text has the focus
    press("Control+Enter")
    desk.finished(len(story.sentences))
    expect(desk.target(1)).to_be_focused()
    press("ArrowDown")
    expect(desk.target(2)).to_be_focused()
    press("Enter")
    press("Control+a")
    page.keyboard.type(story.correction)
    press("Enter")
    expect(desk.target(2)).to_be_focused()
    expect(desk.target(9)).to_contain_text(story.name)
    desk.settled()
    press("n")
    expect(desk.target(5)).to_be_focused()
    press("Escape")
    press("c")
    expect(desk.row(5)).to_have_attribute("data-state", "confirmed")
    desk.settled()
    press("Control+z")
    expect(desk.row(5)).to_have_attribute("data-state", "machine")
    press("Enter")
    page.keyboard.type("not kept")
    press("Escape")
    expect(desk.target(5)).not_to_contain_text("not kept")
    expect(desk.target(5)).to_be_focused()
    press("?")
    expect(page.get_by_role("dialog", name="How it works")).to_be_visible()
    press("Escape")
    press("F6")
    expect(page.locator("#panel")).to_be_focused()
    press("F6")
    expect(page.locator("#documents")).to_be_focused()
    press("F6")
    expect(desk.target(5)).to_be_focused()


def test_confirming_and_going_on(desk: Desk) -> None:
    desk.translate("你好\n我不知道")
    desk.target(1).press("Enter")
    expect(desk.page.get_by_label("Translation of sentence 1")).to_be_focused()
    desk.page.keyboard.press("Control+Enter")
    expect(desk.page.get_by_label("Translation of sentence 2")).to_be_focused()
    expect(desk.row(1)).to_have_attribute("data-state", "confirmed")


def test_a_word_tells_what_it_consulted(desk: Desk, story: Story) -> None:
    desk.translate(story.text)
    alone = desk.target(5).inner_text()
    desk.correct(2, story.correction)
    desk.word(5, story.name).hover()
    card = desk.page.get_by_role("group", name="What the memory said")
    expect(card).to_contain_text(story.name)
    expect(card).to_contain_text("correction")
    expect(card.get_by_role("button", name="Go to sentence 2").first).to_be_visible()
    expect(desk.page.locator("#links path.link.correction")).not_to_have_count(0)
    expect(desk.target(2).locator(".consulted.correction")).to_have_text(story.name)
    said = card.locator(".without b").inner_text()
    assert said.split()[0] in alone
    expect(desk.page.locator("#heat tr.pointed th")).to_have_text(story.name)

    desk.page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    expect(desk.page.locator("#links path")).to_have_count(0)

    desk.target(5).focus()
    desk.page.keyboard.press("ArrowRight")
    expect(card).to_be_visible()
    expect(desk.page.locator("[aria-live]", has_text="Memory heard")).to_have_count(1)


def test_the_memory_is_shown_pinned_and_forgotten(desk: Desk, story: Story) -> None:
    desk.translate(story.text)
    desk.correct(2, story.correction)
    page = desk.page
    expect(page.locator("#memory-used")).to_contain_text(re.compile(r"^\d+ of [\d,]+ slots$"))
    page.get_by_role("button", name=re.compile("^own output")).click()
    line = (
        page.locator("#slots tr", has_text="bookshop")
        .or_(page.locator("#slots tr", has_text="yesterday"))
        .last
    )
    expect(line.get_by_role("button", name="Go to sentence 2")).to_be_visible()
    line.get_by_role("button", name=re.compile("^Pin")).click()
    expect(line.get_by_role("button", name=re.compile("^Pin"))).to_have_attribute("aria-pressed", "true")
    desk.settled()
    word = line.get_attribute("data-word")
    line.focus()
    page.keyboard.press("Delete")
    expect(page.locator(f"#slots tr[data-word='{word}']")).to_have_count(0)
    desk.settled()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(f"#slots tr[data-word='{word}']")).to_have_count(1)


def test_with_and_without_memory(desk: Desk, story: Story) -> None:
    desk.translate(story.text)
    alone = desk.translations()
    desk.correct(2, story.correction)
    page = desk.page
    page.get_by_text("Compare", exact=True).click()
    beside = desk.row(5).locator(".alone")
    expect(beside).to_be_visible()
    expect(beside).not_to_contain_text(story.name)
    expect(beside.locator(".differs")).not_to_have_count(0)
    expect(desk.target(5).locator(".differs").first).to_be_visible()
    page.get_by_text("Off", exact=True).click()
    expect(desk.target(5)).not_to_contain_text(story.name)
    desk.settled()
    page.get_by_text("On", exact=True).click()
    expect(desk.target(5)).to_contain_text(story.name)
    assert alone[0] == desk.translations()[0]


def test_more_text_goes_on_with_the_same_memory(desk: Desk, story: Story) -> None:
    desk.translate("\n".join(story.sentences[:4]))
    desk.correct(2, story.correction)
    desk.page.get_by_label("More text for this document").fill(story.sentences[4])
    desk.page.get_by_role("button", name="Add", exact=True).first.click()
    desk.finished(5)
    expect(desk.target(5)).to_contain_text(story.name)


def test_a_glossary_is_remembered(desk: Desk, story: Story) -> None:
    desk.translate(story.text)
    page = desk.page
    page.get_by_text("Glossary").last.click()
    page.get_by_label("Source term").fill(story.sentences[1].split("先生")[0])
    page.get_by_label("Its translation").fill(story.name)
    page.get_by_label("Its translation").press("Enter")
    expect(page.locator("#terms li")).to_contain_text(story.name)
    desk.settled()
    expect(page.get_by_role("button", name=re.compile("^glossary"))).to_be_visible()


def test_a_file_comes_back_translated(desk: Desk) -> None:
    page = desk.page
    page.locator("#file").set_input_files(SAMPLES / "scene.srt")
    expect(page.locator("#name")).to_have_text("scene.srt")
    expect(page.locator(".row[data-state=machine]").first).to_be_visible()
    expect(page.locator(".row[data-state=waiting]")).to_have_count(0)
    desk.settled()
    expect(page.get_by_label("More text for this document")).to_be_hidden()
    with page.expect_download() as found:
        page.get_by_role("button", name="Download").click()
    assert found.value.suggested_filename == "scene.en.srt"
    text = Path(found.value.path()).read_text("utf-8")
    times = re.findall(".* --> .*", (SAMPLES / "scene.srt").read_text("utf-8"))
    assert times
    assert re.findall(".* --> .*", text) == times


def test_a_file_that_is_dropped_is_translated(desk: Desk) -> None:
    content = "你好\n我不知道\n"
    desk.page.evaluate(
        """(text) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([text], "notes.txt"));
          for (const kind of ["dragenter", "dragover", "drop"]) {
            const event = new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true });
            document.body.dispatchEvent(event);
          }
        }""",
        content,
    )
    expect(desk.page.locator("#name")).to_have_text("notes.txt")
    desk.finished(2)


def test_a_file_that_cannot_be_read_is_told(make_page, server, tmp_path: Path) -> None:
    make_page.allowed = ("status of 400", "status of 415", "status of 422")
    desk = make_page(server.address)
    path = tmp_path / "broken.docx"
    path.write_bytes(b"this is no zip file")
    desk.page.locator("#file").set_input_files(path)
    expect(desk.page.get_by_role("alert").filter(has_text="broken.docx")).to_be_visible()


def test_what_could_not_be_saved_is_not_lost(make_page, server) -> None:
    make_page.allowed = ("ERR_FAILED",)
    desk = make_page(server.address)
    desk.translate("你好\n我不知道")
    desk.page.route("**/sentences/1", lambda route: route.abort())
    desk.target(1).click()
    field = desk.page.get_by_label("Translation of sentence 1")
    field.fill("Good evening.")
    desk.page.keyboard.press("Enter")
    expect(desk.page.get_by_role("alert").filter(has_text="does not answer")).to_be_visible()
    expect(field).to_have_value("Good evening.")
    expect(desk.row(1)).to_have_attribute("data-state", "machine")
    desk.page.unroute("**/sentences/1")
    desk.page.keyboard.press("Enter")
    expect(desk.row(1)).to_have_attribute("data-state", "corrected")
    expect(desk.target(1)).to_have_text("Good evening.")


def test_markup_in_a_text_is_text(desk: Desk) -> None:
    hostile = "<img src=x onerror=alert(1)> 你好 <script>alert(2)</script>"
    desk.translate(hostile)
    expect(desk.row(1).locator(".source")).to_have_text(hostile)
    desk.correct(1, hostile)
    expect(desk.target(1)).to_have_text(hostile)
    assert desk.page.locator("main img, main script").count() == 0


def test_terms_said_in_several_ways_are_flagged(desk: Desk) -> None:
    desk.settle(SEVERAL_WAYS)
    flag = desk.page.get_by_role("button", name=re.compile("ways of saying")).last
    expect(flag).to_be_visible()
    flag.click()
    said = desk.page.get_by_role("dialog")
    expect(said).to_contain_text("is said in several ways")
    place = said.get_by_role("button", name=re.compile("Go to sentence")).first
    number = int(place.inner_text())
    place.click()
    expect(desk.target(number)).to_be_focused()
    expect(desk.row(number).locator(".term").first).to_be_visible()


def test_a_document_is_deleted_for_good(desk: Desk) -> None:
    desk.translate("你好")
    desk.page.locator("#document-list li").hover()
    desk.page.get_by_role("button", name="Delete 你好").click()
    desk.page.get_by_role("button", name="Delete", exact=True).click()
    expect(desk.page.locator("#document-list li")).to_have_count(0)
    expect(desk.page.get_by_label("Text to translate")).to_be_focused()


def test_what_differs_between_two_texts(desk: Desk) -> None:
    found = desk.page.evaluate(
        "async (texts) => [...(await import('/static/words.js')).differing(...texts, 'en')]",
        ["Mr. Blackwood, open the door.", "Mr. Blake, open the old door."],
    )
    assert found == [2]
