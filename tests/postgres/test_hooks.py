"""Hooks of agents, on a file and on a server."""

from __future__ import annotations

from tests.doors import payloads
from tests.support import NOW


def test_a_second_start_is_told_what_came_since(both, tmp_path):
    """A start reads what lasts, also the newest of it."""
    (tmp_path / "t.jsonl").write_text('{"role": "user", "content": "hello"}\n')
    for number, text in enumerate(("the lamp is of brass", "Lena likes tea", "the key is blue")):
        both("remember", text, "--pin", "--now", str(NOW + number))
        given = {"session": f"s{number}", "folder": str(tmp_path)}
        start = payloads.start("codex", "startup", **given)
        told = both("hook", "codex", "--now", str(NOW + number), stdin=start)
        assert [text in one.out for one in told] == [True, True], told


def test_an_address_that_cannot_be_used_is_told(run, server, monkeypatch, tmp_path):
    """Whoever tries a hook by hand, and its log, learn what is wrong with it."""
    monkeypatch.setenv("TIDELINE_DB", f"{server}&sslmode=bad")
    start = payloads.start("codex", "startup", session="s1", folder=str(tmp_path))
    done = run("hook", "codex", "-v", stdin=start)
    assert (done.code, done.out) == (0, "") and 'invalid sslmode value: "bad"' in done.err
