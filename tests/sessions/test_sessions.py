"""sessions: what is kept of a conversation, found, forgotten and removed."""

import json

import pytest

from tests.sessions.talks import claude, codex
from tideline_cli.config.git_root import repository

TALK = (
    ("user", "which port does postgres use on staging?"),
    ("assistant", "Staging runs it on 5433."),
    ("user", "thanks, and redis?"),
)


@pytest.fixture
def talk(tmp_path):
    return claude(tmp_path / "talk.jsonl", "5f1c-a", *TALK)


def test_a_turn_is_kept_once(run, tmp_path, talk):
    """The same file again adds nothing; a grown one, a fork and a compaction what is new."""
    assert run("sessions", "add", talk, "--json").json["turns"] == 3
    again = run("sessions", "add", talk, "--json").json
    assert (again["turns"], again["known"], again["batches"]) == (0, 3, [])
    grown = claude(tmp_path / "grown.jsonl", "5f1c-a", *TALK, ("assistant", "6379"))
    assert run("sessions", "add", grown, "--json").json["turns"] == 1
    told = [(role, text, f"5f1c-a-{number}") for number, (role, text) in enumerate(TALK)]
    fork = claude(tmp_path / "fork.jsonl", "77-fork", *told, ("user", "try valkey"))
    assert run("sessions", "add", fork, "--json").json["turns"] == 1
    compacted = claude(tmp_path / "compacted.jsonl", "5f1c-a", told[2], ("user", "go on", "u9"))
    assert run("sessions", "add", compacted, "--json").json["turns"] == 1
    listed = {one["session"]: one["turns"] for one in run("sessions", "--json").json["sessions"]}
    assert listed == {"5f1c-a": 5, "77-fork": 1}


def test_turns_without_ids_are_told_by_time_and_text(run, tmp_path):
    """Codex gives its messages no ids: the same words at another time are another turn."""
    talk = (("user", "ok"), ("assistant", "done"), ("user", "ok"))
    path = codex(tmp_path / "rollout.jsonl", "r-1", *talk)
    assert run("sessions", "add", path, "--json").json["turns"] == 3
    assert run("sessions", "add", path, "--json").json["turns"] == 0
    assert run("sessions", "show", "r-1", "--json").json["resume"] == "codex resume r-1"


def test_who_said_what_when_and_where_it_goes_on(run, talk):
    """A session is shown turn by turn, with the call that resumes it."""
    run("sessions", "add", talk)
    shown = run("sessions", "show", "5f1c", "--json").json
    assert [(one["role"], one["content"]) for one in shown["turns"]] == list(TALK)
    assert [one["said_at"] for one in shown["turns"]][1] == "2025-09-01T10:01:00.000Z"
    assert (shown["title"], shown["client"]) == (TALK[0][1], "claude-code")
    assert shown["resume"] == "claude --resume 5f1c-a"
    assert "claude --resume 5f1c-a" in run("sessions", "show", "5f1c").out


def test_what_is_exported_is_kept_elsewhere_once(run, talk, tmp_path):
    """Each turn is a line with its session and key, by which the client's own file adds none."""
    run("sessions", "add", talk, "--scope", "api")
    told = run("sessions", "export").out
    rows = [json.loads(line) for line in told.splitlines()]
    assert [(one["role"], one["content"]) for one in rows] == list(TALK)
    assert run("sessions", "show", "5f1c", "--jsonl").out == told
    other = str(tmp_path / "other.db")
    added = run("sessions", "add", "-", "--db", other, "--json", stdin=told).json
    assert (added["sessions"], added["turns"]) == (1, 3)
    assert run("sessions", "export", "5f1c", "--db", other).out == told
    assert run("sessions", "add", talk, "--db", other, "--json").json["turns"] == 0
    assert run("sessions", "search", "redis", "--csv").out.startswith("turn,role,said_at,content")


@pytest.mark.parametrize("change", [
    {"key": "i1"}, {"role": "tool"}, {"content": 7}, {"session": " "}, {"said_at": "soon"},
])  # fmt: skip
def test_a_row_that_is_no_turn_is_refused(run, talk, change):
    """A line that states something else than a turn is told, and nothing of its session is kept."""
    run("sessions", "add", talk)
    first, *rest = run("sessions", "export").out.splitlines()
    rows = [first, json.dumps(json.loads(rest[0]) | change), *rest[1:]]
    run("sessions", "purge", "5f1c", "--yes")
    done = run("sessions", "add", "-", stdin="\n".join(rows))
    assert done.code == 2
    assert run("sessions", "--json").json["sessions"] == []


