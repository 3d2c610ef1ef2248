"""The API: what commands print with --json, byte for byte, and nothing that changes."""

from __future__ import annotations

import json

import pytest

from tests import backends
from tideline_cli.cli.commands import options_of
from tideline_cli.cli.options import GLOBAL
from tideline_cli.serve.http.api import ROUTES


@pytest.mark.parametrize(
    ("path", "argv"),
    [
        ("recall?q=deploy", ["recall", "deploy", "--no-touch"]),
        ("recall?q=when+do+I+deploy&limit=1&explain=1",
         ["recall", "when do I deploy", "--limit", "1", "--explain"]),
        ("recall?q=deploy&tag=work&tag=home", ["recall", "deploy", "--tag", "work", "--tag", "home",
                                               "--no-touch"]),
        ("recall?q=deploy&mode=points&explain=true", ["recall", "deploy", "--mode", "points",
                                                      "--explain"]),
        ("recall?q=zebra", ["recall", "zebra", "--no-touch"]),
        ("context?q=deploy&max_chars=60", ["context", "deploy", "--max-chars", "60",
                                           "--no-touch"]),
        ("facts", ["list"]),
        ("facts?limit=2&offset=1&sort=old", ["list", "--limit", "2", "--offset", "1", "--sort",
                                             "old"]),
        ("facts?slot=deploy_day&lifecycle=all", ["list", "--slot", "deploy_day", "--lifecycle",
                                                 "all"]),
        ("facts?pinned=yes", ["list", "--pinned"]),
        ("facts?pinned=no", ["list"]),
        ("facts/{id}", ["show", "{id}"]),
        ("facts/{id}/history", ["history", "{id}"]),
        ("facts/{id}/timeline", ["timeline", "{id}"]),
        ("facts/{id}/graph", ["graph", "{id}"]),
        ("changes?limit=3", ["history", "--limit", "3"]),
        ("batches", ["undo", "--list"]),
        ("timeline?slot=deploy_day", ["timeline", "--slot", "deploy_day"]),
        ("contradictions", ["contradictions"]),
        ("fading?within=400d", ["fading", "--within", "400d"]),
        ("slots", ["slots"]), ("tags", ["tags"]), ("documents", ["library"]),
        ("status", ["status"]), ("status?by=kind", ["status", "--by", "kind"]),
    ],
)  # fmt: skip
def test_an_answer_is_what_the_command_prints(client, run, home, filled, path, argv):
    """One codec: the same bytes. The server names the memory that it serves."""
    named = [part.replace("{id}", filled[1]) for part in argv]
    said = client("/api/v1/" + path.replace("{id}", filled[1]))
    assert said.status == 200
    assert said.headers["Content-Type"] == "application/json; charset=utf-8"
    served = str(backends.place(home / "tideline.db"))
    assert said.body == run("--db", served, *named, "--json").out


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("nothing", 404, "no_such_path"), ("", 404, "no_such_path"),
        ("facts/01ARZ3NDEKTSV4RRFFQ69G5FAV", 404, "not_found"),
        ("facts/ID/purge", 404, "no_such_path"), ("undo", 404, "no_such_path"),
        ("facts/--help", 404, "not_found"),
        ("recall?q=a&limit=many", 400, "usage"), ("recall?q=a&limit=1&limit=2", 400, "usage"),
        ("recall?q=a&explain=perhaps", 400, "usage"), ("recall?q=a&no_touch=0", 400, "usage"),
        ("recall?q=a&db=/etc/passwd", 400, "usage"), ("recall?q=a&origin=channel:x", 400, "usage"),
        ("recall?q=a&batch=1", 400, "usage"), ("recall?q=a&now=1", 400, "usage"),
        ("status?all_origins=1", 400, "usage"), ("batches?list=0", 400, "usage"),
        ("facts?sort=sideways", 400, "usage"), ("recall?" + "x=1&" * 70, 400, "usage"),
    ],
)  # fmt: skip
def test_what_cannot_be_answered(client, filled, path, status, code):
    """Errors have the form of the command line, whose codes they keep."""
    said = client("/api/v1/" + path)
    assert (said.status, json.loads(said.body)["error"]["code"]) == (status, code)


def test_routes_name_options_that_are_there():
    """A route gives on what its command knows, and no option that is for all commands."""
    of_all = {option.name for option in GLOBAL}
    for route in ROUTES.values():
        known = {option.name for option in options_of(route.command)}
        named = {*route.options, *dict(route.always)}
        assert named <= known
        assert not named & of_all
        assert not {option.name for option in options_of(route.command)
                    if option.kind in ("file", "folder")} & named  # fmt: skip


def test_nothing_that_is_asked_changes_the_memory(client, run, filled):
    """Neither pages nor the API count a use, nor note that a fact was given out."""
    before = [run("show", one, "--json").out for one in filled]
    dumped = run("export", "--json").out
    for path in ("/api/v1/recall?q=deploy", "/api/v1/context?q=deploy", "/?q=deploy", "/fading",
                 f"/facts/{filled[1]}", "/changes"):  # fmt: skip
        assert client(path).status == 200
    assert [run("show", one, "--json").out for one in filled] == before
    assert run("export", "--json").out == dumped


def test_notes_come_along(client, run, filled):
    """What the command would say on stderr is in a header, in ASCII."""
    said = client("/api/v1/facts?limit=1")
    assert json.loads(said.headers["Tideline-Note"])["note"]["message"].startswith("there are more")


def test_no_memory_yet(client):
    """A server over nothing says so, and makes nothing."""
    assert json.loads(client("/api/v1/facts").body)["facts"] == []
    assert client("/").status == 200 and "empty" in client("/").body


def test_the_reads_of_rsclaw(client, run, filled):
    """Its two paths in its shapes: counts, and documents with its names."""
    stats = json.loads(client("/api/v1/memory/stats").body)
    assert set(stats) == {"total", "by_tier", "by_kind", "by_scope", "pinned"}
    assert (stats["total"], stats["pinned"], stats["by_scope"]) == (3, 1, {"global": 3})
    run("remember", "a typed one", "--kind", "fact", "--scope", "global")
    both = json.loads(client("/api/v1/memory/stats").body)
    assert (both["by_kind"], both["by_scope"]) == ({"fact": 4}, {"global": 4})
    docs = json.loads(client("/api/v1/memory/docs?limit=2").body)["docs"]
    assert len(docs) == 2 and docs[0]["text"] and docs[0]["tier"] in ("core", "working")
    (found,) = json.loads(client("/api/v1/memory/docs?q=deploys").body)["docs"]
    assert found["id"] == filled[1] and found["score"] > 0
    run("remember", "one of a part", "--scope", "global/part")
    of_scope = json.loads(client("/api/v1/memory/docs?scope=global&limit=0").body)["docs"]
    assert {doc["scope"] for doc in of_scope} == {"global"} and len(of_scope) == 4
    of_part = json.loads(client("/api/v1/memory/docs?scope=global/part").body)["docs"]
    assert [doc["text"] for doc in of_part] == ["one of a part"]
    asked = json.loads(client("/api/v1/memory/docs?q=typed&scope=global/part").body)["docs"]
    assert asked == []
    of_kind = json.loads(client("/api/v1/memory/docs?kind=fact&limit=2").body)["docs"]
    assert [doc["kind"] for doc in of_kind] == ["fact", "fact"]
    assert client("/api/v1/memory/docs?color=red").status == 400
    assert client("/api/v1/memory/docs?limit=many").status == 400
