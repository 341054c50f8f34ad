import contextlib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recollect.errors import DataError
from recollect.text.formats.content import Content, Unit
from recollect.text.formats.markdown import read_markdown
from recollect.text.inline import Inline

PAGE = """---
title: Not me
---

# The *bees* of `x` #

Setext
heading
=======

They **dance in
the _sun_**, see [the
*list*](http://a.b/c "Title") and
![a bee](bee.png "t") <b>bold</b><br>here{SPACES}
hard break\\
again. Escaped \\*stars\\* &amp; &copy; snake_case https://a.b/c_d, (www.x.org) me@x.org.

> Quoted text that is
> wrapped over lines
lazy here
> > nested `code
> > span` wrapped

> [!NOTE]
> An alert
> of two lines

- [ ] Task one
- [x] Task **two**
  continued here
  1. Nested item

```py
code
```

    indented code

| Head a   | Head \\| b       |
|----------|-----------------|
| cell one | `x \\| y` and z  |
| 42       | *em* ![pic](u)  |

<div>
html block
</div>

Footnote[^1] and $a*b*c$ and {{ x }} and {% if y %}. A [ref] and [other][ref] and [ref][]. ~~Gone~~
[![Badge](b.svg)](c) <http://auto.link> <!-- remark --> <kbd>Ctrl</kbd>.

[ref]: http://x.y
[^1]: Word
    more of it

$$
a *b* c
$$

中文段落第一行
第二行**强调**。
""".replace("{SPACES}", "  ")


def read(page: str) -> Content:
    return read_markdown(page.encode(), "page.md")


def texts(page: str) -> list[str]:
    return [unit.source.text for unit in read(page).units]


def upper(content: Content) -> list[Inline]:
    return [Inline(unit.source.text.upper(), unit.source.marks) for unit in content.units]


def translated(page: str, *targets: str) -> str:
    """The page with texts exchanged, marks at the same characters as before, if the text has as many."""
    content = read(page)
    made = [
        Inline(text, tuple(m for m in unit.source.marks if m.at <= len(text)))
        for unit, text in zip(content.units, targets, strict=True)
    ]
    return content.render(made).decode()


def test_units_in_reading_order():
    assert texts(PAGE) == [
        "The bees of ",
        "Setext heading",
        "They dance in the sun, see the list and  bold here hard break again. "
        "Escaped *stars* & © snake_case , () .",
        "a bee",
        "Quoted text that is wrapped over lines lazy here",
        "nested  wrapped",
        "An alert of two lines",
        "Task one",
        "Task two continued here",
        "Nested item",
        "Head a",
        "Head | b",
        "cell one",
        " and z",
        "em ",
        "pic",
        "Footnote and  and  and . A ref and other and ref. Gone    .",
        "Badge",
        "Word more of it",
        "中文段落第一行第二行强调。",
    ]
    assert [unit.where for unit in read(PAGE).units][:3] == ["line 5", "line 7", "line 11"]


def test_markup_is_marks():
    (unit,) = read('A **b _c_** ~~d~~ [e](f "g") `h` <i>j</i>[^k]  \nl').units
    assert [(mark.raw, mark.role) for mark in unit.source.marks] == [
        ("**", "open"), ("_", "open"), ("_", "close"), ("**", "close"), ("~~", "open"), ("~~", "close"),
        ("[", "open"), ('](f "g")', "close"), ("`h`", "word"), ("<i>", "open"), ("</i>", "close"),
        ("[^k]", "point"), ("  \n", "point"),
    ]  # fmt: skip
    assert unit.source.text == "A b c d e  j l"
    assert unit.source.marks[0].pair == unit.source.marks[3].pair != unit.source.marks[1].pair


VARIANTS = [
    PAGE,
    PAGE.replace("\n", "\r\n"),
    PAGE.replace("\n", "\r"),
    "\ufeff" + PAGE,
    PAGE.rstrip(),
    "",
    "\n",
    "a",
]


@pytest.mark.parametrize("page", VARIANTS)
def test_identity(page):
    content = read(page)
    assert content.render([None] * len(content.units)).decode() == page
    assert content.render([unit.source for unit in content.units]).decode() == page


