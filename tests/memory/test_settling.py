"""After a recall that met many facts which begin or end, the file counts them."""

from __future__ import annotations

import pytest

from tests.support import DAY, NOW, fact, put, view_at
from tideline_cli.memory.query import Query
from tideline_cli.memory.recall import recall, write_back
from tideline_cli.model.origin import OWNER
from tideline_cli.store import overview


@pytest.mark.parametrize("many", [overview.LAG - 4, overview.LAG + 1])
def test_a_recall_settles_what_it_had_to_read(db, many):
    """What many facts are is counted after the answer; a few are read each time."""
    put(db, [fact("green tea", f"ID{n:024d}", valid_to=NOW + DAY) for n in range(many)])
    put(db, [fact("green tea holds", f"IE{n:024d}") for n in range(3)])
    now = NOW + 2 * DAY
    answers = []
    for _ in range(2):
        answer = recall(db, Query("tea", mode="keyword"), viewer=OWNER, now=now)
        write_back(db, answer, touch=False, now=now)
        answers.append([(hit.fact.id, hit.score) for hit in answer.hits])
    assert [fact_id[:2] for fact_id, _ in answers[0]] == ["IE"] * 3
    assert answers[0] == answers[1]
    gone = view_at(db, now=now).origin.gone
    assert (gone.facts, gone.read) == (many, many if many <= overview.LAG else 0)
