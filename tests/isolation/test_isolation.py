"""What one origin sees does not depend on what the others do."""

from __future__ import annotations

import json

import pytest

from tests import backends
from tests.conftest import run_main
from tests.isolation import crowd
from tests.isolation.programs import ORIGINS, Arena, difference
from tests.support import fact, often, put, some
from tests.vector import models
from tideline_cli.cli import completion_values, model_options
from tideline_cli.dream import consolidate
from tideline_cli.memory import coded_lane, lanes, search
from tideline_cli.model.origin import parse_origin
from tideline_cli.model.record import replace
from tideline_cli.store import overview, visibility
from tideline_cli.store.opening import open_for_writing
from tideline_cli.vector.embedders.static import StaticTable

PROGRAMS = often(2, 4)


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """What a shell is offered ends with its time, and is compared: a busy machine offers less."""
    monkeypatch.setattr(completion_values, "_PATIENCE", 60.0)


@pytest.fixture
def arena():
    place = Arena()
    yield place
    place.close()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("half", [0, 1])
def test_nobody_notices_the_others(arena, half):
    """A random program of every kind of command is told the same, to the byte, with and without
    random programs of two other origins among its commands, foreign ids included."""
    for seed in range(half, PROGRAMS, 2):
        assert difference(arena, seed) is None, seed