@pytest.mark.parametrize("page", VARIANTS)
def test_an_upper_case_page_has_the_same_marks(page):
    content = read(page)
    again = read(content.render(upper(content)).decode())
    assert [unit.source.text for unit in again.units] == [unit.source.text.upper() for unit in content.units]
    assert [[mark.raw.upper() for mark in unit.source.marks] for unit in again.units] == [
        [mark.raw.upper() for mark in unit.source.marks] for unit in content.units
    ]


def test_what_is_untouched_stays_byte_for_byte():
    content = read(PAGE)
    lines = content.render(upper(content)).decode().splitlines()
    for line in PAGE.splitlines():
        if line.startswith(
            ("---", "title", "====", "```", "code", "|---", "<", "html", "[ref]", "$$", "a *b")
        ):
            assert line in lines
    assert "    indented code" in lines


@pytest.mark.parametrize(
    ("page", "target", "expected"),
    [
        ("Word", "a * b_c _d_ [e] `f`", "a \\* b_c \\_d\\_ \\[e\\] \\`f\\`"),
        ("Word", "a < b <c> &amp; & d", "a < b \\<c> \\&amp; & d"),
        ("Word", "# a", "\\# a"),
        ("Word", "- a", "\\- a"),
        ("Word", "+ a", "\\+ a"),
        ("Word", "1. a", "1\\. a"),
        ("Word", "> a", "\\> a"),
        ("Word", ": a", "\\: a"),
        ("Word", "::: a", "\\::: a"),
        ("Word\n\n    code", "!!! a", "\\!!! a\n\n    code"),
        ("Word\n\n    code", "??? a", "\\??? a\n\n    code"),
        ("Word", "back\\slash", "back\\\\slash"),
        ("Word", "$5 and $6", "\\$5 and \\$6"),
        ("Word", "a $5", "a $5"),
        ("Word", "{{ a }}", "\\{{ a }}"),
        ("Word", "two\nlines", "two lines"),
        ("# Word", "C #", "# C \\#"),
        ("# Word ##", "a", "# a ##"),
        ("* Word", "- a", "* \\- a"),
        ("| a |\n|---|\n| Word |", "b | c", None),
        ("Word\nword", "- a b", "\\- a\nb"),
        ("> Word\n> word", "ab 1. ab", "> ab\n> 1\\.\n> ab"),
        ("- Word\n  word", "one two six", "- one\n  two\n  six"),
    ],
)
def test_what_would_be_markup_is_escaped(page, target, expected):
    if expected is None:
        assert translated(page, "a", target) == page.replace("Word", "b \\| c")
        return
    result = translated(page, target)
    assert result == expected
    assert texts(result) == [" ".join(target.split())] or "{" in target


def test_an_exclamation_before_a_link_makes_no_image():
    content = read("See [it](u)")
    source = content.units[0].source
    result = content.render([Inline.joined(["Look!", *source.marks[:1], "it", *source.marks[1:]])]).decode()
    assert result == "Look\\![it](u)"


@pytest.mark.parametrize(
    ("page", "text", "places", "expected"),
    [
        ("a **b** c", "x y z", (1, 3), "x **y** z"),
        ("a _b_ c", "xyz", (1, 2), "x*y*z"),
        ("a **b** c", "x「y」z", (1, 4), "x<strong>「y」</strong>z"),
        ("a **b** c", "x y", (1, 1), "x y"),
    ],
)
def test_emphasis_is_seen_where_it_comes_to_stand(page, text, places, expected):
    content = read(page)
    opened, closed = content.units[0].source.marks
    at, end = places
    target = Inline.joined([text[:at], opened, text[at:end], closed, text[end:]])
    assert content.render([target]).decode() == expected


