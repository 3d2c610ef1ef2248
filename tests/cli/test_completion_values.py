"""What `tideline __complete` prints: values of the memory, bounded, safe to show, and no traces."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import apsw
import pytest

from tests.conftest import run_main
from tests.support import DAY, NOW, fact, put, seed
from tideline_cli.__main__ import main
from tideline_cli.cli import completion_values
from tideline_cli.cli.commands import COMMANDS, verb
from tideline_cli.cli.options import GLOBAL
from tideline_cli.model.origin import parse_origin
from tideline_cli.store import DRAFT_ID, suggestions
from tideline_cli.store.opening import open_for_writing

PEER = "channel:wa/c1/s1"
KINDS = sorted(completion_values.KINDS)
OF_THE_PROGRAM = ("embedder", "setting")  # what these offer is known without a memory
OF_THE_MEMORY = [kind for kind in KINDS if kind not in OF_THE_PROGRAM]


def offered(kind, start="", *words):
    """Return what is offered, with what is said of it."""
    done = run_main("__complete", f"{kind}:{start}", *words)
    assert (done.code, done.err) == (0, "")
    return [tuple(line.split("\t")) for line in done.out.splitlines()]


def values(kind, start="", *words):
    return [value for value, _ in offered(kind, start, *words)]


def as_id(ending):
    return f"{ending:0>26}"


def test_a_poor_encoding(run, monkeypatch):
    """A value that the terminal's encoding lacks is left out, since an escape is another value;
    what is said of a value has escapes."""
    run("remember", "Grüße an das Team", "--tag", "team", "--tag", "grüße")
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert main(["__complete", "tag:"]) == 0
    said = sys.stdout.buffer.getvalue()
    assert said.startswith(b"team\t") and b"\n" not in said[:-1]
    assert main(["__complete", "id:"]) == 0
    assert b"Gr\\xfc\\xdfe an das Team" in sys.stdout.buffer.getvalue()


def listing(folder):
    return {path.name: path.stat().st_mtime_ns for path in Path(folder).iterdir()}


def test_every_kind_that_is_named_is_there():
    """Options and arguments name kinds that can be asked, and each kind is named somewhere."""
    named = set()
    for name in COMMANDS:
        module = verb(name)
        named |= {option.completes for option in (*module.Options.ALL, *GLOBAL)}
        named |= {kind for argument in module.ARGUMENTS for kind in argument.completes}
    assert {kind for kind in named if kind and not kind.startswith("one of ")} == set(KINDS)


def test_slots_tags_and_scopes(run):
    """Each is offered with what it holds; what is archived is not."""
    run("remember", "We deploy on Fridays", "--slot", "day", "--tag", "ops", "--scope", "a/b")
    run("remember", "We deploy on Mondays", "--slot", "day", "--scope", "a/b", "--tag", "ops",
        "--now", str(NOW + DAY))  # fmt: skip
    run("remember", "Tea", "--slot", "drink", "--tag", "ops", "--tag", "all")
    run("remember", "gone", "--slot", "gone", "--tag", "gone", "--scope", "gone")
    run("forget", "--query", "gone", "--yes")
    assert offered("slot") == [("day", "We deploy on Mondays"), ("drink", "Tea")]
    assert offered("slot", "dr") == [("drink", "Tea")]
    assert offered("tag") == [("ops", "2 facts"), ("all", "1 fact")]
    assert offered("scope") == [("a/b", "1 fact")]
    assert values("slot", "", "--scope", "c") == ["drink"]
    assert values("slot", "", "--scope", "c", "--all-scopes") == ["day", "drink"]


def test_sessions_and_speakers(run):
    """Sessions are offered in order, speakers by how much they have said; of active facts, and of
    the scope that the line names."""
    rows = [("s2", "Ann", None), ("s1", "Ann", "a"), ("s1", "Bo", None), ("gone", "Cy", None)]
    seed([{"content": f"fact {n}", "session": session, "speaker": speaker, "scope": scope}
          for n, (session, speaker, scope) in enumerate(rows)])  # fmt: skip
    run("forget", "--session", "gone", "--yes")
    assert offered("session") == [("s1", "2 facts"), ("s2", "1 fact")]
    assert offered("session", "s2") == [("s2", "1 fact")]
    assert offered("speaker") == [("Ann", "2 facts"), ("Bo", "1 fact")]
    assert offered("session", "", "--scope", "b") == [("s1", "1 fact"), ("s2", "1 fact")]
    assert offered("speaker", "A", "--scope", "b") == [("Ann", "1 fact")]


def test_ids_are_endings_while_those_are_enough(run):
    """A fact is offered by the ending that tables show, and by its whole id where the ending is
    not its alone, where an id begins so, or where something else was typed."""
    seed([
        {"id": as_id("ALICEA"), "content": "one", "created_at": "2025-01-01"},
        {"id": as_id("BALICEB"), "content": "two", "created_at": "2025-01-02"},
        {"id": as_id("CALICEB"), "content": "three", "created_at": "2025-01-03"},
        {"id": as_id("000000"), "content": "four", "created_at": "2025-01-04"},
    ])  # fmt: skip
    whole = [as_id("000000"), as_id("CALICEB"), as_id("BALICEB")]
    assert values("id") == [*whole, "ALICEA"]
    assert offered("id", "ALICEA") == [("ALICEA", "one")] == offered("id", "alicea")
    assert values("id", "LICEA") == [as_id("ALICEA")] == values("id", "…LICEA")
    assert set(values("id", "ALICE")) == {as_id("BALICEB"), as_id("CALICEB"), "ALICEA"}
    assert set(values("id", "000")) == {*whole, as_id("ALICEA")}
    assert values("id", "!") == values("id", "0" * 27) == values("id", "%") == []
    for value in values("id"):
        assert run("show", value).code == 0


def test_ids_fit_the_verb(run):
    """Active facts and archived ones are told apart, and none is offered twice on a line."""
    seed([{"id": as_id("AAAAAA"), "content": "here"},
          {"id": as_id("BBBBBB"), "content": "there", "lifecycle": "archived"}])  # fmt: skip
    assert values("active") == ["AAAAAA"] and values("archived") == ["BBBBBB"]
    assert values("id") == ["AAAAAA", "BBBBBB"]
    assert values("id", "", "show", "AAAAAA") == values("id", "", as_id("AAAAAA")) == ["BBBBBB"]


def test_batches_are_those_that_undo_takes(run):
    """Batches are offered newest first with what they did; what was undone is not."""
    for text in ("one", "two", "three"):
        run("remember", f"the number {text}")
    run("undo")
    assert offered("batch") == [
        ("2", "remember: the number two"), ("1", "remember: the number one"),
    ]  # fmt: skip
    assert values("batch", "1") == ["1"] and values("batch", "x") == []


def test_settings(run):
    """config is offered names, and the values that a setting may have."""
    assert values("setting", "ev", "config", "get") == ["evict_after_owner"]
    for start, names in (("sc", ["scope"]), ("sa", ["sameness"])):
        assert values("setting", start, "--json", "config", "set") == names
    assert values("setting", "sc", "config", "unset") == ["scope"]
    assert values("setting", "sa", "config", "unset") == []
    assert values("setting", "a", "config", "set", "color") == ["auto", "always"]
    assert values("setting", "", "config", "set", "analyzer") == ["standard", "reference"]
    assert values("setting", "", "config", "set", "scope") == ["auto"]
    assert values("setting", "", "config", "trust") == []


@pytest.mark.parametrize("kind", KINDS)
def test_one_origin_alone_is_offered(kind, run):
    """What an origin is offered is the same with and without others, also where ids end alike."""
    own = parse_origin(PEER)
    path = Path(os.environ["TIDELINE_HOME"]) / "tideline.db"
    mine = fact("mine", as_id("1ALICE"), origin=own, slot="own", tags=("own",), scope="own")
    db = open_for_writing(str(path))
    put(db, [mine])
    run("remember", "more", "--origin", PEER)
    asked = [(kind, start, *words) for start in ("", "0", "1A", "o") for words in
             ((), ("config", "get"), ("config", "set", "scope"))]  # fmt: skip
    alone = [offered(*one, "--origin", PEER) for one in asked]
    other = fact("theirs", as_id("AA1ALICE"), slot="other", tags=("own", "other"), scope="other")
    put(db, [other, fact("late", as_id("1ALICE0"), lifecycle="archived")])
    db.close()
    run("remember", "and more", "--slot", "own")
    assert [offered(*one, "--origin", PEER) for one in asked] == alone
    assert "mine" not in str([offered(*one) for one in asked])


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_offered_is_bounded(kind, run):
    """At most 50 values, none of them long, each told in a few words."""
    seed([{"content": f"fact {n} " + "long " * 50, "slot": f"slot{n}", "tags": [f"tag{n}"],
           "scope": f"scope{n}", "session": f"session{n}", "speaker": f"speaker{n}",
           "document": f"document{n}",
           "agent": f"agent{n}"}
          for n in range(60)])  # fmt: skip
    run("remember", "x", "--tag", "t" * 300)
    found = offered(kind, "", "config", "get")
    assert 0 < len(found) <= 50 or kind == "archived"
    assert all(len(value) <= 200 and len(about) <= 60 for value, about in found)


def test_nothing_that_a_terminal_acts_on_is_offered(run):
    """A value with control or invisible characters is left out; in what is said they are spelled
    out."""
    seed([{"id": as_id("ALICEA"), "content": "red \x1b[31m\x07\u202etxt\tx\ny",
           "tags": ["ok", "a\x1b[2J", "b\nc", "d\u202e", "e\tf"]}])  # fmt: skip
    assert values("tag") == ["ok"]
    ((_, about),) = offered("id")
    assert about.isprintable() and about.startswith("red ")


@pytest.mark.parametrize("kind", [*KINDS, "unknown", ""])
def test_an_empty_home_stays_empty(kind, home):
    """Where nobody has written, nothing is offered and nothing made."""
    assert kind in OF_THE_PROGRAM or offered(kind) == []
    assert list(home.iterdir()) == []
    assert run_main("__complete").out == ""


def damaged(path):
    path.write_bytes(path.read_bytes()[:5000] + b"\xff" * 4000)


def marked(path, pragma):
    db = apsw.Connection(str(path))
    db.execute(f"PRAGMA {pragma}")
    db.close()


def older(path):
    marked(path, "user_version = 0")


def newer(path):
    marked(path, "user_version = 99")


def draft(path):
    marked(path, f"application_id = {DRAFT_ID}")


def foreign(path):
    path.unlink()
    db = apsw.Connection(str(path))
    db.execute("CREATE TABLE fact (slot)")
    db.close()


def fifo(path):
    path.unlink()
    os.mkfifo(path)


@pytest.mark.file_alone("it is about the file and what lies beside it")
@pytest.mark.parametrize("harm", [damaged, older, newer, draft, foreign, fifo])
def test_a_store_that_cannot_be_read_is_left_alone(harm, run, home):
    """Nothing is said of it, nothing upgraded, nothing made beside it."""
    run("remember", "x", "--slot", "day")
    for name in ("-wal", "-shm"):
        (home / f"tideline.db{name}").unlink(missing_ok=True)
    harm(home / "tideline.db")
    before = listing(home)
    for kind in OF_THE_MEMORY:
        assert offered(kind) == []
    assert listing(home) == before


@pytest.mark.file_alone("it is about the file and what lies beside it")
@pytest.mark.parametrize("has_log", [True, False])
def test_reading_leaves_no_trace(has_log, run, home):
    """A store is read with and without its log, and none is made."""
    run("remember", "x", "--slot", "day")
    if not has_log:
        db = apsw.Connection(str(home / "tideline.db"))
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        db.close()
        assert not (home / "tideline.db-wal").exists()
    before = listing(home)
    assert values("slot") == ["day"]
    after = listing(home)
    assert after.keys() - {"tideline.db-shm"} == before.keys() - {"tideline.db-shm"}
    assert after["tideline.db"] == before["tideline.db"]


@pytest.mark.parametrize(
    ("variable", "value"),
    [("TIDELINE_ORIGIN", "no origin"), ("TIDELINE_LIMIT", "many"), ("TIDELINE_NOW", "sometime")],
)
def test_bad_settings_are_no_matter_of_a_tab(variable, value, run, monkeypatch):
    """Whatever a setting says that is wrong, nothing is printed."""
    run("remember", "x", "--slot", "day")
    monkeypatch.setenv(variable, value)
    assert offered("slot") == []


def test_a_long_search_gives_what_it_has(run, monkeypatch):
    """When the time is over, the search ends without an error."""
    seed([{"content": f"fact {n}", "tags": [f"tag{n}"], "slot": f"s{n}"} for n in range(3000)])
    monkeypatch.setattr(completion_values, "_PATIENCE", -1.0)
    monkeypatch.setattr("tideline_cli.store.suggestions._STEPS", 10)
    for kind in OF_THE_MEMORY:
        assert offered(kind) == []
    monkeypatch.setattr(completion_values, "_PATIENCE", 60.0)
    assert len(values("tag")) == len(values("id")) == suggestions.MOST


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("plain", "plain"), ("'a b'", "a b"), ('"a b', "a b"), (r"a\ b", "a b"),
     (r"'a\b'", r"a\b"), (r'"a\"b"', 'a"b'), ("it\\'s", "it's")],
)  # fmt: skip
def test_words_are_read_as_a_shell_would(typed, meant):
    """Quotes and backslashes of the line are taken off, also where a quote is open."""
    assert completion_values._bare(typed) == meant
