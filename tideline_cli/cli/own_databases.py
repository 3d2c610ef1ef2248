"""Databases that origins have of their own: which there are beside that of the owner, and a session
for each."""

from __future__ import annotations

from tideline_cli.cli import memory_names
from tideline_cli.cli.commands.schedule import scheduler
from tideline_cli.cli.session import Session
from tideline_cli.config import own_address
from tideline_cli.config.settings import TABLE
from tideline_cli.errors import UsageError
from tideline_cli.model.origin import Origin
from tideline_cli.model.record import record, replace
from tideline_cli.model.server_address import without_password

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


@record
class OwnDatabase:
    """A database beside that of the owner: its address as it is stated, which may hold a password,
    as it may be shown, and the origins that have it."""

    stated: str
    shown: str
    origins: tuple[Origin, ...]


def others_of(session: Session) -> tuple[OwnDatabase, ...]:
    """Return the databases that are not the one of an owner's session, in the order of the table.
    None where an option or the environment names one database for all."""
    if session.options.db or not session.viewer.is_owner:
        return ()
    found: dict[str, OwnDatabase] = {}
    own = session.real_database
    for key, stated in own_address.table_in_use(session.config).items():
        place = memory_names.place_of(stated)
        if place == own:
            continue
        known = found.get(place, OwnDatabase(stated, without_password(stated), ()))
        found[place] = replace(known, origins=(*known.origins, Origin(key)))
    return tuple(found.values())


def check_is_here(session: Session, origin: Origin) -> None:
    """Raise UsageError for an origin whose facts lie in another database than this session's."""
    if any(origin in one.origins for one in others_of(session)):
        call = memory_names.call_line(("recall", "--batch"), origin=origin)
        raise UsageError(f"{origin.key} has a database of its own", hint=f"`{call}` asks there")


def session_for(session: Session, own: OwnDatabase) -> Session:
    """Return a session of the owner for another database; it tends the origins that have it."""
    made = Session(replace(session.options, db=own.stated))
    made.take_settings(session)
    made.db_from = f"{TABLE} in {session.config.values[TABLE].came_from}"
    made.tended = own.origins
    return made


def databases_line(databases: Sequence[OwnDatabase]) -> str:
    """Return the databases with their origins, on one line."""
    return "; ".join(
        f"{one.shown} ({', '.join(origin.key for origin in one.origins)})" for one in databases
    )


def status_lines(session: Session) -> list[str]:
    """Return what names the database of a session, and for the owner which others there are."""
    viewer, named_by = session.viewer, memory_names.named_by(session)
    if not viewer.is_owner and viewer.key not in session.config.get(TABLE):
        return []
    is_for_all = session.options.db or not own_address.table_in_use(session.config)
    lines = [f"named by   {named_by}{f', in the place of {TABLE}' if is_for_all else ''}"]
    return lines + [
        f"{'others' if at == 0 else '':<11}{databases_line((one,))}"
        for at, one in enumerate(others_of(session))
    ]


def tell_of_all_left(session: Session) -> None:
    """Say to the owner the same of each origin that has a database of its own."""
    for own in others_of(session):
        one = session_for(session, own)
        try:
            for origin in own.origins:
                memory_names.warn_of_left_facts(session, origin, one.reading)
        finally:
            one.close()


def tell_of_copies(session: Session, ids: Sequence[str]) -> None:
    """Say which facts that were just purged lie in another database that the settings name."""
    places = [own.stated for own in others_of(session)]
    usual: str = session.config.get("database")
    is_elsewhere = memory_names.place_of(usual) != session.real_database
    if memory_names.named_by(session).startswith(TABLE) and is_elsewhere:
        places.insert(0, usual)
    memory_names.warn_of_purged_copies(session, session.viewer, ids, places)


def tell_of_change(session: Session) -> None:
    """Say what follows from the database that an origin has got: what it has left, or that another
    one is named for all."""
    fresh = Session(session.options)
    named_by = memory_names.named_by(fresh)
    if not named_by.startswith(TABLE):
        session.note(f"it does not count here: {named_by} names one database for all")
        return
    try:
        memory_names.warn_of_left_facts(fresh, fresh.viewer, fresh.reading)
    finally:
        fresh.close()
    scheduler.tell_of_entries(fresh)


