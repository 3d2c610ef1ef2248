"""Which agent wrote a fact: stated, stamped by the environment, asked for, and many at once."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests import backends
from tests.support import ROOT

AGENTS = ("coder", "tester", "writer", "planner")


def test_an_agent_is_stamped(run, monkeypatch):
    """`--agent` says it, else TIDELINE_AGENT, else the setting; an empty one is none."""
    monkeypatch.setenv("TIDELINE_AGENT", "coder")

    def agent(text, *argv):
        return run("remember", text, *argv, "--json").json["fact"]["agent"]

    assert agent("one") == "coder"
    assert agent("two", "--agent", "tester") == "tester"
    assert agent("three", "--agent", "") is None
    line = run("remember", "--batch", stdin='{"content": "a"}\n{"content": "b", "agent": "x"}\n'
               '{"content": "c", "agent": ""}\n').lines  # fmt: skip
    assert [one["fact"]["agent"] for one in line] == ["coder", "x", None]
    monkeypatch.delenv("TIDELINE_AGENT")
    assert agent("four") is None
    run("config", "set", "agent", "planner")
    assert agent("five") == "planner"


def test_files_and_documents_are_stamped(run, monkeypatch, tmp_path):
    """What a file or a document says is of the agent that brings it in, unless a row names one; an
    export comes back as it was."""
    monkeypatch.setenv("TIDELINE_AGENT", "coder")

    def agents(*argv, stdin=None):
        done = run(*argv, "--json", **({} if stdin is None else {"stdin": stdin}))
        assert done.code == 0, done.err
        told = run("list", "--limit", "0", "--json").json["facts"]
        assert run("undo").code == 0
        return {fact["content"]: fact["agent"] for fact in told}

    rows = '{"content": "a"}\n{"content": "b", "agent": "x"}\n{"content": "c", "agent": ""}\n' \
           '{"content": "d", "agent": null}\n'  # fmt: skip
    for more in ((), ("--merge",), ("--trust",)):
        stamped = {"a": "coder", "b": "x", "c": None, "d": "coder"}
        assert agents("import", "-", *more, stdin=rows) == stamped
        named = stamped | {"a": "tester", "d": "tester"}
        assert agents("import", "-", *more, "--agent", "tester", stdin=rows) == named
    assert agents("import", "-", "--agent", "", stdin=rows)["a"] is None
    assert agents("import", "-", "--format", "csv", stdin="content,agent\ne,\nf,y\n") == {
        "e": "coder", "f": "y",
    }  # fmt: skip
    many = "".join(f'{{"content": "row {number}"}}\n' for number in range(2600))
    assert set(agents("import", "-", stdin=many).values()) == {"coder"}
    page = tmp_path / "page.txt"
    page.write_text("the gate is green\n")
    assert agents("ingest", str(page)) == {"the gate is green": "coder"}
    assert agents("ingest", str(page), "--agent", "tester") == {"the gate is green": "tester"}
    monkeypatch.delenv("TIDELINE_AGENT")
    run("remember", "of nobody")
    for form in ("jsonl", "csv"):
        kept = run("export", "--format", form).out
        monkeypatch.setenv("TIDELINE_AGENT", "coder")
        other = str(tmp_path / f"{form}.db")
        argv = ("import", "-", "--trust", "--format", form, "--db", other)
        assert run(*argv, stdin=kept).code == 0
        assert run("export", "--format", form, "--db", other).out == kept
        monkeypatch.delenv("TIDELINE_AGENT")


def test_the_first_agent_stays(run):
    """A fact that another agent says again keeps its agent, and the writer is told."""
    run("remember", "the door is red", "--agent", "coder")
    told = run("remember", "the door is red", "--agent", "tester", "--json").json
    assert (told["fact"]["agent"], told["ignored"]) == ("coder", ["agent"])
    edited = run("edit", told["id"], "--agent", "tester", "--json").json["fact"]
    assert edited["agent"] == "tester"
    assert run("edit", told["id"], "--agent", "", "--json").json["fact"]["agent"] is None


TOOL = ("--source", "tool_output")


def shown(run, fact_id):
    return run("show", fact_id, "--json").json["fact"]


@pytest.mark.parametrize("owner", [(), ("--agent", "coder")])
def test_an_untrusted_agent_takes_nobodys_work(run, owner):
    """Whose work a task is stands since its birth: an untrusted agent that says it again is not
    taken for its agent, and then says neither how far it is, nor its kind, nor its end."""
    task = ("remember", "rotate the signing key", *TOOL)
    known = run(*task, "--kind", "task", *owner, "--json").json["fact"]
    for more in ((), ("--status", "done"), ("--kind", "task")):
        told = run(*task, "--agent", "evil", *more, "--json").json
        assert (told["id"], told["fact"]["agent"]) == (known["id"], known["agent"])
        assert "agent" in told["ignored"]
    ended = run(*task, "--agent", "evil", "--valid-to", "yesterday", "--json").json
    assert ended["action"] == "created"  # what is said of another time is another statement
    names = ("agent", "progress", "kind", "valid_to", "lifecycle")
    assert {name: shown(run, known["id"])[name] for name in names} == {
        name: known[name] for name in names
    }
    own = run(*task, *owner, "--status", "done", "--json").json["fact"]
    assert own["progress"] == "done"


def test_an_untrusted_agent_replaces_no_work_of_another(run):
    """Neither --supersedes nor a slot closes the work of another agent, in a batch and a file too;
    its own, and what is no work, an untrusted agent may replace."""
    def said(text, agent, *more):
        return run("remember", text, *TOOL, "--agent", agent, *more, "--json")

    task = said("rotate the signing key", "coder", "--kind", "task", "--slot", "next").json["fact"]
    note = said("the key is old", "coder").json["fact"]
    done = said("nothing is left to do", "evil", "--supersedes", task["id"])
    assert (done.code, done.error["code"]) == (4, "write_gate_blocked")
    done = said("nothing is next", "evil", "--slot", "next")
    assert (done.code, done.error["code"]) == (4, "write_gate_blocked")
    row = json.dumps({"content": "nothing is left at all", "supersedes": [task["id"]]})
    assert run("import", "-", stdin=row).code == 0
    line = '{"content": "nothing is next", "slot": "next", "agent": "evil"}\n'
    done = run("remember", "--batch", *TOOL, stdin=line)
    assert (done.code, done.lines[0]["error"]["code"]) == (4, "write_gate_blocked")
    assert shown(run, task["id"]) == task
    assert run("doctor", "--deep", "--json").json["findings"] == []
    assert said("the key is new", "evil", "--supersedes", note["id"]).code == 0
    assert task["id"] in said("write the notes", "coder", "--slot", "next").json["superseded"]


@pytest.mark.parametrize("verb", [
    ("list", "--json"), ("recall", "door", "--json"), ("export",), ("tags", "--json"),
    ("slots", "--json"),
])  # fmt: skip
def test_an_agent_is_asked_for(verb, run):
    """Each verb that filters takes the facts of the agents that are named, and no others."""
    for agent in AGENTS[:3]:
        run("remember", f"the door of the {agent}", "--agent", agent, "--tag", f"t-{agent}",
            "--slot", f"s_{agent}")  # fmt: skip
    out = run(*verb, "--agent", "coder", "--agent", "tester").out
    assert ("coder" in out, "tester" in out, "writer" in out) == (True, True, False)
    assert "coder" not in run(*verb, "--agent", "nobody").out


def test_the_history_of_an_agent(run):
    """`history --agent` tells what was done to the facts of that agent."""
    for agent in AGENTS:
        run("remember", f"the door of the {agent}", "--agent", agent)
    (fact,) = run("list", "--agent", "tester", "--json").json["facts"]
    told = run("history", "--agent", "tester", "--json").json["changes"]
    assert [change["id"] for change in told] == [fact["id"]]
    assert run("history", "--agent", "nobody").code == 1


def test_an_agent_forgets_its_own(run):
    """`forget --agent` archives the facts of that agent alone."""
    for agent in AGENTS:
        run("remember", f"the door of the {agent}", "--agent", agent)
    assert run("forget", "--agent", "coder", "--yes").code == 0
    left = {fact["agent"] for fact in run("list", "--json").json["facts"]}
    assert left == set(AGENTS) - {"coder"}


@pytest.mark.nightly
def test_many_agents_share_one_file(run, home):
    """8 processes of 4 agents write and read one file at once: each fact has the agent that wrote
    it, nothing is lost, and the file is sound."""
    say = (
        "import sys\n"
        "from tests.conftest import run_main\n"
        "db, agent, start = sys.argv[1:]\n"
        "for n in range(int(start), int(start) + 12):\n"
        "    text = f'{agent} noted entry number {n} of the log book'\n"
        "    done = run_main('remember', text, '--agent', agent, '--db', db)\n"
        "    assert done.code == 0, done.err\n"
        "    done = run_main('recall', 'entry log', '--agent', agent, '--json', '--db', db)\n"
        "    assert {hit['agent'] for hit in done.json['hits']} == {agent}\n"
    )
    run("remember", "the file is there")
    children = [
        subprocess.Popen([sys.executable, "-c", say, backends.place(home / "tideline.db"), agent,
                          str(start)], stderr=subprocess.PIPE, text=True, cwd=ROOT)
        for agent in AGENTS for start in (0, 50)
    ]  # fmt: skip
    assert [child.communicate()[1] for child in children] == [""] * 8
    for agent in AGENTS:
        facts = run("list", "--agent", agent, "--limit", "0", "--json").json["facts"]
        assert len(facts) == 24
        assert all(fact["content"].startswith(agent) for fact in facts)
    assert run("doctor", "--deep").code == 0


def test_a_purge_takes_the_name_of_an_agent(run, home):
    """The name of an agent goes out of the file with its fact."""
    made = run("remember", "we met", "--agent", "Bxylophone", "--json").json["id"]
    assert run("purge", made, "--yes").code == 0
    assert b"Bxylophone" not in backends.raw(home / "tideline.db")
