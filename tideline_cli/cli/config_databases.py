"""`config` and the databases that origins have of their own: shown without passwords, and to other
origins than the owner's their own alone; set and taken back by `--origin`."""

from __future__ import annotations

import os

from tideline_cli import config
from tideline_cli.cli import output, which_database
from tideline_cli.config.settings import TABLE, shown
from tideline_cli.errors import UsageError
from tideline_cli.model.server_address import is_server, refuse_other, without_password

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.cli.session import Session


def rows(session: Session) -> dict[str, Any]:
    """Return what a call sees of `database` and the table, where it is not as the settings say."""
    found: dict[str, Any] = {}
    if table := session.config.get(TABLE):
        found[TABLE] = _table(session, table)
        if address := own(session):
            found["database"] = address
    return found


def lines(session: Session) -> list[tuple[str, str, str]]:
    """Return a row for each origin that has a database of its own: its name, its address, where it
    is said."""
    table = session.config.get(TABLE) or {}
    place = session.config.values[TABLE].came_from
    return [(_name(key), address, place) for key, address in _table(session, table).items()]


def show(session: Session) -> None:
    """Print the table."""
    table = _table(session, session.config.get(TABLE) or {})
    if session.json:
        output.emit_json({"value": table})
    else:
        output.emit_lines([f"{key}\t{address}" for key, address in table.items()])


def own(session: Session) -> str:
    """Return the address that this origin has of its own, as it may be shown; empty for none."""
    if not which_database.named_by(session).startswith(TABLE):
        return ""
    return without_password(session.stated_database)


def check(name: str, value: str) -> None:
    """Raise UsageError for an address of a database that no command would take."""
    if name != "database":
        return
    refuse_other(value)
    if is_server(value):
        from tideline_cli.store.postgres import addresses  # noqa: PLC0415  no file

        addresses.for_library(value)


def is_meant(session: Session, name: str) -> bool:
    """Say whether a call is about the database of one origin: it names another than the owner."""
    return name == "database" and bool(session.options.origin) and not session.viewer.is_owner


def put(session: Session, address: str) -> tuple[str, str]:
    """Give an origin a database of its own, and return what was set, and its address as it may be
    shown. Say what this origin has left where it wrote before."""
    from tideline_cli.cli import own_databases  # noqa: PLC0415  one action alone
    from tideline_cli.config import saving  # noqa: PLC0415  tomlkit, 50 ms

    if not is_server(address):
        if not address.strip():
            raise UsageError("not a path: the database's name is empty", hint="name a file")
        address = os.path.abspath(os.path.expanduser(address))
    key = _key(session)
    saving.save_origin_database(config.config_file(os.environ), key, address)
    own_databases.tell_of_change(session)
    return _name(key), without_password(address)


def take_back(session: Session) -> tuple[str, bool]:
    """Take the database of an origin back, and say that its facts stay there; return what was
    unset, and whether it was set."""
    from tideline_cli.config import saving  # noqa: PLC0415  tomlkit, 50 ms

    key = _key(session)
    gone = without_password(saving.remove_origin_database(config.config_file(os.environ), key))
    if gone:
        session.note(f"what {key} has stored in {gone} stays there, and is not seen without "
                     "--db any more")  # fmt: skip
    return _name(key), bool(gone)


def _table(session: Session, table: Any) -> dict[str, str]:
    """Return the table as this origin may see it: without passwords, and but for the owner without
    the rows of others."""
    viewer = session.viewer
    found: dict[str, str] = shown(TABLE, table) or {}
    return {key: one for key, one in found.items() if viewer.is_owner or key == viewer.key}


def _name(key: str) -> str:
    return f"database of {output.shown_origin(key)}"


def _key(session: Session) -> str:
    from tideline_cli.config import origin_databases  # noqa: PLC0415  two actions alone

    return origin_databases.origin_key(session.viewer.key)
