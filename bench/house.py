"""The figures of the source itself, each beside what is wished of it: `python bench/house.py`.

    python bench/house.py [CHECKOUT] [--strict]

Without a checkout it is this one. What runs is the code of that checkout: name it by its own
Python. --strict ends with 1 when a figure is above its bound.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import os
import re
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]
PACKAGE = "tideline_cli"
SHORT = 40  # lines of a module
LONG = 60  # lines of a function
FACTS = 34
_FLOORS = ("memory", "store", "ranking", "policy", "vector", "model")
BELOW = tuple(f"{PACKAGE}.{name}." for name in _FLOORS)
_ENGINE = re.compile(r"foresight|postgres(?!ql)|of_server")


@dataclass
class Module:
    """A module of the package. `imports` are the modules of the package that it names anywhere,
    `at_top` those outside of functions and of TYPE_CHECKING."""

    path: Path
    text: str
    tree: ast.Module
    imports: set[str]
    at_top: set[str]
    deferred: int

    @property
    def lines(self) -> int:
        return self.text.count("\n")


@dataclass
class Walk:
    """How a command went below the door: each function when it is first entered. A stay is a run
    of them in one module, a climb a stay in one that stands higher than the one before; `depths`
    are those of the stack, one for each statement of SQL."""

    depths: list[int]
    stays: list[str]


def modules(root: Path) -> dict[str, Module]:
    """Return the modules of the package by name."""
    paths = {}
    for path in sorted((root / PACKAGE).rglob("*.py")):
        name = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        paths[name] = path
    return {name: _module(path, paths.keys()) for name, path in paths.items()}


def _module(path: Path, names: Any) -> Module:
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    inside = {id(one) for f in _functions(tree) for one in ast.walk(f)}
    typing = {id(one) for node in ast.walk(tree) if _is_typing(node) for one in ast.walk(node)}
    every = [one for one in ast.walk(tree) if isinstance(one, ast.Import | ast.ImportFrom)]
    at_top = [one for one in every if id(one) not in inside | typing]
    deferred = sum(id(one) in inside for one in every)
    return Module(path, text, tree, _named(every, names), _named(at_top, names), deferred)


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _is_typing(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
    )


def _named(imports: list[Any], names: Any) -> set[str]:
    """Return the modules of the package that imports name."""
    found = set()
    for one in imports:
        if isinstance(one, ast.ImportFrom):
            inner = [f"{one.module}.{alias.name}" for alias in one.names]
            found |= {name if name in names else one.module or "" for name in inner}
        else:
            found |= {alias.name for alias in one.names}
    return {name for name in found if name in names}


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the modules that reach one another, group by group (Tarjan's components)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in graph[name]:
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            group = [stack.pop()]
            while group[-1] != name:
                group.append(stack.pop())
            if len(group) > 1:
                found.append(group)

    sys.setrecursionlimit(10_000)
    for name in graph:
        if name not in index:
            visit(name)
    return found


def levels(graph: dict[str, set[str]]) -> dict[str, int]:
    """Return how high each module stands: above all that it imports at its top."""
    known: dict[str, int] = {}

    def level(name: str) -> int:
        if name not in known:
            known[name] = 0  # while its own are asked: a cycle ends here
            known[name] = 1 + max(map(level, graph[name]), default=0)
        return known[name]

    return {name: level(name) for name in graph}


def walk_of(root: Path, *argv: str) -> Walk:
    """Run a command among a few facts, and return how it went."""
    import apsw

    sys.path.insert(0, str(root))
    from tideline_cli.__main__ import main

    own, walk = str(root / PACKAGE), Walk([], [])

    def package_frames() -> int:
        frame, count = sys._getframe(), 0
        while frame is not None:
            count += frame.f_code.co_filename.startswith(own)
            frame = frame.f_back  # type: ignore[assignment]
        return count

    def traced(_cursor: object, _sql: str, _values: object) -> bool:
        walk.depths.append(package_frames())
        return True

    entered: set[object] = set()

    def profiled(frame: Any, event: str, _: object) -> None:
        code, name = frame.f_code, frame.f_globals.get("__name__", "")
        is_module = code.co_name == "<module>"
        if event != "call" or is_module or code in entered or not name.startswith(BELOW):
            return
        entered.add(code)
        if walk.stays[-1:] != [name]:
            walk.stays.append(name)

    def hook(db: apsw.Connection) -> None:
        db.exec_trace = traced

    with tempfile.TemporaryDirectory() as home, contextlib.redirect_stdout(io.StringIO()):
        os.environ |= {"TIDELINE_HOME": home, "HOME": home}
        for number in range(FACTS):
            main(["remember", f"person{number} looks after printer{number % 7} in room {number}"])
        main(list(argv))  # what is loaded once is loaded
        apsw.connection_hooks.append(hook)
        sys.setprofile(profiled)
        try:
            main(list(argv))
        finally:
            sys.setprofile(None)
            apsw.connection_hooks.remove(hook)
    return walk


def words(root: Path) -> int:
    """Return the number of words of the documents and the changelog."""
    pages = [*root.glob("docs/**/*.md"), root / "CHANGELOG.md"]
    return sum(len(page.read_text("utf-8").split()) for page in pages)


def figures(root: Path) -> list[tuple[str, float, float | None]]:
    """Return each figure with its name and what it may be at most, None where nothing is said."""
    house = modules(root)
    graph = {name: one.imports - {name} for name, one in house.items()}
    at_top = {name: one.at_top - {name} for name, one in house.items()}
    callers = {name: sum(name in others for others in graph.values()) for name in house}
    store = f"{PACKAGE}.store"
    engines = [name for name, one in house.items()
               if not f"{name}.".startswith(f"{store}.") and _ENGINE.search(one.text)]  # fmt: skip
    lengths = [(f.end_lineno or f.lineno) - f.lineno + 1
               for one in house.values() for f in _functions(one.tree)]  # fmt: skip
    of_postgres = sum(one.lines for name, one in house.items() if f"{store}.postgres" in name)
    walk, height = walk_of(root, "recall", "who looks after printer3"), levels(at_top)
    climbs = sum(height.get(here, 0) > height.get(before, 0)
                 for before, here in zip(walk.stays, walk.stays[1:], strict=False))  # fmt: skip

    def below(package: str) -> int:
        return sum(f"{name}.".startswith(f"{PACKAGE}.{package}.") for name in house)

    return [
        ("lines", sum(one.lines for one in house.values()), 85_000),
        ("lines of store/postgres", of_postgres, 3_000),
        ("modules", len(house), 560),
        ("modules of cli", below("cli"), 95),
        ("modules of memory", below("memory"), 45),
        ("modules of store without its engines", below("store") - below("store.postgres"), 55),
        (f"modules under {SHORT} lines",
         sum(one.lines < SHORT and one.path.name != "__init__.py" for one in house.values()), 45),
        ("modules with one caller", sum(count == 1 for count in callers.values()), 140),
        ("imports inside functions", sum(one.deferred for one in house.values()), 330),
        ("modules outside store that name an engine", len(engines), 0),
        (f"functions over {LONG} lines", sum(length > LONG for length in lengths), 5),
        ("cycles of imports", len(cycles(graph)), 0),
        ("cycles of imports at the top", len(cycles(at_top)), 0),
        ("statements of SQL of a small recall", len(walk.depths), 24),
        ("median depth of the stack at SQL", statistics.median(walk.depths), 9),
        ("stays of a small recall", len(walk.stays), 60),
        ("modules that it enters", len(set(walk.stays)), 25),
        ("climbs of it", climbs, None),
        ("words of docs and CHANGELOG", words(root), 60_000),
    ]  # fmt: skip


def main() -> int:
    """Print the figures; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("checkout", nargs="?", type=Path, default=HERE)
    parser.add_argument("--strict", action="store_true")
    given = parser.parse_args()
    missed = 0
    for name, value, most in figures(given.checkout.resolve()):
        is_missed = most is not None and value > most
        missed += is_missed
        bound = "" if most is None else f"at most {most:,}"
        print(f"{'!' if is_missed else ' '} {name:42} {value:>9,} {bound:>16}")
    return 1 if missed and given.strict else 0


if __name__ == "__main__":
    sys.exit(main())
