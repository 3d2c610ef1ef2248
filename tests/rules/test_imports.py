"""Who may import whom, and what."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

from tests.rules import parsed
from tests.support import ROOT, joined

PACKAGE = ROOT / "tideline_cli"
ONLY_IN = {
    "apsw": ("store/",),
    "rich": ("cli/tables.py", "cli/commands/eval/__init__.py"),
    "tabulate": ("cli/row_formats.py",),
    "typer": ("cli/app.py", "cli/generate"),
    "sqlite_utils": ("exchange/foreign.py",),
    "sqlite3": ("exchange/foreign.py",),  # the errors of sqlite_utils
    "yaml": ("exchange/yaml_values.py",),
    "markdown_it": ("exchange/markdown_tree.py",),
    "psycopg": ("store/postgres/driver.py",),
    "numpy": ("vector/", "memory/", "dream/comparison.py"),
    "Stemmer": ("model/text.py", "model/forms/stems.py"),
    "urllib": ("llm/", "serve/http/server.py", "serve/page/",
               "sync/places/addresses.py"),  # of the last its parse alone
    "socket": ("serve/http/server.py",),
    "http": ("serve/", "llm/"),
    "subprocess": ("llm/", "cli/", "exchange/importer/workers.py", "system/programs.py",
                   "system/"),
    "cryptography": ("sync/segment.py",),
    "fcntl": ("system/", "store/locks.py"),
    "resource": ("system/",),
    "msvcrt": ("system/",),
    "ctypes": ("system/", "store/mounts.py", "store/database_errors.py"),
    "termios": (),
    "tty": (),
    "select": (),
    "pickle": (),
    "random": (),
}


def sources():
    return sorted(PACKAGE.rglob("*.py"))


@cache
def imports(path):
    """Return (module, whether it is for type checkers only) for each import of a file."""
    return tuple(_imports(path))


def _imports(path):
    tree = parsed.tree(path)
    typing_only = {
        id(node)
        for guard in ast.walk(tree)
        if isinstance(guard, ast.If) and getattr(guard.test, "id", "") == "TYPE_CHECKING"
        for inside in guard.body
        for node in ast.walk(inside)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, id(node) in typing_only
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import in {path}"
            yield node.module, id(node) in typing_only
            if node.module == "tideline_cli":
                for alias in node.names:
                    yield f"tideline_cli.{alias.name}", id(node) in typing_only


@joined("library", ONLY_IN)
def test_libraries_stay_in_their_room(library):
    """Each library is imported where its room is, and nowhere else."""
    found = {
        str(path.relative_to(PACKAGE))
        for path in sources()
        for module, typing_only in imports(path)
        if module.split(".")[0] == library and not typing_only
    }
    assert [file for file in found if not file.startswith(ONLY_IN[library])] == []


def test_no_clock_and_no_environment_below_the_door():
    """Time, chance and environment come in at the door: only the named files ask for them."""
    allowed = {"cli", "config", "model/instant.py", "store/connection.py", "exchange/foreign.py",
               "__main__.py", "module_finder.py", "vector/worker.py",
               "exchange/importer/workers.py", "exchange/importer/preparation.py",
               "store/locks.py", "store/opening.py",
               "store/files.py", "store/private_files.py",
               "store/mounts.py", "system",
               "store/foreign_table.py",
               "store/file_kind.py", "store/suggestions.py",
               "store/stats.py", "store/checks/engine.py", "llm",
               "store/arrivals.py",
               "store/postgres/opening.py", "store/postgres/driver.py",
               "store/remote.py",  # how long a prompt has waited
               "exchange/ingest/files.py", "exchange/ingest/read.py",  # folders of documents
               "exchange/ingest/library.py",  # whether their files are as they were
               "memory/screening.py",  # counts its own work, and tells no time
               "vector/embedders/static.py", "vector/embedders/onnx_folder.py",  # folders of models
               "evaluation/copies.py", "evaluation/datasets.py",  # folders of sets
               "exchange/vault/folder.py",
               "exchange/tools/files.py", "exchange/tools/__init__.py",  # of other programs
               "exchange/named_files.py", "exchange/folders.py", "exchange/dates.py",
               "sync",  # places, keys, and what travels between machines
               "serve",  # doors for programs: deadlines, files of their state
               "vector/arrays.py"}  # asks for the limits of the process  # fmt: skip
    for path in sources():
        file = str(path.relative_to(PACKAGE))
        if file.split("/")[0] in allowed or file in allowed:
            continue
        found = {module for module, _ in imports(path)} & {"time", "os", "secrets", "uuid"}
        assert found == set(), file


def test_the_linter_agrees():
    """import-linter's contracts, where pyproject declares them, are kept."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    if "importlinter" not in declared:
        pytest.skip("no contracts in pyproject.toml yet")
    tool = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [str(tool), "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_door_scans_by_the_same_rule():
    """Only `memory.screening` asks the table of patterns: it bounds the time, and looks before a
    lock is taken."""
    words = ("threats import scan", "threats.scan import", "import tideline_cli.policy.threats")
    asking = {
        str(path.relative_to(PACKAGE))
        for path in sources()
        if any(word in path.read_text("utf-8") for word in words)
    }
    assert asking == {"memory/screening.py"}


def test_sql_stays_in_the_store():
    """No other room asks a database for anything: `.execute` and its like are the store's."""
    asked = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in sources()
        if path.relative_to(PACKAGE).parts[0] != "store"
        for node in ast.walk(parsed.tree(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("execute", "executemany", "executescript", "pragma")
    ]
    assert asked == []


def test_a_deferred_import_says_why():
    """An import inside a function has its reason on the line: what it costs, or who needs it."""
    silent = []
    for path in sources():
        lines = path.read_text("utf-8").split("\n")
        for node in ast.walk(parsed.tree(path)):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            for inner in ast.walk(node):
                if isinstance(inner, ast.Import | ast.ImportFrom):
                    text = " ".join(lines[inner.lineno - 1 : inner.end_lineno])
                    if not text.partition("noqa: PLC0415")[2].strip(" )#-"):
                        silent.append(f"{path.relative_to(PACKAGE)}:{inner.lineno}")
    assert silent == []
