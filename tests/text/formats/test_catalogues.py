import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from recollect.errors import DataError
from recollect.text.formats.catalogues import read_json, read_yaml
from recollect.text.inline import plain

MENU = """{
  "menu": {"open": "Open file", "close":"Close \\u0022it\\u0022",  "count": 12, "on": true},
  "steps" : [ "First, rest.", ["Deeper"], null, {"": " padded\\n"} ],
  "empty": "", "price": 1e400, "open": "twice", "open": "Twice"
}
"""

PLACES = """%YAML 1.2
---
# Comments stay: "all of them"
menu:
  open: Open file   # here too
  close: 'Don''t close'
  save: "Save\\tnow"
  count: 12
  on: true
  none:
  date: 2024-01-02
tagged: !!str 123
own: !colour red
base: &base
  greeting: &hi   Good morning
  again: *hi
more:
  <<: *base
  steps: [one, 'two, really', "three", 4, {five: Five}]
literal: |2-
    Indented
  and not

  last
folded: >+  # with a comment
  These lines
  are one.

  Another paragraph.

wrapped: This goes
  on.
? complex key
: complex value
...
---
second: document
"""


def sources(content):
    return [unit.source.text for unit in content.units]


def unchanged(read, data: bytes) -> bool:
    content = read(data, "menu")
    own = [unit.source for unit in content.units]
    return content.render([None] * len(own)) == data == content.render(own)


def translated(read, text: str, new: list[str | None]) -> str:
    content = read(text.encode(), "menu")
    return content.render([None if each is None else plain(each) for each in new]).decode()


def load(text: str):
    return YAML(typ="safe", pure=True).load(text)


def test_json_string_values_are_units_called_by_their_paths():
    content = read_json(MENU.encode(), "menu.json")
    assert [(unit.where, unit.source.text) for unit in content.units] == [
        ("menu.open", "Open file"),
        ("menu.close", 'Close "it"'),
        ("steps.0", "First, rest."),
        ("steps.1.0", "Deeper"),
        ("steps.3.", "padded"),
        ("open", "twice"),
        ("open", "Twice"),
    ]
    assert unchanged(read_json, MENU.encode())


def test_json_is_changed_in_its_places_only():
    new = translated(read_json, MENU, ["打开文件", None, 'Erst "ruhen"', None, "gefüllt", None, None])
    assert new == MENU.replace("Open file", "打开文件").replace("First, rest.", 'Erst \\"ruhen\\"').replace(
        "padded", "gefüllt"
    )


def test_json_of_ascii_with_escapes_stays_so():
    assert translated(read_json, '["\\u4f60", "a"]', [None, "é𠮷"]) == '["\\u4f60", "\\u00e9\\ud842\\udfb7"]'
    assert translated(read_json, '["C:\\\\users", "a"]', [None, "é"]) == '["C:\\\\users", "é"]'
    assert translated(read_json, '["<\\/b>", "a/b"]', ["</i>", "c/d"]) == '["<\\/i>", "c/d"]'
    assert translated(read_json, '"alone"', ["allein"]) == '"allein"'


BOOLEANS = ("y", "n", "yes", "no", "on", "off")  # in YAML 1.1
texts = st.text(st.characters(codec="utf-8"), max_size=8)
words = texts.filter(str.strip)
keys = st.text("ab.,", max_size=2)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts.filter(lambda text: text.lower() not in BOOLEANS),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab.,", max_size=2), inner, max_size=3)
    ),
    max_leaves=6,
)


def strings(value) -> list[str]:
    if isinstance(value, str):
        return [value] if value.strip() else []
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [each for child in inner for each in strings(child)]


@given(values, st.booleans(), st.sampled_from([None, 1]), st.data())
def test_any_json_comes_back_and_is_json_afterwards(value, ascii_only, indent, data):
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert unchanged(read_json, text.encode())
    assert sources(read_json(text.encode(), "x")) == [each.strip() for each in strings(value)]
    new = [data.draw(words) for _ in strings(value)]
    after = strings(json.loads(translated(read_json, text, [*new])))
    assert [each.strip() for each in after] == [each.strip() for each in new]


def test_yaml_strings_are_units_called_by_their_paths():
    content = read_yaml(PLACES.encode(), "menu.yaml")
    assert [(unit.where, unit.source.text) for unit in content.units] == [
        ("menu.open", "Open file"),
        ("menu.close", "Don't close"),
        ("menu.save", "Save\tnow"),
        ("tagged", "123"),
        ("base.greeting", "Good morning"),
        ("more.steps.0", "one"),
        ("more.steps.1", "two, really"),
        ("more.steps.2", "three"),
        ("more.steps.4.five", "Five"),
        ("literal", "Indented\nand not\n\nlast"),
        ("folded", "These lines are one.\nAnother paragraph."),
        ("wrapped", "This goes on."),
        ("complex key", "complex value"),
        ("second", "document"),
    ]
    assert unchanged(read_yaml, PLACES.encode())
    assert unchanged(read_yaml, PLACES.replace("\n", "\r\n").encode("utf-8-sig"))


@pytest.mark.parametrize("word", [*BOOLEANS, "No", "ON"])
def test_yaml_words_that_are_booleans_to_others_stay(word):
    text = f"a: {word}\nb: [{word}, {word} way]\n"
    text += f"c: '{word}'\nd: !!str {word}\ne: &x {word}\nf: &y !!str {word}\n"
    content = read_yaml(text.encode(), "menu.yaml")
    assert [(unit.where, unit.source.text) for unit in content.units] == [
        ("b.1", f"{word} way"),
        ("c", word),
        ("d", word),
        ("f", word),
    ]


