"""However values of a slot arrive, one holds at each instant."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import DAY, NOW, fresh_store, named_id, often
from tideline_cli.exchange.importer.import_rows import import_rows
from tideline_cli.exchange.importer.rows import ImportContext
from tideline_cli.model.origin import OWNER
from tideline_cli.policy.periods import holds_from, overlap
from tideline_cli.store import labels

CITIES = ("Rome", "Oslo", "Bern", "Kyiv")
days = st.integers(-20, 20).map(lambda n: NOW + n * DAY)


@st.composite
def values(draw):
    """Rows that give one slot a value, said at days of the past, some for a time."""
    said = draw(st.lists(st.integers(-20, 0), min_size=1, max_size=6, unique=True))
    rows = []
    for number, when in enumerate(said):
        start = draw(st.none() | days)
        end = draw(st.none() | days)
        begin = NOW + when * DAY if start is None else start
        rows.append({
            "id": named_id(f"N{number}"), "content": f"I live in {draw(st.sampled_from(CITIES))}",
            "slot": "city", "created_at": NOW + when * DAY, "valid_from": start,
            "valid_to": end if end is None or end > begin else None,
        })  # fmt: skip
    return rows


@settings(max_examples=often(20, 60))
@given(values(), st.booleans(), st.booleans())
def test_no_two_values_hold_at_once(rows, merge, at_once):
    """In one file or in many, merged or not, one value holds at any instant: of those whose
    validity holds it, such as a stay within another's time, the one with the latest beginning. The
    value that holds from now on, if none has an end or a beginning, is the one said last."""
    with fresh_store() as db:
        numbered = list(enumerate(rows, 1))
        for part in [numbered] if at_once else [[one] for one in numbered]:
            import_rows(db, part, ImportContext(OWNER, NOW, True), merge=merge)
        held = [fact for fact, _ in labels.active_values(db, "city", scope=None, viewer=OWNER)]
        pairs = ((one, two) for place, one in enumerate(held) for two in held[:place])
        assert all(holds_from(one) != holds_from(two) for one, two in pairs if overlap(one, two))
        if not any(row["valid_from"] or row["valid_to"] for row in rows):
            last = max(rows, key=lambda row: row["created_at"])
            assert [fact.content for fact in held] == [last["content"]]
