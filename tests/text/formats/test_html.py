import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.errors import DataError
from recollect.text.formats.html import read_html
from recollect.text.inline import Inline

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8"><meta name="description" content="A page &amp; more"><meta name="a" content="b">
  <title>  Bees  </title>
  <style>p > a { color: red }</style>
  <script>if (a < b) { write("<p>Not me</p>"); }</script>
</head>
<body>
<!-- a remark -->
<h1 title='The "head"'>Bees &amp; trees</h1>
<p>Bees  dance
   in <em>the <b>sun</b></em>&nbsp;<code>x &lt; y</code>, <a href="/all" title="See all">all of them</a>.</p>
<ul><li>One<li>Two<br>Three</ul>
<p>A picture <img src=a alt=Bee> here, <span class="x notranslate">Apis</span> and <i translate="no">mel</i>
<div translate="no">Keep <b>me</b></div>
<pre>Keep me</pre><textarea>Keep me</textarea><svg><text>Keep me</text></svg>
<table><tr><td>Cell<td>42</table>
<input placeholder="Your name" aria-label="Name"> &copy; The end
</body>
</html>
"""


def texts(page: str) -> list[str]:
    return [unit.source.text for unit in read_html(page.encode(), "page.html").units]


def translated(page: str, *targets: str) -> str:
    content = read_html(page.encode(), "page.html")
    marked = [Inline(target, unit.source.marks) for unit, target in zip(content.units, targets, strict=True)]
    return content.render(marked).decode()


def test_blocks_and_attributes_are_units_in_reading_order():
    assert texts(PAGE) == [
        "A page & more", "Bees", 'The "head"', "Bees & trees",
        "Bees dance in the sun\xa0, all of them.", "See all", "One", "Two Three",
        "A picture  here,  and", "Bee", "Cell", "Your name", "Name", "© The end",
    ]  # fmt: skip


def test_inline_elements_are_marks():
    unit = next(unit for unit in read_html(PAGE.encode(), "page.html").units if "dance" in unit.source.text)
    assert [(mark.raw, mark.role) for mark in unit.source.marks] == [
        ("<em>", "open"), ("<b>", "open"), ("</b>", "close"), ("</em>", "close"),
        ("<code>x &lt; y</code>", "word"), ('<a href="/all" title="See all">', "open"), ("</a>", "close"),
    ]  # fmt: skip
    assert unit.source.marks[0].pair == unit.source.marks[3].pair != unit.source.marks[1].pair
    assert unit.where == "line 12"


@pytest.mark.parametrize("page", [PAGE, PAGE.replace("\n", "\r\n"), "\ufeff" + PAGE, PAGE.rstrip(), "", "a"])
def test_identity(page):
    content = read_html(page.encode(), "page.html")
    assert content.render([None] * len(content.units)) == page.encode()
    assert content.render([unit.source for unit in content.units]) == page.encode()


def test_translations_are_spliced_in_and_escaped():
    page = '<p>  A <b>b</b>&nbsp;c <img alt="d"></p>\n<p title=e>f</p>'
    assert translated(page, "A <&> b\xa0c", 'D "d" & c', "E e", "F") == (
        '<p>  A <b>&lt;</b>&amp;&gt; b&nbsp;c <img alt="D &quot;d&quot; &amp; c"></p>\n<p title="E e">F</p>'
    )


def test_attribute_within_a_translated_paragraph():
    page = '<p>See <a title="all" href="#">them</a> now</p>'
    content = read_html(page.encode(), "page.html")
    assert content.render([None, Inline("tous")]).decode() == page.replace('"all"', '"tous"')
    see = content.units[0].source
    target = Inline.joined(["Vois ", *see.pieces()[1:]])
    assert content.render([target, Inline("tous")]).decode() == (
        '<p>Vois <a title="tous" href="#">them</a> now</p>'
    )


def test_a_line_break_parts_words_and_keeps_its_place():
    page = "<p>One<br>two</p>"
    assert texts(page) == ["One two"]
    assert translated(page, "Un, deux") == "<p>Un,<br>deux</p>"


@pytest.mark.parametrize("charset", ["windows-1252", "iso-8859-15", "gb2312", "shift_jis", "koi8-r"])
def test_charset_is_kept_and_lacking_characters_are_references(charset):
    page = f'<meta charset="{charset}"><p>One €</p>' if charset in ("windows-1252", "iso-8859-15") else (
        f'<meta http-equiv="Content-Type" content="text/html; charset={charset}"><p>Ж</p>'
    )  # fmt: skip
    data = page.encode(charset)
    content = read_html(data, "page.html")
    assert content.render([None]) == data
    assert content.render([Inline("☃ a")]).endswith(b"<p>&#9731; a</p>")


def test_utf_16_by_its_bom():
    data = "<p>One</p>".encode("utf-16")
    content = read_html(data, "page.html")
    assert [unit.source.text for unit in content.units] == ["One"]
    assert content.render([Inline("Zwei")]) == "<p>Zwei</p>".encode("utf-16")


def test_xhtml():
    page = (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0//EN" "x">\n'
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><script src="a.js"/></head>'
        '<body><p>One<br/>two <a id="x"/>three</p></body></html>'
    )
    assert texts(page) == ["One two three"]
    assert translated(page, "One two three") == page


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"<p>caf\xe9</p>", "byte 7 is not utf-8; save the page as UTF-8"),
        (b'<meta charset="klingon"><p>a</p>', "the charset 'klingon' is not known"),
        (b"<p>a\0b</p>", "NUL characters"),
        (b"<meta charset=rot13>", "the charset 'rot13' is not known"),
    ],
)
def test_refused(data, message):
    with pytest.raises(DataError, match=message):
        read_html(data, "page.html")


@pytest.mark.parametrize(
    "page",
    ["<p>a <b", "<p>a <!-- b",
     '<p title="a', "<p>a</b></i></p></div>", "<b><p>a</b> c", "a < b > c & d &", "</", "<>",
     "<code>a<p>b", "<p><code>a</p><p>b</p>", "<a =b ==c/ d>e", "<?php a",
     "<title>a", "<![CDATA[a", "<script>a"],
)  # fmt: skip
def test_malformed_pages_are_read(page):
    content = read_html(page.encode(), "page.html")
    assert content.render([None] * len(content.units)).decode() == page


def test_truncated_anywhere():
    for end in range(0, len(PAGE), 7):
        content = read_html(PAGE[:end].encode(), "page.html")
        content.render([Inline("x") for _ in content.units])


@pytest.mark.parametrize("text", ["word ", "a <b>b</b> ", "<a x=\"'", "<!--", "&", "<?", "<i>"])
def test_a_long_line_is_quick(text):
    data = text.encode() * (5_000_000 // len(text) if text == "word " else 100_000 // len(text))
    content = read_html(data, "page.html")
    assert content.render([None] * len(content.units)) == data


def test_deep_nesting():
    data = b"<div>" * 5_000 + b"deep" + b"</div>" * 5_000
    content = read_html(data, "page.html")
    assert content.render([Inline("tief")]) == data.replace(b"deep", b"tief")


TEXT = st.text("ab <>&\"'\n é中", max_size=8)
PIECES = st.sampled_from(["<br>", "<code>x</code>"])
INLINE = st.recursive(
    TEXT.map(lambda text: text.replace("&", "&amp;").replace("<", "&lt;")) | PIECES,
    lambda inner: st.tuples(st.sampled_from(["b", "i", "span"]), st.lists(inner, max_size=3)).map(
        lambda pair: f"<{pair[0]}>{''.join(pair[1])}</{pair[0]}>"
    ),
    max_leaves=6,
)
PAGES = st.lists(st.tuples(st.sampled_from(["p", "li", "td", "div"]), INLINE), max_size=4).map(
    lambda blocks: "".join(f"<{name}>{inner}</{name}>\n" for name, inner in blocks)
)


@given(PAGES)
@settings(max_examples=150, deadline=None)
def test_an_upper_case_translation_keeps_every_mark(page):
    content = read_html(page.encode(), "page.html")
    assert content.render([unit.source for unit in content.units]).decode() == page
    upper = [Inline(unit.source.text.upper(), unit.source.marks) for unit in content.units]
    again = read_html(content.render(upper), "page.html")
    assert [unit.source for unit in again.units] == upper


@given(st.text("<>/!-[]='\"pbcode aé&;\n"), st.binary(max_size=30))
@settings(max_examples=150, deadline=None)
def test_nothing_but_a_data_error_is_raised(page, data):
    content = read_html(page.encode(), "page.html")
    assert content.render([None] * len(content.units)).decode() == page
    with contextlib.suppress(DataError):
        read_html(data, "page.html")
