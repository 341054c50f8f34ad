"""How far long work has come: a bar with speed and time left on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

__all__ = ["Advance", "SilentProgress", "TerminalProgress"]

Advance = Callable[[int, str], None]
"""Called with how many units were done since the last call, and a note to show."""


class SilentProgress:
    """Shows nothing: the library's default."""

    @contextmanager
    def bar(self, title: str, total: int | None, unit: str, done: int = 0) -> Iterator[Advance]:
        """Yield a function that ignores its arguments."""
        yield lambda count, note: None

    def say(self, text: str) -> None:
        """Say nothing."""


class TerminalProgress:
    """Shows bars on standard error; where that is not a terminal, a line now and then."""

    def __init__(self, seconds_between_lines: float = 10) -> None:
        self.seconds_between_lines = seconds_between_lines

    def say(self, text: str) -> None:
        """Print one line about what is going on."""
        print(text, file=sys.stderr, flush=True)

    @contextmanager
    def bar(self, title: str, total: int | None, unit: str, done: int = 0) -> Iterator[Advance]:
        """Yield the function to call as the work goes on; `done` units were done before."""
        shown = self._drawn if sys.stderr.isatty() else self._lines
        with shown(title, total, unit, done) as advance:
            yield advance

    @contextmanager
    def stages(self) -> Iterator[Callable[[str, int, int | None], None]]:
        """Yield a function for work of several stages: what is being done, how much, of how much."""
        with ExitStack() as stack:
            doing, shown, advance = "", 0, None

            def report(now: str, done: int, total: int | None) -> None:
                nonlocal doing, shown, advance
                if now != doing:
                    stack.close()
                    doing, shown, advance = now, 0, None
                    if not done:
                        self.say(now)
                if advance is not None:
                    advance(done - shown, "")
                elif done:  # what was done before the clock started must not count as fast
                    advance = stack.enter_context(self.bar(now, total, "pairs", done=done))
                shown = done

            yield report

    @contextmanager
    def _drawn(self, title: str, total: int | None, unit: str, done: int) -> Iterator[Advance]:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[speed]}"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
        )
        with Progress(*columns, console=Console(stderr=True)) as progress:
            task = progress.add_task(title, total=total, completed=done, speed="", note="")
            start, count = time.monotonic(), 0

            def advance(more: int, note: str) -> None:
                nonlocal count
                count += more
                speed = count / max(time.monotonic() - start, 1e-9)
                progress.update(task, advance=more, speed=f"{speed:,.1f} {unit}/s", note=note)

            yield advance

    @contextmanager
    def _lines(self, title: str, total: int | None, unit: str, done: int) -> Iterator[Advance]:
        start = last = time.monotonic()
        count = done

        def line(note: str) -> None:
            speed = (count - done) / max(time.monotonic() - start, 1e-9)
            of, left = "", ""
            if total is not None and speed > 0:
                of, left = f"/{total:,}", f", {_clock((total - count) / speed)} left"
            print(
                f"{title}: {count:,}{of} {unit}, {speed:,.1f}/s{left}{'; ' if note else ''}{note}",
                file=sys.stderr,
                flush=True,
            )

        def advance(more: int, note: str) -> None:
            nonlocal count, last
            count += more
            if time.monotonic() - last >= self.seconds_between_lines:
                last = time.monotonic()
                line(note)

        yield advance
        print(f"{title}: {count:,} {unit} in {_clock(time.monotonic() - start)}", file=sys.stderr, flush=True)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
