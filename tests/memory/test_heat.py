"""Heat that moves by use: core, working, peripheral."""

from __future__ import annotations

import pytest

from tests.support import DAY, NOW, fact, golden, put
from tideline_cli.model.fact import is_restless
from tideline_cli.ranking.heat import USUAL, HeatRule, next_heat, settled

ITEMS = golden("rsclaw_relevance")["items"]


def test_heat_is_that_of_the_reference():
    """With the source's behaviour of core facts, every transition is the reference's."""
    rule = HeatRule(demotes_core=True)
    for item in ITEMS:
        got = next_heat(
            item["tier"], item["importance"], item["access_count"], item["age_days"],
            item["relevance"], pinned=item["pinned"], rule=rule,
        )  # fmt: skip
        assert got == item["next_tier"], item


def test_core_stays_core():
    """By default nothing that is core cools down; all else is as in the reference."""
    for item in ITEMS:
        got = next_heat(
            item["tier"], item["importance"], item["access_count"], item["age_days"],
            item["relevance"], pinned=item["pinned"],
        )  # fmt: skip
        assert got == ("core" if item["tier"] == "core" else item["next_tier"])


def test_what_may_not_move_is_known_without_the_rule():
    """A fact that the quick look calls at rest is not moved by the rule."""
    for item in ITEMS:
        one = fact(
            "tea", "01" * 13, now=NOW - round(item["age_days"] * DAY), heat=item["tier"],
            importance=item["importance"], access_count=item["access_count"],
        )  # fmt: skip
        if not is_restless(one, one.access_count, now=NOW):
            assert settled(one, now=NOW) == one
    assert HeatRule(15, 0.9, 5, 0.8) == USUAL


def test_use_makes_core_and_undo_takes_it_back(run):
    """The fifteenth use makes a fact core; history shows the move, undo by its number takes it
    back, and undo without a number passes it by."""
    made = run("remember", "tea at five", "--json").json["id"]

    def heat():
        return run("show", made, "--json").json["fact"]["heat"]

    for _ in range(14):
        run("recall", "tea")
    assert heat() == "working"
    assert [entry["verb"] for entry in run("history", "--json").json["changes"]] == ["remember"]
    run("recall", "tea")
    assert heat() == "core"
    moved = run("history", "--json").json["changes"][0]
    assert (moved["verb"], moved["reason"]) == ("recall", "heat: 1 working → core")
    own = [one for one in run("history", made, "--json").json["changes"] if one["verb"] == "recall"]
    assert [(one["before"]["heat"], one["after"]["heat"]) for one in own] == [("working", "core")]
    assert "changed by recall" in run("show", made).out
    assert run("status", "--json").json["by_heat"]["core"] == 1
    assert run("list", "--heat", "core", "--json").json["facts"][0]["id"] == made
    assert run("undo", str(moved["batch"]), "--json").json["verb"] == "recall"
    assert heat() == "working"
    assert run("show", made, "--json").json["fact"]["access_count"] == 15
    assert run("undo", "--json").json["verb"] == "remember"


def test_an_undo_is_not_stopped_by_heat(run):
    """A fact whose heat has moved can be taken back; of an older change the heat of now stays."""
    made = run("remember", "tea at five", "--json", "--now", "2025-01-01").json["id"]
    run("edit", made, "--title", "Tea", "--now", "2025-01-02")
    run("recall", "tea", "--touch", "--now", "2026-01-01")
    fact = run("show", made, "--json").json["fact"]
    assert (fact["heat"], fact["title"]) == ("peripheral", "Tea")
    assert run("undo", "--json").json["verb"] == "edit"
    fact = run("show", made, "--json").json["fact"]
    assert (fact["heat"], fact["title"]) == ("peripheral", None)
    assert run("undo", "--json").json["verb"] == "remember"
    assert run("show", made).code == 3
    assert run("doctor", "--deep").code == 0


def test_praise_moves_heat_in_its_own_batch(run):
    """Feedback runs the rule, in the batch that it makes: one undo takes both back."""
    made = run("remember", "tea at five", "--importance", "0.88", "--json").json["id"]
    assert run("show", made, "--json").json["fact"]["heat"] == "working"
    assert run("feedback", made, "up", "--json").code == 0
    assert run("show", made, "--json").json["fact"]["heat"] == "core"
    run("undo")
    assert run("show", made, "--json").json["fact"]["heat"] == "working"


