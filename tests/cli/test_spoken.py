"""Where and by whom a fact was said: stated, taken from files, kept, shown, changed and undone."""

import json

import pytest

from tests import backends
from tests.support import NOW

SAID = ("session", "turn", "speaker", "role")
NOTHING = dict.fromkeys(SAID)


def said(fact):
    return tuple(fact[name] for name in SAID)


def listed(run, *more):
    """Return where and by whom each fact was said, by its text."""
    facts = run("list", "--limit", "0", "--json", *more).json["facts"]
    return {fact["content"]: said(fact) for fact in facts}


def imported(run, *rows, more=("--trust",)):
    done = run("import", "-", *more, stdin="\n".join(map(json.dumps, rows)))
    assert done.code == 0, done.err
    return {row["content"]: row for row in run("export").lines}


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        ({"session": "s", "turn": 3, "speaker": "Ann", "role": "user"}, ("s", 3, "Ann", "user")),
        ({"session_id": 7, "turn_index": "12", "role": "Human", "name": "Ann"},
         ("7", 12, "Ann", "user")),
        ({"conversationId": "c", "author": "Ann", "turn": 2.0}, ("c", 2, "Ann", None)),
        ({"thread_id": " t ", "role": "ai"}, ("t", None, None, "assistant")),
        ({"role": "function", "name": "search"}, (None, None, "search", "tool")),
        ({"session": "mine", "session_id": "theirs"}, ("mine", None, None, None)),
    ],
)  # fmt: skip
def test_what_files_call_it(run, row, wanted):
    """Rows of conversations state it under the names of the fields, or those of other programs."""
    facts = imported(run, {"content": "we met", **row})
    assert said(facts["we met"]) == wanted
    if "session_id" in row and "session" in row:
        assert facts["we met"]["metadata"] == {"session_id": "theirs"}
    else:
        assert facts["we met"]["metadata"] is None


@pytest.mark.parametrize(
    "row",
    [
        {"role": "manager"}, {"name": "Ann"}, {"author": "Ann"}, {"turn": "D1:3"}, {"turn": -1},
        {"session": ["a"]}, {"turn": True}, {"speaker": 3}, {"session": "", "author": "Ann"},
        {"role": {"a": 1}, "turn": 1.5, "session": {"id": 1}},
    ],
)  # fmt: skip
def test_what_is_something_else_stays_in_the_metadata(run, row):
    """A value that is no session, turn, speaker or role is kept as any unknown column is."""
    fact = imported(run, {"content": "we met", **row})["we met"]
    assert said(fact) == (None,) * 4
    assert fact["metadata"] == {name: value for name, value in row.items() if value != ""}


def test_the_same_from_tables_and_by_map(run, tmp_path):
    """CSV states it as JSON does; --map names any column."""
    table = tmp_path / "talk.csv"
    table.write_text("who,Text,session,TURN,role\nAnn,hello there,s1,4,assistant\n")
    assert run("import", str(table), "--trust", "--map", "who=speaker").code == 0
    assert listed(run) == {"hello there": ("s1", 4, "Ann", "assistant")}


def test_a_batch_line_says_what_is_wrong(run):
    """A line with a turn or a role that is none is refused by name; the others are stored, and the
    options of the command stand for what a line leaves out."""
    rows = [{"content": "one", "turn": 1}, {"content": "two", "turn": "x"},
            {"content": "three", "role": "boss"}, {"content": "four", "session": "t", "turn": 0}]
    stdin = "\n".join(map(json.dumps, rows))
    done = run("remember", "--batch", "--session", "s", "--turn", "9", "--speaker", "Ann",
               stdin=stdin)  # fmt: skip
    told = [line["error"]["message"] for line in done.lines if "error" in line]
    assert (done.code, told) == (2, ["turn is not a whole number from 0", "unknown role: 'boss'"])
    assert listed(run) == {"one": ("s", 1, "Ann", None), "four": ("t", 0, "Ann", None)}


@pytest.mark.parametrize("words", [("--turn", "-1"), ("--turn", "x"), ("--role", "boss")])
def test_a_bad_option(run, words):
    """It is one line with the exit code of bad usage."""
    done = run("remember", "one", *words)
    assert (done.code, done.out) == (2, "")


