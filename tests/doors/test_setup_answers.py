"""What setup asks beside the clients: what is kept, which model distils, what happens at night."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pexpect
import pytest

from tests import backends
from tests.cli.test_schedule import fake  # noqa: F401  a crontab of its own
from tests.doors.setup_place import install
from tests.doors.stand_in import standing_in
from tideline_cli.cli.commands.setup import answers
from tideline_cli.config import saving
from tideline_cli.llm import found_models
from tideline_cli.system import words_of

MINE = '# mine\nlimit = 5  # hits\nsessions = "off"\n'
NOBODY = dict.fromkeys(found_models.SERVERS, 1)
"""Ports where nothing answers: what runs on the machine of the tests is no matter."""


@pytest.fixture
def config_file(home, fake, tmp_path, monkeypatch):  # noqa: F811
    """Settings of the user's; an own crontab, and no model on this machine."""
    fake.provide("crontab")
    monkeypatch.setattr(found_models, "SERVERS", NOBODY)
    monkeypatch.setenv("HOME", str(tmp_path))
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(MINE)
    return home / "config.toml"


def answered(run):
    return {name: value for name, value in run("setup", "--json").json.items() if name != "clients"}


def test_nobody_asked_changes_nothing(run, config_file, fake):  # noqa: F811
    """Without a terminal, and with --yes, all stays as it is, and is told."""
    for more in ((), ("--yes",), ("--json",)):
        done = run("setup", "cursor", *more)
        assert done.code == 0 and "[y/N]" not in done.err
    assert config_file.read_text() == MINE and not fake.crontab.exists()
    told = run("setup").out
    assert "when a turn or a conversation ends: cursor\n" in told
    assert "kept         facts, not what is said" in told
    assert "model        none: identifiers" in told and "cost" not in told
    assert "night        nothing" in told
    assert run("setup", "cursor").out.splitlines()[2:] == told.splitlines()[7:]
    assert answered(run) == {"sessions": "off", "model": None, "soon": "off", "schedule": None}


def test_flags_answer_and_removal_takes_it_back(run, config_file, fake):  # noqa: F811
    """Each answer has a flag; the last client takes them along, and both files have their bytes."""
    fake.crontab.write_text("0 1 * * * echo hi\n")
    install(fake.folder, claude="#!/bin/sh\n")
    run("setup", "cursor", "codex", "--hooks", "--sessions", "turns", "--model", "claude",
        "--schedule", "--soon")  # fmt: skip
    found = answered(run)
    assert found["sessions"] == "turns" and found["schedule"] == "cron at 03:30"
    assert found["soon"] == "on"
    assert found["model"].startswith(f"{fake.folder}/bin/claude -p --safe-mode --tools")
    assert "dream --pending" in fake.crontab.read_text()
    told = run("setup").out
    assert "what is said in sessions, for 180d" in told and "about 10 requests and" in told
    assert backends.is_server() or (config_file.parent / "tideline.db").exists()
    assert run("status", "--json").json["doors"]["set_up"] == ["codex", "cursor"]
    run("setup", "codex", "--remove")
    run("setup", "cursor", "--mcp")
    assert "ask for" in run("setup", "cursor", "--remove", "--hooks").out
    assert answered(run) == found
    run("setup", "cursor", "--remove")
    assert config_file.read_text() == MINE
    assert fake.crontab.read_text() == "0 1 * * * echo hi\n"
    assert not (config_file.parent / "doors").exists()


def test_what_was_set_since_stays(run, config_file):
    """A setting that has another value since, and one that was added, are no answers of setup."""
    run("setup", "cursor", "--sessions", "turns", "--model", "none")
    run("config", "set", "llm", "my-model -x")
    run("config", "set", "window", "9000")
    run("setup", "cursor", "--remove")
    assert config_file.read_text() == MINE + 'llm = "my-model -x"\nwindow = 9000\n'


def test_settings_that_were_not_there_go(run, config_file):
    """A file that setup has made goes again."""
    config_file.unlink()
    run("setup", "cursor", "--sessions", "turns")
    assert config_file.exists()
    run("setup", "cursor", "--remove")
    assert not config_file.exists()


def test_answers_belong_to_a_set_up(run, config_file):
    """They are refused where no client is named, beside --check, and where there is no such model;
    then no client is set up either."""
    assert run("setup", "--sessions", "turns").code == 2
    assert run("setup", "cursor", "--remove", "--schedule").code == 2
    assert run("setup", "cursor", "--schedule", "--origin", "channel:a/b/c").code != 0
    for name in ("claude", "gemini", "ollama"):
        done = run("setup", "cursor", "--model", name)
        assert (done.code, "no" in done.err) == (6, True), name
    assert not (config_file.parent.parent / ".cursor").exists()
    assert config_file.read_text() == MINE


