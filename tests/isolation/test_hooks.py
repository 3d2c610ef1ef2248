"""The hooks of an origin do not show what the hooks of others do: what waits, what a conversation
was given, the pause, the last failure."""

from __future__ import annotations

import json
import random
import re
import shutil

import pytest

from tests import backends
from tests.conftest import run_main
from tests.doors import payloads
from tests.isolation.programs import ORIGINS
from tests.support import NOW, some
from tideline_cli.model import instant
from tideline_cli.serve import hook_state, ledger, queue

SESSIONS = ("s1", "s2")
LENGTH = 24


@pytest.fixture
def arena(home, tmp_path, monkeypatch):
    """Return what runs a program in an empty home and tells its viewer's answers."""
    # A pause ends by the clock, and so does the time in which a start told twice is one.
    monkeypatch.setattr(instant, "now_ms", lambda: NOW)

    def told(program, viewer):
        backends.remove(home / "tideline.db")
        for part in (home, tmp_path / "talks"):
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(mode=0o700)
        (tmp_path / "talks" / "t.jsonl").write_text('{"role": "user", "content": "hello"}\n')
        return [
            (words, done) for who, words, stdin in program
            if (done := _called(who, words, stdin)) and who == viewer
        ]  # fmt: skip

    return told


def _called(who, words, stdin):
    done = run_main(*words, "--origin", who, stdin=stdin)
    if words[:2] == ("remember", "it"):
        return (done.code,)  # ids are drawn
    return done.code, done.out, done.err


def _program(rng, who, folder):
    """Return the calls of one origin: prompts, starts, ends, pauses, bad calls, and looks."""
    for n in range(LENGTH):
        session = rng.choice(SESSIONS)
        given = {"session": session, "folder": str(folder)}
        hook = ("hook", "codex", "--now", str(NOW + n * 60_000))
        kind = rng.choice(_KINDS)
        if kind == "remember":
            fact = f"{who} deploys on day {rng.randint(1, 9)}"
            # Facts of one instant stand in the order of their ids, which are drawn.
            at = str(NOW - (LENGTH - n) * 60_000)
            yield who, ("remember", fact, "--json", "--now", at), ""
        elif kind == "prompt":
            yield who, hook, payloads.prompt("codex", "who deploys on which day?", **given)
        elif kind == "start":
            source = rng.choice(("startup", "compact", "resume", "clear"))
            yield who, hook, payloads.start("codex", source, **given)
        elif kind == "end":
            yield who, hook, payloads.end("codex", "Stop", **given)
        else:
            yield who, _LOOKS[kind], b"{" if kind == "bad" else ""


_LOOKS = {
    "bad": ("hook", "codex"), "pause": ("hook", "--pause", "1h"), "resume": ("hook", "--resume"),
    "hook": ("hook",), "json": ("hook", "--json"), "status": ("status", "--json"),
    "waits": ("extract", "--pending", "--dry-run"), "extract": ("extract", "--pending", "--json",
                                                                "--llm", "none"),
}  # fmt: skip
_KINDS = ("remember", *["prompt"] * 5, *["start"] * 4, "end", "end", *_LOOKS)


def _difference(arena, seed, folder):
    rng = random.Random(seed)
    viewer = rng.choice(ORIGINS[1:])
    alone = list(_program(rng, viewer, folder))
    crowded = list(alone)
    for other in ORIGINS:
        if other != viewer:
            place = 0
            for call in _program(rng, other, folder):
                place = rng.randint(place, len(crowded))
                crowded.insert(place, call)
    return next((pair for pair in zip(_plain(arena(alone, viewer)), _plain(arena(crowded, viewer)),
                                      strict=True) if pair[0] != pair[1]), None)  # fmt: skip


def _plain(told):
    """Return answers without the ids and the times of the clock, which differ in each run."""
    ids = {}
    for words, done in told:
        if words[0] == "remember":
            ids[json.loads(done[1])["id"]] = f"id{len(ids)}"
    return [(words, _named(repr(done), ids)) for words, done in told]


def _named(said, ids):


    for one, name in ids.items():
        said = said.replace(one, name)
    said = re.sub(r"untrusted-memory id=[^>]*>", "untrusted-memory>", said)
    return re.sub(r"20\d\d-\d\d-\d\d[T ]\d\d:\d\d[:.\dZ]*", "TIME", said)


def test_nobody_notices_the_hooks_of_others(arena, tmp_path):
    """A random program of hooks is told the same with and without those of two other origins, in
    the same conversations of the same client."""
    for seed in range(8):
        assert _difference(arena, seed, tmp_path / "talks") is None, seed


def queue_of_all(patch):
    path = queue._path
    patch.setattr(queue, "_path", lambda state, whose: path(state, queue.Whose("", "")))


def ledger_of_all(patch):
    place = ledger.place
    patch.setattr(ledger, "place", lambda state, client, *names: place(state, client, names[-1]))


def pause_of_all(patch):
    patch.setattr(hook_state, "_pause_path", lambda state, origin: f"{state}/hooks/paused")


def log_of_all(patch):
    own = hook_state.own_path
    patch.setattr(hook_state, "own_path", lambda state, name, origin: own(state, name, "owner"))


LEAKS = (queue_of_all, ledger_of_all, pause_of_all, log_of_all)


@pytest.mark.parametrize("leak", some(LEAKS), ids=lambda leak: leak.__name__)
def test_a_leak_of_hooks_is_noticed(arena, tmp_path, monkeypatch, leak):
    """A file that origins share is found within a few programs."""
    leak(monkeypatch)
    assert any(_difference(arena, seed, tmp_path / "talks") for seed in range(20))


def test_owner_and_channel_pause_for_themselves(run, monkeypatch):
    """A pause holds for the origin that asked for it."""
    monkeypatch.delenv("TIDELINE_NOW")
    other = ("--origin", ORIGINS[1])
    run("remember", "I deploy on Fridays")
    run("hook", "--pause", "2h", *other)
    assert run("hook", "--json").json["hooks"] == "on"
    assert run("hook", "--json", *other).json["hooks"] == "paused"
    assert "Fridays" in run("hook", "codex", stdin=payloads.start("codex")).out
    run("hook", "--pause", "2h")
    run("hook", "--resume", *other)
    assert run("hook", "--json").json["hooks"] == "paused"
    assert run("hook", "--json", *other).json["hooks"] == "on"
