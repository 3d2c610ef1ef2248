"""tideline sync forget: a place that this memory goes to no more, or a machine that is lost."""

from __future__ import annotations

from tideline_cli.cli import output, sync_meetings
from tideline_cli.errors import UsageError
from tideline_cli.store import sync_schema, sync_state
from tideline_cli.store.transactions import writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.cli.session import Session

_LEAST = 4  # digits of an id


def forget(session: Session, word: str) -> None:
    """Forget the place with this address, or the machine with this name or beginning of an id."""
    named = sync_meetings.whole_address(word)
    if named in sync_meetings.known(session):
        _forget_place(session, named)
        return
    db = session.reading()
    if db is None or not sync_schema.exists(db):
        raise UsageError(f"no such place: {word}", hint="tideline sync status")
    replica, name = _machine(db, word)
    _forget_machine(session, replica, name)


def _forget_place(session: Session, named: str) -> None:
    with writing(session.writing()) as db:
        sync_state.remove_place(db, named)
    if session.json:
        output.emit_json({"place": named, "forgotten": True})
    else:
        output.emit_lines([f"{named} is forgotten; what lies there stays"])


def _machine(db: Connection, word: str) -> tuple[str, str]:
    """Return the id and the name of the machine that a user means."""
    own, gone = sync_state.SyncState(db).own_id, sync_state.forgotten_machines(db)
    known = {one: name for one, name in sync_state.replicas(db).values() if one not in gone}
    found = [one for one, name in known.items() if name == word]
    if not found and len(word) >= _LEAST:
        found = [one for one in known if one.startswith(word.lower())]
    if not found:
        raise UsageError(f"no such place or machine: {word}", hint="tideline sync status")
    if len(found) > 1:
        raise UsageError(
            f"{len(found)} machines are called {word}: {', '.join(one[:8] for one in found)}",
            hint=f"say which: tideline sync forget {found[0][:8]}",
        )
    if found[0] == own:
        raise UsageError("this is the machine itself", hint="name one that is gone")
    return found[0], sync_state.name_of(db, found[0])


def _forget_machine(session: Session, replica: str, name: str) -> None:
    """Forget a machine, and say what that does not do."""
    with writing(session.writing()) as db:
        sync_state.forget_machine(db, replica)
        is_sealed = any(place.is_sealed for place in sync_state.all_places(db))
    if session.json:
        output.emit_json({"replica": replica, "name": name, "forgotten": True})
    else:
        told = "the next sync makes a new key" if is_sealed else "its place has no key to change"
        output.emit_lines([f"{name} is forgotten: status does not show it any more; {told}"])
    session.note(
        f"{name} keeps what it holds, and its access to the place: take that away (ssh key, "
        "account). What it said before stays. Forget it on your other machines too"
    )
