"""Which work a call of `setup` asks for, client by client, from what is set up already."""

from __future__ import annotations

import sys

from tideline_cli.cli import own_program, setup_work
from tideline_cli.cli.setup_work import Work
from tideline_cli.model.instant import iso
from tideline_cli.model.record import replace
from tideline_cli.serve import setup_record
from tideline_cli.serve.clients import CLIENTS
from tideline_cli.serve.setup_plan import SetupPlace, calls_of, plan_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tideline_cli.cli.session import Session
    from tideline_cli.serve.setup_record import SetUpRow


def works(
    session: Session, name: str, parts: tuple[str, ...], place: SetupPlace, *, removes: bool
) -> Iterator[tuple[Work, SetupPlace]]:
    """Yield the work for a client, each with its place; the next is asked for when the one before
    is done."""
    rows = setup_record.rows(place.data)
    key = setup_record.name_of(name, place.project)
    row = rows.get(key)
    older = setup_work.older_place(place, row)
    if removes:
        yield _removal(name, parts, older, rows, key), older
        return
    if row is not None and older != place:
        yield setup_work.taking_back(
            plan_of(name, row.calls, older), older, row, _shared(rows, key, older)
        ), older  # fmt: skip
        row = None
    calls = calls_of(name, own_program.own_words(), _more(session), parts)
    plan = plan_of(name, {**(row.calls if row is not None else {}), **calls}, place)
    yield setup_work.setting_up(
        plan, place, row, now=iso(session.now),
        may_ask=sys.stdin.isatty() and sys.stdout.isatty() and not session.no_input,
    ), place  # fmt: skip


def _removal(
    name: str, parts: tuple[str, ...], place: SetupPlace, rows: Mapping[str, SetUpRow], key: str
) -> Work:
    """Return the work of a removal: of a folder of ours that keeps one part, that it is written
    anew."""
    row = rows.get(key)
    calls = dict(row.calls) if row is not None else calls_of(name, ("tideline",), (), parts)
    rest = {part: words for part, words in calls.items() if part not in parts}
    gone = {part: words for part, words in calls.items() if part in parts}
    whole = plan_of(name, calls, place)
    if row is not None and not gone:
        return Work(whole, "absent", row)
    if row is not None and rest and whole.folder:
        work = setup_work.setting_up(
            plan_of(name, rest, place), place, row, now=row.at, may_ask=False
        )
        return replace(work, action="removed", ask="")
    return setup_work.taking_back(
        plan_of(name, gone if rest else calls, place), place, row, _shared(rows, key, place)
    )


def _shared(rows: Mapping[str, SetUpRow], key: str, place: SetupPlace) -> tuple[str, ...]:
    """Return the folders of all other set-ups."""
    others = ((name.partition(" ")[0], row) for name, row in rows.items() if name != key)
    return tuple(
        plan_of(client, row.calls, replace(place, project=row.project, name=row.name)).folder
        for client, row in others if client in CLIENTS
    )  # fmt: skip


def _more(session: Session) -> list[str]:
    given = session.options
    return [*(("--db", session.database) if given.db else ()),
            *(("--origin", given.origin) if given.origin else ())]  # fmt: skip
