"""What may contradict: the signs on pairs of statements, and who is told of them where."""

from __future__ import annotations

import json
import random
import shlex
from itertools import combinations
from pathlib import Path

import pytest

from tests.doors.mcp_talk import told
from tests.support import DAY, NOW, fact, joined, put
from tideline_cli import Memory
from tideline_cli.memory import contradictions as memory
from tideline_cli.memory.query import Query
from tideline_cli.memory.recall import recall
from tideline_cli.memory.remember import remember
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import OWNER
from tideline_cli.policy import contradictions as policy
from tideline_cli.policy.contradictions import sign, statement
from tideline_cli.policy.statements import gist, may_contradict
from tideline_cli.store.connection import put_setting, writing

HERE = Path(__file__).parent
PEER = "channel:wa/c1/s1"


def lines(name):
    """Return the lines of a file of statements, each as its cells."""
    text = (HERE / name).read_text("utf-8")
    return [
        [cell.strip() for cell in line.split(" | ")]
        for line in text.splitlines() if line and not line.startswith("#")
    ]  # fmt: skip


PAIRS = lines("pairs.txt")
FRESH = lines("fresh_pairs.txt")


def told_apart(one, other):
    return sign(statement(one), statement(other))


@pytest.mark.parametrize(("pairs", "count", "least", "most"), [
    (PAIRS, 60, 52, 12), (FRESH, 40, 35, 5),
], ids=["pairs", "fresh"])  # fmt: skip
def test_the_signs_find_what_contradicts(pairs, count, least, most):
    """Nearly all pairs that contradict each other are found, and few of as many others."""
    kinds = [kind for kind, _, _ in pairs]
    found = [kind for kind, one, other in pairs if told_apart(one, other) is not None]
    assert (kinds.count("true"), kinds.count("false")) == (count, count)
    assert found.count("true") >= least
    assert found.count("false") <= most


def test_a_sign_holds_from_both_sides():
    """What one statement says of another, the other says of it."""
    for _, one, other in (*PAIRS, *FRESH):
        assert told_apart(one, other) == told_apart(other, one)


@joined("one, other, what", [
    ("The door is locked", "The door isn't locked", "negation"),
    ("The door is locked", "The door is unlocked", "opposite"),
    ("The door code is 4711", "The door code is 4712", "value"),
    ("My office has 2 windows", "My office has 3 windows", "value"),
    ("My office has 2 windows", "My office has 4 chairs", None),
    ("There are 2 windows in the hall", "There are 4 chairs in the hall", None),
    ("The recipe takes 2 eggs", "The recipe takes 3 onions", None),
    ("The exam is on 4 May", "The exam is on 6 June", "value"),
    ("We close the shop on Friday evenings", "We close the shop on Sunday mornings", "value"),
    ("Do not run the script", "Never run the script", None),
    ("I dislike olives", "I do not like olives", None),
    ("The door is locked", "The gate is not locked", None),
    ("I like tea but not coffee", "I like tea", None),
    ("The door is locked", "The door is locked", None),
    ("", "", None),
    ("not", "never", None),
])  # fmt: skip
def test_signs(one, other, what):
    """A negation on one side, an opposite word, another value: and two negations agree."""
    assert told_apart(one, other) == what


def test_a_fortnight_of_one_person(db):
    """Of a fortnight of facts each change is named when it is said, with at most three wrong
    notes."""
    said, wanted, named = [], set(), set()
    for number, (day, *change, text) in enumerate(
        [cells if cells[0].isdecimal() else ["14", *cells] for cells in lines("fortnight.txt")]
    ):
        if change:
            wanted.add((change[0].split()[1], text))
        done = remember(
            db, NewFact(text, "knowledge", "owner_message", OWNER), fact_id=f"F{number:03}",
            now=NOW + int(day) * DAY,
        )  # fmt: skip
        said.append(done.fact.id)
        assert done.action == "created"
        named |= {(str(said.index(one.id) + 1), text) for one in done.may_contradict}
    assert len(said) >= 60
    assert wanted <= named
    assert len(named - wanted) <= 3


# remember


def test_remember_names_what_it_may_contradict(run):
    """The note names the known fact and the command that takes it away, which runs as it is."""
    old = run("remember", "On Fridays I eat fish", "--json").json["id"]
    done = run("remember", "I no longer eat fish")
    (note,) = done.err.splitlines()
    assert note == (
        "tideline: may contradict: On Fridays I eat fish; if that no longer holds: "
        f"tideline forget {old}"
    )
    assert len(run("list", "--json").json["facts"]) == 2
    command = shlex.split(note.partition("holds: ")[2])
    assert run(*command[1:]).code == 0
    assert [one["content"] for one in run("list", "--json").json["facts"]] == [
        "I no longer eat fish"
    ]


def test_the_command_names_the_memory_that_was_named(run, tmp_path):
    """Where --db named the memory, the command of the note takes the fact out of that one."""
    where = ("--db", str(tmp_path / "my notes.db"))
    old = run(*where, "remember", "The office is in Zurich", "--json").json["id"]
    done = run(*where, "remember", "The office has moved to Geneva")
    command = shlex.split(done.err.partition("holds: ")[2])
    assert command == ["tideline", *where, "forget", old]
    assert run(*command[1:]).code == 0
    left = run(*where, "list", "--json").json["facts"]
    assert [one["content"] for one in left] == ["The office has moved to Geneva"]


