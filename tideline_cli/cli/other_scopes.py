"""What is said where a scope has no answer and others have one."""

from __future__ import annotations

from tideline_cli.memory import archived
from tideline_cli.memory.answer import beside
from tideline_cli.memory.archived_matches import ANNOUNCED
from tideline_cli.memory.recall import recall
from tideline_cli.model.record import replace
from tideline_cli.store import listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.memory.archived import Archived
    from tideline_cli.memory.query import Query
    from tideline_cli.store.facts import Filter


def note_unseen(session: Session, db: Connection, query: Query) -> None:
    """Say where only facts of other scopes answer a query; where none does, whether archived ones
    of theirs do."""
    anywhere = replace(query, limit=1, wanted=replace(query.wanted, scopes=None))
    answer = recall(db, anywhere, viewer=session.viewer, now=session.now)
    if answer.hits:
        _note(session, query.wanted, "facts of other scopes match")
        return
    found = beside(db, anywhere, answer, viewer=session.viewer, now=session.now)
    _note_archived(session, query.wanted, found or (), "match")


def note_unlisted(session: Session, db: Connection, wanted: Filter) -> None:
    """Say where a filter leaves facts of other scopes alone, active or archived ones."""
    anywhere = replace(wanted, scopes=None)
    if any(True for _ in listing.each(db, viewer=session.viewer, wanted=anywhere, limit=1)):
        _note(session, wanted, "facts of other scopes are there")
    elif wanted.lifecycle == "active" and wanted.as_of is None:
        found = archived.listed(db, anywhere, viewer=session.viewer, limit=ANNOUNCED)
        _note_archived(session, wanted, found, "are there")


def _note_archived(
    session: Session, wanted: Filter, found: Iterable[Archived], verb: str
) -> None:
    inside = wanted.scopes or ()
    if any(one.fact.scope not in inside for one in found):
        _note(session, wanted, f"archived facts of other scopes {verb}")


def _note(session: Session, wanted: Filter, says: str) -> None:
    inside = wanted.scopes[0] if wanted.scopes else None
    here = "what has no scope" if inside is None else f"scope {inside}"
    session.note(f"this was {here}; {says}: --all-scopes")