def test_yaml_is_changed_in_its_places_only():
    new = ["打开", "it's", "存\n盘", "no", "早上好", "a, b", "c", "d", "e: f"]
    new += ["甲\n乙", "a b\nc\n\n d", "x", "1", "true"]
    expected = PLACES
    for old, spelled in [
        ("Open file", "打开"),
        ("'Don''t close'", "'it''s'"),
        ('"Save\\tnow"', '"存\\n盘"'),
        ("!!str 123", '!!str "no"'),
        ("Good morning", "早上好"),
        ("[one, 'two, really', \"three\"", '["a, b", \'c\', "d"'),
        ("{five: Five}", '{five: "e: f"}'),
        ("Indented\n  and not\n\n  last", "甲\n  乙"),
        ("These lines\n  are one.\n\n  Another paragraph.", "a b\n\n  c\n\n   d"),
        ("This goes\n  on.", "x"),
        ("complex value", '"1"'),
        ("document", '"true"'),
    ]:
        assert expected.count(old) == 1
        expected = expected.replace(old, spelled)
    assert translated(read_yaml, PLACES, [*new]) == expected


@given(values, st.booleans(), st.data())
def test_any_yaml_comes_back_and_means_what_was_said(value, flow, data):
    dump = YAML(typ="safe", pure=True)
    dump.default_flow_style = flow
    buffer = io.StringIO()
    dump.dump({"root": value}, buffer)
    text = buffer.getvalue()
    content = read_yaml(text.encode(), "x")
    assert unchanged(read_yaml, text.encode())
    assert sorted(sources(content)) == sorted(each.strip() for each in strings(load(text)))
    new = [data.draw(words) for _ in content.units]
    written = translated(read_yaml, text, [*new])
    assert sorted(each.strip() for each in strings(load(written))) == sorted(each.strip() for each in new)


some_line = st.sampled_from(["", "a b", "中文", "# no", "- x", " in", "a: b", "\tt"])
block_lines = st.lists(some_line, min_size=1, max_size=5)


@given(st.sampled_from(["|", "|-", "|+", ">", ">-", ">+", "|1", ">1"]), block_lines, block_lines)
def test_blocks_say_what_was_said(header, old, new):
    target = "\n".join(new).strip()
    body = "\n".join(f"  {line}" if line else "" for line in old)
    text = f"key: {header}\n{body}\nafter: x\n"
    try:
        content = read_yaml(text.encode(), "x")
    except DataError:
        return  # leading blank lines deeper than the text
    assert unchanged(read_yaml, text.encode())
    if len(content.units) == 2 and target:
        after = load(content.render([plain(target), None]).decode())
        assert after["key"].strip() == target
        assert after["after"] == "x"
        before = load(text)["key"]
        assert after["key"][: -len(after["key"].lstrip())] == before[: -len(before.lstrip())]


def test_aliases_are_never_resolved():
    bomb = "a: &a [x, x]\n" + "".join(
        f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n"
        for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert sources(read_yaml(bomb.encode(), "bomb.yaml")) == ["x", "x"]
    assert unchanged(read_yaml, b"&a [*a, b, &a c]")


@given(st.text(st.sampled_from("ab:-?,[]{}#&*!|>'\"%@` \n\t\\u0x"), max_size=25))
def test_anything_comes_back_or_is_refused_in_one_sentence(text):
    for read in (read_json, read_yaml):
        try:
            complaint = "" if unchanged(read, text.encode()) else "has changed"
        except DataError as error:
            complaint = str(error)
        assert not complaint or complaint.startswith("menu")
        assert "\n" not in complaint


@pytest.mark.parametrize("read", [read_json, read_yaml])
def test_an_empty_file_has_no_units(read):
    for data in (b"", b"\n", b"\xef\xbb\xbf", b"{}"):
        assert not read(data, "menu").units
        assert unchanged(read, data)


@pytest.mark.parametrize(
    ("read", "data", "complaint"),
    [
        (read_json, b'{"a":\n "b', r"menu, line 2: not valid JSON \(unterminated string"),
        (read_json, b'{"a": "b"', r"line 1: not valid JSON \(expecting"),
        (read_json, b'{"a": "\xfc"}', "line 1: not UTF-8"),
        (read_json, b'{"a":\n"\0"}', "line 2: a NUL"),
        (read_json, b"[" * 100_000, "too deep"),
        (read_json, b'{"a":' * 100_000, "too deep"),
        (read_json, b'\n["\\ud800"]', "line 2: half of a character"),
        (read_yaml, b'a: b\nc: "d', r"line 2: not valid YAML"),
        (read_yaml, b"a: [b\nc: d", r"line 2: not valid YAML"),
        (read_yaml, b"a: *b", r"line 1: not valid YAML \(found undefined alias"),
        (read_yaml, b"a: \x07", "not valid YAML"),
        (read_yaml, b"a: \xfc", "line 1: not UTF-8"),
        (read_yaml, b"a: b\nc: \0", "line 2: a NUL"),
        (read_yaml, b"[" * 1_000, "too deep"),
        (read_yaml, b"- " * 10_000, "too deep"),
        (read_yaml, b'"\\UFFFFFFFF"', "not valid YAML"),
        (read_yaml, b"x" * 9_000_000, "9,000,000 bytes; a YAML catalogue of at most"),
    ],
)
def test_what_is_no_catalogue_is_refused(read, data, complaint):
    with pytest.raises(DataError, match=complaint):
        read(data, "menu")


def test_one_very_long_line_is_quick():
    for body in ("x" * 5_000_000, '\\"' * 2_500_000, "字" * 1_700_000):
        assert unchanged(read_json, f'{{"a": "{body}"}}'.encode())
    with pytest.raises(DataError):
        read_json(b'["' + b"\\\\" * 2_500_000, "menu")
    assert unchanged(read_yaml, b'a: "' + b"x" * 5_000_000 + b'"')
