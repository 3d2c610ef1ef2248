"""Where the memory of a call is not there, or is not the only one: other memories, and the facts
that an origin has left in them."""

from __future__ import annotations

import os

from tideline_cli.cli.messages import call_line
from tideline_cli.config import places
from tideline_cli.errors import TidelineError
from tideline_cli.model.origin import EVERYONE, Origin
from tideline_cli.model.server_address import is_server, without_password
from tideline_cli.store import opening, references
from tideline_cli.store.connection import DatabaseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Protocol

    from apsw import Connection

    from tideline_cli.cli.messages import Notices
    from tideline_cli.config import Config
    from tideline_cli.model.origin import Everyone

    class Call(Protocol):
        """A session, as far as it has settings."""

        @property
        def config(self) -> Config: ...

        def caution(self, code: str, text: str, *, hint: str = "") -> None: ...


def warn_of_other_memories(session: Notices, path: str, environ: Mapping[str, str]) -> None:
    """Warn of each memory that is not the one at `path`, which is not there."""
    for other in places.other_memories(environ, path):
        session.caution(
            "other_memory",
            f"there was no memory at {path} yet; another one is at {other}",
            hint=f"take that one with --db, or for good with `{_for_good(other)}`",
        )


def _for_good(path: str) -> str:
    return call_line(["config", "set", "database", path], origin=None)


_PATIENCE_MS = 200  # for a look that nobody asked for
_NAMED = 10  # ids in a call


def warn_of_left_facts(session: Call, origin: Origin, own: Callable[[], Connection | None]) -> None:
    """Say how many facts of an origin lie in the database of the settings, while it has another
    one, which `own` opens (None where it is not there yet). Best effort."""
    stated: str = session.config.get("database")
    try:
        left = _left(whole_path(stated), origin, own)
    except (TidelineError, DatabaseError, OSError):
        return
    if not left:
        return
    path = whole_path(without_password(stated))
    there = call_line(("--db", path, "export"), origin=origin)
    here = call_line(("import", "-", "--trust"), origin=origin)
    facts = "1 fact that is" if left == 1 else f"{left:,} facts that are"
    session.caution(
        "left_behind",
        f"{origin.key} has a database of its own, and {facts} in {path} alone: "
        "its commands do not see that",
        hint=f"`{there} | {here}` brings it over",
    )


def _left(path: str, origin: Origin, own: Callable[[], Connection | None]) -> int:
    """Return how many active facts an origin has in the database at `path` alone."""
    there = opening.open_as_it_is(path, patience_ms=_PATIENCE_MS)
    if there is None:
        return 0
    try:
        left = references.active_ids(there, viewer=origin)
    finally:
        there.close()
    db = own() if left else None
    if db is not None:
        if place_of(db.filename) == place_of(path):
            return 0
        left -= references.all_ids(db, viewer=origin)
    return len(left)


def warn_of_purged_copies(
    session: Call, viewer: Origin, ids: Sequence[str], places: Sequence[str]
) -> None:
    """Say which of the facts that a purge has just removed lie in other databases as well, each as
    it is stated, and which call removes them there. Best effort."""
    for stated in places:
        try:
            kept = _kept_copies(whole_path(stated), ids, EVERYONE if viewer.is_owner else viewer)
        except (TidelineError, DatabaseError, OSError):
            continue
        path = whole_path(without_password(stated))
        for key in sorted(set(kept.values())):
            own = [fact_id for fact_id in kept if kept[fact_id] == key]
            words = ("--db", path, "purge", *own[:_NAMED])
            call = call_line(words, origin=Origin(key))
            is_one = len(own) == 1
            more = f", then the {len(own) - _NAMED:,} others" if len(own) > _NAMED else ""
            session.caution(
                "left_behind",
                f"{len(own):,} of them {'is' if is_one else 'are'} still in {path}, of {key}",
                hint=f"`{call}` removes {'it' if is_one else 'them'} there{more}",
            )


def _kept_copies(path: str, ids: Sequence[str], whose: Origin | Everyone) -> dict[str, str]:
    """Return which of the facts the database at `path` has, archived ones too, and their origins.
    """
    there = opening.open_as_it_is(path, patience_ms=_PATIENCE_MS)
    if there is None:
        return {}
    try:
        return references.owners(there, ids, viewer=whose)
    finally:
        there.close()


def place_of(stated: str) -> str:
    """Return what tells one database from another."""
    return without_password(stated) if is_server(stated) else os.path.realpath(whole_path(stated))


def whole_path(stated: str) -> str:
    """Return an address as it is, a path as a whole one."""
    return stated if is_server(stated) else os.path.abspath(os.path.expanduser(stated))