@pytest.mark.sampled(1)
@pytest.mark.parametrize("profile", ["motherbrain", "vectormemory", "rsclaw"])
def test_nobody_notices_the_others_in_a_profile(arena, monkeypatch, profile):
    """The same where every answer is ranked by a profile."""
    monkeypatch.setenv("TIDELINE_PROFILE", profile)
    for seed in range(200, 200 + PROGRAMS // 2):
        assert difference(arena, seed) is None, seed


@pytest.mark.nightly
def test_nobody_notices_the_others_with_a_learned_embedder(tmp_path, monkeypatch):
    """The same where vectors, their backlog and the codes of questions are those of a learned
    embedder."""
    for held in (lanes._resolved, lanes._missing, coded_lane._tables):
        held.clear()
    # What a process knows already may be known to no other origin: each command begins afresh.
    monkeypatch.setattr(coded_lane, "_MOST_KNOWN", 0)
    place = Arena(StaticTable(models.static_folder(tmp_path / "model")).name)
    try:
        for seed in range(100, 100 + PROGRAMS // 2):
            assert difference(place, seed) is None, seed
    finally:
        place.close()


def everything_is_visible(patch):
    patch.setattr(visibility, "where", lambda viewer: ("1", ()))


def statistics_of_all(patch):
    def leaking(**seen):
        own = yield from overview.overview(**seen)
        ((others,),) = yield "SELECT count(*) FROM fact WHERE origin <> ?", (own.number,)
        return replace(own, facts=own.facts + others)

    patch.setattr(search, "overview", leaking)


def lapsed_of_all(patch):
    def leaking(**seen):
        own = yield from overview.overview(**seen)
        ((others,),) = yield "SELECT ifnull(sum(facts), 0) FROM lapsed", ()
        return replace(own, gone=replace(own.gone, facts=others))

    patch.setattr(search, "overview", leaking)


LEAKS = (everything_is_visible, statistics_of_all, lapsed_of_all)


@pytest.mark.nightly
@pytest.mark.parametrize("leak", some(LEAKS), ids=lambda leak: leak.__name__)
def test_a_leak_is_noticed(arena, monkeypatch, leak):
    """A seeded leak is found within a few programs: the comparison is no formality."""
    leak(monkeypatch)
    for seed in range(40):
        try:
            if difference(arena, seed) is not None:
                return
        except Exception:  # a leak may also break what follows it
            return
    pytest.fail("nothing was noticed")


NO_ID = "01K7AAAAAAAAAAAAAAAAAAAAAA"
LOOKS = (
    ("status",), ("list",), ("list", "--jsonl"), ("list", "--tag", "a"), ("recall", "deploy"),
    ("recall", "deploy", "--explain"), ("recall", "deploy", "--profile", "rsclaw"),
    ("recall", "deploy", "--mode", "points"), ("recall", "deploy", "--fusion", "priority"),
    ("recall", "deploy", "--decay", "weibull"), ("context", "deploy", "--profile", "motherbrain"),
    ("list", "--decay", "weibull"), ("config", "profiles"),
    ("recall", "--batch"), ("context", "deploy"),
    ("context", "deploy", "--auto"), ("show", NO_ID), ("history",), ("history", NO_ID),
    ("undo",), ("undo", "1"), ("undo", "--dry-run"), ("undo", "1", "--dry-run"), ("export",),
    ("undo", "--list"), ("redo",), ("redo", "--dry-run"),
    ("export", "--format", "csv"), ("export", "--format", "markdown"), ("contradictions",),
    ("forget", NO_ID), ("forget", "--query", "deploy"), ("restore", NO_ID), ("pin", NO_ID),
    ("unpin", NO_ID), ("edit", NO_ID, "anew"), ("feedback", NO_ID, "up"), ("link", NO_ID, "01K8"),
    ("purge", NO_ID, "--yes"), ("purge", NO_ID, "--dry-run"),
    ("remember", "x", "--supersedes", NO_ID),
    ("remember", "x", "--derived-from", NO_ID), ("config", "list"), ("config", "get", "analyzer"),
    ("embed", "text"), ("relink", "--llm", "none", "--dry-run"),
)  # fmt: skip
# An owner whose memory is lost is told so by these.
PASSES = (
    ("retention", "--days", "1"), ("retention", "--days", "1", "--dry-run"),
    ("doctor",), ("dream", "--dry-run"), ("dream",), ("gc", "--dry-run"), ("backup", "copy.db"),
    ("restore", "--from", "copy.db"), ("consolidate", "--llm", "none", "--dry-run"),
    ("config", "set", "analyzer", "reference"), ("schedule",), ("status", "--all-origins"),
    ("export", "--all-origins"),
)  # fmt: skip


@pytest.mark.sampled(40)
@pytest.mark.parametrize("how", [(), ("--json",)], ids=["plain", "json"])
@pytest.mark.parametrize(
    ("viewer", "words"),
    [*((viewer, words) for viewer in ORIGINS[:2] for words in LOOKS),
     *((ORIGINS[1], words) for words in PASSES)],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)  # fmt: skip
def test_who_has_nothing_is_told_the_same_in_every_store(tmp_path, monkeypatch, viewer, words, how):
    """No store, an empty file, a store without facts and one with others' facts alone: results,
    messages and exit code are the same to the byte."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "memory.db"
    monkeypatch.setenv("TIDELINE_DB", str(path))
    other = next(origin for origin in ORIGINS[:2] if origin != viewer)
    told = []
    for state in ("absent", "no bytes", "no facts", "others"):
        for old in tmp_path.glob("memory.db*"):
            old.unlink()
        if state == "no bytes":
            path.touch(mode=0o600)
        elif state != "absent":
            open_for_writing(str(path)).close()
        if state == "others":
            run_main("remember", "we deploy on Monday", "--origin", other, "--slot", "day")
            run_main("remember", "we deploy on Friday", "--origin", other, "--slot", "day")
        done = run_main(*words, *how, "--origin", viewer, stdin="deploy\n")
        told.append((done.code, done.out, done.err))
    assert told == [told[0]] * 4


FOREIGN, MISSING, MINE = ("A" * 26, "B" * 26, "C" * 26)
NAMING = (
    ("show", "{}"), ("show", "{}", "--json"), ("forget", "{}"), ("forget", "{}", MINE),
    ("forget", MINE, "--superseded-by", "{}"), ("restore", "{}"), ("pin", "{}"), ("unpin", "{}"),
    ("edit", "{}", "a new text"), ("feedback", "{}", "up"), ("feedback", "{}", "down"),
    ("link", "{}", MINE), ("link", MINE, "{}"), ("link", "{}", MINE, "--remove"),
    ("history", "{}"), ("history", "{}", "--json"), ("purge", "{}", "--yes"),
    ("purge", MINE, "{}", "--yes"), ("purge", "{}", "--dry-run"), ("undo", "2"), ("undo", "99"),
    ("remember", "anew", "--supersedes", "{}", "--json"),
    ("remember", "anew", "--derived-from", "{}", "--json"),
    ("remember", "anew", "--source", "dream", "--derived-from", "{}", "--json"),
    ("remember", "--batch"), ("import", "-", "--json"), ("import", "-", "--json", "--merge"),
    ("extract", "-", "--llm", "x", "--session", "s", "--all-now", "--json"),
    ("relink", "--llm", "x", "--json"), ("consolidate", "--llm", "x", "--min-facts", "2", "--json"),
)  # fmt: skip


@pytest.mark.sampled(30)
@pytest.mark.parametrize("viewer", ORIGINS[:2])
@pytest.mark.parametrize("length", [26, 4], ids=lambda length: f"{length} characters")
@pytest.mark.parametrize("words", NAMING, ids=" ".join)
def test_a_foreign_id_is_a_missing_one(tmp_path, monkeypatch, viewer, length, words):
    """Every command that takes an id says the same of one that is another origin's and of one
    that nobody has, to the byte, and leaves the same behind."""
    told = []
    for named in (FOREIGN, MISSING):
        (tmp_path / named).mkdir()
        path = tmp_path / named / "memory.db"
        monkeypatch.setenv("TIDELINE_DB", str(path))
        _populate(path, viewer)
        done = _say(monkeypatch, viewer, words, named[:length])
        left = run_main("export", "--origin", viewer)
        told.append([
            done.code,
            *(_blurred(backends.unnamed(one), named) for one in (done.out, done.err, left.out)),
        ])
    assert told[0] == told[1]
    assert told[0][0] in (0, 3)


def _populate(path, viewer):
    other = next(origin for origin in reversed(ORIGINS) if origin != viewer)
    db = open_for_writing(str(path))
    put(db, [
        fact("the others deploy on Friday", FOREIGN, origin=parse_origin(other),
             source="tool_output", slot="day"),
        fact("we deploy on Monday", MINE, origin=parse_origin(viewer)),
        fact("we drink coffee", "D" * 26, origin=parse_origin(viewer)),
    ])  # fmt: skip
    db.close()
    run_main("remember", "one more of the others", "--origin", other)
    run_main("remember", "and one more", "--origin", other)


def _say(monkeypatch, viewer, words, named):
    row = {"content": "a line", "supersedes": [named], "derived_from": [named]}
    if words[0] == "import":
        row = {"content": "a row", "links": [{"kind": "supersedes", "target": named}]}
    edge = {"a": MINE, "b": named, "type": "uses", "reason": "so", "strength": 5}
    because = {one: {"by": named, "reason": "so"} for one in (named, MINE)}
    reply = json.dumps({
        "facts": [{"content": "distilled", "segment": "knowledge"}], "relationships": [edge],
        "archive": [named, MINE], "because": because,
    })  # fmt: skip
    monkeypatch.setattr(model_options, "complete", lambda *_, **__: reply)
    monkeypatch.setattr(consolidate, "complete", lambda *_, **__: reply)
    stdin = "USER: I deploy\n\nASSISTANT: noted\n" if words[0] == "extract" else json.dumps(row)
    return run_main(*(word.format(named) for word in words), "--origin", viewer, stdin=stdin)


def _blurred(text, named):
    """Return a text without the id that was named and without the ids that were made up."""
    for length in (26, 6, 4):
        text = text.replace(named[:length], "<named>")
    words = text.replace('"', " ").replace("\t", " ").split()
    made = {word for word in words if len(word) == 26 and word.startswith("01K7")}
    for word in made:
        text = text.replace(word, "<made>")
    return text


@pytest.mark.nightly
def test_a_crowd_takes_nothing_away(tmp_path):
    """Thousands of facts of another origin, and all passes over them, leave each fact of an origin
    as it would be without them, and its place in every answer."""
    assert crowd.told(tmp_path / "a", 1_000) == crowd.told(tmp_path / "b", 0)


def test_everyone_is_seen_by_maintenance_alone(tmp_path):
    """The owner's own view holds nothing of the channels; a view of everyone is asked for aloud."""
    path = tmp_path / "memory.db"
    _populate(path, "owner")
    seen = run_main("export", "--db", str(path)).out
    assert "others" not in seen
    assert "others" in run_main("export", "--db", str(path), "--all-origins").out
