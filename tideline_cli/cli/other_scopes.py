"""What is said where a scope has no answer and others have one."""

from __future__ import annotations

from tideline_cli.memory import archived
from tideline_cli.memory.answer import beside
from tideline_cli.memory.archived import ANNOUNCED
from tideline_cli.memory.recall import recall
from tideline_cli.model.record import replace
from tideline_cli.store import listing

_COUNTED = 100  # matches of other scopes that are counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.memory.archived import Archived
    from tideline_cli.memory.query import Query, Recalled
    from tideline_cli.store.facts import Filter


def note_unseen(session: Session, db: Connection, query: Query, answer: Recalled) -> None:
    """Say how many facts of other scopes answer a query that has no sure answer here; where none
    does, whether archived ones of theirs do."""
    if any(not hit.weak for hit in answer.hits):
        return
    anywhere = replace(query, limit=_COUNTED, wanted=replace(query.wanted, scopes=None))
    found = recall(db, anywhere, viewer=session.viewer, now=session.now)
    inside = query.wanted.scopes or ()
    others = [hit for hit in found.hits if hit.fact.scope not in inside]
    if others:
        count = sum(not hit.weak for hit in others) or len(others)
        number = f"{count:,} or more" if count == _COUNTED else f"{count:,}"
        facts = "1 fact of another scope matches" if count == 1 else (
            f"{number} facts of other scopes match"
        )
        _note(session, query.wanted, facts)
        return
    archived_ones, _ = beside(db, anywhere, found, viewer=session.viewer, now=session.now)
    _note_archived(session, query.wanted, archived_ones or (), "match")


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
