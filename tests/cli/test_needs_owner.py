"""What is about all origins is the owner's; the hint names the call that is."""

from __future__ import annotations

import pytest

CHANNEL = "channel:team/mia/notes"
CALLS = (
    pytest.param(("backup", "copy.db"), marks=pytest.mark.file_alone("a server copies itself")),
    ("doctor",), ("export", "--all-origins"), ("status", "--all-origins"),
    ("sync",), ("schedule", "--cron"), ("reembed",), ("embedder", "use", "none"),
    ("config", "set", "analyzer", "reference"), ("eval", "poison"),
    ("retention", "--days", "9", "--all-origins"),
)  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_the_hint_names_the_call_that_the_owner_may(run, home, monkeypatch, call):
    """Without --origin where it stands there, with it where a setting or the environment names the
    origin."""
    run("remember", "a lamp")
    done = run(*call, "--origin", CHANNEL)
    assert done.code == 2 and "leave out --origin" in done.err
    monkeypatch.setenv("TIDELINE_ORIGIN", CHANNEL)
    for more in ((), ("--origin", CHANNEL)):
        done = run(*call, *more)
        assert done.code == 2 and "repeat it with --origin owner" in done.err