def test_edit_changes_it_in_place_and_undo_brings_it_back(run):
    """An edit keeps the id and the time; without a session there is no turn; `none` is no role."""
    made = run("remember", "we met", "--session", "s", "--turn", "4", "--role", "tool", "--json",
               "--now", str(NOW - 9))  # fmt: skip
    before = made.json["fact"]
    done = run("edit", before["id"], "--session", "t", "--speaker", "Ann", "--json").json["fact"]
    assert done == before | {"session": "t", "speaker": "Ann"}
    done = run("edit", before["id"], "--session", "", "--role", "none", "--json").json["fact"]
    assert said(done) == (None, None, "Ann", None)
    again = run("edit", before["id"], "we met twice", "--turn", "5", "--json").json["fact"]
    assert said(again) == (None, 5, "Ann", None)
    for _ in range(3):
        assert run("undo").code == 0
    assert run("show", before["id"], "--json").json["fact"] == before
    assert run("redo").code == 0
    assert run("show", before["id"], "--json").json["fact"]["session"] == "t"
    assert run("doctor", "--deep").code == 0


def test_what_was_said_in_a_talk_is_no_restatement(run):
    """A row that names a session or a turn, or another speaker, is a fact of its own; the same turn
    of the same session is the same row."""
    first = ("remember", "the office is in Oslo", "--json")
    plain = run(*first).json["id"]
    row = ("--session", "s", "--turn", "1", "--role", "user")
    turn = run(*first, *row).json["id"]
    ann = run(*first, "--speaker", "Ann").json["id"]
    assert len({plain, turn, ann}) == 3
    assert run(*first, *row).json["id"] == turn
    assert run(*first, "--speaker", "Ann").json["id"] == ann
    assert run(*first).json["id"] == plain
    assert run(*first, "--session", "t").json["action"] == "created"


def test_two_machines_agree_by_merge(run):
    """`import --merge` brings the later state of these labels, and gives the same export."""
    there = ("--db", "there.db")
    run("remember", "we met", "--session", "s", "--turn", "1", "--now", str(NOW - 9))
    assert run("import", "-", "--merge", "--trust", *there, stdin=run("export").out).code == 0
    fact = run("list", "--json").json["facts"][0]["id"]
    run("edit", fact, "--turn", "2", "--role", "tool", *there, "--now", str(NOW + 9))
    out = run("export", *there).out
    later = ("--now", str(NOW + 20))
    assert run("import", "-", "--merge", "--trust", *later, stdin=out).code == 0
    assert listed(run) == {"we met": ("s", 2, None, "tool")}
    assert run("export").out == out


@pytest.mark.parametrize("form", [(), ("--format", "markdown"), ("--format", "csv")])
def test_every_export_brings_it_back(run, tmp_path, form):
    """Whatever the form of the export, an import of it states the same."""
    rows = [{"content": "we met", "session": "s", "turn": 1, "speaker": "=Ann", "role": "user"},
            {"content": "we ate", "session": "s", "turn": 2, "role": "assistant"}]  # fmt: skip
    imported(run, *rows)
    name = tmp_path / f"out.{form[-1] if form else 'jsonl'}"
    assert run("export", *form, "--output", str(name)).code == 0
    assert run("import", str(name), "--trust", "--db", "other.db").code == 0
    assert listed(run, "--db", "other.db") == listed(run) == {
        "we met": ("s", 1, "=Ann", "user"), "we ate": ("s", 2, None, "assistant")
    }  # fmt: skip


def test_an_assistant_weighs_less_and_nobody_more(run):
    """What an assistant or a tool says scores 0.65 of what anybody else does, in both lanes; no
    role raises the score of an untrusted source."""
    for number, role in enumerate(("user", "assistant", "system", "tool")):
        source = ("--source", "tool_output") if number % 2 else ()
        run("remember", f"harbour {number}", "--role", role, *source)
    run("remember", "harbour 4", "--source", "tool_output", "--role", "user")
    run("remember", "harbour 5", "--source", "tool_output")
    for mode in ("keyword", "semantic"):
        hits = run("recall", "harbour", "--mode", mode, "--min-sim", "0", "--explain", "--json")
        whys = {hit["content"][-1]: (hit["score"], hit["explain"]) for hit in hits.json["hits"]}
        for number, wanted in enumerate((1.0, 0.65, 1.0, 0.65, 1.0, 1.0)):
            score, why = whys[str(number)]
            assert why["role"] == wanted
            base = why["bm25"] if mode == "keyword" else why["cosine"]
            factor = why["trust"] * why["modulator"] * wanted
            assert score == pytest.approx(base * factor, abs=1e-12)
    assert whys["4"][1]["trust"] == whys["5"][1]["trust"] == 0.65
    lines = run("recall", "harbour", "--explain").out.splitlines()
    assert sum(line.endswith("× role 0.65 (tool)") for line in lines) == 1


