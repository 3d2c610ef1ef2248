"""What recall says on stderr beside its hits: what is archived, has ended or is of other scopes,
and what may be meant where nothing matches."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.memory.answer import Answer
    from tideline_cli.memory.query import Query, Recalled
    from tideline_cli.model.origin import Origin


def say_beside(
    session: Session, db: Connection | None, query: Query, whole: Answer, *, is_json: bool,
    is_among: bool,
) -> None:  # fmt: skip
    """Say what is beside the hits; `is_among` says that the archived facts are among them. With an
    answer in JSON, which has them, no text of a fact is said."""
    answer = whole.found
    if (whole.archived or whole.ended) and not is_json:
        from tideline_cli.cli import archived_notes  # noqa: PLC0415  some fact matches
        from tideline_cli.memory.archived import ANNOUNCED  # noqa: PLC0415  as above

        if not is_among:
            shown = archived_notes.recall_of_all(session, query.text)
            archived_notes.announce(session, whole.archived or (), all_by=shown, most=ANNOUNCED)
        archived_notes.announce_ended(session, whole.ended or ())
    if not answer.hits:
        _say_unanswered(session, db, query, is_json=is_json)
    if is_among and db is not None:
        _say_set_aside(session, db, query, answer, is_json=is_json)
    if db is not None and query.wanted.scopes is not None and not is_json:
        from tideline_cli.cli import other_scopes  # noqa: PLC0415  a scope that has no answer

        other_scopes.note_unseen(session, db, query, answer)


def _say_set_aside(
    session: Session, db: Connection, query: Query, answer: Recalled, *, is_json: bool
) -> None:
    """Say which archived facts match and are not in an answer with archived ones: who looks for a
    fact to restore or to purge it needs its id."""
    from tideline_cli.cli import archived_notes  # noqa: PLC0415  --archived alone
    from tideline_cli.memory.answer import beside_archived  # noqa: PLC0415  as above

    found = beside_archived(db, query, answer, viewer=session.viewer, now=session.now)
    archived_notes.tell_set_aside(session, found, is_json=is_json)


def _say_unanswered(
    session: Session, db: Connection | None, query: Query, *, is_json: bool
) -> None:
    """Say what may be meant where nothing matches: another memory, or another document."""
    if db is not None and session.is_on_server and _is_walled_off(session, db):
        pass  # and that is said
    elif session.viewer.is_owner and not is_json and _is_empty(db, session.viewer):
        session.note(f"the memory at {session.database} holds nothing yet: `tideline remember`")
    if query.wanted.documents:
        from tideline_cli.cli import unknown_documents  # noqa: PLC0415  a document without a hit

        unknown_documents.note(session, db, query.wanted.documents)


def _is_empty(db: Connection | None, viewer: Origin) -> bool:
    """Say whether an origin has no facts. Whether there is a file, and whether others have written,
    makes no difference to what is told."""
    if db is None:
        return True
    from tideline_cli.store import fts, stats  # noqa: PLC0415  nothing matched

    return not stats.active(db, viewer=viewer) and not fts.has_archived(db, viewer=viewer)


def _is_walled_off(session: Session, db: Connection) -> bool:
    """Say where a member of a memory on a server asks for an origin of others, or of nobody."""
    from tideline_cli.cli import walled_off  # noqa: PLC0415  servers alone

    return walled_off.note(session, db)
