"""Measure Recollect and its peers in one run; write benchmarks/results.json and docs/performance.md."""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from corpus import write_corpus
from tables import write_tables

HERE = Path(__file__).parent
PROJECT = HERE.parent
RESULTS = HERE / "results.json"
PEERS = {"marian": "marian.py", "joeynmt": "joey.py", "ctranslate2": "ctranslate.py"}


def main() -> None:
    """Run the parts asked for, one process each, and write down what they say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=PROJECT / "build" / "benchmark-corpus")
    parser.add_argument("--only", help="parts, separated by commas, into the results of an earlier run")
    parser.add_argument("--no-peers", action="store_true")
    given = parser.parse_args()
    corpus = write_corpus(given.corpus)
    parts = our_parts(corpus) | ({} if given.no_peers else peer_parts(corpus))
    chosen = given.only.split(",") if given.only else list(parts)
    results = json.loads(RESULTS.read_text("utf-8")) if given.only and RESULTS.exists() else {"parts": {}}
    results.setdefault("machine", machine())  # a part of a later day says so itself
    for name in chosen:
        print(f"{name} ...", flush=True)
        start = time.perf_counter()
        results["parts"][name] = measure(parts[name])
        print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    write_tables(results, PROJECT / "docs" / "performance.md")


def our_parts(corpus: Path) -> dict[str, list[str]]:
    """Return the command of each of our own parts."""
    ours = [sys.executable, str(HERE / "ours.py")]
    place = str(corpus)
    return {
        "training": [*ours, "training", place],
        "second pass": [*ours, "second-pass", place],
        **{
            f"decoding {precision}": [*ours, "decoding", place, "--precision", precision]
            for precision in ("float32", "float16", "int8")
        },
        "start-up": [*ours, "start-up", place],
        "growth": [*ours, "growth", place],
        "serving": [sys.executable, str(HERE / "serving.py")],
    }


def peer_parts(corpus: Path) -> dict[str, list[str]]:
    """Return the command of each peer, which runs in the peers' own environment."""
    python = PROJECT / ".venv-peers" / "bin" / "python"
    return {name: [str(python), str(HERE / "peers" / script), str(corpus)] for name, script in PEERS.items()}


def measure(command: list[str]) -> dict[str, Any]:
    """Run one part; a part that fails is recorded as such, and the others go on."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        return {"failed": f"exit code {done.returncode}"}
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def machine() -> dict[str, Any]:
    """Return what the figures depend on."""
    commit = ["git", "-C", str(PROJECT), "describe", "--always", "--dirty"]
    names = Path("/proc/cpuinfo").read_text("utf-8").splitlines() if Path("/proc/cpuinfo").exists() else []
    model = next((line.partition(":")[2].strip() for line in names if line.startswith("model name")), "")
    return {
        "date": time.strftime("%Y-%m-%d"),
        "commit": subprocess.run(commit, capture_output=True, text=True, check=False).stdout.strip(),
        "processor": model or platform.processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "torch": version("torch"),
        "recollect": version("recollect"),
    }


if __name__ == "__main__":
    main()
