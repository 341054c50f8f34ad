"""From measurements to docs/performance.md."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["write_tables"]

HEAD = """# Speed

<!-- written by `make bench`; do not edit -->

Measured on {cores} cores of "{processor}" ({system}), Python {python}, PyTorch {torch}, Recollect {recollect}
at commit {commit}, {date}. All systems one after the other, parts of them perhaps in separate runs, on a
made-up corpus with the lengths and word frequencies of subtitles: 8,000 pieces a side, embedding 256, one
recurrent layer of 512 (a direction, in the encoder).
Times are the best of three; on a shared machine only their ratios mean anything. Decoding speed is counted in
target pieces a second; every system is made to produce translations of the same length (its source's and five
more), so weights need not be trained.
"""

Row = Sequence[Any]


def write_tables(results: dict[str, Any], path: Path) -> None:
    """Write every table there are measurements for."""
    parts = results["parts"]
    blocks = [HEAD.format(**results["machine"])]
    for title, make in (
        ("Goals", goals),
        ("Training", training),
        ("Pass two", second_pass),
        ("Decoding", decoding),
        ("Memory's cost", memory_cost),
        ("Start-up and size", start_up),
        ("A document of any length", growth),
        ("The server", serving),
    ):
        text = make(parts)
        if text:
            blocks.append(f"## {title}\n\n{text}")
    path.write_text("\n".join(blocks), "utf-8")


def table(head: Row, rows: Sequence[Row]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(str(cell) for cell in line) + " |\n" for line in lines)


def find(rows: Sequence[dict[str, Any]], **wanted: Any) -> float | None:
    """Return the speed of the fastest row with these values."""
    speeds = [
        row["tokens_per_second"]
        for row in rows
        if all(row.get(name) == value for name, value in wanted.items())
    ]
    return max(speeds, default=None)


def our_rows(parts: dict[str, Any]) -> list[dict[str, Any]]:
    """Return our decoding rows of every precision."""
    return [
        row
        for name, part in parts.items()
        if name.startswith("decoding ")
        for row in part.get("decoding", [])
    ]


def peer_rows(parts: dict[str, Any], peer: str) -> list[dict[str, Any]]:
    """Return a peer's decoding rows."""
    rows: list[dict[str, Any]] = parts.get(peer, {}).get("decoding", [])
    return rows


def ratio(one: float | None, other: float | None) -> float | None:
    """Return one in units of the other, if both were measured."""
    return None if one is None or not other else one / other


@dataclass(frozen=True, slots=True)
class Goal:
    """A figure to be reached: at least, or (`below`) less than."""

    what: str
    wanted: float
    found: float | None
    below: bool = False

    def row(self) -> Row:
        """Return its line in the table."""
        sign = "<" if self.below else ">="
        if self.found is None:
            return [self.what, f"{sign} {self.wanted:g}", "not measured", ""]
        good = self.found < self.wanted if self.below else self.found >= self.wanted
        return [
            self.what,
            f"{sign} {self.wanted:g}",
            f"{self.found:.2f}",
            "reached" if good else "**missed**",
        ]


def goals(parts: dict[str, Any]) -> str:
    """Each goal, reached or missed."""
    every = [*training_goals(parts), *decoding_goals(parts), *start_goals(parts)]
    return table(["what", "goal", "measured", ""], [goal.row() for goal in every])


def training_goals(parts: dict[str, Any]) -> list[Goal]:
    """Both passes."""
    one, two = parts.get("training", {}), parts.get("second pass", {})

    def against(peer: str) -> float | None:
        theirs = (parts.get(peer, {}).get("training") or {}).get("tokens_per_second")
        return ratio(one.get("tokens_per_second"), theirs)

    whole = two.get("five_epochs_and_storing_in_epochs_of_pass_one")
    return [
        Goal("pass one: share of the matrix product's peak", 0.70, one.get("share_of_peak")),
        Goal("pass one against JoeyNMT", 2, against("joeynmt")),
        Goal("pass one against Marian's CPU trainer", 4, against("marian")),
        Goal("pass two against pass one, pieces a second", 3, two.get("pass_two_to_pass_one")),
        Goal("five epochs of pass two and storing, in epochs of pass one", 1, whole, below=True),
    ]


