import pysubs2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import DataError
from recollect.text.formats.subtitles import read_subtitles
from recollect.text.inline import Inline, plain

SRT = """1
00:00:01,000 --> 00:00:03,000
When the rain
had stopped,

2
00:00:03,200 --> 00:00:05,000
<i>we went out.</i>

3
00:00:06,000 --> 00:00:08,000 X1:40 X2:600
{\\an8}- Is it <b>really</b> over?
- It is.

4
00:00:09,000 --> 00:00:10,000
♪

5
00:00:20,000 --> 00:00:22,000
<font color="#ff0000">Good night, Tom.</font>
"""

VTT = """WEBVTT - a talk
Kind: captions

STYLE
::cue(.loud) { color: red }

REGION
id:left

NOTE the text begins here --> not a cue
and this belongs to the note

intro
00:01.000 --> 00:03.000 align:start position:10%
<v Ann>Tea &amp; cake cost
<c.loud>too</c> much.

00:03.500 --> 00:04.000
<v Ann>I will not
<v Bob>You <00:03.700>must!</v>

NOTE

00:05.000 --> 00:06.000
"""

ASS = """[Script Info]
; made by hand
Title: Dialogue: no, 0:00:00.00

[V4+ Styles]
Format: Name, Fontname
Style: Default,Arial

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Comment: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,not shown
Dialogue: 0,0:00:01.00,0:00:02.00,Default,Ann,0,0,0,,{\\pos(10,20)\\i1}Come, sit{\\i0} down,\\Nplease,
Dialogue: 0,0:00:02.10,0:00:03.00,Default,Ann,0,0,0,,and stay\\ha while.
Dialogue: 0,0:00:03.10,0:00:04.00,Sign,,0,0,0,,{\\p1}m 0 0 l 100 0{\\p0}
Dialogue: 0,0:00:03.10,0:00:04.00,Default,Bob,0,0,0,,No {really} {\\b1}no{\\b0}.
"""


def sources(content):
    return [str(unit.source) for unit in content.units]


def unchanged(data: bytes) -> bool:
    content = read_subtitles(data, "film")
    own = [unit.source for unit in content.units]
    return content.render([None] * len(own)) == data == content.render(own)


def translated(text: str, *new: str | Inline | None) -> str:
    content = read_subtitles(text.encode(), "film")
    targets = [plain(each) if isinstance(each, str) else each for each in new]
    return content.render(targets).decode()


def srt(*cues: str, gap: int = 0) -> str:
    """A file of cues of one second each."""
    return "\n".join(
        f"{number}\n00:00:{number * (1 + gap):02},000 --> 00:00:{number * (1 + gap) + 1:02},000\n{cue}\n"
        for number, cue in enumerate(cues, 1)
    )


@pytest.mark.parametrize("text", [SRT, VTT, ASS])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_subtitles_come_back_byte_for_byte(text, ending, encoding):
    for whole in (text, text.rstrip("\n")):
        assert unchanged(whole.replace("\n", ending).encode(encoding))


def test_sentences_of_srt():
    content = read_subtitles(SRT.encode(), "film.srt")
    assert [(unit.where, str(unit.source)) for unit in content.units] == [
        ("cues 1 to 2", "When the rain had stopped, we went out."),
        ("cue 3", "Is it <b>really</b> over?"),
        ("cue 3", "It is."),
        ("cue 5", "Good night, Tom."),
    ]
    assert [mark.role for mark in content.units[1].source.marks] == ["open", "close"]


def test_translations_of_srt_go_into_their_cues():
    really = read_subtitles(SRT.encode(), "film.srt").units[1].source.marks
    over = Inline.joined(["真的", really[0], "结束", really[1], "了吗？"])
    expected = (
        SRT.replace("When the rain\nhad stopped,", "雨停了以后，")
        .replace("we went out.", "我们出去了。")
        .replace("Is it <b>really</b> over?", "真的<b>结束</b>了吗？")
        .replace("Good night, Tom.", "晚安，汤姆。")
    )
    assert translated(SRT, "雨停了以后，我们出去了。", over, None, "晚安，汤姆。") == expected


