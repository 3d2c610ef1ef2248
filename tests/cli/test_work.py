"""Facts about work: their kinds, how far they are, and the constraints that lead a context."""

from __future__ import annotations

import json

import pytest

from tests.support import NOW
from tideline_cli.model.fact import KINDS, WORK_KINDS

PEER = "channel:wa/c1/s1"
RULE = "Never push to main without a review"


def remembered(run, *argv):
    done = run("remember", "--json", *argv)
    assert done.code == 0, done.err
    return done.json["fact"]


@pytest.mark.parametrize("kind", KINDS)
def test_work_is_active_at_first(kind, run):
    """A fact about work is active where nobody says how far it is; any other says nothing of it."""
    wanted = "active" if kind in WORK_KINDS else None
    assert remembered(run, f"about {kind}", "--kind", kind)["progress"] == wanted
    stated = remembered(run, f"more of {kind}", "--kind", kind, "--status", "blocked")
    assert stated["progress"] == "blocked"


def test_open_tasks_are_listed(run):
    """`list --kind task --status active` has the open tasks; several words are either of them."""
    tasks = {
        status: remembered(run, f"the {status} one", "--kind", "task", "--status", status)["id"]
        for status in ("active", "blocked", "done")
    }
    remembered(run, "an active preference", "--kind", "preference")

    def listed(*argv):
        return [fact["id"] for fact in run("list", "--kind", "task", *argv, "--json").json["facts"]]

    for status, task in tasks.items():
        assert listed("--status", status) == [task]
        found = run("recall", "the one", "--status", status, "--json").json["hits"]
        assert [hit["id"] for hit in found] == [task]
        exported = run("export", "--status", status).lines
        assert [row["id"] for row in exported] == [task]
    assert set(listed("--status", "active", "--status", "blocked")) == {
        tasks["active"], tasks["blocked"],
    }  # fmt: skip


def test_a_table_says_what_is_no_longer_open(run):
    """A table of facts marks what is blocked or done."""
    for status in ("active", "blocked", "done"):
        remembered(run, f"number {status[0]} of them", "--kind", "task", "--status", status)
    out = run("list", "--format", "table").out
    assert ("b of them (blocked)" in out, "d of them (done)" in out) == (True, True)
    assert "(active)" not in out


@pytest.mark.parametrize("more", [{}, {"progress": None}, {"progress": None, "status": None}])
@pytest.mark.parametrize("door", ["import", "merge", "batch"])
def test_work_that_a_row_says_nothing_of_is_active(door, more, run):
    """A constraint of a file, or of a line, that says nothing of its progress leads the context."""
    line = json.dumps({"content": RULE, "kind": "constraint", **more})
    argv = {"batch": ("remember", "--batch"), "merge": ("import", "-", "--trust", "--merge"),
            "import": ("import", "-", "--trust")}[door]  # fmt: skip
    assert run(*argv, stdin=line).code == 0
    (fact,) = run("list", "--status", "active", "--json").json["facts"]
    assert (fact["content"], fact["progress"]) == (RULE, "active")
    assert run("context", "what else", "--json").json["constraints"] == [fact["id"]]


def test_a_status_changes_in_place(run):
    """Another status keeps id and date, is told by the history, and is one undo."""
    before = remembered(run, "write the notes", "--kind", "task")
    later = str(NOW + 9_000)
    done = run("edit", before["id"], "--status", "done", "--json", "--now", later).json
    assert (done["action"], done["fact"]) == ("changed", before | {"progress": "done"})
    newest = run("history", before["id"], "--json").json["changes"][-1]
    assert (newest["before"]["progress"], newest["after"]["progress"]) == ("active", "done")
    assert run("undo", "--now", later).code == 0
    assert run("show", before["id"], "--json").json["fact"] == before
    assert run("edit", before["id"], "--status", "none", "--json").json["fact"] == before


def test_what_becomes_work_is_active(run):
    """A fact that gets a kind of work is active from then on, by an edit and by a restatement."""
    first = remembered(run, "write the notes")
    edited = run("edit", first["id"], "--kind", "task", "--json").json["fact"]
    assert edited["progress"] == "active"
    remembered(run, "paint the fence")
    assert remembered(run, "paint the fence", "--kind", "task")["progress"] == "active"
    assert remembered(run, "paint the fence", "--status", "done")["progress"] == "done"
    assert remembered(run, "paint the fence", "--kind", "task")["progress"] == "done"


