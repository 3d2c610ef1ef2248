"""Edges that a model proposes, against the reference's guards; relink against its calls."""

from __future__ import annotations

import pytest

from tests.support import (
    NOW,
    deviation,
    fact,
    fresh_store,
    golden,
    joined,
    numbered,
    put,
    reference_fact,
    statements,
)
from tideline_cli.exchange.relink import MOST_CONSIDERED, WINDOW, relink
from tideline_cli.llm import prompts, reply
from tideline_cli.llm.reply import Reference
from tideline_cli.model.edge import SYMMETRIC
from tideline_cli.model.origin import EVERYONE, OWNER
from tideline_cli.policy import prompt_lines, relations
from tideline_cli.store import links

GOLDEN = golden("relationships")
RELINK = golden("relink")


@joined("case", GOLDEN["resolve"])
def test_guards(case):
    """Each guard drops what the reference drops, in its order."""
    taken = relations.taken(
        [Reference(**ref) for ref in case["refs"]], new=("n0", "n1"),
        shown=("o1", "o2", "o3", "o4"),
    )  # fmt: skip
    assert [
        {"a": p.a, "b": p.b, "kind": p.kind, "reason": p.reason, "strength": p.strength}
        for p in taken
    ] == case["pairs"]


@pytest.mark.parametrize("case", GOLDEN["parse"])
def test_references(case):
    """The references of a reply are trimmed, and a strength is a whole number from 1 to 5."""
    names = ("a", "b", "type", "reason", "strength")
    assert [
        {name: getattr(ref, name) for name in names if getattr(ref, name) is not None}
        for ref in reply.relationships(case["text"]) or ()
    ] == case["refs"]


def test_numbers():
    """The least strength, that of same_topic, and how many of those a fact may have."""
    assert (
        GOLDEN["min_factual_strength"],
        GOLDEN["same_topic_strength"],
        GOLDEN["max_same_topic_per_fact"],
        RELINK["window"],
        RELINK["max_facts"],
    ) == (
        relations.MIN_FACTUAL_STRENGTH,
        relations.SAME_TOPIC_STRENGTH,
        relations.MAX_SAME_TOPIC,
        WINDOW,
        MOST_CONSIDERED,
    )


def test_candidate_block():
    """Known facts end the prompt, one a line, the first 200 characters of each."""
    assert deviation("prompt_wording")
    known = [fact("short", "o1"), fact("y" * 300, "o2")]
    block = prompts.known_facts_block(prompt_lines.lines(known, longest=200))
    heading = block.strip().split("\n")[0]
    assert block == numbered(GOLDEN["candidate_block"].replace("<KNOWN>", heading))


def test_relink():
    """Each window is one call and one that asks what was missed; foreign ids are dropped; the
    second run changes nothing."""
    sent = []
    answer = RELINK["calls"][1].partition("<REPLIED>\n")[2].partition("\n\n<GLEANING>")[0]

    def ask(system, prompt):
        assert system == prompts.RELINK
        sent.append(prompt)
        return answer

    with fresh_store() as db:
        put(db, [reference_fact(form) for form in RELINK["output"]][::-1])
        result = relink(db, viewer=OWNER, now=NOW, ask=ask, size=2)
        assert {
            "edgesWritten": RELINK["result"]["edgesWritten"],
            "considered": result.considered,
            "windows": result.windows,
        } == RELINK["result"]
        assert result.links == len(list(links.each(db, viewer=EVERYONE)))
        assert sent == [in_our_words(call) for call in RELINK["calls"]]
        edges = [
            (e.source, e.kind, e.target, e.reason, e.strength)
            for e in links.each(db, viewer=EVERYONE)
        ]
        assert statements(edges) == statements(
            (form["memoryId"], e["kind"], e["target"], e["reason"], e["strength"])
            for form in RELINK["output"] for e in form.get("links", ())
        )
        assert len(edges) == sum(1 + (one[0] in SYMMETRIC) for one in statements(edges))
        again = relink(db, viewer=OWNER, now=NOW, ask=ask, size=2)
        assert (again.links, again.batch) == (0, None)


def in_our_words(call):
    block, middle, rest = call.partition("\n\n<REPLIED>\n")
    block = numbered(block)
    if not middle:
        return block
    asked = prompts.gleaning("", "").strip().split("\n")
    said = rest.partition("\n\n<GLEANING>")[0]
    return f"{block}\n\n{asked[0]}\n{said}\n\n{asked[-1]}"
