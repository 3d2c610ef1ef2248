"""Conversations against the reference's calls, stores, cursors and events."""

from __future__ import annotations

from itertools import count

import pytest

from tests.support import (
    NOW,
    deviation,
    fresh_store,
    golden,
    numbered,
    put,
    reference_fact,
    reference_origin,
    statements,
)
from tideline_cli.errors import UnavailableError
from tideline_cli.exchange.extract import passes
from tideline_cli.exchange.extract.conversation import flattened, said_turn
from tideline_cli.exchange.extract.types import ExtractContext, Tally
from tideline_cli.llm import prompts
from tideline_cli.model.edge import SYMMETRIC
from tideline_cli.model.origin import EVERYONE
from tideline_cli.model.record import replace
from tideline_cli.policy.grounding import Ground
from tideline_cli.store import cursors, facts, history, links, listing
from tideline_cli.store.connection import put_setting

GOLDEN = golden("extraction")
KNOWN = prompts.known_facts_block("x").strip().split("\n")[0]


def conversation(forms):
    turns = (said_turn(form) for form in forms if isinstance(form, dict))
    return [turn.message for turn in turns if turn is not None]


@pytest.mark.parametrize("case", GOLDEN["flatten"])
def test_flatten(case):
    """A conversation as text holds what users and assistants said, text blocks alone."""
    assert flattened(conversation(case["messages"])) == case["text"]


def test_defaults():
    """Two new messages are worth a request, ten known facts go with it, a minute is patience."""
    from tideline_cli.cli.model_options import ModelOptions

    patience = ModelOptions.timeout.default
    assert (passes.MIN_NEW, passes.CANDIDATES, patience * 1000) == (
        GOLDEN["defaults"]["minNewMessages"],
        GOLDEN["defaults"]["candidateK"],
        GOLDEN["defaults"]["llmTimeoutMs"],
    )


class Script:
    """One case played on a store of ours."""

    def __init__(self, db):
        self.db = db
        self.numbers = count()

    def play(self, step):
        """Run one step and return (what was sent, the result, the cursor)."""
        sent = []
        origin = reference_origin(step.get("origin"))
        context = ExtractContext("s", origin, NOW, lambda: f"n{next(self.numbers)}")
        messages = conversation(step["messages"])
        tally = Tally()

        def ask(system, prompt):
            assert system == prompts.EXTRACTION
            sent.append(prompt)
            if step["reply"] is None:
                raise UnavailableError("no model")
            assert deviation("reply_items")
            if step["reply"] == "{}":
                return '{"facts": []}'
            return step["reply"].replace('{"content":"zzz","segment":"mood"},', "")

        one = passes.facts_pass(self.db, context, messages, tally, min_new=passes.MIN_NEW)
        passes.run(self.db, context, one, messages, tally, ask=ask)
        result = {"ran": tally.ran, "stored": tally.stored, "processedTo": tally.done["facts"]}
        return "".join(sent), result, cursors.done(self.db, "s", "facts", viewer=origin)


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: case["name"])
def test_extraction(case, monkeypatch):
    """Each step sends, stores and advances as the reference does, and the store ends alike."""
    assert deviation("prompt_wording")
    assert deviation("grounding")
    monkeypatch.setattr(Ground, "bears", lambda *_: True)
    with fresh_store() as db:
        put_setting(db, "analyzer", "reference")
        put(db, [reference_fact(form) for form in case["input"]], analyzer="reference")
        script = Script(db)
        for step in case["steps"]:
            sent, result, cursor = script.play(step)
            assert sent == numbered(step["llm_input"].replace("<KNOWN>", KNOWN))
            assert (result, cursor) == (step["result"], step["cursor"])
        assert {fact.id: comparable(fact) for fact in stored(db)} == {
            form["memoryId"]: expected(form, case) for form in case["output"]
        }
        edges = [
            (e.source, e.kind, e.target, e.reason, e.strength)
            for e in links.each(db, viewer=EVERYONE)
        ]
        assert statements(edges) == statements(
            (form["memoryId"], e["kind"], e["target"], e["reason"], e["strength"])
            for form in case["output"] for e in form.get("links", ())
        )
        assert len(edges) == sum(1 + (one[0] in SYMMETRIC) for one in statements(edges))
        assert told(db, case) == sorted(
            (event["kind"], event["at"], event.get("reason", event["memoryId"]))
            for event in case["events"]
        )


def stored(db):
    return list(listing.each(db, viewer=EVERYONE, wanted=facts.Filter(), oldest_first=True))


def comparable(fact):
    return replace(fact, heat="working")


def expected(form, case):
    """Return a fact of the reference, with what only we note: where in which session it was said.

    Each case stores facts in its first step alone, so their turn is where that step's cursor ends.
    """
    fact, session = reference_fact(form), form.get("sourceTurn")
    turn = session and case["steps"][0]["cursor"]
    return comparable(replace(fact, source_turn=session, session=session, turn=turn))


def told(db, case):
    """Return what the journal tells of the case, in the words of the reference's event log."""
    origin = reference_origin(case["steps"][0].get("origin"))
    events = []
    for entry in history.entries(db, viewer=origin, limit=100):
        if entry.outcome == "blocked":
            events.append(("blocked", entry.at, entry.reason.replace(": ", ":")))
        elif (entry.entity, entry.act) == ("fact", "+"):
            events.append(("created", entry.at, entry.fact))
    return sorted(events)
