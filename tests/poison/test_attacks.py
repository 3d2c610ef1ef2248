"""No untrusted source gains anything, and nobody honest is refused."""

from __future__ import annotations

from itertools import chain

import pytest

from tests.poison import attacks, honest, hostile_models, turns
from tests.poison.attacks import DAY, MARK, SPOKEN
from tests.poison.battle import Battle
from tideline_cli.exchange.extract import conversation
from tideline_cli.model.edge import REPLACING
from tideline_cli.policy import gate, slots
from tideline_cli.policy.harness import Heard

LANES = (
    attacks.authoring, attacks.importing, attacks.superseding, attacks.restating,
    attacks.misspelling, attacks.from_elsewhere, attacks.outranking, attacks.claiming,
    hostile_models.replying, hostile_models.talking, hostile_models.harnessed,
    hostile_models.consolidating, hostile_models.laundering,
)  # fmt: skip
LARGE = 16  # a lane with more attacks than this is sampled; `make poison` runs all of them


@pytest.fixture(scope="module")
def _module_environment(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIDELINE_HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("TIDELINE_NOW", "1760000000000")
        yield


@pytest.fixture(scope="module")
def battle(_module_environment, tmp_path_factory):
    return Battle(tmp_path_factory.mktemp("battle"))


def sampled(lane, seed=1):
    tried = list(lane())
    return tried[seed % 3 :: 1 + len(tried) // LARGE] if len(tried) > LARGE else tried


@pytest.mark.sampled(5)
@pytest.mark.parametrize("lane", LANES, ids=lambda lane: lane.__name__)
def test_no_attack_succeeds(battle, lane):
    """Whatever is tried, the owner's facts stay as they are and first for their own words, and
    nothing that an attacker said is protected, trusted, pinned or permanent."""
    won = {}
    for attack in sampled(lane):
        codes = battle.fight(attack)
        assert set(codes) <= {0, 1, 2, 3, 4}, (attack, codes)
        harm = battle.harm(attack)
        if harm:
            won[repr(attack)] = harm
    assert won == {}


def test_no_model_hears_a_program_as_the_user(run):
    """Nothing of what a program wrote into the user's turn is sent to a model, and the user's own
    words beside it are."""
    for name, row in turns.everything():
        asked = ("--session", "t", "--all-now", "--dry-run", "--json", "--lessons", "--per-message")
        talk = attacks.lines({"role": "user", "content": "I like tea"}, row)
        form = run("extract", "-", *asked, stdin=talk).json
        prompts = [one["prompt"] for one in form["prompts"]]
        assert prompts[0].endswith("USER: I like tea"), name
        assert MARK not in "".join(prompts) + "".join(form["would_store"]), name
        whole = run("extract", "-", "--session", "t", "--dry-run", "--json", stdin=talk).json
        assert MARK not in "".join(one["prompt"] for one in whole["prompts"]), name


def test_the_judge_hears_a_program(battle, monkeypatch):
    """With the reading of turns taken out most of the rows pass, so the judge sees."""
    for module in (conversation, conversation):
        monkeypatch.setattr(module, "heard", lambda pieces: Heard("".join(pieces)))
    monkeypatch.setattr(conversation, "_is_foreign", lambda row: False)
    won = 0
    tried = sampled(hostile_models.harnessed)
    for attack in tried:
        battle.fight(attack)
        won += bool(battle.harm(attack))
    assert won > len(tried) // 2


def test_the_judge_sees_harm(battle, monkeypatch):
    """Without the write-gate attacks succeed: a judge that finds nothing would prove nothing."""
    monkeypatch.setattr(gate, "is_trusted", lambda source: True)
    monkeypatch.setattr(slots, "is_trusted", lambda source: True)
    won = 0
    tried = [*sampled(attacks.authoring), *sampled(attacks.superseding)]
    for attack in tried:
        battle.fight(attack)
        won += bool(battle.harm(attack))
    assert won > len(tried) // 2


def test_honest_writes_are_taken(battle):
    """No honest write is refused, whoever makes it."""
    refused = []
    for number, (name, words, text) in enumerate(honest.writes()):
        if number % 3 == 0:
            codes = battle.fight(attacks.Attack("honest", name, (words, text)))
            refused += [] if codes == [0] else [(name, codes)]
    assert refused == []


def test_nobody_takes_the_words_out_of_the_owners_mouth(battle):
    """What the owner says is stored as his, in his words, though an untrusted source said nearly
    the same before."""
    swallowed = []
    for number, (name, first, text, own) in enumerate(honest.forestalled()):
        if number % 4:
            continue
        battle.fight(attacks.Attack("first", name, first))
        done = battle.run("remember", text, *own, "--json").json["fact"]
        if (done["source"], done["content"]) != ("owner_message", text):
            swallowed.append((name, done))
    assert swallowed == []


@pytest.mark.parametrize("undoing", [("restore", DAY), ("undo",)], ids=["restore", "undo"])
def test_an_untrusted_fact_does_not_keep_the_owners_out(battle, undoing):
    """What the owner forgot comes back, though an untrusted source has filled its slot since."""
    filled = attacks.said(
        "remember", f"on {MARK}", "--slot", "deploy_day", "--source", "tool_output"
    )
    steps = [attacks.said("forget", DAY), filled]
    battle.fight(attacks.Attack("first", "slot", *steps))
    words = undoing if undoing[0] == "restore" else ("undo", _batch_of(battle, "forget"))
    done = battle.run(*words)
    assert done.code == 0, done.err
    active = {row.id for row in battle.facts(battle.path) if row.lifecycle == "active"}
    assert set(SPOKEN) <= active


@pytest.mark.parametrize("kind", REPLACING)
def test_an_import_cannot_say_that_it_replaced_the_owners_fact(battle, kind):
    """An edge of a file that nobody vouches for does not keep the owner's fact from being
    restored; one between rows of the file is stored."""
    rows = attacks.lines(
        {"content": f"{MARK} one", "id": "ONE1", "links": [{"kind": kind, "target": DAY}]},
        {"content": f"{MARK} two", "id": "TWO2", "links": [{"kind": kind, "target": "ONE1"}]},
    )
    steps = [attacks.said("import", "-", stdin=rows), attacks.said("forget", DAY)]
    battle.fight(attacks.Attack("first", "edge", *steps))
    assert battle.run("show", DAY, "--json").json["backlinks"] == []
    listed = battle.run("list", "--json").json["facts"]
    ids = {(fact["metadata"] or {}).get("original_id"): fact["id"] for fact in listed}
    inside = battle.run("show", ids["ONE1"], "--json").json["backlinks"]
    assert [edge["id"] for edge in inside] == [ids["TWO2"]]
    assert battle.run("restore", DAY).code == 0


def _batch_of(battle, verb):
    changes = battle.run("history", "--json").json["changes"]
    return str(next(change["batch"] for change in changes if change["verb"] == verb))


def test_trust_is_raised_by_the_owner_alone(battle):
    """An untrusted fact becomes the owner's word by an edit that names its id, and its archived
    self keeps its source."""
    battle.fight(attacks.Attack("first", "tell", attacks.said(
        "remember", "the office moves to Brno", "--source", "retrieved_document"
    )))  # fmt: skip
    told = next(row for row in battle.facts(battle.path) if row.source == "retrieved_document")
    assert battle.run("pin", told.id).code == 0
    assert battle.run("feedback", told.id, "up").code == 0
    after = {row.id: row for row in battle.facts(battle.path)}[told.id]
    assert (after.source, after.segment) == ("retrieved_document", "knowledge")
    done = battle.run("edit", told.id, "the office moves to Brno in May", "--json").json
    assert (done["fact"]["source"], done["superseded"]) == ("owner_message", [told.id])
    assert {row.id: row.source for row in battle.facts(battle.path)}[told.id] == told.source


def test_a_batch_is_not_trusted_more_than_its_command(battle):
    """A line of `remember --batch --source tool_output` that claims to be the owner's is refused,
    one that is more modest is taken."""
    text = attacks.lines(
        {"content": "one", "source": "owner_message"}, {"content": "two", "source": "dream"},
        {"content": "three", "source": "retrieved_document"}, {"content": "four"},
    )  # fmt: skip
    battle.fight(attacks.Attack("first", "nothing"))
    done = battle.run("remember", "--batch", "--source", "tool_output", stdin=text)
    told = [row.get("error", {}).get("code") or row["fact"]["source"] for row in done.lines]
    refused = "write_gate_blocked"
    assert (done.code, told) == (4, [refused, refused, "retrieved_document", "tool_output"])


def test_all_lanes_are_counted():
    """The attacks that `make poison` counts are those of the lanes."""
    counted = sum(1 for _ in chain(attacks.everything(), hostile_models.everything()))
    assert counted == sum(1 for lane in LANES for _ in lane()) > 1000
