"""tideline member."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.cli.options import Argument, OptionSet
from tideline_cli.cli.session import Session
from tideline_cli.errors import UsageError
from tideline_cli.model import instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from tideline_cli.store.members import Member

HELP = """Say which roles of a server see which origins.

For a memory on a PostgreSQL server (--db postgresql://…). Each person logs in with a role of
their own; the role that made the tables owns the memory, and sees all of it.

add ROLE lets a role see and write all facts of the origin that --origin names, with their history,
and nothing of any other: the server holds back the rest, from tideline and from psql. remove ROLE
takes that origin from the role, or all where --origin names none; from then on the role sees
nothing of it. list (the default) shows who sees what; a member sees their own lines.

The server's administrator makes roles (`createuser ROLE`). add and remove are for the owner."""
EXAMPLES = (
    ("add lena --origin channel:team/lena/notes", "Give Lena a memory of her own"),
    ("add lena --origin owner", "Share yours with her"),
    ("remove lena", ""),
)
ARGUMENTS = (
    Argument("words", "ACTION", "list, add ROLE, remove ROLE.", "word", True, 0,
             ("list", "add", "remove")),
)  # fmt: skip
Options = OptionSet


def run(session: Session, words: list[str], _: OptionSet) -> int:
    """Run one action."""
    if not session.is_on_server:
        raise UsageError(
            "members are for memories on a server: who can read a file reads all of it",
            hint="tideline --db postgresql://… member list", code="servers_only",
        )  # fmt: skip
    from tideline_cli.store import members  # noqa: PLC0415  psycopg, which few have

    match words or ["list"]:
        case ["list"]:
            db: Any = session.reading()
            _show(session, [] if db is None else members.listed(db))
        case ["add", role] if role:
            _check_origin(session, role)
            db = session.writing()
            is_new = members.add(db, role, viewer=session.viewer, now=session.now)
            _report_added(session, role, is_new=is_new)
        case ["remove", role] if role:
            viewer = session.viewer if session.options.origin else None
            db = session.writing()
            _report_removed(session, role, members.remove(db, role, viewer=viewer))
        case _:
            raise UsageError(
                "member takes list, add ROLE or remove ROLE",
                hint="tideline member add lena --origin channel:team/lena/notes",
            )
    return 0


def _check_origin(session: Session, role: str) -> None:
    """Raise UsageError where the origin that a role will see is not named."""
    if not session.options.origin:
        raise UsageError(
            f"name the origin that {role} will see, with --origin",
            hint=f"--origin owner shares what is yours; --origin channel:team/{role}/notes is "
            "theirs alone",
        )


def _report_added(session: Session, role: str, *, is_new: bool) -> None:
    key = session.viewer.key
    if session.json:
        output.emit_json({"role": role, "origin": key, "added": is_new})
        return
    output.emit_lines([f"{role} sees and writes {key}" if is_new else f"{role} did already"])
    session.note(
        f"all facts of {key} with their history, and nothing of other origins; also by psql"
    )


def _report_removed(session: Session, role: str, lost: Sequence[str]) -> None:
    if session.json:
        output.emit_json({"role": role, "removed": lost})
    else:
        output.emit_lines([f"{role} sees nothing of {key} any more" for key in lost])


def _show(session: Session, found: Sequence[Member]) -> None:
    if session.json:
        forms = [{"role": one.role, "origin": one.origin, "since": instant.iso(one.since),
                  "exists": one.is_there} for one in found]  # fmt: skip
        output.emit_json({"members": forms})
        return
    output.emit_lines([
        f"{one.role}\t{one.origin}\t{instant.iso(one.since)[:10]}"
        + ("" if one.is_there else "\tthe server has no such role")
        for one in found
    ])
    if not found:
        session.note("no members: `tideline member add ROLE --origin NAME` lets one in")
