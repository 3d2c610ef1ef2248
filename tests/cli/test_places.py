"""Where files of ours live: three rules of our own, and memories that others would find."""

from __future__ import annotations

import os
import shlex
import sys

import pytest

from tideline_cli import config
from tideline_cli.config import places


@pytest.fixture
def user(tmp_path, monkeypatch):
    """A user with no variable of ours."""
    monkeypatch.delenv("TIDELINE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "ann"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "ann"))
    return tmp_path / "ann"


RULES = {
    ("linux", ()): (".local/share/tideline", ".config/tideline", ".local/state/tideline"),
    ("freebsd14", ()): (".local/share/tideline", ".config/tideline", ".local/state/tideline"),
    ("linux", ("XDG_DATA_HOME",)): ("x/tideline", ".config/tideline", ".local/state/tideline"),
    ("darwin", ()): ("Library/Application Support/tideline",) * 3,
    ("darwin", ("XDG_DATA_HOME", "XDG_CONFIG_HOME")): (
        "x/tideline", "x/tideline", "Library/Application Support/tideline"
    ),
    ("win32", ()): ("AppData/Local/tideline",) * 3,
    ("win32", ("XDG_DATA_HOME",)): ("AppData/Local/tideline",) * 3,
    ("win32", ("LOCALAPPDATA",)): ("x/tideline",) * 3,
}  # fmt: skip


@pytest.mark.parametrize(("case", "wanted"), RULES.items())
def test_the_rules(user, monkeypatch, case, wanted):
    """Data, settings and state of each system; TIDELINE_HOME goes before all; no library is asked,
    and what is no whole path is no place."""
    platform, variables = case
    monkeypatch.setattr(sys, "platform", platform)
    environ = {name: str(user / "x") for name in variables}
    monkeypatch.setitem(sys.modules, "platformdirs", None)
    found = (
        config.data_folder(environ), os.path.dirname(config.config_file(environ)),
        config.state_folder(environ),
    )  # fmt: skip
    assert [os.path.relpath(path, user) for path in found] == list(wanted)
    held = environ | {"TIDELINE_HOME": str(user / "mine")}
    assert config.data_folder(held) == config.state_folder(held) == str(user / "mine")
    if platform != "win32":
        odd = dict.fromkeys(("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"), "not/whole")
        assert config.data_folder(odd) == config.data_folder({})


def test_places_where_a_memory_may_lie(user):
    """Those that are there, each once, without the one that belongs there."""
    environ = {"XDG_DATA_HOME": str(user / "xdg"), "LOCALAPPDATA": str(user / "local"),
               "APPDATA": str(user / "roaming")}  # fmt: skip
    files = {}
    for name in ("xdg", ".local/share", "Library/Application Support", "local", "roaming",
                 "AppData/Local"):  # fmt: skip
        files[name] = user / name / "tideline" / "tideline.db"
        files[name].parent.mkdir(parents=True)
        files[name].touch()

    def others(platform, path):
        return places.other_memories(environ, str(path), platform=platform)

    support, share = str(files["Library/Application Support"]), str(files[".local/share"])
    assert others("linux", files["xdg"]) == [share]
    assert others("darwin", files["xdg"]) == [share, support]
    assert others("darwin", support) == [str(files["xdg"]), share]
    assert others("win32", files["local"]) == [str(files["AppData/Local"]), str(files["roaming"])]
    files["xdg"].unlink()
    files["xdg"].symlink_to(share)
    assert others("linux", user / "elsewhere") == [str(files["xdg"])], "one file, two names"
    assert places.other_memories({}, share, platform="linux") == []


@pytest.mark.file_alone("files at the usual paths of other environments")
def test_a_memory_elsewhere_is_named(run, user, monkeypatch):
    """Where there is none at the usual place, recall, status and the first remember name the other
    one on stderr, and how to take it; nothing is said of it once there is one here."""
    assert run("remember", "The crane lifts forty tonnes").code == 0
    old = str(user / ".local/share/tideline/tideline.db")
    monkeypatch.setenv("XDG_DATA_HOME", str(user / "new place"))
    new = str(user / "new place/tideline/tideline.db")
    for argv in (("recall", "crane"), ("status",), ("recall", "crane", "--quiet")):
        done = run(*argv)
        assert f"tideline: there was no memory at {new} yet; another one is at {old}" in done.err
    assert run("context", "crane", "--auto").err == ""
    for argv in (("recall", "crane", "--db", new), ("recall", "crane", "--db", old)):
        assert "another one" not in run(*argv).err
    monkeypatch.setenv("TIDELINE_DB", new)
    assert "another one" not in run("recall", "crane").err
    monkeypatch.delenv("TIDELINE_DB")
    first = run("remember", "The pier is closed", "--json")
    assert first.code == 0
    assert '"other_memory"' in first.err
    assert run("remember", "The pier has lights").err == ""
    assert "another one" not in run("recall", "pier").err


@pytest.mark.file_alone("files at the usual paths of other environments")
def test_the_way_that_is_named_works(run, user, monkeypatch):
    """The command line of the hint takes the other memory for good, whatever its path."""
    monkeypatch.setenv("XDG_DATA_HOME", str(user / "one place"))
    run("remember", "The crane lifts forty tonnes")
    os.rename(user / "one place", user / "Library's Application Support")
    monkeypatch.delenv("XDG_DATA_HOME")
    (user / ".local").mkdir(exist_ok=True)
    os.symlink(user / "Library's Application Support", user / ".local/share")
    monkeypatch.setenv("XDG_DATA_HOME", str(user / "new"))
    hint = run("recall", "crane").err.partition("for good with `")[2].partition("`")[0]
    assert run(*shlex.split(hint)[1:]).code == 0
    assert "forty tonnes" in run("recall", "crane").out