def decoding_goals(parts: dict[str, Any]) -> list[Goal]:
    """Against the peers, with and without a memory, and int8; our best precision against the peers' best."""
    joey, marian = peer_rows(parts, "joeynmt"), peer_rows(parts, "marian")
    wide = {"documents": 32, "beam": 10}
    single = {"documents": 1, "beam": 5, "mode": "sentence by sentence"}

    def ours(**wanted: Any) -> float | None:
        return find(our_rows(parts), **wanted)

    def on_and_off(**wanted: Any) -> float | None:
        return ratio(ours(**wanted, memory="25"), ours(**wanted, memory="in order"))

    remembered = ours(**wide, memory="25")
    alone = ours(**single, memory="25")
    exact = ours(**single, memory="25", precision="float32")
    return [
        Goal("32 documents, beam 10, memory 25, against JoeyNMT", 4, ratio(remembered, find(joey, **wide))),
        Goal("32 documents, beam 10, memory 25, against Marian", 1, ratio(remembered, find(marian, **wide))),
        Goal("one document, beam 5, memory 25, against JoeyNMT", 2, ratio(alone, find(joey, **single))),
        Goal(
            "memory of 25 against none, 32 documents, beam 10", 0.97, on_and_off(**wide, precision="float16")
        ),
        Goal(
            "memory of 25 against none, one document, beam 5", 0.97, on_and_off(**single, precision="float16")
        ),
        Goal(
            "int8 against float32, one document, beam 5, memory 25",
            1.5,
            ratio(ours(**single, memory="25", precision="int8"), exact),
        ),
    ]


def start_goals(parts: dict[str, Any]) -> list[Goal]:
    """Seconds."""
    found = parts.get("start-up", {})
    slowest = max(found.get("load_seconds", {}).values(), default=None)
    return [
        Goal("`recollect --help`, seconds", 0.3, found.get("help_seconds"), below=True),
        Goal("loading a model of the default's size, seconds", 1, slowest, below=True),
    ]


def training(parts: dict[str, Any]) -> str:
    """Pass one of ours and of the peers."""
    measured = {"Recollect": parts.get("training", {})}
    measured |= {peer: parts.get(peer, {}).get("training") or {} for peer in ("joeynmt", "marian")}
    rows = [
        [
            name,
            f"{found['tokens_per_second']:,.0f}",
            f"{found['share_of_peak']:.0%}" if "share_of_peak" in found else "",
            f"{found['peak_rss_mb']:,.0f} MB" if found.get("peak_rss_mb") else "",
            f"{found.get('parameters') or 0:,}",
        ]
        for name, found in measured.items()
        if found.get("tokens_per_second")
    ]
    head = ["system", "target pieces/s", "share of the matrix product's peak", "peak memory", "parameters"]
    note, ours = "", measured["Recollect"]
    if "gflops" in ours:
        peak, reached = ours["peak_gflops"], ours["gflops"]
        note = f"\nThe peak is {peak:.0f} GFLOP/s here; useful products ran at {reached:.0f}.\n"
    return table(head, rows) + note if rows else ""


def second_pass(parts: dict[str, Any]) -> str:
    """Storing and pass two beside pass one."""
    found = parts.get("second pass", {})
    if "tokens" not in found:
        return ""
    names = [("pass one", "pass_one"), ("storing activations", "storing"), ("pass two, an epoch", "pass_two")]
    return table(
        ["what", "target pieces/s"],
        [[what, f"{found[f'{key}_tokens_per_second']:,.0f}"] for what, key in names],
    )


