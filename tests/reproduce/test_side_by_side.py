"""Work in several processes: it stops at once when told to, and says so when one of them is lost."""

import os
import signal
import time
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import pytest

from recollect.progress import SilentProgress
from recollect.reproduce.run import _Crew

QUICKLY = 5  # seconds, on a busy machine


@dataclass(frozen=True)
class Work:
    """Something that goes on and on, and shows it; or ends its process, or itself."""

    label: str
    folder: Path
    kind: str = "endless"
    workshops: tuple[()] = ()

    def __call__(self) -> None:
        (self.folder / self.label).write_text("begun")
        if self.kind == "lost":
            os._exit(9)
        number = 0
        while self.kind == "endless":
            number += 1
            (self.folder / self.label).write_text(f"{number} ")
            time.sleep(0.02)


def work(folder: Path, *kinds: str) -> dict[str, str]:
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # inherited, where tests run in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)
    todo = [Work(str(number), folder, kind) for number, kind in enumerate(kinds)]
    return _Crew(2, SilentProgress()).work(todo, after={"3": "0"})


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_it_stops_at_once(tmp_path, how):
    process = get_context("spawn").Process(target=work, args=(tmp_path, *["endless"] * 4))
    process.start()
    while len(list(tmp_path.iterdir())) < 2:
        assert process.is_alive()
        time.sleep(0.05)
    os.kill(process.pid, how)
    process.join(QUICKLY)
    assert process.exitcode is not None
    end = time.monotonic() + QUICKLY
    while True:
        before = [path.read_text() for path in sorted(tmp_path.iterdir())]
        time.sleep(0.5)
        if before == [path.read_text() for path in sorted(tmp_path.iterdir())]:
            break
        assert time.monotonic() < end, "the work goes on"
    assert len(before) == 2  # nothing else was begun


def test_a_lost_process_is_said(tmp_path):
    failures = work(tmp_path, "short", "lost", "short", "short")
    assert "1" in failures
    assert all("out of memory?" in problem for problem in failures.values())


def test_everything_is_done_in_order(tmp_path):
    assert work(tmp_path, *["short"] * 4) == {}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0", "1", "2", "3"]
    assert (tmp_path / "3").stat().st_mtime_ns >= (tmp_path / "0").stat().st_mtime_ns
