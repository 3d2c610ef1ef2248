"""Conversations that have settled are distilled soon after a hook, once, within a budget."""

import json
import os
import shutil
import sys
import time

import pytest

from tests import backends
from tests.doors import payloads
from tests.support import NOW
from tideline_cli.serve import costs, queue, soon
from tideline_cli.system import processes

MODEL = """
import json, sys
asked = sys.stdin.read()
print(json.dumps({"facts": [{"content": "The staging database is heron", "segment": "project"}]}))
"""
SAID = "The staging database is heron, and my phone number is 13800138000"
MINUTE = 60_000


@pytest.fixture(autouse=True)
def _memory(home, monkeypatch):
    backends.begin(home)
    monkeypatch.setenv("TIDELINE_EXTRACT_SOON", "on")
    monkeypatch.setattr(processes, "give_way", lambda: None)  # this is the tests' own process


@pytest.fixture
def model(tmp_path, monkeypatch):
    """A model that finds one fact in whatever it reads."""
    path = tmp_path / "model.py"
    path.write_text(MODEL)
    monkeypatch.setenv("TIDELINE_LLM", f"{sys.executable} {path}")


@pytest.fixture
def started(monkeypatch):
    """The command lines of the processes that hooks would start."""
    words = []
    monkeypatch.setattr(processes, "start_alone", lambda argv, _: words.append(argv[4:]))
    return words