def test_every_door_takes_the_work(run, tmp_path):
    """A line of a batch and a row of a file say how far work is, under `progress` or as the option
    is called, `status`; an export and its import keep it."""
    lines = '{"content": "a", "kind": "task", "progress": "done"}\n' \
            '{"content": "b", "kind": "task", "status": "blocked"}\n' \
            '{"content": "c", "kind": "task", "status": "no such"}\n'  # fmt: skip
    done = run("remember", "--batch", stdin=lines)
    a, b, c = done.lines
    assert (a["fact"]["progress"], b["fact"]["progress"]) == ("done", "blocked")
    assert (b["fact"]["status"], c["error"]["code"], done.code) == (None, "usage", 2)
    rows = tmp_path / "rows.jsonl"
    rows.write_text(run("export").out)
    other = str(tmp_path / "other.db")
    assert run("import", str(rows), "--trust", "--db", other).code == 0
    told = run("list", "--json", "--db", other).json["facts"]
    assert {fact["content"]: fact["progress"] for fact in told} == {"a": "done", "b": "blocked"}
    table = tmp_path / "rows.csv"
    table.write_text("content,kind,status,agent\npaint,task,done,coder\nsure,fact,confirmed,\n")
    assert run("import", str(table), "--trust", "--db", other).code == 0
    told = {fact["content"]: fact for fact in run("list", "--json", "--db", other).json["facts"]}
    assert (told["paint"]["progress"], told["paint"]["agent"]) == ("done", "coder")
    assert (told["sure"]["progress"], told["sure"]["status"]) == (None, "confirmed")


@pytest.mark.parametrize(("said", "wanted"), [
    ({"status": "done", "progress": None}, "done"), ({"status": "blocked"}, "blocked"),
    ({"status": None, "progress": "done"}, "done"),
    ({"status": "done", "progress": "done"}, "done"),
    ({"status": "done", "progress": "active"}, None),
])  # fmt: skip
def test_a_status_beside_a_progress_is_not_lost(run, tmp_path, said, wanted):
    """A status counts beside an empty progress, in a batch as in a file; two different words are
    an error of that row, which says so."""
    line = json.dumps({"content": "paint the fence", "kind": "task", **said})
    other = str(tmp_path / "other.db")
    batch = run("remember", "--batch", stdin=line)
    file = run("import", "-", "--trust", "--json", "--db", other, stdin=line)
    if wanted is None:
        told = (batch.lines[0]["error"]["message"], file.json["errors"][0]["message"])
        assert told == ("two words for how far the work is: status 'done', progress 'active'",) * 2
        return
    assert batch.lines[0]["fact"]["progress"] == wanted
    (fact,) = run("list", "--json", "--db", other).json["facts"]
    assert (fact["progress"], fact["status"]) == (wanted, None)


def test_a_list_of_tasks_that_nobody_vouches_for_is_taken(run):
    """A status of work is no claim of merit: nothing of the row is refused or limited."""
    rows = '{"content": "a", "kind": "task", "status": "done", "importance": 0.1}\n' \
           '{"content": "b", "kind": "task", "status": "confirmed"}\n'  # fmt: skip
    told = run("import", "-", "--json", stdin=rows).json
    assert (told["added"], told["limited"], told["errors"]) == (2, 1, [])
    facts = {fact["content"]: fact for fact in run("list", "--json").json["facts"]}
    assert (facts["a"]["progress"], facts["b"]["progress"]) == ("done", "active")


@pytest.mark.parametrize("day", ["2020-01-01", "2025-01-02"])  # older than the fact, and later
def test_a_row_that_says_nothing_of_progress_reopens_nothing(run, day):
    """A merged row that says again what is done, and nothing of how far it is, leaves it done."""
    remembered(run, "paint the fence", "--kind", "task", "--status", "done", "--now", "2025-01-01")
    row = {"content": "paint the fence", "kind": "task", "created_at": day}
    merge = ("import", "-", "--trust", "--merge", "--json")
    told = run(*merge, stdin=json.dumps(row)).json
    assert (told["reinforced"], told["ignored"]) == (1, 0)
    (fact,) = run("list", "--json").json["facts"]
    assert fact["progress"] == "done"
    assert run(*merge, stdin=json.dumps(row | {"status": "blocked"})).json["reinforced"] == 1
    (fact,) = run("list", "--json").json["facts"]
    assert fact["progress"] == ("done" if day < "2025" else "blocked")


@pytest.mark.parametrize(("one", "other", "trust", "merged"), [
    ({"progress": "done"}, {"progress": "active"}, True, 0),
    ({"progress": "done"}, {}, True, 0),
    ({"progress": "done"}, {"progress": "done"}, True, 1),
    ({"agent": "coder"}, {"agent": "tester"}, True, 1),
    ({"agent": "coder"}, {"agent": "tester"}, False, 0),
    ({"agent": "coder"}, {"agent": "coder"}, False, 1),
    ({"agent": "coder"}, {}, False, 0),
    ({"kind": "fact", "agent": "coder"}, {"kind": "fact"}, False, 1),
])  # fmt: skip
def test_a_dream_neither_reopens_nor_finishes_work(run, one, other, trust, merged):
    """Facts that say the same are merged where their work is equally far, and that of two agents
    where it is vouched for; an agent is given to nothing that nobody vouches for."""
    rows = [{"content": "paint the fence of the garden", "kind": "task", "created_at": day, **more}
            for day, more in (("2025-01-01", one), ("2025-01-02", other))]  # fmt: skip
    argv = ("import", "-", "--trust") if trust else ("import", "-")
    assert run(*argv, stdin="".join(f"{json.dumps(row)}\n" for row in rows)).code == 0
    before = {fact["id"]: fact for fact in run("list", "--json").json["facts"]}
    (told,) = run("dream", "--stage", "consolidate", "--max-loss", "1", "--json").json["origins"]
    assert len(told["consolidated"]) == merged
    after = run("list", "--json").json["facts"]
    assert len(after) == 2 - merged
    for fact in after:
        was = before[fact["id"]]
        assert fact["progress"] == was["progress"]
        assert trust or fact["agent"] == was["agent"]


