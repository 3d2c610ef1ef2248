"""Which databases a scheduled dream tends, where some origins have their own: all, if the entry
names none and finds the settings without the variables of this shell."""

from __future__ import annotations

import os

from tideline_cli import config
from tideline_cli.cli import schedule_installed
from tideline_cli.config import own_address
from tideline_cli.config.settings import TABLE
from tideline_cli.errors import TidelineError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from tideline_cli.cli.session import Session

KINDS = ("cron", "systemd", "launchd", "schtasks")
_OF_SHELLS = ("TIDELINE_", "XDG_")
_OF_LIBRARY = (
    "PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGPASSWORD", "PGPASSFILE",
    "PGSERVICE", "PGSERVICEFILE", "PGSSLMODE", "PGSSLCERT", "PGSSLKEY", "PGSSLROOTCERT",
)  # fmt: skip
"""Variables by which the client library of a server finds it, and logs in."""


def entry_words(session: Session) -> tuple[str, ...]:
    """Return the words of an entry that name its database: none where it tends all that the
    settings name. Warn where it can tend one alone."""
    one = ("--db", session.database)
    if session.options.db or not session.config.get(TABLE):
        return one
    if not own_address.table_in_use(session.config):
        return one
    if _is_found_by_others(session):
        return ()
    session.caution(
        "schedule",
        f"this tends {session.database} alone: a night does not find the settings, which name "
        f"other databases in {TABLE}",
        hint="they are found where neither TIDELINE_HOME nor XDG_CONFIG_HOME leads to them; or "
        "schedule `tideline dream --quiet` yourself, with these variables",
    )
    return one


def tell_of_server(session: Session) -> None:
    """Say what the entry of a memory on a server does not have, and a night has to find."""
    if not session.is_on_server:
        return
    if session.stated_database != session.database:
        session.caution(
            "schedule", "the entry is without the password of the address",
            hint="a night finds it in ~/.pgpass: HOST:PORT:DATABASE:USER:PASSWORD",
        )  # fmt: skip
    here = [name for name in _OF_LIBRARY if name in os.environ]
    if here:
        session.caution(
            "schedule", f"the entry is without {', '.join(here)}, which name the server or how to "
            "log in here",
            hint="say it in the address, and a password in ~/.pgpass",
        )  # fmt: skip


def tell_of_entries(session: Session) -> None:
    """Say where an entry that is in place names one database, and so leaves the others alone."""
    for kind in KINDS:
        try:
            held = schedule_installed.entry_of(kind)
        except (TidelineError, OSError):
            continue
        if held is not None and held.database:
            session.caution(
                "schedule", f"{kind} starts dreams for {held.database} alone, which leave the "
                f"databases of {TABLE} alone",
                hint=f"`tideline schedule --{kind} --install` makes them tend all",
            )  # fmt: skip


def _is_found_by_others(session: Session) -> bool:
    """Say whether a program without the variables of this shell has the same settings."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(_OF_SHELLS)}
    return config.config_file(plain) == config.config_file(os.environ) and _default(
        plain
    ) == session.config.get("database")


def _default(environ: Mapping[str, str]) -> str:
    found: str = config.load(environ, None).get("database")
    return found