def test_a_link_by_its_own_text_is_found_under_another():
    page = "See [bees] and [trees][].\n\n[bees]: u\n[trees]: v\n"
    content = read(page)
    assert content.render(upper(content)).decode() == page.replace(
        "See [bees] and [trees][].", "SEE [BEES][bees] AND [TREES][trees]."
    )


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("::: tip\nThis is a tip.\n:::\n", "::: tip\nTHIS IS A TIP.\n:::\n"),
        (":::note[Title]\n\nText.\n\n:::", ":::note[Title]\n\nTEXT.\n\n:::"),
        ("Before\n:::: {.a}\n- Item\n::::\nAfter", "BEFORE\n:::: {.a}\n- ITEM\n::::\nAFTER"),
        ("> ::: tip\n> Text\n> :::", "> ::: tip\n> TEXT\n> :::"),
        ('!!! note "Title"\n    Text.\n\n    - Item\n\n    ```\n    code\n    ```\n\nAfter',
         '!!! note "Title"\n    TEXT.\n\n    - ITEM\n\n    ```\n    code\n    ```\n\nAFTER'),
        ("Before\n???+ note\n\n    Text\nAfter", "BEFORE\n???+ note\n\n    TEXT\nAFTER"),
        ("- Item\n  !!! a b\n      Text\n\n      ??? c\n          More\n  After",
         "- ITEM\n  !!! a b\n      TEXT\n\n      ??? c\n          MORE\n  AFTER"),
        ("    ::: code", "    ::: code"),
    ],
)  # fmt: skip
def test_what_encloses_a_note_is_kept(page, expected):
    content = read(page)
    assert content.render(upper(content)).decode() == expected


def test_meanings_are_apart_from_their_words():
    page = "Apple\n: A red\n  fruit.\n:   Another\n\n    More of it.\n\nPear\n\n: Green\n"
    assert texts(page) == ["Apple", "A red fruit.", "Another", "More of it.", "Pear", "Green"]
    content = read(page)
    assert content.render(upper(content)).decode() == page.upper()


@pytest.mark.parametrize("link", ["[[Other Page]]", "[[page|its name]]", "![[bee.png]]", "[[a]][[b]]"])
def test_links_of_a_wiki_are_kept(link):
    content = read(f"See {link} here")
    assert content.units[0].source.text == "See  here"
    assert content.render(upper(content)).decode() == f"SEE {link} HERE"


def test_brackets_in_a_link_make_no_link_of_a_wiki():
    assert texts("See [[one]](u) and [[two]][r].\n\n[r]: u") == ["See [one] and [two]."]


def test_image_text_with_and_without_its_paragraph():
    content = read("See ![a bee][b] fly\n\n[b]: u")
    see, bee = (unit.source for unit in content.units)
    assert content.render([None, Inline("eine Biene")]).decode() == "See ![eine Biene][b] fly\n\n[b]: u"
    both = [Inline.joined(["Sieh ", *see.marks, " fliegen"]), Inline("eine Biene")]
    assert content.render(both).decode() == "Sieh ![eine Biene][b] fliegen\n\n[b]: u"
    assert content.render([both[0], bee]).decode() == "Sieh ![a bee][b] fliegen\n\n[b]: u"


@pytest.mark.parametrize("front", ["---\na: b\n---\n", "+++\na = 'b'\n+++\n", "---\na: b\n...\n"])
def test_front_matter(front):
    assert texts(f"{front}Word\n") == ["Word"]


def test_chinese_lines_are_wrapped_between_characters():
    assert translated("一二三四五\n六七八", "子丑寅卯辰巳午，未申") == "子丑寅卯辰\n巳午，未申"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"one\ncaf\xe9", "page.md, line 2: byte 8 is not UTF-8; convert the file to UTF-8"),
        ("Grüße".encode("utf-16"), "byte 1 is not UTF-8"),
        (b"one\n\0", "line 2: a NUL character"),
    ],
)
def test_refused(data, message):
    with pytest.raises(DataError, match=message):
        read_markdown(data, "page.md")


def test_truncated_anywhere():
    data = PAGE.encode()
    for end in range(0, len(data), 5):
        with contextlib.suppress(DataError):
            content = read_markdown(data[:end], "page.md")
            assert content.render([None] * len(content.units)) == data[:end]