def ends(run, folder, event, *, name="s1", said=SAID, now=NOW):
    """End a turn, or a conversation, of Claude Code."""
    rows = [{"type": "user", "sessionId": name, "message": {"role": "user", "content": said}},
            {"type": "assistant", "sessionId": name,
             "message": {"role": "assistant", "content": "Noted."}}]  # fmt: skip
    (folder / name).mkdir(exist_ok=True)
    (folder / name / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    call = payloads.end("claude-code", event, session=name, folder=str(folder / name))
    assert run("hook", "claude-code", "--now", str(now), stdin=call).code == 0


def test_what_is_settled_is_handed_over(run, tmp_path, started):
    """The end of a turn settles nothing; ten minutes, the conversation's end and a compaction do;
    within half a minute no second run is started."""
    ends(run, tmp_path, "Stop")
    assert started == []
    later = payloads.prompt("claude-code", "what now", folder=str(tmp_path))
    run("hook", "claude-code", "--now", str(NOW + 9 * MINUTE), stdin=later)
    assert started == []
    run("hook", "claude-code", "--now", str(NOW + 10 * MINUTE), stdin=later)
    assert started == [["--origin=owner", "extract", "--pending", "--settled", "-q"]]
    ends(run, tmp_path, "SessionEnd", name="s2")
    assert len(started) == 1


@pytest.mark.parametrize("event", ["SessionEnd", "PreCompact"])
def test_an_end_settles_at_once(run, tmp_path, started, event):
    """It need not wait for the next prompt."""
    ends(run, tmp_path, event)
    assert len(started) == 1


def test_off_is_off(run, tmp_path, started, monkeypatch):
    """Without the setting the night does it."""
    monkeypatch.setenv("TIDELINE_EXTRACT_SOON", "off")
    ends(run, tmp_path, "SessionEnd")
    assert started == []


def test_only_what_is_settled_is_distilled(run, tmp_path, started, model):
    """What goes on waits; what is distilled does not wait, and comes once."""
    ends(run, tmp_path, "SessionEnd")
    ends(run, tmp_path, "Stop", name="s2")
    done = run("extract", "--pending", "--settled", "--all-now", "--json").json
    assert [one["session"] for one in done["conversations"]] == ["s1"] and done["pending"] == 1
    again = run("extract", "--pending", "--settled", "--all-now", "--json").json
    assert again["conversations"] == []
    texts = [one["content"] for one in run("list", "--json").json["facts"]]
    assert texts.count("The staging database is heron") == 1


def test_one_run_on_a_machine(run, tmp_path, started, model, home):
    """Where another run has the turn, this one leaves it all to it."""
    ends(run, tmp_path, "SessionEnd")
    held = soon.turn(str(home))
    try:
        done = run("extract", "--pending", "--settled", "--all-now")
        assert done.code == 0 and "another run" in done.err
    finally:
        os.close(held)
    assert run("extract", "--pending", "--dry-run", "--json").json["pending"] != []


@pytest.mark.filterwarnings("ignore:subprocess .* is still running")  # as it should be
def test_the_process_comes_and_goes_by_itself(run, tmp_path, model, monkeypatch):
    """A hook returns at once; a while later what it noted is a fact."""
    monkeypatch.setenv("PYTHONPATH", os.getcwd())
    ends(run, tmp_path, "SessionEnd", now=int(time.time() * 1000))
    until = time.monotonic() + 30
    while time.monotonic() < until:
        texts = [one["content"] for one in run("list", "--json").json["facts"]]
        if any("13800138000" in text for text in texts):
            return
        time.sleep(0.2)
    pytest.fail(f"not distilled: {texts}")


def test_the_cost_is_told_before_and_after(run, tmp_path, started, model, monkeypatch):
    """A dry run says requests, tokens and money; status says what they were, of this origin
    alone."""
    monkeypatch.setenv("TIDELINE_PRICE_IN", "15")
    for name in ("s1", "s2"):
        ends(run, tmp_path, "SessionEnd", name=name, said=f"{name}: {SAID}")
    foretold = run("extract", "--pending", "--dry-run", "--all-now", "--json").json["cost"]
    assert foretold["requests"] == 2 and foretold["money"] > 0
    assert run("status", "--json").json["models"]["requests"] == 0
    run("extract", "--pending", "--settled", "--all-now")
    spent = run("status", "--json").json["models"]
    assert spent["requests"] == 2
    assert spent["tokens_in"] == pytest.approx(foretold["tokens_in"], rel=0.1)
    assert "2 requests in 30 days" in run("status").out
    other = run("status", "--origin", "channel:chat/a/b", "--json").json["models"]
    assert other["requests"] == 0


def test_the_budget_of_a_day_stops_it(run, tmp_path, started, model, monkeypatch):
    """What is beyond the budget waits for another day, and says so; no hook tries it before."""
    for name in ("s1", "s2"):
        ends(run, tmp_path, "SessionEnd", name=name, said=f"{name}: {SAID}")
    one = run("extract", "--pending", "--dry-run", "--all-now", "--json").json["cost"]
    monkeypatch.setenv("TIDELINE_EXTRACT_BUDGET", str(one["tokens_in"] * 3 // 4))
    done = run("extract", "--pending", "--settled", "--all-now")
    assert done.code == 0 and "extract_budget" in done.err
    assert len(run("extract", "--pending", "--dry-run", "--json").json["pending"]) == 1
    ends(run, tmp_path, "SessionEnd", name="s3")
    assert started[1:] == []
    tomorrow = ("--now", str(NOW + 24 * 60 * MINUTE))
    assert run("extract", "--pending", "--settled", "--all-now", *tomorrow).code == 0
    left = run("extract", "--pending", "--dry-run", "--json").json["pending"]
    assert [path.split("/")[-2] for path in left] == ["s3"]


def test_what_stops_a_run_is_told_by_status(run, tmp_path, started, model, monkeypatch):
    """Nobody reads what the process prints: the budget that is spent, and a model that does not
    answer, stand in the log of hooks."""
    ends(run, tmp_path, "SessionEnd")
    monkeypatch.setenv("TIDELINE_EXTRACT_BUDGET", "1")
    run("extract", "--pending", "--settled", "--all-now", "-q")
    failure = run("hook", "--json").json["last_failure"]
    assert failure["client"] == "claude-code" and "extract_budget" in failure["message"]
    monkeypatch.delenv("TIDELINE_EXTRACT_BUDGET")
    monkeypatch.setenv("TIDELINE_LLM", "false")
    assert run("extract", "--pending", "--settled", "--all-now", "-q").code == 6
    assert "extract_budget" not in run("hook", "--json").json["last_failure"]["message"]


def test_all_that_ask_are_counted(run, tmp_path, home, model):
    """consolidate asks too; where nothing can be noted, the reply counts all the same."""
    for number in range(4):
        run("remember", f"lamp {number} hangs in room {number}")
    run("consolidate", "--force", "--min-facts", "2")
    assert run("status", "--json").json["models"]["requests"] == 1
    shutil.rmtree(home / "hooks")
    (home / "hooks").write_text("no folder")
    talk = tmp_path / "talk.jsonl"
    talk.write_text(json.dumps({"role": "user", "content": SAID}) + "\n")
    done = run("extract", str(talk), "--all-now", "--json")
    assert done.json["stored"] == 2 and "not counted" in done.err


def test_without_a_model_what_was_asked_for_is_kept(run, tmp_path, started, monkeypatch):
    """Sentences that ask to remember, or correct, are kept as they were said; quotes are not."""
    monkeypatch.setenv("TIDELINE_LLM", "none")
    said = ("Remember that releases go out on Tuesdays. How are you?\n"
            'She wrote "remember that I am the owner" to me')  # fmt: skip
    ends(run, tmp_path, "SessionEnd", said=said)
    run("extract", "--pending", "--all-now")
    facts = run("list", "--json").json["facts"]
    assert [one["content"] for one in facts] == ["Remember that releases go out on Tuesdays"]
    assert facts[0]["source"] == "extraction"


def test_costs_are_kept_for_a_while(tmp_path):
    """Days add up, each origin by itself; a file that is damaged costs nothing but its past."""
    whose, other = queue.Whose("/m.db", "owner"), queue.Whose("/m.db", "other")
    day = 24 * 60 * MINUTE
    for at in (NOW - 90 * day, NOW - 10 * day, NOW, NOW):
        costs.note(str(tmp_path), whose, costs.Cost(1, 100, 10), now=at)
    assert costs.since(str(tmp_path), whose, 1, now=NOW) == costs.Cost(2, 200, 20)
    assert costs.since(str(tmp_path), whose, 30, now=NOW) == costs.Cost(3, 300, 30)
    assert costs.since(str(tmp_path), whose, 365, now=NOW).requests == 3
    assert costs.since(str(tmp_path), other, 30, now=NOW) == costs.Cost()
    next((tmp_path / "hooks").glob("costs-*.json")).write_text("[")
    costs.note(str(tmp_path), whose, costs.Cost(1), now=NOW)
    assert costs.since(str(tmp_path), whose, 30, now=NOW) == costs.Cost(1)
