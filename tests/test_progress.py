"""Where there is no terminal, a line now and then; on one, a bar."""

import io
import sys

import pytest

from recollect import progress as module
from recollect.progress import SilentProgress, TerminalProgress


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(module.time, "monotonic", clock)
    return clock


def test_silence_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    silent = SilentProgress()
    silent.say("something")
    with silent.bar("title", 3, "units", done=1) as advance:
        advance(1, "note")
    assert capsys.readouterr() == ("", "")


def test_lines_come_now_and_then_with_speed_and_time_left(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with TerminalProgress(seconds_between_lines=10).bar("pass one", 5000, "steps", done=1000) as advance:
        for _ in range(4):
            clock.now += 5
            advance(100, "loss 2.5")
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "pass one: 1,200/5,000 steps, 20.0/s, 3:10 left; loss 2.5",
        "pass one: 1,400/5,000 steps, 20.0/s, 3:00 left; loss 2.5",
        "pass one: 1,400 steps in 0:20",
    ]


def test_what_has_no_known_end_has_no_time_left(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with TerminalProgress(seconds_between_lines=1).bar("reading", None, "pairs") as advance:
        clock.now += 3700
        advance(7400, "")
    assert capsys.readouterr().err.splitlines() == [
        "reading: 7,400 pairs, 2.0/s",
        "reading: 7,400 pairs in 1:01:40",
    ]


def test_nothing_is_said_to_be_finished_that_was_cut_short(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RuntimeError), TerminalProgress().bar("pass one", 10, "steps"):
        raise RuntimeError
    assert capsys.readouterr().err == ""


def test_stages_follow_one_another(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with TerminalProgress(seconds_between_lines=1).stages() as report:
        report("learning words", 0, None)
        report("encoding", 0, 30)
        for done in (10, 30):
            clock.now += 2
            report("encoding", done, 30)
        report("learning the dictionary", 0, None)
    assert capsys.readouterr().err.splitlines() == [
        "learning words",
        "encoding",
        "encoding: 30/30 pairs, 10.0/s, 0:00 left",
        "encoding: 30 pairs in 0:02",
        "learning the dictionary",
    ]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_a_bar_on_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    terminal = TerminalProgress()
    with terminal.bar("translate", 3, "sentences", done=1) as advance:
        advance(1, "a note")
        terminal.say("said meanwhile")
        advance(1, "a note")
    text = shown.getvalue()
    assert "3/3" in text
    assert "a note" in text
    assert "said meanwhile" in text
    assert "sentences/s" in text