def test_a_restatement_moves_heat(run):
    """To say again what is known runs the rule too."""
    made = run("remember", "tea at five", "--importance", "0.85", "--json").json["id"]
    for _ in range(5):
        run("remember", "tea at five")
    assert run("show", made, "--json").json["fact"]["heat"] == "core"


def test_what_is_old_and_hardly_used_cools_down(run):
    """A use after more than 60 days cools a fact down; three uses and relevance warm it again."""
    made = run("remember", "tea at five", "--json", "--now", "2026-01-01").json["id"]
    pinned = run("remember", "tea leaves", "--pin", "--json", "--now", "2026-01-01").json["id"]
    mine = run("remember", "my tea", "-s", "identity", "--json", "--now", "2026-01-01").json["id"]
    for _ in range(2):
        run("recall", "tea", "--touch", "--now", "2026-03-03")
    heats = {one: run("show", one, "--json").json["fact"]["heat"] for one in (made, pinned, mine)}
    assert heats == {made: "peripheral", pinned: "core", mine: "core"}
    for _ in range(4):
        run("recall", "tea", "--touch", "--now", "2026-03-03")
    assert run("show", made, "--json").json["fact"]["heat"] == "working"


def test_who_only_looks_moves_nothing(run):
    """A recall that counts no use, and context, move no heat."""
    run("remember", "tea at five", "--now", "2025-01-01")
    for words in (("recall", "tea", "--no-touch"), ("context", "tea"),
                  ("recall", "tea", "--explain")):  # fmt: skip
        run(*words, "--now", "2026-01-01")
    assert run("status", "--json").json["by_heat"]["working"] == 1


@pytest.mark.parametrize(
    ("name", "value", "uses", "importance"),
    [("promotion_access_only", "3", 3, "0.1"), ("promotion_importance_only", "0.6", 0, "0.6"),
     ("promotion_both_access", "2", 2, "0.8"), ("promotion_both_importance", "0.5", 5, "0.5")],
)  # fmt: skip
def test_the_rule_is_set(run, name, value, uses, importance):
    """Each threshold is a setting, and holds for what is written and used from then on."""
    assert run("config", "set", name, value).code == 0
    made = run("remember", "tea at five", "--importance", importance, "--json").json["id"]

    def heat():
        return run("show", made, "--json").json["fact"]["heat"]

    for _ in range(uses):
        assert heat() == "working"
        run("recall", "tea")
    assert heat() == "core"


def test_core_cools_down_where_that_is_set(run):
    """core_demotion on is the source's behaviour; what is permanent or pinned stays core."""
    made = run("remember", "never call it chai", "-s", "correction", "--json",
               "--now", "2026-01-01").json["id"]  # fmt: skip
    mine = run("remember", "I call it tea", "-s", "identity", "--json",
               "--now", "2026-01-01").json["id"]  # fmt: skip
    run("recall", "call", "--touch", "--now", "2026-06-01")
    assert run("show", made, "--json").json["fact"]["heat"] == "core"
    bad = run("config", "set", "core_demotion", "maybe")
    assert (bad.code, "on or off" in bad.err) == (2, True)
    run("config", "set", "core_demotion", "on")
    run("recall", "call", "--touch", "--now", "2026-06-01")
    assert run("show", made, "--json").json["fact"]["heat"] == "peripheral"
    assert run("show", mine, "--json").json["fact"]["heat"] == "core"


def test_the_heat_of_another_origin_stays(db):
    """The rule sees the facts of the viewer alone."""
    from tests.support import PEER
    from tideline_cli.memory.heat import settle_used
    from tideline_cli.model.origin import EVERYONE, OWNER
    from tideline_cli.store import facts

    old = [fact("tea", "01" * 13, now=NOW - 90 * DAY),
           fact("tea", "02" * 13, now=NOW - 90 * DAY, origin=PEER)]  # fmt: skip
    seqs = put(db, old)
    settle_used(db, facts.get(db, seqs, viewer=EVERYONE), viewer=OWNER, now=NOW)
    rows = db.execute("SELECT heat FROM fact ORDER BY seq").fetchall()
    assert rows == [("peripheral",), ("working",)]