def test_one_rare_word_is_enough(run):
    """However many words a new fact has, and however many share the other ones, it is compared
    with those that share a word that few hold."""
    run("remember", "Ota moved to Brno")
    old = run("remember", "Ota lives in Graz", "--json").json["id"]
    for number in range(30):
        run("remember", f"The autumn fair of week {number} kept its many visitors happily waiting")
    done = run("remember", "Ota moved to Prague with many visitors happily waiting that autumn",
               "--json").json  # fmt: skip
    assert old in [one["id"] for one in done["may_contradict"]]


def test_every_door_names_it(run, home):
    """JSON, a batch, MCP and Python name the fact and give the command."""
    old = run("remember", "The standup is at 9", "--json").json["id"]
    named = {"id": old, "content": "The standup is at 9", "command": f"tideline forget {old}"}
    assert run("remember", "The standup is at 10", "--json").json["may_contradict"] == [named]
    run("undo")
    done = run("remember", "--batch", stdin=json.dumps({"content": "The standup is at 11"}))
    assert done.lines[0]["may_contradict"] == [named]
    assert done.err == (
        "tideline: may_contradict names 1 known fact; `tideline contradictions` lists all pairs\n"
    )
    run("undo")
    answer = told("remember", text="The standup is at 12", argv=("--write",))
    assert answer["may_contradict"] == [
        {"id": old, "text": "The standup is at 9", "command": f"tideline forget {old}"}
    ]
    run("undo")
    with Memory.open(clock=lambda: NOW) as opened:
        found = opened.remember("The standup is at 13").may_contradict
    assert [one.id for one in found] == [old]


def test_only_the_same_origin_scope_and_speaker(run):
    """What another origin, scope or speaker said is not named."""
    for where in (("--origin", PEER), ("--scope", "work"), ("--speaker", "Ann")):
        run("remember", "The standup is at 9", *where)
    done = run("remember", "The standup is at 10", "--json").json
    assert "may_contradict" not in done
    done = run("remember", "The standup is at 11", "--scope", "work", "--json").json
    assert [one["content"] for one in done["may_contradict"]] == ["The standup is at 9"]


def test_untrusted_text_causes_the_note_alone(run):
    """A tool's text that denies what the owner said changes nothing and links nothing."""
    old = run("remember", "The backup is encrypted", "--json").json["fact"]
    done = run("remember", "The backup is not encrypted", "--source", "tool_output", "--confine",
               "--json").json  # fmt: skip
    assert [one["id"] for one in done["may_contradict"]] == [old["id"]]
    shown = run("show", old["id"], "--json").json
    assert (shown["fact"], shown["backlinks"]) == (old, [])
    hits = run("recall", "is the backup encrypted", "--json").json["hits"]
    assert [hit["content"] for hit in hits] == [old["content"], "The backup is not encrypted"]


def test_what_is_replaced_or_has_ended_is_not_named(run):
    """Neither what --supersedes names, nor what has ended, nor a restatement is told of."""
    old = run("remember", "I work at Acme", "--json").json["id"]
    run("remember", "I work at Initech", "--valid-to", "2025-01-01")
    done = run("remember", "I work at Globex", "--supersedes", old, "--json").json
    assert "may_contradict" not in done
    assert "may_contradict" not in run("remember", "I work at Globex", "--json").json


@pytest.mark.parametrize("times", [
    ("--valid-from", "2020-01-01", "--valid-to", "2021-01-01"), ("--valid-to", "2021-01-01"),
])  # fmt: skip
def test_what_held_before_contradicts_nothing(run, times):
    """A new fact is compared with those that hold while it does: not what was said of the past."""
    run("remember", "The mill is in Lund")
    done = run("remember", "The mill is in Malmo", *times, "--json").json
    assert "may_contradict" not in done
    assert run("contradictions", "--json").json["contradictions"] == []
    assert run("remember", "The mill is in Ystad", "--json").json["may_contradict"]


def test_values_of_one_slot_are_not_named(run):
    """The slot orders its values: to forget one would leave a hole, or cancel a plan."""
    run("remember", "I work from Zurich", "--slot", "desk")
    planned = run("remember", "I work from Rome", "--slot", "desk", "--valid-from", "2030-07-01",
                  "--json")  # fmt: skip
    assert "may_contradict" not in planned.json
    assert "may contradict" not in run("remember", "I work from Bern", "--slot", "desk").err
    assert "may contradict" in run("remember", "I work from Oslo").err


def test_a_fact_is_named_once(run):
    """What is both much alike and perhaps contradicted is told of as contradicted alone."""
    text = "The nightly export of the billing service to the archive bucket in Zurich starts at {}"
    old = run("remember", text.format("2:00"), "--json").json["id"]
    done = run("remember", text.format("4:00"), "--json").json
    assert [one["id"] for one in done["may_contradict"]] == [old]
    assert done["similar"] == []


