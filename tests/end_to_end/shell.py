"""Runs `recollect` as its users do: in processes of its own, in a folder."""

import multiprocessing
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import mkdtemp

RECOLLECT = Path(sys.executable).with_name("recollect")

# A server that has imported torch already, and forks: its processes start at once, and die like any other.
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["recollect.invented_demo", "torch._dynamo", "torch.utils.tensorboard"])
_NUMBERS = count()
WRITE = os.O_WRONLY | os.O_CREAT


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command came to."""

    code: int
    out: str
    err: str


class Command:
    """A command under way, in a fork of a warm process."""

    def __init__(self, folder: Path, arguments: tuple[str, ...], stdin: bytes = b"") -> None:
        aside = Path(mkdtemp(prefix=f"command-{next(_NUMBERS)}-", dir=folder.parent))
        self._files = [aside / name for name in ("in", "out", "err")]
        self._files[0].write_bytes(stdin)
        self._process = _FORKS.Process(target=_run, args=(folder, arguments, self._files))
        self._process.start()

    @property
    def ended(self) -> bool:
        return self._process.exitcode is not None

    def kill(self) -> None:
        """SIGKILL: nothing can be caught, tidied up or finished."""
        self._process.kill()
        self._process.join()

    def wait(self, seconds: float = 300) -> Answer:
        self._process.join(seconds)
        assert self._process.exitcode is not None, "the command hangs"
        return Answer(self._process.exitcode, *(path.read_bytes().decode() for path in self._files[1:]))


def _run(folder: Path, arguments: tuple[str, ...], files: list[Path]) -> None:
    os.chdir(folder)
    os.environ["COLUMNS"] = "100"
    for number, (path, how) in enumerate(zip(files, (os.O_RDONLY, WRITE, WRITE), strict=True)):
        os.dup2(os.open(path, how), number)
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(n, "rww"[n], encoding="utf-8") for n in range(3))
    sys.argv = ["recollect", *arguments]
    from recollect.cli import main

    main()


@dataclass(frozen=True, slots=True)
class Shell:
    """A folder in which commands run."""

    folder: Path

    def start(self, *arguments: str, stdin: bytes = b"") -> Command:
        return Command(self.folder, arguments, stdin)

    def works(self, *arguments: str, stdin: bytes = b"") -> str:
        """Run a command that must succeed; return what it prints."""
        answer = self.start(*arguments, stdin=stdin).wait()
        assert answer.code == 0, answer.err
        return answer.out

    def fails(self, *arguments: str, stdin: bytes = b"") -> str:
        """Run a command that must fail in one clear sentence; return that."""
        answer = self.start(*arguments, stdin=stdin).wait()
        assert answer.code == 1, answer.err
        assert not answer.out
        (line,) = answer.err.splitlines()
        assert line.startswith("recollect: ")
        return line.removeprefix("recollect: ")

    def console(self, *arguments: str) -> "subprocess.Popen[bytes]":
        """Start the installed console script itself, in a fresh interpreter."""
        environment = os.environ | {"OMP_NUM_THREADS": "1", "COLUMNS": "100"}
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [RECOLLECT, *arguments],
            cwd=self.folder,
            env=environment,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            # Who runs the tests in the background ignores Ctrl-C, and what they start would inherit that.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def console_works(self, *arguments: str, stdin: bytes = b"") -> str:
        """Run the console script, which must succeed; return what it prints."""
        process = self.console(*arguments)
        out, err = process.communicate(stdin, timeout=300)
        assert process.returncode == 0, err.decode()
        return out.decode()
