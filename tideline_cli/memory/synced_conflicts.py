"""Two values of one slot that two machines have stated without knowing of one another: the later
holds, the earlier is archived. They are pairs that contradict each other for sure."""

from __future__ import annotations

from tideline_cli.model.text import index_terms
from tideline_cli.policy.contradictions import ComparedFact, Contradiction
from tideline_cli.policy.sameness import jaccard
from tideline_cli.store import sync_registers, sync_schema, visibility

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.model.origin import Origin


def pairs(db: Connection, *, viewer: Origin) -> list[Contradiction]:
    """Return the pairs of a viewer, each with the value that holds first."""
    if not sync_schema.exists(db):
        return []
    number = visibility.number(db, viewer)
    found: list[Contradiction] = []
    told = sync_registers.ruled(db, "slot", origin_number=number)
    stored = sync_registers.in_table(db, {one for pair in told for one in pair})
    for archived, holds in told:
        if archived in stored and holds in stored:
            both = [stored[one][1] for one in (holds, archived)]
            a, b = (ComparedFact(one.id, one.content, one.created_at, one.scope) for one in both)
            overlap = jaccard(*(
                frozenset(index_terms(one.content, analyzer="standard").said) for one in both
            ))  # fmt: skip
            found.append(Contradiction(a, b, overlap, 1.0 - overlap, 1.0))
    return found
