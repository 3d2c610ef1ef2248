"""Private modules of Python and of Typer: what a build of Python may lack has something in its
place."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys

import pytest

from tests.rules import parsed
from tests.support import ROOT

# Compiled into every CPython, which apsw needs: the interpreter cannot start without them.
_ALWAYS = {"_operator", "_signal", "_thread"}
# `module_finder` is imported as a whole where ImportError is caught.
_ELSEWHERE = ("tideline_cli/module_finder.py",)
_MAY_LACK = ("_blake2", "_datetime", "_frozen_importlib_external", "_json", "_sha2", "_sha256")
_STORING = ("remember", "The crane lifts forty tonnes", "--tag", "harbour", "--meta", "a=1")
_READING = (
    ("recall", "crane", "--json"),
    ("list", "--json"),
    ("status", "--all-origins", "--json"),
    ("export",),
)
_RUN = """
import sys
for name in {lacking!r}:
    sys.modules[name] = None
from tideline_cli.__main__ import enter
sys.argv = ["tideline", *{argv!r}]
enter()
"""
# What Typer carries stands in for click itself, whose classes those of Typer then are. Typer
# goes on to find its own; our module does not.
_CLICK = """
import builtins, sys, typer, typer.main, typer._click.exceptions
for name in [name for name in sys.modules if name.split(".")[:2] == ["typer", "_click"]]:
    sys.modules["click" + name.removeprefix("typer._click")] = sys.modules[name]
real = builtins.__import__
def other(name, *rest, **more):
    if name.startswith("typer._click") and rest[0]["__name__"] == "tideline_cli.cli.app":
        raise ImportError(name)
    return real(name, *rest, **more)
builtins.__import__ = other
"""


def _imports():
    """Yield each import of a private module: the file, its name, and whether it may fail."""
    for path in sorted((ROOT / "tideline_cli").rglob("*.py")):
        tree = parsed.tree(path)
        guarded = {
            id(node)
            for block in ast.walk(tree)
            if isinstance(block, ast.Try)
            and any(getattr(one.type, "id", "") == "ImportError" for one in block.handlers)
            for line in block.body
            for node in ast.walk(line)
        }
        for node in ast.walk(tree):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [one.name for one in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                ours = name.startswith(("tideline_cli", "generate")) or name == "__future__"
                if not ours and any(part.startswith("_") for part in name.split(".")):
                    yield path.relative_to(ROOT).as_posix(), name, id(node) in guarded


def test_every_import_of_a_private_module_has_a_way_round():
    """One that a Python may lack is imported where ImportError is caught."""
    found = list(_imports())
    assert {name for _, name, _ in found} >= {"_json", "_blake2", "typer._click"}
    assert [
        (path, name)
        for path, name, is_guarded in found
        if name not in _ALWAYS and not is_guarded and path not in _ELSEWHERE
    ] == []
    assert set(sys.builtin_module_names) >= _ALWAYS


def _said(home, argv, lacking=(), before=""):
    environ = {**os.environ, "TIDELINE_HOME": str(home), "TIDELINE_NOW": "2026-03-01T12:00:00Z"}
    done = subprocess.run(
        [sys.executable, "-c", before + _RUN.format(lacking=lacking, argv=argv)], env=environ,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.sampled(3)
@pytest.mark.parametrize("lacking", [*((name,) for name in _MAY_LACK), _MAY_LACK])
def test_commands_without_private_modules(tmp_path, lacking):
    """Each taken away alone, and all of them: every command does the same as with them."""
    one, other = tmp_path / "one", tmp_path / "other"
    _said(one, _STORING, lacking)
    shutil.copytree(one, other)
    for argv in _READING:
        assert _said(one, argv, lacking) == _said(other, argv).replace(str(other), str(one)), argv


def test_a_typer_that_uses_click():
    """Help, and a word that is no command, with the classes of click."""
    argv = ("recall", "--help")
    assert _said("/nonexistent", argv, before=_CLICK) == _said("/nonexistent", argv)
    script = _CLICK + _RUN.format(lacking=(), argv=("recall", "--limt", "3"))
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "no such option: '--limt'" in done.stderr and "did you mean --limit?" in done.stderr