@pytest.mark.parametrize(
    "text",
    ["word ", "*a* ", "[", "![", "[a](b ", '[a](b "', "**a ", "<!-- ", "<a ", "`a ``b ", "> ", "- ", "a\n> ",
     "$a", "_a_b", "]", "&", "|a", "[a]:", "~~", "{{", "<code>", "\\", "$$\n", "```\n", "a@", "[^a]:", "1. ",
     "[[a]]", "[[a", "![[", ": a\n", ":::\n", "!!! a\n    b\n", "!!! a\n\n", "!!! a b", "???\n"],
)  # fmt: skip
def test_long_and_tangled_pages_are_quick(text):
    data = text.encode() * (5_000_000 // len(text) if text == "word " else 20_000 // len(text))
    with contextlib.suppress(DataError):
        content = read_markdown(data, "page.md")
        assert content.render([None] * len(content.units)) == data


def test_deep_nesting():
    for page in (">" * 5000 + " deep", "- " * 5000 + "deep", "![" * 500 + "a" + "](b)" * 500, "*a " * 500):
        with contextlib.suppress(DataError):
            content = read(page)
            assert content.render([None] * len(content.units)).decode() == page


WORDS = (
    st.text("abc é中。!", min_size=1, max_size=8)
    .map(str.strip)
    .filter(lambda text: any(map(str.isalpha, text)))
)
SPANS = st.recursive(
    WORDS | st.sampled_from(["`x*y`", "<br>", "https://a.b", "![x](u)", "[^1]", "\\*", "&amp;"]),
    lambda inner: st.tuples(
        st.sampled_from(["**", "*", "~~", "[", "<b>"]), st.lists(inner, min_size=1, max_size=3)
    ).map(lambda pair: pair[0] + " ".join(pair[1]) + {"[": "](u)", "<b>": "</b>"}.get(pair[0], pair[0])),
    max_leaves=5,
)
PROSE = st.lists(SPANS, min_size=1, max_size=5).flatmap(
    lambda spans: st.sampled_from([" ", "\n", "  \n"]).map(lambda between: between.join(spans))
)


def block(prose: str, kind: str) -> str:
    first, rest = {"> ": ("> ", "> "), "- ": ("- ", "  "), "1. ": ("1. ", "   ")}.get(kind, ("", ""))
    if kind == "# ":
        return "# " + " ".join(prose.split())
    return first + f"\n{rest}".join(prose.split("\n"))


PAGES = st.lists(st.builds(block, PROSE, st.sampled_from(["", "> ", "- ", "1. ", "# "])), max_size=4).map(
    "\n\n".join
)


def meaning(unit: Unit) -> list[str]:
    """Its marks; emphasis that Markdown would not see where it now stands may be written as HTML."""
    raw = (mark.raw.upper().replace("</", "<") for mark in unit.source.marks)
    return sorted({"<STRONG>": "**", "<EM>": "*", "<DEL>": "~~"}.get(each, each) for each in raw)


@given(PAGES)
@settings(max_examples=200, deadline=None)
@example("**<br>**\na")
@example("[[^1] https://a.b](u)")
@example("at https://a.b/foo\\_bar\\_baz here")
@example("aaaa\n**。  中**")
def test_an_upper_case_translation_keeps_every_mark(page):
    content = read(page)
    assert content.render([unit.source for unit in content.units]).decode() == page
    result = content.render(upper(content)).decode()
    again = read(result)
    assert [unit.source.text.split() for unit in again.units] == [
        unit.source.text.upper().split() for unit in content.units
    ], result
    assert [meaning(unit) for unit in again.units] == [meaning(unit) for unit in content.units], result


@given(st.text("#*_~`[]()<>!\\&|-+=1.: \n\r\tab中>$%{}^\"'"))
@example("[a]\n\n[a]: b\n")
@example("- a\n\tb\n")
@settings(max_examples=400, deadline=None)
def test_identity_of_anything(page):
    content = read(page)
    assert content.render([None] * len(content.units)).decode() == page
    assert content.render([unit.source for unit in content.units]).decode() == page
    content.render(upper(content))


@given(
    st.text("#*_~`[]()<>!\\&|-+=1.: ab中>$%{}^\"'", min_size=1),
    st.sampled_from(["Word", "> Word", "- Word", "# Word"]),
)
@settings(max_examples=400, deadline=None)
def test_any_translation_is_read_as_the_text_it_is(text, page):
    if not any(map(str.isalpha, text)):
        return
    content = read(page)
    result = content.render([Inline(text)]).decode()
    again = read(result)
    assert ["".join(str(unit.source).split()) for unit in again.units] == ["".join(text.split())], result
