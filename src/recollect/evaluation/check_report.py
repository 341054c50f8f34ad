"""What a check has found: as a table for people, as JSON for programs, as a page for a browser."""

import json
from collections.abc import Iterable, Sequence
from html import escape
from itertools import pairwise
from typing import IO, Any

from recollect.evaluation.check import Check
from recollect.evaluation.consistency import Occurrence, Rendering, Term
from recollect.text.segment import Span

__all__ = ["as_html", "as_json", "summary", "write_table"]

_SHOWN = 5  # places of a rendering in the terminal
_AROUND = 60  # characters of context on a page
_CELL = 60


def summary(check: Check) -> str:
    """Return the whole in one line."""
    return (
        f"{len(check.sources):,} texts, {len(check.terms):,} repeated terms: "
        f"{len(check.inconsistent):,} inconsistent, {check.errors:,} errors, {check.warnings:,} warnings"
    )


# -- for a terminal


def write_table(check: Check, file: IO[str]) -> None:
    """Write inconsistent terms and findings: as tables on a terminal, elsewhere as plain lines with tabs."""
    terms = [
        [term.text, term.kind, rendering.text, str(rendering.count), _places(check, rendering)]
        for term in check.inconsistent
        for rendering in term.renderings
    ]
    findings = [[each.severity, each.check, each.where, each.message] for each in check.findings]
    if file.isatty():
        once = [["", "", *row[2:]] if row[:2] == last[:2] else row for last, row in pairwise([[], *terms])]
        _draw(file, "Terms with more than one translation", _TERM_HEAD, once)
        _draw(file, "Findings", _FINDING_HEAD, findings)
    else:
        for row in [*(["inconsistent", *row] for row in terms), *findings]:
            file.write("\t".join(" ".join(cell.split()) for cell in row) + "\n")
    file.write(f"{summary(check)}\n")


_TERM_HEAD = ("term", "kind", "translation", "count", "where")
_FINDING_HEAD = ("severity", "check", "where", "what")


def _draw(file: IO[str], title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    if not rows:
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", show_lines=False)
    for name in head:
        table.add_column(name, overflow="fold", justify="right" if name == "count" else "left")
    for row in rows:
        cells = [Text(_short(cell)) for cell in row]  # as text: square brackets are not markup here
        if row[0] in ("error", "warning"):
            cells[0].stylize("red" if row[0] == "error" else "yellow")
        table.add_row(*cells)
    Console(file=file).print(table)


def _short(text: str, longest: int = _CELL) -> str:
    text = " ".join(text.split())
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _places(check: Check, rendering: Rendering) -> str:
    units = dict.fromkeys(each.unit for each in rendering.occurrences)
    shown = [check.wheres[unit].split(" (")[0] for unit in list(units)[:_SHOWN]]
    return ", ".join([*shown, "…"] if len(units) > _SHOWN else shown)


# -- for programs


def as_json(check: Check) -> str:
    """Return everything, the consistent terms too."""
    whole = {
        "texts": len(check.sources),
        "errors": check.errors,
        "warnings": check.warnings,
        "inconsistent": len(check.inconsistent),
        "terms": [_term_record(check, term) for term in check.terms],
        "findings": [
            {
                "severity": each.severity,
                "check": each.check,
                "unit": each.unit + 1,
                "where": each.where,
                "message": each.message,
            }
            for each in check.findings
        ],
    }
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def _term_record(check: Check, term: Term) -> dict[str, Any]:
    return {
        "term": term.text,
        "kind": term.kind,
        "count": term.count,
        "consistent": term.consistent,
        "renderings": [
            {
                "text": rendering.text,
                "count": rendering.count,
                "places": [
                    {
                        "unit": each.unit + 1,
                        "where": check.wheres[each.unit],
                        "source": list(each.source),
                        "target": list(each.target),
                    }
                    for each in rendering.occurrences
                ],
            }
            for rendering in term.renderings
        ],
    }


# -- for a browser

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --mark: #fd08; --bad: #c33; --soft: #a70; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem; border-top: 1px solid var(--line); }
td { overflow-wrap: anywhere; } .number { text-align: right; }
mark { background: var(--mark); color: inherit; } small { opacity: .75; }
.error { color: var(--bad); } .warning { color: var(--soft); }
@media (prefers-color-scheme: dark) { :root { --bad: #f77; --soft: #fb4; } }
summary { cursor: pointer; } details p { margin: .3rem 0; }
@media (max-width: 40rem) {
  thead { display: none; } tr { display: block; border-top: 2px solid var(--line); padding: .4rem 0; }
  td { display: block; border: 0; padding: .1rem 0; } .number { text-align: left; }
}
"""


def as_html(check: Check, title: str) -> str:
    """Return one page that needs nothing else: no scripts, no fonts, no requests."""
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1><p>{escape(summary(check))}</p>",
        _terms_section("Terms with more than one translation", check, check.inconsistent),
        _findings_section(check),
        _terms_section("Terms with one translation", check, [t for t in check.terms if t.consistent]),
        "</body></html>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _table(title: str, head: Sequence[str], rows: Iterable[str]) -> str:
    body = "\n".join(rows)
    names = "".join(f'<th scope="col">{name}</th>' for name in head)
    return (
        f"<section><h2>{title}</h2><table><thead><tr>{names}</tr></thead>\n<tbody>{body}</tbody></table></section>"
        if body
        else ""
    )


def _terms_section(title: str, check: Check, terms: Sequence[Term]) -> str:
    rows = [
        f"<tr><td>{escape(term.text)}<br><small>{term.kind}</small></td>"
        f'<td class="number">{term.count}</td>'
        f"<td>{''.join(_rendering(check, each) for each in term.renderings)}</td></tr>"
        for term in terms
    ]
    return _table(title, ("Term", "Count", "Translations and where they stand"), rows)


def _rendering(check: Check, rendering: Rendering) -> str:
    places = "".join(_place(check, each) for each in rendering.occurrences)
    return (
        f"<details><summary>{escape(rendering.text)} <small>({rendering.count})</small></summary>"
        f"{places}</details>"
    )


def _place(check: Check, place: Occurrence) -> str:
    source = _context(check.sources[place.unit], place.source)
    target = _context(check.targets[place.unit], place.target)
    return f"<p><small>{escape(check.wheres[place.unit])}</small><br>{source}<br>{target}</p>"


def _context(text: str, span: Span) -> str:
    start, end = max(0, span[0] - _AROUND), span[1] + _AROUND
    before = ("…" if start else "") + text[start : span[0]]
    after = text[span[1] : end] + ("…" if end < len(text) else "")
    return f"{escape(before)}<mark>{escape(text[span[0] : span[1]])}</mark>{escape(after)}"


def _findings_section(check: Check) -> str:
    rows = [
        f'<tr><td class="{each.severity}">{each.severity}</td><td>{escape(each.check)}</td>'
        f"<td>{escape(each.where)}</td><td>{escape(each.message)}<br>"
        f"<small>{escape(_short(check.sources[each.unit], 3 * _CELL))}<br>"
        f"{escape(_short(check.targets[each.unit], 3 * _CELL))}</small></td></tr>"
        for each in check.findings
    ]
    return _table("Findings", ("Severity", "Check", "Where", "What"), rows)
