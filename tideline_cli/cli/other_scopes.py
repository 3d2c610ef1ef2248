"""What is said where a scope has no answer and others have one."""

from __future__ import annotations

from tideline_cli.memory.recall import recall
from tideline_cli.model.record import replace
from tideline_cli.store import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.memory.query import Query
    from tideline_cli.store.facts import Filter


def note_unseen(session: Session, db: Connection, query: Query) -> None:
    """Say where only facts of other scopes answer a query."""
    anywhere = replace(query, limit=1, wanted=replace(query.wanted, scopes=None))
    if recall(db, anywhere, viewer=session.viewer, now=session.now).hits:
        _note(session, query.wanted, "match")


def note_unlisted(session: Session, db: Connection, wanted: Filter) -> None:
    """Say where a filter leaves facts of other scopes alone."""
    anywhere = replace(wanted, scopes=None)
    if any(True for _ in facts.each(db, viewer=session.viewer, wanted=anywhere, limit=1)):
        _note(session, wanted, "are there")


def _note(session: Session, wanted: Filter, verb: str) -> None:
    inside = wanted.scopes[0] if wanted.scopes else None
    here = "what has no scope" if inside is None else f"scope {inside}"
    session.note(f"this was {here}; facts of other scopes {verb}: --all-scopes")
