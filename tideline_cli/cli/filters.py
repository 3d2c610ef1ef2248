"""Options that several commands have, and what the filters among them ask of facts."""

from __future__ import annotations

from tideline_cli.cli.options import (
    Documents,
    OptionSet,
    Scopes,
    choice,
    count,
    flag,
    last,
    start,
    text,
)
from tideline_cli.errors import NotFoundError, UsageError
from tideline_cli.model import instant
from tideline_cli.model.fact import HEATS, KINDS, PROGRESSES, ROLES, SEGMENTS, slot_key
from tideline_cli.model.source import SOURCES
from tideline_cli.store.facts import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.cli.session import Session


class Formats(OptionSet):
    """The forms in which rows are printed: `--format`, and its short forms by the names that users
    of sqlite-utils know; that of `--format json` is the global `--json`."""

    jsonl = flag("Print one JSON object a line.")
    nl = flag("The same as --jsonl.")
    csv = flag("Print CSV with a header.", excludes=("json", "jsonl", "nl", "tsv", "table", "fmt"))
    tsv = flag(
        "Print cells parted by tabs, with a header.",
        excludes=("json", "jsonl", "nl", "table", "fmt"),
    )
    table = flag("Print a table, in a pipe too.", excludes=("json", "jsonl", "nl"))
    fmt = text(
        "Print a table in a form of tabulate, such as github, grid, html or simple.",
        metavar="FORM", excludes=("json", "jsonl", "nl", "format"),
    )  # fmt: skip
    format = choice(("table", "lines", "json", "jsonl", "csv", "tsv", "markdown"))(
        "table, lines, json, jsonl, csv, tsv or markdown [default: a table on a terminal, lines "
        "elsewhere]; --json goes with json and jsonl alone.",
        beside=(
            ("json", ("json", "jsonl")), ("jsonl", ("jsonl",)), ("nl", ("jsonl",)),
            ("csv", ("csv",)), ("tsv", ("tsv",)), ("table", ("table",)),
        ),
    )  # fmt: skip


class Spoken(OptionSet):
    """Where and by whom something was said."""

    session = text(
        "Only what was said in this session.", many=True, metavar="NAME", completes="session"
    )
    speaker = text("Only what this speaker said.", many=True, metavar="NAME", completes="speaker")
    role = choice(ROLES)("Only what this role said.", many=True)
    agent = text("Only what this agent wrote.", many=True, metavar="NAME", completes="agent")


class Said(Scopes, Spoken):
    """Which facts a command counts: those of a scope, said by somebody somewhere."""


class Narrowing(Spoken, Documents):
    """What a command asks of facts."""

    segment = choice(tuple(SEGMENTS))("Only facts of this segment.", short="-s", many=True)
    tag = text(
        "Only facts with this tag, or with all of several between commas.",
        short="-t", many=True, metavar="TAG", completes="tag",
    )  # fmt: skip
    kind = choice(tuple(KINDS))("Only facts of this kind.", many=True, metavar="KIND")
    progress = choice(PROGRESSES)(
        "Only work that is so far, such as open tasks; what has ended is not active.",
        flags=("--status", "--progress"), many=True,
    )  # fmt: skip
    since = start("Only facts made at or after TIME.")
    until = last("Only facts made at or before TIME; of a day, all of it.")


class Filters(Narrowing, Scopes):
    """Which facts a command takes that lists, counts or changes them."""

    slot = text("Only values of this slot.", many=True, metavar="NAME", completes="slot")
    source = choice(SOURCES)("Only what this source said.", many=True, metavar="SOURCE")
    heat = choice(HEATS)("Only facts of this heat.", many=True)
    pinned = flag("Only pinned facts.")
    batch = count(
        "Only facts that this batch added; `tideline history` has the numbers.",
        least=1, metavar="N", completes="batch",
    )  # fmt: skip


def narrowed(options: Narrowing) -> dict[str, Any]:
    """Return what a call asks of facts, as keywords of a Filter; raise UsageError for a span
    without an instant."""
    check_order(options.since, options.until)
    return {
        "segments": options.segment, "kinds": options.kind, "tags": options.tag,
        "documents": asked_documents(options), "progress": options.progress,
        "since": options.since, "until": options.until, **said_by(options),
    }  # fmt: skip


def said_by(options: Spoken) -> dict[str, Any]:
    """Return by whom and where facts are to be said, as keywords of a Filter."""
    return {"sessions": options.session, "speakers": options.speaker, "roles": options.role,
            "agents": options.agent}  # fmt: skip


def asked_documents(options: Documents) -> tuple[str, ...] | None:
    """Return the documents that a call asks for: () for none of them, None for whatever there is.
    """
    return () if options.no_documents else options.document or None


def wanted(
    session: Session, db: Connection | None, options: Filters, *, lifecycle: str | None = "active"
) -> Filter:
    """Return what a call asks of facts; raise NotFoundError for a batch that is not there, and
    UsageError for a span without an instant."""
    asked = narrowed(options)
    return Filter(
        lifecycle=lifecycle, slots=tuple(map(slot_key, options.slot)), sources=options.source,
        heats=options.heat, pinned=options.pinned,
        batch=None if options.batch is None else _number(session, db, options.batch),
        scopes=session.scopes(options.scope, everything=options.all_scopes),
        lasts_at=session.now if "active" in options.progress else None, **asked,
    )  # fmt: skip


def labelled(session: Session, options: Said) -> Filter:
    """Return what a call that counts labels asks of facts: their scope, and who said them where."""
    return Filter(
        lifecycle=None, scopes=session.scopes(options.scope, everything=options.all_scopes),
        **said_by(options),
    )


def is_given(options: Filters) -> bool:
    """Say whether a call names any filter: something that leaves facts out."""
    narrowing = (option.name for option in Filters.ALL if option.name != "all_scopes")
    return any(getattr(options, name) not in (None, False, ()) for name in narrowing)


def _number(session: Session, db: Connection | None, ordinal: int) -> int:
    from tideline_cli.store import history  # noqa: PLC0415  few name a batch

    found = None if db is None else history.find(db, ordinal, viewer=session.viewer)
    if found is None:
        raise NotFoundError(f"no batch {ordinal}", hint="`tideline history` lists them")
    return found.number


def check_order(since: int | None, until: int | None) -> None:
    """Raise UsageError, which says how both were understood, for a span without an instant."""
    if since is not None and until is not None and since > until:
        raise UsageError(
            f"--since ({instant.day(since)}) is after --until ({instant.local(until)}): "
            "nothing lies between",
            hint="the earlier time is --since",
        )