def test_search_shows_neighbours(run, talk):
    """The turn that answers comes with those around it; a fact does not come."""
    run("remember", "postgres is on my shelf")
    run("sessions", "add", talk)
    found = run("sessions", "search", "staging postgres port", "-C", "1", "--json").json["turns"]
    assert [one["turn"] for one in found[:2]] == [1, 2]  # the answer, by the question before it
    assert [one["turn"] for one in found[1]["around"]] == [1, 3]
    assert run("sessions", "search", "zeppelin").code == 1
    assert all("postgres is on" not in one["content"] for one in found)
    mine = run("sessions", "search", "staging", "--role", "user", "--json").json["turns"]
    assert {one["role"] for one in mine} == {"user"}


def test_what_is_left_out(run, tmp_path):
    """Tools, `<private>`, what programs wrote, and the values of secrets; a long turn is cut."""
    path = claude(
        tmp_path / "t.jsonl", "s",
        ("user", "my pay is <private>9000</private> a month"),
        ("assistant", "the password is hunter2Xk9fkA"),
        ("user", "<system-reminder>obey</system-reminder>"), ("user", "word " * 4000),
    )  # fmt: skip
    with open(path, "a") as file:
        content = [{"type": "tool_result", "content": "raw output"}]
        row = {"type": "user", "sessionId": "s", "message": {"role": "user", "content": content}}
        file.write(json.dumps(row) + "\n")
    done = run("sessions", "add", path)
    assert "1 secret replaced by [secret]" in done.err
    texts = [one["content"] for one in run("sessions", "show", "s", "--json").json["turns"]]
    assert texts[0].split() == ["my", "pay", "is", "a", "month"]
    assert texts[1] == "the password is [secret]"
    assert len(texts) == 3
    assert len(texts[2]) < 8010
    assert texts[2].endswith(" …")


def test_undo_and_redo(run, talk):
    """An undo of an add hides its turns, a redo shows them, and an add by hand too."""
    run("sessions", "add", talk)
    assert "3 turns of sessions" in run("undo", "--list").out
    assert run("undo", "--json").json["turns"] == {"removed": 3, "restored": 0}
    assert run("sessions", "search", "postgres").code == 1
    assert run("redo", "--json").json["turns"] == {"removed": 0, "restored": 3}
    assert run("sessions", "search", "postgres").out
    run("undo")
    assert run("sessions", "add", talk, "--json").json["restored"] == 3
    assert run("doctor", "--json").json["ok"]


def test_an_undo_leaves_what_a_later_batch_did(run, talk):
    """What was forgotten since stays forgotten when its adding is taken back and brought back."""
    run("sessions", "add", talk)
    run("sessions", "forget", "5f1c")
    assert run("undo", "1").code == 4
    assert run("undo", "2", "--json").json["turns"]["restored"] == 3


def test_purge_leaves_no_byte(run, talk, tmp_path, home):
    """A purged session is gone from every file, and no fork brings its turns back unasked."""
    run("sessions", "add", talk)
    run("sessions", "purge", "5f1c", "--yes")
    raw = b"".join(path.read_bytes() for path in home.rglob("*.db*"))
    for word in (b"staging", b"5433", b"5f1c"):
        assert word not in raw.replace(bytes(talk, "utf-8"), b"")
    assert run("sessions", "--json").json == {"sessions": []}
    assert run("undo").code == 4
    assert run("sessions", "add", talk, "--json").json["turns"] == 3  # by hand
    assert run("doctor", "--json").json["ok"]


def test_the_project_is_the_scope(run, tmp_path):
    """A session is of the folder that its file names; search sees its own scope alone."""
    for name in ("api", "shop"):
        folder = tmp_path / name
        (folder / ".git").mkdir(parents=True)
        path = claude(tmp_path / f"{name}.jsonl", name, ("user", f"deploy {name}"), cwd=folder)
        run("sessions", "add", path)
    scopes = {one["session"]: one["scope"] for one in run("sessions", "--json").json["sessions"]}
    assert scopes == {name: repository(str(tmp_path / name)) for name in ("api", "shop")}
    found = run("sessions", "search", "deploy", "--scope", scopes["api"], "--json").json["turns"]
    assert [one["content"] for one in found] == ["deploy api"]


def test_another_analyser_finds_them_too(run, talk):
    """A change of the analyser makes the terms of turns anew as well."""
    run("sessions", "add", talk)
    run("config", "set", "analyzer", "reference")
    assert run("sessions", "search", "postgres", "--json").json["turns"]
    assert run("doctor", "--json").json["ok"]


def test_a_file_that_is_none_is_told(run, tmp_path, talk):
    """One bad file is named and does not stop the others; the call says so by its code."""
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"x": 1}\n')
    done = run("sessions", "add", str(bad), talk)
    assert done.code == 2
    assert "bad.jsonl" in done.err
    assert "3 turns of 1 session kept" in done.out
    assert run("sessions", "show", "nothing").code == 3
