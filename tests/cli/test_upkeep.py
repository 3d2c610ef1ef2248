"""Upkeep that cron starts: silent where all went well, and never where the memory is gone."""

from __future__ import annotations

import os

import pytest

from tests.support import seed

_PAGE = 4096

VERBS = (
    ("dream",), ("dream", "--pending"), ("dream", "--sync"), ("dream", "--dry-run"), ("gc",),
    ("backup", "copy.db"), ("doctor",), ("doctor", "--secrets"), ("sync",),
    ("extract", "--pending", "--llm", "none"), ("consolidate", "--llm", "cat"),
    ("retention", "--days", "9", "--yes"),
)  # fmt: skip
REPORTS = (
    ("dream",), ("gc",), ("doctor",), ("doctor", "--deep"), ("doctor", "--secrets"),
    pytest.param(("backup", "copy.db"), marks=pytest.mark.file_alone("it copies a file")),
)  # fmt: skip


@pytest.mark.parametrize("verb", REPORTS, ids=" ".join)
def test_a_quiet_success_prints_nothing(run, verb):
    """What went well is no mail of cron; without --quiet, and with --json, it is told."""
    seed([{"content": "The boiler needs 1.5 bar"}])
    quiet = run(*verb, "--quiet")
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")
    again = (*verb, "--force") if verb[0] == "backup" else verb
    assert run(*again).out
    assert run(*again, "--quiet", "--json").json


@pytest.mark.file_alone("the modes of a file")
def test_doctor_is_not_quiet_about_a_finding(run, home):
    """What doctor found is its result, also with --quiet."""
    run("remember", "The boiler needs 1.5 bar")
    os.chmod(home / "tideline.db", 0o644)
    assert "modes" in run("doctor", "--quiet").out


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
@pytest.mark.parametrize("by", ["--db", "TIDELINE_DB", "config"])
@pytest.mark.file_alone("a file that is not there")
def test_a_named_memory_that_is_gone(run, home, tmp_path, monkeypatch, verb, by):
    """Upkeep that names a memory which is not there says so, and makes none."""
    path = tmp_path / "away" / "tideline.db"
    named = ("--db", str(path)) if by == "--db" else ()
    if by == "TIDELINE_DB":
        monkeypatch.setenv(by, str(path))
    if by == "config":
        by = str(home / "config.toml")
        run("config", "set", "database", str(path))
    done = run(*verb, *named, "--quiet", "--json")
    assert (done.code, done.out, done.error["code"]) == (2, "", "no_memory")
    assert done.error["message"] == f"there is no memory at {path}, which {by} names"
    assert not path.parent.exists()


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb[0] not in ("backup", "sync")],
                         ids=" ".join)  # fmt: skip
@pytest.mark.file_alone("a file that is not there")
def test_nobody_has_remembered_anything(run, home, verb):
    """At the usual path a memory that never was is no fault, by whatever name."""
    for named in ((), ("--db", str(home / "tideline.db"))):
        assert run(*verb, *named, "--quiet").code == 0
    assert not (home / "tideline.db").exists()


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
@pytest.mark.file_alone("a file that is not there")
def test_the_usual_memory_is_gone(run, home, verb):
    """What lies beside a memory that was at the usual path shows that there was one."""
    run("remember", "The boiler needs 1.5 bar")
    (home / "tideline.db").unlink()
    done = run(*verb, "--quiet", "--json")
    assert (done.code, done.error["code"]) == (5, "emptied")


@pytest.mark.file_alone("it damages a file")
def test_a_damaged_memory_names_the_remedies(run, home):
    """What cron mails of a damaged file names what looks at it, and what puts a copy back."""
    run("remember", "The boiler needs 1.5 bar")
    path = home / "tideline.db"
    raw = path.read_bytes()
    path.write_bytes(raw[:_PAGE] + b"\xff" * (len(raw) - _PAGE))
    done = run("dream", "--pending", "--quiet")
    assert (done.code, done.out) == (5, "")
    assert "`tideline doctor`" in done.err and "`tideline restore --from BACKUP`" in done.err


@pytest.mark.file_alone("a file that is not there")
def test_a_memory_that_is_being_made_is_there(run, tmp_path):
    """A file without content is the first step of a writer; a link that leads nowhere is lost."""
    (tmp_path / "t.db").touch(mode=0o600)
    assert run("dream", "--quiet", "--db", "t.db").code == 0
    (tmp_path / "link.db").symlink_to(tmp_path / "away.db")
    assert run("dream", "--quiet", "--db", "link.db").code == 73
