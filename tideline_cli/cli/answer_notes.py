"""What is said on stderr beside an answer: what is archived, has ended or is of other scopes, which
documents are not there, and what may be meant where nothing matches."""

from __future__ import annotations

from tideline_cli.cli import messages, output
from tideline_cli.memory import archived
from tideline_cli.memory.answer import COUNTED, beside, beside_archived, elsewhere
from tideline_cli.memory.archived import ANNOUNCED
from tideline_cli.model.instant import short_day
from tideline_cli.model.record import replace
from tideline_cli.store import archivals, listing, stats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.memory.answer import Answer
    from tideline_cli.memory.archived import Archived
    from tideline_cli.memory.query import Query, Recalled
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.store.facts import Filter


def say_beside(
    session: Session, db: Connection | None, query: Query, whole: Answer, *, is_json: bool,
    is_among: bool,
) -> None:  # fmt: skip
    """Say what is beside the hits; `is_among` says that the archived facts are among them. With an
    answer in JSON, which has them, no text of a fact is said."""
    answer = whole.found
    if (whole.archived or whole.ended) and not is_json:
        if not is_among:
            shown = recall_of_all(session, query.text)
            announce(session, whole.archived or (), all_by=shown, most=ANNOUNCED)
        announce_ended(session, whole.ended or ())
    if not answer.hits:
        _say_unanswered(session, db, query, is_json=is_json)
    if is_among and db is not None:
        _say_set_aside(session, db, query, answer, is_json=is_json)
    if db is not None and query.wanted.scopes is not None and not is_json:
        note_other_scopes(session, db, query, answer)


def _say_set_aside(
    session: Session, db: Connection, query: Query, answer: Recalled, *, is_json: bool
) -> None:
    """Say which archived facts match and are not in an answer with archived ones: who looks for a
    fact to restore or to purge it needs its id."""
    found = beside_archived(db, query, answer, viewer=session.viewer, now=session.now)
    tell_set_aside(session, found, is_json=is_json)


def _say_unanswered(
    session: Session, db: Connection | None, query: Query, *, is_json: bool
) -> None:
    """Say what may be meant where nothing matches: another memory, or another document."""
    if db is not None and session.is_on_server and _is_walled_off(session, db):
        pass  # and that is said
    elif session.viewer.is_owner and not is_json and _is_empty(db, session.viewer):
        session.note(f"the memory at {session.database} holds nothing yet: `tideline remember`")
    if query.wanted.documents:
        name_unknown_documents(session, db, query.wanted.documents)


def _is_empty(db: Connection | None, viewer: Origin) -> bool:
    """Say whether an origin has no facts. Whether there is a file, and whether others have written,
    makes no difference to what is told."""
    if db is None:
        return True
    return not stats.active(db, viewer=viewer) and not archivals.has_archived(db, viewer=viewer)


def _is_walled_off(session: Session, db: Connection) -> bool:
    """Say where a member of a memory on a server asks for an origin of others, or of nobody."""
    from tideline_cli.cli import asides  # noqa: PLC0415  servers alone

    return asides.note_wall(session, db)


_SHOWN = 3  # facts that are shown below a note
_WHY = {"forgotten": "forgotten", "superseded": "replaced"}


def recall_of_all(session: Session, text: str) -> tuple[str, ...]:
    """Return the call that shows the archived facts that match among the others: as the usual
    profile ranks, which alone has places for them."""
    usual = () if session.profile(None) is None else ("--profile", "tideline")
    return ("recall", "--archived", *usual, "--", text)


def announce(
    session: Session, found: Sequence[Archived], *, all_by: Sequence[str] = (),
    text: Callable[[Fact], str] | None = None, most: int = 0,
) -> None:  # fmt: skip
    """Say that archived facts match, which is the best, and how it comes back. `all_by` is the
    command that shows them all, where it is not this one with --archived; `most` is how many were
    looked for, 0 for no limit."""
    if not found or session.quiet:
        return
    first, count = found[0], len(found)
    shown = output.clipped(text(first.fact)) if text else output.brief(first.fact)
    number = f"{count:,} or more" if count == most else f"{count:,}"
    says = "1 archived fact matches" if count == 1 else f"{number} archived facts match"
    line = f"{says}: \"{shown}\" · {_way_back(session, first)}"
    if count > 1:
        line += f" · all: {session.call(*all_by) if all_by else '--archived'}"
    session.note(line)