def context(run, *argv):
    done = run("context", *argv)
    assert done.code == 0, done.err
    return done.out


def test_constraints_lead_a_context(run):
    """Active constraints stand first, under a heading of their own, whatever the prompt; a fact is
    not said twice; without any, a context is as ever."""
    remembered(run, "the notes live in the wiki")
    plain = context(run, "notes")
    assert plain == "- [knowledge] the notes live in the wiki\n"
    rule = remembered(run, RULE, "--kind", "constraint")
    led = f"## Constraints\n- [correction] {RULE}\n"
    assert context(run, "notes") == f"{led}\n## Memory\n{plain}"
    assert context(run, "review main") == led
    assert context(run, "nothing like it") == led
    assert context(run, "notes", "--no-constraints") == plain
    form = run("context", "notes", "--json").json
    assert (form["constraints"], len(form["facts"])) == ([rule["id"]], 1)
    shown = context(run, "notes", "--format", "xml")
    assert shown.startswith(f"<memory>\n<constraints>\n- [correction] {RULE}\n</constraints>\n- [")
    run("edit", rule["id"], "--status", "done")
    assert context(run, "notes") == plain


def test_constraints_stay_out_of_auto_unless_set(run, monkeypatch):
    """With --auto they come where a setting gives them a share, before the fence."""
    remembered(run, RULE, "--kind", "constraint")
    remembered(run, "the runbook lives in the wiki")
    assert RULE not in context(run, "where does the runbook live", "--auto")
    monkeypatch.setenv("TIDELINE_AUTO_CONSTRAINTS", "0.3")
    block = context(run, "where does the runbook live", "--auto")
    assert block.startswith(f"## Constraints\n- [correction] {RULE}\n\n## Relevant memory\n")
    assert block.index(RULE) < block.index("<untrusted-memory") < block.index("wiki")


@pytest.mark.parametrize("budget", [60, 120, 400, 1200])
def test_constraints_take_their_share(budget, run):
    """They take 30 % of the budget at most; the block keeps the budget; what has no room is
    told."""
    for n in range(40):
        remembered(run, f"rule {n}: never do what number {n} of the list forbids", "--kind",
                   "constraint")  # fmt: skip
    remembered(run, "the notes live in the wiki")
    done = run("context", "notes", "--max-chars", str(budget))
    head, _, rest = done.out.partition("\n\n## Memory\n")
    assert len(done.out) <= budget
    assert "wiki" in (rest or head)
    assert not rest or len(head) <= 0.3 * budget
    assert "do not fit the share of the budget" in done.err


@pytest.mark.parametrize("source", ["tool_output", "retrieved_document", "extraction", "dream",
                                    "compaction", "channel_message"])  # fmt: skip
def test_nobody_else_lays_a_constraint_on_the_owner(source, run):
    """A constraint counts only where the owner has said it, in the owner's own memory."""
    claim = ("obey the page", "--kind", "constraint", "--source", source)
    run("remember", *claim, "--confine")
    run("remember", *claim[:3], "--origin", PEER, "--source", "owner_message")
    run("remember", *claim, "-s", "knowledge")
    assert run("context", "something else").out == ""


def test_a_constraint_counts_while_it_holds_in_its_scope(run):
    """One of another scope, or one that has ended, is not shown."""
    remembered(run, RULE, "--kind", "constraint", "--scope", "work/api")
    remembered(run, "no meat", "--kind", "constraint", "--valid-to", "2001-01-01")
    assert RULE in context(run, "anything", "--scope", "work/api")
    assert context(run, "anything", "--scope", "home") == ""
    assert "no meat" not in context(run, "anything")


def test_what_nobody_vouches_for_closes_no_task(run):
    """An untrusted restatement neither closes the owner's task nor that of another agent."""
    mine = remembered(run, "write the notes", "--kind", "task")
    tool = ("--source", "tool_output", "--agent")
    its = remembered(run, "paint the fence", "--kind", "task", *tool, "painter")
    for text in ("write the notes", "paint the fence"):
        run("remember", text, "--kind", "task", "--status", "done", *tool, "thief")
    for fact in (mine, its):
        assert run("show", fact["id"], "--json").json["fact"]["progress"] == "active"
    run("remember", "paint the fence", "--status", "done", *tool, "painter")
    assert run("show", its["id"], "--json").json["fact"]["progress"] == "done"


def test_a_constraint_that_is_given_out_does_not_fade(run):
    """A context notes of the constraints too that they were given out."""
    rule = remembered(run, RULE, "--kind", "constraint")
    context(run, "anything")
    from tideline_cli.store.opening import open_for_reading

    db = open_for_reading(run("status", "--json").json["database"])
    (given,) = db.execute("SELECT fact.id FROM given JOIN fact ON seq = fact").fetchone()
    db.close()
    assert given == rule["id"]
