"""What the program is made of: pinned and hashed for CI, and nothing loaded that nobody named."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.rules import parsed
from tests.support import ROOT, fresh_store

LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
PACKAGE = ROOT / "tideline_cli"


def pins(text):
    """Yield (name, version, whether it has a hash) of a lock file."""
    joined = re.sub(r"\\\n\s*", " ", text)
    for line in joined.split("\n"):
        if line and not line.lstrip().startswith("#"):
            name, _, rest = line.partition("==")
            yield canonicalize_name(name), rest.split()[0], "--hash=sha256:" in rest


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_every_line_is_a_pin_with_a_hash(path):
    """A lock names files by hash alone: no index, no address, no range."""
    listed = list(pins(path.read_text("utf-8")))
    assert listed
    assert [one for one in listed if not one[2]] == []
    assert [name for name, _, _ in listed if not re.fullmatch(r"[a-z0-9-]+", name)] == []


def test_the_lock_holds_what_the_project_asks_for():
    """Each dependency of pyproject.toml is locked at a version that it allows (`make lock`)."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    asked = [
        *project["project"]["dependencies"], *project["project"]["optional-dependencies"]["dev"],
        *project["build-system"]["requires"],
    ]  # fmt: skip
    locked = {}
    for name, version, _ in pins((ROOT / "requirements" / "dev.txt").read_text("utf-8")):
        locked.setdefault(name, []).append(version)
    missing = [
        text
        for text in asked
        if not any(map(Requirement(text).specifier.contains,
                       locked.get(canonicalize_name(Requirement(text).name), [])))
    ]  # fmt: skip
    assert missing == []


def test_ci_installs_the_lock():
    """The gate installs by hash, and nothing besides."""
    assert "make locked" in (ROOT / ".ci" / "run").read_text("utf-8")
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert "--require-hashes" in makefile
    assert "--no-deps --no-build-isolation" in makefile


LOADERS = {
    "__import__": {"cli/commands/__init__.py"}, "entry_points": {"vector/embedder.py"},
}  # fmt: skip


def called(path):
    """Yield the last name of everything that a file calls or takes from a module."""
    for node in ast.walk(parsed.tree(path)):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Name):
            yield node.id


def test_code_is_loaded_by_name_alone():
    """Modules are loaded from the table of commands, and embedders from the entry point that a
    setting names; nowhere else is code found at run time."""
    banned = {"import_module", "entry_points", "__import__", "eval", "exec", "exec_module",
              "load_extension", "enable_load_extension", "iter_modules", "CDLL", "popen"}
    found = {}
    for path in PACKAGE.rglob("*.py"):
        for name in banned.intersection(called(path)):
            found.setdefault(name, set()).add(str(path.relative_to(PACKAGE)))
    assert found == LOADERS


def test_extensions_of_sqlite_cannot_be_loaded():
    """The memory file's connection refuses load_extension, from SQL too."""
    import apsw

    with fresh_store() as db:
        with pytest.raises(apsw.Error):
            db.execute("SELECT load_extension('x')").fetchall()
        with pytest.raises(apsw.Error):
            db.load_extension("x")


BAD = {
    "pickle": "import pickle\n", "marshal": "import marshal\n", "yaml": "import yaml\n",
    "eval": "eval(input())\n", "exec": "exec(input())\n",
    "shell": "import subprocess\nsubprocess.run('ls *', shell=True)\n",
    "system": "import os\nos.system('ls')\n", "popen": "import os\nos.popen('ls')\n",
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("where", ["tideline_cli", "tests", "bench"])
def test_the_lint_sees_what_must_not_be(name, where):
    """Shell, eval, exec, pickle and YAML are found by ruff, in the package and in its tests."""
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--stdin-filename", f"{where}/x.py", "-"],
        input=BAD[name], capture_output=True, text=True, cwd=ROOT, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(r"S\d{3}|TID251", done.stdout), done.stdout