@pytest.mark.parametrize("head", ["WEBVTT", "WEBVTT - a talk\nKind: captions", "WEBVTT\n1"])
def test_webvtt_without_an_empty_line_after_its_header(head):
    text = f"{head}\n00:01.000 --> 00:02.000\nHi.\n\n00:03.000 --> 00:04.000\nBye."
    assert translated(text, "你好。", None) == text.replace("Hi.", "你好。")


def test_sentences_of_webvtt():
    content = read_subtitles(VTT.encode(), "talk.vtt")
    assert sources(content) == ["Tea & cake cost <c.loud>too</c> much.", "I will not", "You <00:03.700>must!"]
    new = translated(VTT, Inline("茶 <3 & 糕", content.units[0].source.marks[:0]), None, None)
    assert new == VTT.replace("Tea &amp; cake cost\n<c.loud>too</c> much.", "茶 &lt;3 &amp; 糕")


def test_sentences_of_ass():
    content = read_subtitles(ASS.encode(), "film.ass")
    assert sources(content) == [
        "Come, sit{\\i0} down, please, and stay a while.",
        "No {really} {\\b1}no{\\b0}.",
    ]
    long = "Setzen Sie sich doch bitte mit hierher zu uns, und bleiben Sie noch eine Weile hier bei uns."
    (mark,) = content.units[0].source.marks
    target = Inline.joined([long[:10], mark, long[10:]])
    new = translated(ASS, target, None).splitlines()
    assert new[11].endswith(r",,{\pos(10,20)\i1}Setzen Sie{\i0} sich doch\Nbitte mit hierher zu uns,")
    assert new[12].endswith(r",,und bleiben Sie noch\Neine Weile hier bei uns.")
    assert new[:11] + new[13:] == ASS.splitlines()[:11] + ASS.splitlines()[13:]


def test_fields_of_ass_are_where_its_format_line_says():
    text = "[Events]\nFormat: Start, End, Text\nDialogue: 0:00:01.00,0:00:02.00,One, two.\n"
    assert sources(read_subtitles(text.encode(), "film.ass")) == ["One, two."]
    assert translated(text, "Eins {x}\\N.") == text.replace("One, two.", "Eins (x)\\\u2060N.")


@pytest.mark.parametrize("text", [SRT, VTT, ASS])
def test_another_reader_finds_the_same_times_before_and_after(text):
    content = read_subtitles(text.encode(), "film")
    after = content.render([Inline("中文 " * 30, unit.source.marks[:0]) for unit in content.units]).decode()
    before, now = pysubs2.SSAFile.from_string(text), pysubs2.SSAFile.from_string(after)
    times = [[(event.start, event.end, event.style, event.type) for event in each] for each in (before, now)]
    assert times[0] == times[1]
    assert "中文" in now[1].text


@pytest.mark.parametrize(
    ("cues", "expected"),
    [
        (["I think", "that this", "is it.", "Yes."], ["I think that this is it.", "Yes."]),
        (["a", "b", "c", "d", "e.", "F."], ["a b c d", "e.", "F."]),  # four cues at most
        (["I think", "- No.", "Good."], ["I think", "No.", "Good."]),
        (["I think", "he said: no."], ["I think he said: no."]),
        (["I think", "JOHN: No.", "Good."], ["I think", "JOHN: No.", "Good."]),
        (["I think", "[door slams]", "Good.", "So."], ["I think", "[door slams]", "Good.", "So."]),
        (["Wait...", "I know.", "So"], ["Wait...", "I know.", "So"]),
        (["Wait...", "...and see.", "So"], ["Wait... ...and see.", "So"]),
        (["“He left.”", "then came", "(back.)"], ["“He left.”", "then came", "(back.)"]),
        (["我不知道", "你在说什么", "走吧"], ["我不知道", "你在说什么", "走吧"]),
        (["我不知道，", "你在说什么", "走吧", "好"], ["我不知道，你在说什么", "走吧", "好"]),
        (["虽然他\n没有来", "但是我来了。", "好。"], ["虽然他没有来但是我来了。", "好。"]),
        (["-5 degrees outside.", "Cold."], ["-5 degrees outside.", "Cold."]),
        (["...", "!?", "42."], ["42."]),
    ],
)
def test_which_cues_are_one_sentence(cues, expected):
    assert sources(read_subtitles(srt(*cues).encode(), "film.srt")) == expected


