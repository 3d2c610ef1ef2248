"""What one process does between two steps of another."""

from __future__ import annotations

from struct import unpack

from tideline_cli.memory.purge import purge
from tideline_cli.memory.query import Query
from tideline_cli.memory.recall import recall, write_back
from tideline_cli.memory.remember import remember
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import OWNER


def test_a_purge_beside_a_recall(db, now):
    """A fact that is purged after a recall has embedded it leaves no vector behind."""
    ids = [f"01ARZ3NDEKTSV4RRFFQ69G5FA{n}" for n in range(3)]
    for n, fact_id in enumerate(ids):
        new = NewFact(f"the secret number {n} of the owner", "knowledge", "owner_message", OWNER)
        remember(db, new, fact_id=fact_id, now=now)
    answer = recall(db, Query("secret", mode="semantic"), viewer=OWNER, now=now)
    purge(db, ids[1:2], viewer=OWNER, now=now)
    write_back(db, answer, touch=False, now=now)
    held = [
        number
        for (facts,) in db.execute("SELECT facts FROM vector_chunk").fetchall()
        for number in unpack(f"<{len(facts) // 4}I", facts)
    ]
    assert held == [1, 3]
