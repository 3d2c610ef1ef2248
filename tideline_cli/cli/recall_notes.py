"""What recall says on stderr beside its hits: what is left out or archived, and what may be meant
where nothing matches."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.memory.archived import Archived
    from tideline_cli.memory.query import Query, Recalled
    from tideline_cli.model.origin import Origin


def say_beside(
    session: Session, db: Connection | None, query: Query, answer: Recalled,
    beside: Sequence[Archived], *, is_json: bool = False,
) -> None:  # fmt: skip
    """Say what is beside an answer; `beside` are the archived facts to be named. With an answer in
    JSON no text of a fact is said."""
    if answer.left_out:
        session.note(_left_out(answer.left_out))
        if db is not None and not (session.quiet or is_json):
            _show_best(db, answer.best_left_out, viewer=session.viewer)
    if beside:
        from tideline_cli.cli import archived_notes  # noqa: PLC0415  an archived fact matches
        from tideline_cli.memory.archived_matches import ANNOUNCED  # noqa: PLC0415  as above

        shown = archived_notes.recall_of_all(session, query.text)
        archived_notes.announce(session, beside, all_by=shown, most=ANNOUNCED)
    if not answer.hits:
        _say_unanswered(session, db, query, is_json=is_json)


def say_set_aside(
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
    """Say what may be meant where nothing matches: another scope, or another document."""
    if db is not None and session.is_on_server and _is_walled_off(session, db):
        pass  # and that is said
    elif session.viewer.is_owner and not is_json and _is_empty(db, session.viewer):
        session.note(f"the memory at {session.database} holds nothing yet: `tideline remember`")
    if db is not None and query.wanted.scopes is not None:
        from tideline_cli.cli import other_scopes  # noqa: PLC0415  a scope that has no answer

        other_scopes.note_unseen(session, db, query)
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


def _show_best(db: Connection, seq: int, *, viewer: Origin) -> None:
    """Show the id and the first words of the best fact that is left out; none where it is gone
    meanwhile."""
    from tideline_cli.cli import messages  # noqa: PLC0415  a fact is left out
    from tideline_cli.store import facts  # noqa: PLC0415  as above

    fact = facts.get(db, [seq], viewer=viewer).get(seq)
    if fact is not None:
        messages.tell_fact(fact.id, fact.content)


def _left_out(count: int) -> str:
    """Say how many facts are left out of an answer, and how they are found."""
    shares = "1 fact that shares" if count == 1 else f"{count:,} facts that share"
    found = "it" if count == 1 else "them"
    return f"left out: {shares} one word alone with the question; --mode keyword finds {found}"