def test_a_pause_ends_a_sentence():
    assert len(read_subtitles(srt("I think", "so.", gap=1).encode(), "film.srt").units) == 1
    assert len(read_subtitles(srt("I think", "so.", gap=2).encode(), "film.srt").units) == 2


def test_a_pair_that_runs_over_two_cues_is_closed_and_opened_again():
    text = srt("You <i>never</i> ever", "told me so.", "Never.")
    first = read_subtitles(text.encode(), "film.srt").units[0].source
    target = Inline.joined([first.marks[0], "Du hast mir das nie gesagt", first.marks[1], "."])
    new = translated(text, target, None)
    assert new == text.replace("You <i>never</i> ever", "<i>Du hast mir das</i>").replace(
        "told me so.", "<i>nie gesagt</i>."
    )


def test_tags_around_a_speaker_and_empty_lines_stay_in_place():
    text = srt("<i>- One,\ntwo</i>\n\n<b>three</b> four\n-  Five")
    assert sources(read_subtitles(text.encode(), "film.srt")) == ["One, two", "<b>three</b> four", "Five"]
    assert translated(text, "1", None, "5") == text.replace("One,\ntwo", "1").replace("Five", "5")


def test_a_translation_cannot_become_another_cue():
    text = srt("One.", "Two.")
    evil = "Eins\n\n9\n00:00:09,000 --> 00:00:10,000\nNeun"
    after = read_subtitles(translated(text, evil, None).encode(), "film.srt")
    assert sources(after) == ["Eins 9 00:00:09,000 → 00:00:10,000 Neun Two."]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_line_that_gets_no_words_does_not_end_its_cue(ending):
    text = "WEBVTT\n\n" + srt("One,", "two,", "three\n- Yes").replace(",000", ".000")
    content = read_subtitles(text.replace("\n", ending).encode(), "film")
    assert [unit.source.text for unit in content.units] == ["One, two, three", "Yes"]
    after = content.render([Inline("Eins zwei"), Inline("Ja")])
    assert after.decode().endswith(f"00:00:04.000{ending}- Ja{ending}")
    assert [unit.source.text for unit in read_subtitles(after, "film").units] == ["Eins", "zwei", "Ja"]


def test_cues_without_an_empty_line_between_them_keep_what_parts_them():
    text = srt("One,", "two,", "three", "Four").replace("\n\n", "\n")
    content = read_subtitles(text.encode(), "film.srt")
    after = content.render([Inline("Eins zwei"), *(Inline("Vier") for _ in content.units[1:])]).decode()
    assert after.count("-->") == 4
    assert "\n\n4\n" in after


lines_of_text = st.text(st.sampled_from("ab,.!-，。中 <i></i>{\\an8}&amp;♪"), max_size=12).filter(
    lambda line: "-->" not in line and line.strip() and not line.strip().isdigit()
)
cue_texts = st.lists(st.lists(lines_of_text, min_size=1, max_size=3).map("\n".join), max_size=6)


@given(cue_texts, st.sampled_from(["\n", "\r\n"]))
def test_any_cues_come_back_and_keep_their_number(cues, ending):
    stamped = srt(*cues)
    ass = "[Events]\n"
    for number, cue in enumerate(cues, 1):
        words = cue.replace("\n", "\\N")
        ass += f"Dialogue: 0,0:00:0{number}.00,0:00:0{number + 1}.00,Default,,0,0,0,,{words}\n"
    for text in (stamped, "WEBVTT\n\n" + stamped.replace(",000", ".000"), ass):
        raw = text.replace("\n", ending).encode()
        assert unchanged(raw)
        content = read_subtitles(raw, "film")
        for unit in content.units:
            opened = [mark.pair for mark in unit.source.marks if mark.role == "open"]
            assert sorted(opened) == sorted(mark.pair for mark in unit.source.marks if mark.role == "close")
            assert len(set(opened)) == len(opened)
        after = content.render([Inline("new words", unit.source.marks[:0]) for unit in content.units])
        again = read_subtitles(after, "film")
        assert all("new" in unit.source.text or "words" in unit.source.text for unit in again.units)


