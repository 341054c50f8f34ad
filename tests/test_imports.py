"""The shape of the code, read from its own text: who may import whom, what stays light, what stays out."""

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src"

# In the order data flows. A room may import from rows above its own, never from a neighbour in its row.
ORDER = [
    {"errors"},
    {"allocator", "files", "progress"},  # the process, the disk and the terminal
    {"config", "folders", "weights"},
    {"text"},
    {"batches", "evaluation"},
    {"models"},
    {"memory", "context"},
    {"predict"},
    {"training", "decoding"},
    {"analysis", "renaming"},
    {"hindsight"},
    {"assemble"},
    {"__init__"},  # the public surface
    {"controls", "demo", "documents", "invented_demo", "shipping"},
    {"analyse", "reproduce", "serving"},
    {"cli"},
    {"__main__"},
]
RANK = {room: rank for rank, row in enumerate(ORDER) for room in row}
NO_TORCH = ("recollect.text", "recollect.evaluation", "recollect.batches.shard", "recollect.batches.prepare")
HEAVY = ("torch", "numpy", "pydantic", "sacrebleu")
PICKLERS = ("pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal", "torch.load", "torch.save")


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(SOURCE.rglob("*.py"))}
every_module = pytest.mark.parametrize("module", MODULES)


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def imports(module: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the absolute dotted name of all that a module imports, lazily or for types too."""
    package = module.split(".") if MODULES[module].name == "__init__.py" else module.split(".")[:-1]
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            origin = [*base, *(node.module or "").split(".")] if node.module else base
            yield from ((node.lineno, ".".join([*origin, alias.name])) for alias in node.names)


def room(name: str) -> str:
    """Return the room of a dotted name under `recollect`; a plain name of its surface is `__init__`."""
    first = name.split(".")[1] if "." in name else "__init__"
    return first if (SOURCE / "recollect" / first).is_dir() or f"recollect.{first}" in MODULES else "__init__"


def within(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def call_name(node: ast.Call) -> str:
    return ast.unparse(node.func)


@every_module
def test_every_room_has_its_place(module: str) -> None:
    assert room(module) in RANK, f"say in ORDER where recollect.{room(module)} stands"


@every_module
def test_imports_go_one_way(module: str) -> None:
    own = room(module)
    against = [
        f"{MODULES[module]}:{line}: {own} may not import {name}"
        for line, name in imports(module)
        if within(name, "recollect") and room(name) != own and RANK.get(room(name), len(ORDER)) >= RANK[own]
    ]
    assert not against, "\n".join(against)


@every_module
def test_strings_need_no_torch(module: str) -> None:
    if within(module, *NO_TORCH):
        assert not [f"line {line}: {name}" for line, name in imports(module) if within(name, "torch")]


@pytest.mark.parametrize("module", ["recollect", "recollect.cli"])
def test_import_stays_light(module: str) -> None:
    program = f"import sys, {module}; print(*[name for name in {HEAVY} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.PIPE, text=True)
    assert loaded.stdout.split() == []


@every_module
def test_docstring_opens_with_one_sentence(module: str) -> None:
    docstring = ast.get_docstring(tree(module)) or ""
    sentence = " ".join(docstring.split("\n\n")[0].split())
    assert sentence, "a module says in one sentence what it is"
    assert sentence.endswith("."), sentence
    assert not re.search(r"[a-z)][.!?] [A-Z]", sentence), f"more than one sentence: {sentence}"


def case(name: str) -> tuple[int, str]:
    """Sort as ruff does: constants, then classes, then the rest."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


@every_module
def test_all_is_sorted_and_true(module: str) -> None:
    loaded = importlib.import_module(module)
    if "__all__" not in vars(loaded):
        return
    names = loaded.__all__
    assert list(names) == sorted(set(names), key=case)
    assert not [name for name in names if not hasattr(loaded, name)], "__all__ promises what is not there"


@every_module
def test_no_module_for_odds_and_ends(module: str) -> None:
    assert not {"utils", "util", "helpers", "helper", "common"} & set(module.split("."))


@every_module
def test_nothing_is_pickled(module: str) -> None:
    found = [f"line {line}: {name}" for line, name in imports(module) if within(name, *PICKLERS)]
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Call):
            if call_name(node) in ("torch.load", "torch.save"):
                found.append(f"line {node.lineno}: {call_name(node)}")
            for keyword in node.keywords:
                if keyword.arg == "allow_pickle" and ast.unparse(keyword.value) != "False":
                    found.append(f"line {node.lineno}: {call_name(node)}(allow_pickle)")
    assert not found