def announce_ended(
    session: Session, found: Sequence[Archived], text: Callable[[Fact], str] | None = None
) -> None:
    """Say that facts match which no longer hold, and which is the best."""
    if not found or session.quiet:
        return
    first, count = found[0], len(found)
    shown = output.clipped(text(first.fact)) if text else output.brief(first.fact)
    number = f"{count:,} or more" if count == ANNOUNCED else f"{count:,}"
    facts = "1 fact that no longer holds matches"
    if count > 1:
        facts = f"{number} facts that no longer hold match"
    day = short_day(first.fact.valid_to or first.at, now=session.now)
    session.note(f'{facts}: "{shown}" (ended {day}) · {session.call("show", first.fact.id)}')


def tell_set_aside(session: Session, found: Sequence[Archived], *, is_json: bool) -> None:
    """Say that archived facts match which nobody would miss, and show the best of them; with an
    answer in JSON none is shown."""
    if not found:
        return
    count = len(found)
    number = f"{count:,} or more" if count == ANNOUNCED else f"{count:,}"
    counted: dict[str, int] = {}
    for one in found:
        reason = _WHY.get(one.reason, "archived otherwise")
        counted[reason] = counted.get(reason, 0) + 1
    why = ", ".join(f"{many:,} {reason}" for reason, many in counted.items())
    facts = "1 archived fact matches" if count == 1 else f"{number} archived facts match"
    session.note(f"left out: {facts} ({why}); --archived finds what faded or was merged")
    if not (session.quiet or is_json):
        for one in found[:_SHOWN]:
            messages.tell_fact(one.fact.id, output.told(one.fact))


def _way_back(session: Session, one: Archived) -> str:
    """Return the command that brings a fact back, or shows the one that it was merged into."""
    if one.kept is not None:
        return f"the same as {one.kept}: {session.call('show', one.kept)}"
    return session.call("restore", one.fact.id)


def name_unknown_documents(
    session: Session, db: Connection | None, names: Sequence[str] | None
) -> None:
    """Name the documents that are not there, with those that may have been meant."""
    if db is None or not names:
        return
    from tideline_cli.exchange.ingest import library  # noqa: PLC0415  difflib, a document that is not there

    for error in library.unknown(db, names, viewer=session.viewer):
        session.note(f"{error.message}; {error.hint}")


def note_other_scopes(session: Session, db: Connection, query: Query, answer: Recalled) -> None:
    """Say how many facts of other scopes answer a query that has no sure answer here; where none
    does, whether archived ones of theirs do."""
    if any(not hit.weak for hit in answer.hits):
        return
    anywhere, found, count = elsewhere(db, query, viewer=session.viewer, now=session.now)
    if count:
        number = f"{count:,} or more" if count == COUNTED else f"{count:,}"
        facts = "1 fact of another scope matches" if count == 1 else (
            f"{number} facts of other scopes match"
        )
        _tell_of_scopes(session, query.wanted, facts)
        return
    archived_ones, _ = beside(db, anywhere, found, viewer=session.viewer, now=session.now)
    _note_archived(session, query.wanted, archived_ones or (), "match")


def note_unlisted_scopes(session: Session, db: Connection, wanted: Filter) -> None:
    """Say where a filter leaves facts of other scopes alone, active or archived ones."""
    anywhere = replace(wanted, scopes=None)
    if any(True for _ in listing.each(db, viewer=session.viewer, wanted=anywhere, limit=1)):
        _tell_of_scopes(session, wanted, "facts of other scopes are there")
    elif wanted.lifecycle == "active" and wanted.as_of is None:
        found = archived.listed(db, anywhere, viewer=session.viewer, limit=ANNOUNCED)
        _note_archived(session, wanted, found, "are there")


def _note_archived(session: Session, wanted: Filter, found: Iterable[Archived], verb: str) -> None:
    inside = wanted.scopes or ()
    if any(one.fact.scope not in inside for one in found):
        _tell_of_scopes(session, wanted, f"archived facts of other scopes {verb}")


def _tell_of_scopes(session: Session, wanted: Filter, says: str) -> None:
    inside = wanted.scopes[0] if wanted.scopes else None
    here = "what has no scope" if inside is None else f"scope {inside}"
    session.note(f"this was {here}; {says}: --all-scopes")