# contradictions


def test_pairs_are_those_of_the_signs(run):
    """The command lists what the signs tell of, across segments, with the sign."""
    run("remember", "The heating is on in April", "-s", "preference")
    run("remember", "The heating is off in April", "--now", str(NOW + 1))
    run("remember", "I drink tea")
    run("remember", "I drink coffee")
    (pair,) = run("contradictions", "--json").json["contradictions"]
    assert (pair["a"]["content"], pair["sign"]) == ("The heating is off in April", "opposite")


@pytest.mark.parametrize("count", [300, 600])
def test_the_work_is_linear(db, monkeypatch, count):
    """However alike all facts are, each is compared with a few; that some were left out is said."""
    put(db, [fact(f"The sensor {n} in the hall reports {n % 7} degrees", f"F{n:04}")
             for n in range(count)])  # fmt: skip
    compared = []
    judged = policy.judged

    def counted(*given):
        compared.append(1)
        return judged(*given)

    monkeypatch.setattr(policy, "judged", counted)
    report = memory.contradictions(db, viewer=OWNER, now=NOW, limit=5)
    assert len(compared) <= 16 * count
    assert (report.compared, report.is_bounded, report.found) == (count, True, ())


def test_few_facts_are_compared_in_full(db):
    """In a store of some facts each pair of a subject is compared, and nothing is left out."""
    texts = [f"The {name} is {state}" for name in ("door", "gate", "hatch")
             for state in ("open", "closed", "not open")]  # fmt: skip
    put(db, [fact(text, f"F{n:03}", now=NOW + n) for n, text in enumerate(texts)])
    report = memory.contradictions(db, viewer=OWNER, now=NOW + 99, limit=50)
    wanted = {
        frozenset((a, b)) for a, b in combinations(texts, 2) if told_apart(a, b) is not None
    }
    assert {frozenset((pair.a.content, pair.b.content)) for pair in report.found} == wanted
    assert len(wanted) == 6
    assert not report.is_bounded


# recall


def hits_of(db, text, *, limit=8):
    answer = recall(db, Query(text, limit=limit), viewer=OWNER, now=NOW + 9 * DAY)
    return [hit.fact.content for hit in answer.hits]


@pytest.mark.parametrize(("texts", "question"), [
    (("On Fridays I eat fish", "I no longer eat fish"), "eat fish"),
    (("On Fridays I eat fish", "I no longer eat fish"), "what do I eat on Fridays"),
    (("I live in Bern", "I moved to Basel"), "where do I live"),
    (("The standup is at 9 every day", "The standup is at 10 every day"), "when is the standup"),
])  # fmt: skip
@pytest.mark.parametrize("limit", [1, 8])
def test_the_newer_statement_stands_first(db, texts, question, limit):
    """Of hits that may contradict each other the newer stands first, however few are asked for."""
    used = [fact(texts[0], "OLD", access_count=40), fact(texts[1], "NEW", now=NOW + DAY)]
    put(db, [*used, fact("Fridays are for fish soup recipes", "C"), fact("I fish", "D")])
    wanted = [*texts[::-1]][:limit]
    assert [text for text in hits_of(db, question, limit=limit) if text in texts] == wanted


def test_what_makes_the_score_adds_up(run):
    """`--explain` names what the newer statement gets, and the sum is its score."""
    run("remember", "On Fridays I eat fish")
    run("remember", "I no longer eat fish", "--now", str(NOW + 1))
    asked = ("recall", "eat fish", "--json", "--explain", "--now", str(NOW + DAY))
    first, second = run(*asked).json["hits"]
    why = first["explain"]
    assert first["content"] == "I no longer eat fish"
    assert why["newer"] > 0 and "newer" in run("recall", "eat fish", "--explain").out
    assert first["score"] == pytest.approx(
        why["bm25"] * why["trust"] * why["modulator"] + why["newer"]
    )
    assert first["score"] == second["score"]


def test_the_reference_is_left_as_it_is(db):
    """With the reference's analyser nothing moves."""
    with writing(db):
        put_setting(db, "analyzer", "reference")
    put(db, [fact("On Fridays I eat fish fish", "OLD"), fact("I no longer eat fish", "NEW",
        now=NOW + DAY)], analyzer="reference")  # fmt: skip
    assert hits_of(db, "eat fish")[0] == "On Fridays I eat fish fish"


@pytest.mark.parametrize("seed", range(3))
def test_the_screen_lets_every_pair_through_that_a_sign_tells_of(seed):
    """Of all true and false pairs, of their words mixed, and of one word that is another one."""
    chance = random.Random(seed)
    texts = [text for _, one, other in (*PAIRS, *FRESH) for text in (one, other)]
    for text in texts[:]:
        words = text.split()
        words[chance.randrange(len(words))] = chance.choice(chance.choice(texts).split())
        texts.append(" ".join(words))
    told = [(gist(text), statement(text)) for text in texts]
    for (one, said), (other, held) in combinations(told, 2):
        assert may_contradict(one, other) or sign(said, held) is None
