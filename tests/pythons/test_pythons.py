"""What `make test-all` finds and says."""

from __future__ import annotations

import sys

import pytest

from tests.pythons import __main__ as program
from tests.pythons import environments


@pytest.fixture
def pythons(tmp_path, monkeypatch):
    """A place with programs that are called like Pythons, alone on the path."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))

    def put(name, script, place=folder):
        place.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(f"#!/bin/sh\n{script}\n")
        (place / name).chmod(0o755)
        return str(place / name)

    return put


def test_a_python_is_one_that_runs(pythons, tmp_path):
    """The one of the path if it runs and has the version of its name, else one of pyenv, the newest
    first; a path is taken as it is."""
    name = "python3.99"
    assert environments.found(name) is None
    pythons(name, "echo 'pyenv: python3.99: command not found' >&2; exit 127")
    assert environments.found(name) is None
    pythons(name, "echo 3.9.1")
    assert environments.found(name) is None
    old = pythons(name, "echo 3.99.0", tmp_path / "pyenv" / "versions" / "3.99.0" / "bin")
    assert environments.found(name) == old
    new = pythons(name, "echo 3.99.2", tmp_path / "pyenv" / "versions" / "3.99.2" / "bin")
    assert environments.found(name) == new
    own = pythons(name, "echo 3.99.1")
    assert environments.found(name) == own
    assert environments.found(str(tmp_path / "none" / name)) is None
    assert environments.found(sys.executable) == sys.executable


def test_what_was_not_tested_is_said(capsys):
    """The end names how each ended, and loudly those that are missing; none at all is a failure."""
    assert program.report([("python3.12", "3.12.1: 9 passed", True)], ["python3.14"]) == 0
    said = capsys.readouterr().out
    assert "passed   python3.12  3.12.1: 9 passed" in said
    assert "NOT RUN  python3.14" in said
    assert "!! 1 of 2 Pythons were NOT TESTED" in said
    assert program.report([("a", "1 failed", False), ("b", "1 passed", True)], []) == 1
    assert "FAILED   a  1 failed" in capsys.readouterr().out
    assert program.report([], ["python3.14"]) == 1


def test_the_names_are_those_of_the_project():
    """Every Python that pyproject.toml and the hosted CI name is tried."""
    named = [name.removeprefix("python") for name in program.NAMES]
    project = (environments.ROOT / "pyproject.toml").read_text()
    assert [f'Python :: {name}"' in project for name in named] == [True] * len(named)
    assert project.count("Programming Language :: Python :: 3.") == len(named)
    hosted = (environments.ROOT / ".github" / "workflows" / "ci.yml").read_text()
    assert [f'"{name}"' in hosted for name in named] == [True] * len(named)


def test_an_environment_that_cannot_be_made_is_a_failure(pythons, tmp_path, capsys, monkeypatch):
    """It is told with the reason, and the run fails."""
    broken = pythons("python3.99", 'test "$1" = -c && echo 3.99.0 || { echo broken; exit 3; }')
    monkeypatch.setattr(program, "ROOT", tmp_path)
    assert program.main([broken]) == 1
    assert "3.99.0: no environment: broken" in capsys.readouterr().out
    passing = 'test "$1" = -c && echo 3.99.0 || exit 0'
    pythons("python3.99", passing)
    monkeypatch.setattr(program, "environment", lambda *_: tmp_path)
    monkeypatch.setattr(program, "run_in", lambda *_: ("7 passed in 1 s", 0))
    assert program.main([broken, "none", "--", "-k", "x"]) == 0
    said = capsys.readouterr().out
    assert "7 passed in 1 s" in said and "NOT RUN  none" in said