@given(st.text(st.sampled_from("1 \n:,.->WEBVTTNOTE[]Dialogue")) | st.binary())
def test_anything_comes_back_or_is_refused_in_one_sentence(data):
    data = data.encode() if isinstance(data, str) else data
    for begin in (b"", b"WEBVTT\n", b"[Events]\nDialogue: 0,", b"1\n00:00:01,000 --> 00:00:02,000\n"):
        try:
            complaint = "" if unchanged(begin + data) else "has changed"
        except DataError as error:
            complaint = str(error)
        assert not complaint or complaint.startswith("film")
        assert "\n" not in complaint


def test_empty_files_have_no_units():
    for data in (b"", b"\n\n", b"\xef\xbb\xbf", b"WEBVTT", b"WEBVTT\n\n", b"[Events]\n"):
        assert not read_subtitles(data, "film").units
        assert unchanged(data)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("Just text.\nNo cues.", "film, line 1: text outside of any cue; a cue begins with its number"),
        ("1\n00:00:01,000 -> 00:00:02,000\nHi", "line 1: text outside of any cue"),
        ("1\n00:00:01,000 --> 00:00\nHi", "line 2: not a timing; it would be like"),
        (srt("One.", "Two.") + "\n3", "line 9: a cue without a timing"),
        (srt("One.", "Two.") + "\n3\n00:00:0", "line 9: a cue without a timing"),
        (srt("One.", "Two.") + "\n00:00:04,000 -", "line 9: a cue without a timing"),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n\n00:0", "line 6: neither a note nor a cue"),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n00:03.000 --> 00:04.000", "line 5: a timing within a cue"),
        ("WEBVTT\n\n00:01 --> x\nHi", "line 3: not a timing"),
        ("[Script Info]\nTitle: x", "no .Events. section"),
        ("[Events]\nFormat: Start, Text, End", "line 2: events need"),
        ("[Events]\nDialogue: 0,0:00:01.00,0:00:02", "line 2: 3 fields where a dialogue line has 10"),
        ("[Events]\nDialogue: 0,now,then,,,,,,,Hi", "line 2: not a time"),
        ("1\n00:00:01,000 --> 00:00:02,000\nH\0i", "line 3: a NUL"),
    ],
)
def test_subtitles_that_cannot_be_trusted_are_refused(text, complaint):
    with pytest.raises(DataError, match=complaint):
        read_subtitles(text.encode(), "film")


def test_the_wrong_encoding_is_refused_and_gb18030_kept():
    with pytest.raises(DataError, match="line 3: not UTF-8"):
        read_subtitles(srt("Früh am Abend.").encode("latin-1"), "film")
    data = srt("我们走吧。", "好的，马上来").encode("gb18030")
    assert unchanged(data)
    content = read_subtitles(data, "film")
    assert content.render([plain("Köln"), None]) == srt("Köln", "好的，马上来").encode("gb18030")


def test_one_very_long_line_is_quick():
    starts = ["", srt("One."), "WEBVTT\n\n00:01.000 --> 00:02.000\n", "WEBVTT\n\nNOTE ", "[Events]\n"]
    for part in ("x ", "<", "{\\", "-", " ", "1"):
        long = part * (5_000_000 // len(part)) + "-->"
        for start in starts:
            try:
                assert unchanged((start + long).encode())
            except DataError:
                assert start != "[Events]\n"
    drawing = "[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,,,,,,,{\\p1}" + "m 1 1 " * 800_000
    assert unchanged(drawing.encode())
    many = srt("a\n<b>\n" * 1_600 + "a", "<i>a</i> b " * 800, "- a\n" * 2_000)
    assert unchanged(many.encode())
    content = read_subtitles(many.encode(), "film")
    assert content.render(
        [plain("new words, " * 1_000) for _ in content.units[:3]] + [None] * len(content.units[3:])
    )
