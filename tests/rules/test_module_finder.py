"""The finder of our modules, in a package of its own that holds a copy of it."""

from __future__ import annotations

import os
import py_compile
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT

_SAY = """
import sys
sys.path.insert(0, {folder!r})
from sample import module_finder
module_finder.install()
{script}
"""


@pytest.fixture
def package(tmp_path):
    """Return a folder with the package `sample`: the finder, a module and a package in it."""
    inner = tmp_path / "sample" / "inner"
    inner.mkdir(parents=True)
    shutil.copy(ROOT / "tideline_cli" / "module_finder.py", inner.parent)
    for path, text in (
        ("__init__.py", ""), ("inner/__init__.py", "SAID = 'inner'\n"),
        ("one.py", "SAID = 'one'\n\n\ndef fail():\n    raise ValueError('one')\n"),
        ("inner/deep.py", "from sample.one import SAID\n"),
        ("large.py", f"SAID = 'large'\nTEXT = '{'x' * 70_000}'\n"),
        ("broken.py", "SAID = (\n"),
    ):  # fmt: skip
        (tmp_path / "sample" / path).write_text(text)
    return tmp_path


def said(folder, script, *flags, **env):
    """Return what a script prints after the finder is installed, in a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-S", *flags, "-c", _SAY.format(folder=str(folder), script=script)],
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "", **env}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_it_gives_what_python_gives(package):
    """A module has the file, the compiled file, the parent and the traceback that it would have."""
    script = """
import traceback
from sample import inner, one
from sample.inner import deep
spec = one.__spec__
print(one.SAID, one.__file__, one.__cached__, one.__package__)
print(spec.name, spec.parent, spec.origin, spec.cached, spec.has_location)
print(deep.SAID, deep.__package__, deep.__file__)
print(inner.SAID, inner.__file__, inner.__cached__, inner.__package__, inner.__path__)
print(inner.__spec__.parent, inner.__spec__.submodule_search_locations, inner.__spec__.origin)
print(one.__loader__.get_source("sample.one").splitlines()[0])
try:
    one.fail()
except ValueError as error:
    print(traceback.format_exc().replace(chr(10), "|"))
"""
    plain = script.replace("import traceback", "import traceback; sys.meta_path.pop(0)", 1)
    for _ in range(2):  # from source, then from compiled code
        found = said(package, script)
        assert found == said(package, plain)
    assert "sample/one.py" in found[0]
    assert 'sample/one.py", line 5, in fail' in found[-1]


def test_it_finds_modules_of_ours_alone(package):
    """The loader is ours for a module and a package, Python's for modules of others."""
    script = """
import csv, sample.one, sample.inner.deep
for module in (sample.one, sample.inner, sample.inner.deep, csv):
    print(type(module.__loader__).__name__)
"""
    assert said(package, script) == ["_Loader", "_Loader", "_Loader", "SourceFileLoader"]


def test_a_package_may_have_no_file_and_a_module_no_source(package):
    """A folder without `__init__.py`, and compiled code alone, are found as Python finds them."""
    (package / "sample" / "bare").mkdir()
    (package / "sample" / "bare" / "leaf.py").write_text("SAID = 'leaf'\n")
    alone = package / "sample" / "alone.py"
    alone.write_text("SAID = 'alone'\n")
    py_compile.compile(str(alone), cfile=str(alone.with_suffix(".pyc")))
    alone.unlink()
    script = """
from sample.bare import leaf
import sample.alone
print(leaf.SAID, sample.alone.SAID)
"""
    assert said(package, script) == ["leaf alone"]


@pytest.mark.parametrize(
    ("flags", "env"),
    [(("-O",), {}), ((), {"PYTHONPYCACHEPREFIX": "/nonexistent"})],
    ids=["optimized", "elsewhere"],
)
def test_it_stands_back_where_compiled_code_is_elsewhere(package, flags, env):
    """With optimized code, or a folder of its own for compiled code, Python's finders find all."""
    script = "import sample.one; print(type(sample.one.__loader__).__name__)"
    assert said(package, script, *flags, **env) == ["SourceFileLoader"]


def test_changed_source_counts(package):
    """Compiled code that is older than its source, or of another size, is not run."""
    path = package / "sample" / "one.py"
    script = "import sample.one; print(sample.one.SAID)"
    assert said(package, script) == ["one"]
    before = path.stat()
    path.write_text(path.read_text().replace("'one'", "'two'"))
    os.utime(path, (before.st_atime, before.st_mtime + 2))
    assert said(package, script) == ["two"]
    path.write_text("SAID = 'three'\n")
    os.utime(path, (before.st_atime, before.st_mtime + 2))
    assert said(package, script) == said(package, script) == ["three"]


def test_bad_compiled_code_is_made_anew(package):
    """Code of another version, an empty file and none at all: the source is run, and compiled."""
    script = "import sample.one; print(sample.one.SAID, sample.one.__cached__)"
    cached = Path(said(package, script)[0].partition(" ")[2])
    good = cached.read_bytes()
    for bad in (b"\x00" * 4 + good[4:], b"", good[:15], None):
        if bad is None:
            cached.unlink()
        else:
            cached.write_bytes(bad)
        assert said(package, script) == [f"one {cached}"]
        assert cached.read_bytes() == good


def test_code_that_is_valid_by_its_content(package):
    """Code that names the hash of its source is for Python's loader to judge."""
    script = "import sample.one; print(sample.one.SAID)"
    mode = ("--invalidation-mode", "checked-hash", str(package / "sample"))
    subprocess.run([sys.executable, "-m", "compileall", "-q", *mode], capture_output=True)
    assert said(package, script) == ["one"]
    path = package / "sample" / "one.py"
    before = path.stat()
    path.write_text(path.read_text().replace("'one'", "'two'"))
    os.utime(path, (before.st_atime, before.st_mtime))
    assert said(package, script) == ["two"]


def test_a_module_may_be_large(package):
    """Compiled code that is longer than one read is run whole."""
    script = "import sample.large; print(sample.large.SAID, len(sample.large.TEXT))"
    assert said(package, script) == said(package, script) == ["large 70000"]


def test_what_cannot_be_loaded_is_reported(package):
    """A module that is not there, and one that is no Python, raise what they always raise."""
    script = """
for name in ("none", "broken", "inner.none"):
    try:
        __import__("sample." + name)
    except (ImportError, SyntaxError) as error:
        print(type(error).__name__, error)
"""
    missing, broken, inner = said(package, script)
    assert missing == "ModuleNotFoundError No module named 'sample.none'"
    assert broken.startswith("SyntaxError ")
    assert inner == "ModuleNotFoundError No module named 'sample.inner.none'"


_ENTER = """
import os, sys
sys.path[:] = {path!r}
sys.argv = ["tideline", "--version", "--json"]  # alone it is not worth a finder
from tideline_cli import __main__ as program
end = os._exit
def say(code):
    import tideline_cli.model.ulid as module
    print(code, type(module.__loader__).__name__)
    sys.stdout.flush()
    end(0)
os._exit = say
{before}
program.enter()
"""


@pytest.mark.parametrize(
    ("before", "loader"),
    [("", "_Loader"), ("sys.modules['_frozen_importlib_external'] = os", "SourceFileLoader")],
    ids=["CPython", "another Python"],
)
def test_the_program_uses_it(before, loader):
    """A process of the program finds its modules so, or as always where Python lacks the parts."""
    script = _ENTER.format(path=sys.path, before=before)
    done = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, text=True)
    assert done.stdout.splitlines()[1:] == [f"0 {loader}"]
