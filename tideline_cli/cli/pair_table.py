"""Pairs of facts on a terminal: how alike, the two texts one below the other, and their ids."""

from __future__ import annotations

from tideline_cli.cli import columns, tables
from tideline_cli.cli.columns import Column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tideline_cli.cli.session import Session
    from tideline_cli.policy.contradictions import Contradiction


def pairs(session: Session, found: Sequence[Contradiction]) -> None:
    """Print pairs that may contradict each other, the newer fact of each first."""
    both = [fact for pair in found for fact in (pair.a, pair.b)]
    scores = [text for pair in found for text in (f"{pair.score:.2f}", "")]
    columns.show(session, (
        columns.places(len(both)),
        Column("score", (scores,), is_number=True),
        columns.text("facts", [columns.one_line(fact.content) for fact in both]),
        tables.when(session, [fact.created_at for fact in both]),
        columns.ids([fact.id for fact in both]),
    ), parted=2)  # fmt: skip
