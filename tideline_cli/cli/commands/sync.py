"""tideline sync."""

from __future__ import annotations

import os

from tideline_cli.cli import output
from tideline_cli.cli.options import Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.sync.meeting import Report

HELP = """Join the memories of your machines, through a place that keeps files.

PLACE is a folder (also one that Syncthing, Dropbox or the like carries), ssh://HOST/FOLDER or
HOST:FOLDER by rsync, a git repository (git:ADDRESS, or one that ends with .git), or
rclone:REMOTE:FOLDER. Run it on each machine with the same place; without PLACE it goes to all
places of before. Every machine keeps a whole memory of its own, and works without the others.

A place that others can read is encrypted: the first machine makes a key, `tideline sync key` prints
it, and `tideline sync key add` takes it on the next machine, before its first sync.

Of two values of one slot that machines have stated without knowing of one another the later holds,
and `tideline contradictions` shows both. `tideline undo N` takes back what came as batch N, on
every machine. `status` and `log` tell how far it is, `forget PLACE` goes there no more."""
EXAMPLES = (
    ("~/Dropbox/memory", "--name laptop"), ("server:memory", ""), ("", "--quiet"), ("status", ""),
)  # fmt: skip
_ACTIONS = ("status", "log", "key", "forget")
ARGUMENTS = (
    Argument("words", "PLACE", "Where to meet; or status, log, key [add], forget PLACE.", "word",
             True, 0, (), ("one of status log key forget", "one of add")),
)  # fmt: skip
OPTIONS = (
    Option("name", ("--name",), "Call this machine so, from now on [default: its host name].",
           "text"),
    Option("plain", ("--plain",), "Make a new place without encryption: who can read it reads "
           "every fact.", "flag", False, excludes=("encrypt",)),
    Option("encrypt", ("--encrypt",), "Make a new place encrypted, though you alone can read it.",
           "flag", False),
    Option("trust", ("--trust",), "Vouch for what lies in a place that is not encrypted and that "
           "others can write.", "flag", False),
    Option("key", ("--key",), "File of keys [env: TIDELINE_SYNC_KEY].", "file"),
    Option("limit", ("--limit", "-k"), "How many batches `log` shows [default: 20].", "count", 20,
           least=1, most=10_000),
)  # fmt: skip


@record
class Options:
    """The options of a call."""

    name: str | None
    plain: bool
    encrypt: bool
    trust: bool
    key: str | None
    limit: int


def run(session: Session, words: list[str], options: Options) -> int:
    """Meet the other machines, or run one action."""
    if not session.viewer.is_owner:
        raise UsageError("a sync takes all origins, so the owner runs it",
                         hint="leave out --origin")  # fmt: skip
    match words:
        case ["status"]:
            from tideline_cli.cli import sync_status  # noqa: PLC0415  one action of five

            sync_status.show(session)
        case ["log"]:
            from tideline_cli.cli import sync_log  # noqa: PLC0415  one action of five

            sync_log.show(session, limit=options.limit)
        case ["key", *more]:
            from tideline_cli.cli import sync_key  # noqa: PLC0415  one action of five

            sync_key.run(session, more, _keys(options))
        case ["forget", address]:
            _forget(session, address)
        case [] | [_]:
            return _sync(session, words, options)
        case _:
            raise UsageError(
                "sync takes one place, or status, log, key [add], forget PLACE",
                hint="tideline sync FOLDER",
            )
    return 0


def _keys(options: Options) -> str:
    from tideline_cli.sync import keys  # noqa: PLC0415  a sync alone

    return os.path.abspath(os.path.expanduser(options.key)) if options.key else (
        keys.default_path(os.environ)
    )


def _sync(session: Session, words: Sequence[str], options: Options) -> int:
    """Sync with one place, or with all of them; one that fails keeps none from the others."""
    from tideline_cli.cli import sync_report  # noqa: PLC0415  a sync alone
    from tideline_cli.store import locks  # noqa: PLC0415  as above

    addresses = list(words) or _known(session)
    db = session.writing()
    lock = locks.attempt(db.filename, locks.SYNC)
    if lock is None:
        session.note("another sync of this memory is at work: nothing was done")
        return 0
    reports: list[Report] = []
    failed: TidelineError | None = None
    try:
        for address in addresses:
            try:
                reports.append(_meet(session, db, address, options))
            except TidelineError as error:
                if len(addresses) == 1:
                    raise
                session.caution("sync", f"{address}: {error.message}", hint=error.hint)
                failed = failed or error
    finally:
        locks.release(lock)
    sync_report.report(session, reports)
    return failed.exit_code if failed else 0


def _known(session: Session) -> list[str]:
    from tideline_cli.store import sync_places, sync_schema  # noqa: PLC0415  as above

    db = session.reading()
    found = [] if db is None or not sync_schema.exists(db) else sync_places.each(db)
    if not found:
        raise UsageError(
            "this memory has no place yet", hint="tideline sync FOLDER, and see tideline sync -h"
        )
    return [place.address for place in found]


def _meet(session: Session, db: Connection, address: str, options: Options) -> Report:
    from tideline_cli.config import state_folder  # noqa: PLC0415  as above
    from tideline_cli.sync import meeting, places  # noqa: PLC0415  as above

    mirror = os.path.join(state_folder(os.environ), "sync")
    sealed = False if options.plain else True if options.encrypt else None
    asked = meeting.Asked(options.name or "", sealed, options.trust, _keys(options))
    place: Any = places.open_place(address, mirror=mirror)
    return meeting.Meeting(db, place, asked, now=session.now).run()


def _forget(session: Session, address: str) -> None:
    """Forget a place."""
    from tideline_cli.store import sync_places, sync_schema  # noqa: PLC0415  one action of five
    from tideline_cli.store.transactions import writing  # noqa: PLC0415  as above

    db = session.writing()
    known = [] if not sync_schema.exists(db) else [one.address for one in sync_places.each(db)]
    named = address if address in known else os.path.abspath(os.path.expanduser(address))
    if named not in known:
        raise UsageError(f"no such place: {address}", hint="tideline sync status")
    with writing(db):
        sync_places.remove(db, named)
    if session.json:
        output.emit_json({"place": named, "forgotten": True})
    else:
        output.emit_lines([f"{named} is forgotten; what lies there stays"])
