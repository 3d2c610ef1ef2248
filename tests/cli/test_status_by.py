"""status --by: counts by a label."""

from __future__ import annotations

import pytest

from tests.conftest import run_main


def test_kinds_are_counted_when_asked():
    """`--by kind` counts active facts of this origin and scope; without it nothing is read."""
    for words in (("restart it", "--kind", "procedure"), ("call her back", "--kind", "note"),
                  ("a hall", "--kind", "note"), ("the sea is blue",),
                  ("elsewhere it rains", "--kind", "note", "--scope", "other"),
                  ("of a channel", "--kind", "lesson", "--origin", "channel:wa/c/1")):  # fmt: skip
        assert run_main("remember", *words, "--json").code == 0
    gone = run_main("remember", "forgotten words", "--kind", "episode", "--json").json["id"]
    run_main("forget", gone)

    form = run_main("status", "--by", "kind", "--json").json
    scoped = run_main("status", "--by", "kind", "--scope", "", "--json").json

    assert form["by_kind"] == {"note": 3, "": 1, "procedure": 1}
    assert scoped["by_kind"] == {"note": 2, "": 1, "procedure": 1}
    assert "kinds      3 note, 1 without, 1 procedure" in run_main("status", "--by", "kind").out
    assert "by_kind" not in run_main("status", "--json").json
    assert run_main("status", "--by", "colour").code == 2


def test_an_empty_memory_has_no_kinds():
    """Without a store the counts are there, and empty."""
    assert run_main("status", "--by", "kind", "--json").json["by_kind"] == {}


def test_agents_are_counted_when_asked():
    """`--by agent` counts what each agent wrote."""
    for words in (("a", "--agent", "coder"), ("b", "--agent", "coder"), ("the sea is blue",)):
        assert run_main("remember", *words).code == 0
    assert run_main("status", "--by", "agent", "--json").json["by_agent"] == {"coder": 2, "": 1}
    assert "agents     2 coder, 1 without" in run_main("status", "--by", "agent").out


@pytest.mark.parametrize("label", ["segment", "tier", "heat", "source", "scope"])
def test_what_is_always_counted_may_be_asked_for(label):
    """A label that status counts anyhow is no mistake: the answer is the plain one."""
    run_main("remember", "the sea is blue")

    def told(*words):
        form = run_main("status", *words, "--now", "2026-11-22", "--json").json
        return {name: value for name, value in form.items() if name != "activity"}

    assert told("--by", label) == told()