def decoding(parts: dict[str, Any]) -> str:
    """Every system, pieces a second."""
    rows = []
    for label, found, wanted in [
        *(
            (
                f"Recollect {precision}, memory {memory}",
                our_rows(parts),
                {"precision": precision, "memory": memory},
            )
            for precision in ("float32", "float16", "int8")
            for memory in ("off", "25", "1000")
        ),
        *((peer, peer_rows(parts, peer), {}) for peer in ("joeynmt", "marian", "ctranslate2")),
    ]:
        if not found:
            continue
        cells = []
        for documents in (32, 1):
            for beam in (1, 5, 10):
                speed = find(found, documents=documents, beam=beam, **wanted)
                cells.append("" if speed is None else f"{speed:,.0f}")
        rows.append([label, *cells])
    for peer in ("joeynmt", "marian", "ctranslate2"):
        found = [row for row in peer_rows(parts, peer) if row.get("mode") == "sentence by sentence"]
        if found:
            cells = [find(found, documents=1, beam=beam) for beam in (1, 5, 10)]
            rows.append(
                [
                    f"{peer}, sentence by sentence",
                    "",
                    "",
                    "",
                    *(f"{each:,.0f}" if each else "" for each in cells),
                ]
            )
    sizes = [
        f"{documents} document{'s' * (documents > 1)}, beam {beam}"
        for documents in (32, 1)
        for beam in (1, 5, 10)
    ]
    return table(["system", *sizes], rows) if rows else ""


def memory_cost(parts: dict[str, Any]) -> str:
    """What a memory costs, in the same order of work."""
    rows = []
    for precision in ("float32", "float16", "int8"):
        found = [row for row in our_rows(parts) if row["precision"] == precision]
        for documents in (32, 1):
            for beam in (1, 5, 10):
                off = find(found, documents=documents, beam=beam, memory="in order")
                cells = [
                    ratio(find(found, documents=documents, beam=beam, memory=size), off)
                    for size in ("25", "1000")
                ]
                if off:
                    rows.append(
                        [
                            precision,
                            documents,
                            beam,
                            *("" if each is None else f"{each:.2f}" for each in cells),
                        ]
                    )
    return (
        table(["weights", "documents", "beam", "25 slots", "1,000 slots"], rows)
        + ("\nSpeed relative to the same documents in the same order without a memory.\n" if rows else "")
        if rows
        else ""
    )


def start_up(parts: dict[str, Any]) -> str:
    """Seconds and bytes."""
    found = parts.get("start-up", {})
    if "help_seconds" not in found:
        return ""
    rows = [["`recollect --help`", f"{found['help_seconds']:.2f} s"]]
    rows += [[f"loading, {name}", f"{each:.2f} s"] for name, each in found["load_seconds"].items()]
    rows += [
        [f"memory of {size} slots, a document", f"{each / 1e6:.2f} MB"]
        for size, each in found["bytes_per_document"].items()
    ]
    return table(["what", "cost"], rows)


def growth(parts: dict[str, Any]) -> str:
    """A very long document, tenth by tenth."""
    found = parts.get("growth", {})
    if "sentences" not in found:
        return ""
    rows = [
        [number, f"{seconds:.1f}", f"{rss:.0f}"]
        for number, (seconds, rss) in enumerate(
            zip(found["seconds_per_tenth"], found["rss_mb_after_tenth"], strict=True), 1
        )
    ]
    return f"{found['sentences']:,} sentences, a memory of 1,000 slots, greedy, on a tiny model.\n\n" + table(
        ["tenth of the document", "seconds", "resident MB after it"], rows
    )


def serving(parts: dict[str, Any]) -> str:
    """The server under load."""
    found = parts.get("serving", {})
    if "load" not in found:
        return ""
    rows = [
        [
            row["clients"],
            f"{row['sentences_per_second']:.1f}",
            f"{row['p50_ms']:,.0f} ms",
            f"{row['p95_ms']:,.0f} ms",
        ]
        for row in found["load"]
    ]
    changed, samples = found["correction"], found["growth"]["samples"]
    stored, through = changed["stored"]["p50_ms"], changed["followed_through"]["p50_ms"]
    (_, first), (many, half), (all_, last) = (
        (each["requests"], each["megabytes"])
        for each in (samples[0], samples[len(samples) // 2], samples[-1])
    )
    return f"""\
The built-in model with its everyday memory, beam 5, clients and server on the same cores
(commit {found["commit"]}). Every client has a session and asks for the next sentence as soon as it has
the last.

{table(["sessions at once", "sentences/s", "p50", "p95"], rows)}
A correction of the second of {changed["sentences"]} sentences is stored after {stored:,.0f} ms (median);
all that follows it is up to date after {through:,.0f} ms.

Over {all_:,} requests of all kinds the server's memory went from {first:.0f} MB to {half:.0f} MB
after {many:,} and {last:.0f} MB at the end.
"""
