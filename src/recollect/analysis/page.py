"""A page that tells of every word what the memory had to do with it: one file, nothing to fetch."""

from collections.abc import Sequence
from html import escape

from recollect.analysis.explain import Explained, Look, Word

__all__ = ["explanation_page"]

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --mark: 255, 170, 0; }
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
td { border-top: 1px solid var(--line); padding: .4rem .6rem; vertical-align: top; }
td:first-child { color: #888; text-align: right; width: 2rem; }
td:nth-child(2) { width: 40%; }
.w { position: relative; border-radius: .2rem; cursor: help; }
.w:focus { outline: 2px solid rgb(var(--mark)); }
.w.changed { text-decoration: underline wavy rgb(var(--mark)); }
.w > .tip { display: none; position: absolute; z-index: 2; left: 0; top: 1.6em; min-width: 15rem;
  background: Canvas; color: CanvasText; border: 1px solid var(--line); border-radius: .4rem;
  padding: .5rem .7rem; box-shadow: 0 2px 12px #0004; font-size: .85rem; white-space: normal; }
.w:hover > .tip, .w:focus > .tip { display: block; }
.tip ul { margin: .3rem 0 0; padding-left: 1.1rem; }
.note { color: #888; }
@media (max-width: 40rem) {
  td, td:first-child, td:nth-child(2) { display: block; width: auto; border-top: 0; text-align: left; }
  tr { display: block; border-top: 1px solid var(--line); }
}
"""


def explanation_page(title: str, sentences: Sequence[Explained]) -> str:
    """Return HTML: the document side by side, and on every target word what led to it."""
    rows = "\n".join(
        f'<tr id="s{number}"><td>{number}</td><td>{escape(each.source)}</td><td>{_spoken(each)}</td></tr>'
        for number, each in enumerate(sentences, 1)
    )
    changed = sum(_changed(word) for each in sentences for word in each.words)
    words = sum(len(each.words) for each in sentences)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{escape(title)}</h1>
<p>Point at a word, or go there with the tab key: it tells which remembered words it looked at, how far the
memory was heard (the stronger the colour, the farther), and what the sentence model alone would have said.
Underlined words are others than those. {changed:,} of {words:,} are.</p>
<table>
{rows}
</table>
</body>
</html>
"""


def _changed(word: Word) -> bool:
    return word.alone != word.piece


def _spoken(sentence: Explained) -> str:
    if not sentence.words:
        return escape(sentence.text)
    return "".join(_word(word, first=number == 0) for number, word in enumerate(sentence.words))


def _word(word: Word, *, first: bool) -> str:
    shown = escape(word.piece.replace("▁", " "))
    space = " " if shown.startswith(" ") and not first else ""
    colour = f"background: rgba(var(--mark), {min(0.6, word.gate):.2f})"
    kind = "w changed" if _changed(word) else "w"
    return f'{space}<span class="{kind}" tabindex="0" style="{colour}">{shown.strip()}{_tip(word)}</span>'


def _tip(word: Word) -> str:
    alone = escape(word.alone.replace("▁", " ").strip()) or "the end of the sentence"
    looks = "".join(f"<li>{_look(look)}</li>" for look in word.looks)
    heard = f"<ul>{looks}</ul>" if looks else '<span class="note">nothing is remembered yet</span>'
    return (
        f'<span class="tip" role="note">heard: {word.gate:.0%}; probability {word.probability:.2f}, '
        f"alone {word.probability_alone:.2f}; alone: <b>{alone}</b>{heard}</span>"
    )


def _look(look: Look) -> str:
    word = escape(look.word.replace("▁", " ").strip())
    number = look.sentence + 1
    place = f'<a href="#s{number}">sentence {number}</a>' if number else "earlier"
    whose = f", {look.origin}" if look.origin != "own" else ""
    return f"{word} ({look.share:.0%}), {place}{whose}"