def test_recall_and_history_narrow_by_it(run):
    """recall finds among these facts alone; history tells of them and their use alone."""
    run("remember", "the harbour is old", "--session", "s", "--speaker", "Ann")
    run("remember", "the harbour is wide", "--session", "t", "--role", "tool")
    for words, wanted in (
        (("--session", "s"), {"the harbour is old"}), (("--role", "tool"), {"the harbour is wide"}),
        (("--session", "s", "--session", "t"), {"the harbour is old", "the harbour is wide"}),
        (("--speaker", "Ann", "--role", "tool"), set()),
    ):  # fmt: skip
        hits = run("recall", "harbour", "--json", *words).json["hits"]
        assert {hit["content"] for hit in hits} == wanted
    first = run("list", "--session", "s", "--json").json["facts"][0]["id"]
    run("feedback", first, "up")
    told = run("history", "--session", "s", "--json")
    changes = told.json["changes"]
    assert [(one["verb"], one["entity"], one["id"]) for one in changes] == [
        ("feedback", "fact", first), ("feedback", "usage", first), ("remember", "fact", first),
    ]  # fmt: skip
    cut = run("history", "--session", "s", "--limit", "1", "--json").json
    assert (cut["truncated"], len(cut["changes"])) == (True, 2)
    none = run("history", "--speaker", "Bo")
    assert (none.code, none.out, "no such fact" in none.err) == (1, "", True)
    both = run("history", first, "--session", "s")
    assert (both.code, "cannot go with" in both.err) == (2, True)


def test_slots_and_tags_of_what_somebody_said(run):
    """They count the facts that were said so, and show the values among these."""
    given = ("--slot", "day", "--tag", "ops")
    run("remember", "We deploy on Fridays", *given, "--speaker", "Ann", "--now", str(NOW - 9))
    run("remember", "We deploy on Mondays", *given, "--session", "s", "--role", "tool")
    assert run("tags", "--json").json["tags"][0]["facts"] == 1  # the slot has one value
    assert run("tags", "--session", "s", "--json").json["tags"][0]["tag"] == "ops"
    assert run("tags", "--speaker", "Ann", "--json").json["tags"] == []
    (slot,) = run("slots", "--role", "tool", "--json").json["slots"]
    assert (slot["content"], slot["values"]) == ("We deploy on Mondays", 1)
    assert run("slots", "--json").json["slots"][0]["values"] == 2
    assert run("slots", "--role", "user", "--json").json["slots"] == []


def test_extract_knows_the_turn_and_who_spoke(run):
    """An identifier has the session, the number of the message, and the role of the user."""
    talk = "USER: hello\nASSISTANT: hi\nUSER: My email address is jane@example.com\n"
    run("extract", "-", "--llm", "none", "--session", "first", stdin=talk)
    (fact,) = run("list", "--json").json["facts"]
    assert said(fact) == ("first", 3, None, "user")
    more = talk + "ASSISTANT: thanks\nUSER: My phone number is 13800138000\n"
    run("extract", "-", "--llm", "none", "--session", "first", stdin=more)
    assert sorted(said(fact)[1] for fact in run("list", "--json").json["facts"]) == [3, 5]


def test_purge_leaves_no_trace_of_it(run, home):
    """The name of a session and of a speaker goes with the fact, out of the file too."""
    made = run("remember", "we met", "--session", "Sxylophone", "--speaker", "Bxylophone", "--json")
    assert run("purge", made.json["id"], "--yes").code == 0
    run("status")
    assert b"xylophone" not in backends.raw(home / "tideline.db")
    assert listed(run) == {}


def test_secrets_in_it_are_taken_out_of_what_nobody_vouches_for(run):
    """A key in the name of a speaker is no more stored than one in the text."""
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    row = {"content": "we met", "speaker": f"key {key}", "session": f"s {key}"}
    imported(run, row, more=())
    assert key not in run("export").out