def test_a_server_on_this_machine(run, config_file, monkeypatch):
    """The first model that it names counts, but none of vectors; what is no such server is none."""
    with standing_in() as server, standing_in() as other:
        server.models = ["nomic-embed-text", "qwen2.5:3b"]
        port = server.server_port
        ports = {**NOBODY, "ollama": port, "vllm": other.server_port}
        monkeypatch.setattr(found_models, "SERVERS", ports)
        assert run("setup", "cursor", "--model", "vllm").code == 6
        assert run("setup", "cursor", "--model", "ollama").code == 0
        found = answered(run)["model"]
    assert found == f"qwen2.5:3b at http://127.0.0.1:{port}/v1"
    run("setup", "cursor", "--remove")
    assert config_file.read_text() == MINE


def test_the_programs_of_agents(config_file, fake, tmp_path):  # noqa: F811
    """Each is called without a shell's help, and Gemini in a folder with settings of ours."""
    install(fake.folder, claude="#!/bin/sh\n", codex="#!/bin/sh\n",
            gemini='#!/bin/sh\npwd; cat .gemini/settings.json; echo "$@"\n')  # fmt: skip
    for name in found_models.COMMANDS:
        command = found_models.settings_of(name, str(tmp_path / "a b"))["llm"]
        words = words_of.split(command)
        assert found_models.overhead(command) == found_models.COMMANDS[name]
        assert str(fake.folder / "bin" / name) in " ".join(words)
    for name, text in found_models.OWN_FILES:
        (tmp_path / "a b" / name).parent.mkdir(parents=True)
        (tmp_path / "a b" / name).write_text(text)
    said = subprocess.run(words, capture_output=True, check=True, text=True).stdout
    assert "/a b\n" in said and '"enabled": false' in said and "-e none" in said


class Terminal:
    """A person at a terminal of so many columns."""

    def __init__(self, fake, columns):  # noqa: F811
        home = os.environ["HOME"]
        self.child = pexpect.spawn(
            sys.executable, ["-m", "tideline_cli", "setup", "cursor"], encoding="utf-8", timeout=60,
            env={**os.environ, "TERM": "xterm", "HOME": home}, dimensions=(40, columns),
        )  # fmt: skip

    def answer(self, question, said):
        self.child.expect(question)
        before = self.child.before
        self.child.expect_exact("[y/N] ")
        self.child.sendline(said)
        return before

    def rest(self):
        self.child.expect(pexpect.EOF)
        self.child.close()
        assert self.child.exitstatus == 0
        return self.child.before.replace("\r\n", "\n")


@pytest.mark.parametrize("columns", [50, 120])
def test_a_person_is_asked(run, config_file, fake, columns):  # noqa: F811
    """Each question can be declined, and a line of what is told fits the terminal."""
    config_file.unlink()
    install(fake.folder, claude="#!/bin/sh\n")
    here = Terminal(fake, columns)
    here.answer("Keep what you", "y")
    here.answer(r"Distil\s+facts\s+from\s+conversations\s+with\s+claude", "")
    here.answer("within minutes", "")
    here.answer("Tend the memory", "n")
    told = here.rest()
    assert "what is said in sessions" in " ".join(told.split())
    rows = [line for line in told.splitlines() if line[:4] in ("read", "kept", "mode", "nigh")]
    assert len(rows) == 4 and max(map(len, rows)) <= columns
    assert config_file.read_text() == 'sessions = "turns"\n'
    again = Terminal(fake, columns)
    again.answer("Distil", "y")  # what is set is not asked again
    again.answer("within minutes", "n")
    again.answer("Tend the memory", "y")
    assert "cost" in again.rest()
    assert answered(run)["schedule"] == "cron at 03:30"
    run("setup", "cursor", "--remove")
    assert not config_file.exists() and not fake.crontab.exists()


def test_the_guess_of_the_cost(run, config_file):
    """A smaller window makes more requests, and says so."""
    run("setup", "cursor", "--model", "none")
    saving.save_setting(str(config_file), "llm", "my-model")
    assert "about 10 requests" in run("setup").out
    run("config", "set", "window", "5000")
    assert "about 40 requests" in run("setup").out
    assert answers.held()["model"] == "my-model"
    assert json.loads(run("setup", "--json").out)["model"] == "my-model"
