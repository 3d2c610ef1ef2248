"""What status and doctor say of the doors."""

from __future__ import annotations

import os

from tests.doors import payloads
from tideline_cli.cli import own_program


def test_nothing_is_said_where_nothing_is(run):
    """Without a client status is as it was."""
    run("remember", "I deploy on Fridays")
    assert run("status", "--json").json["doors"] is None
    assert "doors" not in run("status").out


def test_doors_and_failures(run, monkeypatch, tmp_path):
    """Status and doctor name the clients that are set up, what waits and the last failure; a
    channel hears none of it."""
    monkeypatch.delenv("TIDELINE_NOW")
    monkeypatch.setattr(own_program, "own_words", lambda: ["/gone/tideline"])
    run("remember", "I deploy on Fridays")
    run("setup", "codex", "cursor", "--hooks")
    run("hook", "codex", stdin=payloads.end("codex", "Stop", folder=str(tmp_path)))
    run("hook", "codex", stdin=b"{")
    form = run("status", "--json").json["doors"]
    assert form["set_up"] == form["gone"] == ["codex", "cursor"]
    assert form["pending"] == 1 and form["last_failure"]["client"] == "codex"
    text = run("status").out
    assert "doors      codex, cursor\n" in text and "1 conversation waits" in text
    assert "its program is gone; tideline setup codex" in text
    assert "1 bytes on standard input are not one JSON object" in text
    assert "doors codex, cursor" in run("doctor").err
    channel = run("status", "--json", "--origin", "channel:a/b/c").json
    assert channel["doors"] is None
    os.unlink(os.path.join(os.environ["TIDELINE_HOME"], "hooks", "hook.log"))
    assert "standard input" not in run("status").out
