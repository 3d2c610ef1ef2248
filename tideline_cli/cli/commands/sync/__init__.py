"""tideline sync."""

from __future__ import annotations

import os
import shlex

from tideline_cli.cli import mistyped, output, status_lines
from tideline_cli.cli.commands.sync import meetings
from tideline_cli.cli.options import Argument, OptionSet, count, file, flag, text
from tideline_cli.cli.session import Session
from tideline_cli.errors import UsageError
from tideline_cli.model import instant, time_words
from tideline_cli.store import sync_registers, sync_state
from tideline_cli.store.connection import has_synced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.store.sync_state import PlaceRow

HELP = """Join the memories of your machines, through a place that keeps files.

PLACE is a folder (also one that Syncthing, Dropbox or the like carries), ssh://HOST/FOLDER or
HOST:FOLDER by rsync, a git repository (git:ADDRESS, or one that ends with .git), or
rclone:REMOTE:FOLDER. Run it on each machine with the same place; without PLACE it goes to all
places of before. Every machine keeps a whole memory of its own, and works without the others; the
turns of sessions stay on theirs.

A place that others can read is encrypted: the first machine makes a key, `tideline sync key` prints
it, and `tideline sync key add` takes it on the next machine, before its first sync.

Where two machines named different values for one slot, the later one holds, and `tideline
contradictions` shows both. `tideline undo N` takes back what came as batch N, on every machine.
`status` and `log` tell how far it is, `forget PLACE` goes there no more. `forget MACHINE` is for a
machine that is lost: the next sync makes a new key, which you carry to the others, and `status`
does not show the machine any more. It keeps what it has."""
EXAMPLES = (
    ("~/Dropbox/memory", "--name laptop"), ("server:memory", ""), ("", "--quiet"), ("status", ""),
)  # fmt: skip
_ACTIONS = ("status", "log", "key", "forget")
ARGUMENTS = (
    Argument("words", "PLACE", "Where to meet; or status, log, key [add], forget PLACE or MACHINE.",
             "word", True, 0, (), ("one of status log key forget", "one of add")),
)  # fmt: skip


class Options(OptionSet):
    """The options of a call."""

    name = text("Call this machine so, from now on [default: its host name].")
    plain = flag(
        "Make a new place without encryption: who can read it reads every fact.",
        excludes=("encrypt",),
    )
    encrypt = flag("Make a new place encrypted, though you alone can read it.")
    trust = flag("Vouch for what lies in a place that is not encrypted and that others can write.")
    key = file("File of keys [env: TIDELINE_SYNC_KEY].")
    limit = count(
        "How many batches `log` shows [default: 20].", short="-k", default=20, least=1, most=10_000
    )


def run(session: Session, words: list[str], options: Options) -> int:
    """Meet the other machines, or run one action."""
    session.needs_owner("a sync takes all origins, so the owner runs it")
    match words:
        case ["status"]:
            _show_status(session)
        case ["log"]:
            _show_log(session, limit=options.limit)
        case ["key", *more]:
            meetings.run_key(session, more, options.key)
        case ["forget", address]:
            meetings.forget_named(session, address)
        case ["forget"]:
            raise UsageError(
                "forget which place or machine?", hint="`tideline sync status` lists them"
            )
        case [] | [_]:
            _check_is_place(words)
            return _meet(session, words, options)
        case _:
            raise UsageError(
                "sync takes one place, or status, log, key [add], forget PLACE|MACHINE",
                hint="tideline sync FOLDER",
            )
    return 0


def _check_is_place(words: list[str]) -> None:
    """Refuse what looks like a mistyped action, and would become a folder with all facts."""
    for word in words:
        near = mistyped.nearest(word, _ACTIONS)
        if near and not os.path.lexists(word):
            raise UsageError(
                f"{word} is no place yet", hint=f"did you mean `tideline sync {near[0]}`? A new "
                f"folder is ./{word}",
            )  # fmt: skip


def _meet(session: Session, words: list[str], options: Options) -> int:
    sealed = False if options.plain else True if options.encrypt else None
    asked = meetings.asked(options.name, sealed, options.trust, options.key)
    done = meetings.meet(session, words, asked)
    if done is None:
        return 0
    meetings.report(session, done.reports)
    return done.exit_code


_MOST = 20  # ids that a terminal shows; --json has all


def _show_status(session: Session) -> None:
    """Print the places, the machines that were met in each, and what waits."""
    db = session.reading()
    if db is None or not has_synced(db):
        if session.json:
            output.emit_json(
                {"replica": None, "name": None, "places": [], "conflicts": 0, "reworded": []}
            )
        else:
            output.emit_lines(["this memory does not sync: `tideline sync FOLDER` begins"])
        return
    form = _status_form(db)
    if session.json:
        output.emit_json(form)
    else:
        output.emit_lines(_status_lines(session, form))


def _status_form(db: Connection) -> dict[str, Any]:
    own = sync_state.SyncState(db).own_id
    return {
        "replica": own,
        "name": sync_state.name_of(db, own),
        "places": [_place_form(db, place) for place in sync_state.all_places(db)],
        "conflicts": len(sync_registers.ruled(db, "slot", origin_number=None)),
        "reworded": status_lines.rewording_forms(sync_registers.reworded(db, origin_number=None)),
    }


def _place_form(db: Connection, place: PlaceRow) -> dict[str, Any]:
    return {
        "address": place.address,
        "place": place.place,
        "encrypted": place.is_sealed,
        "vouched": place.is_vouched,
        "synced_at": instant.iso(place.synced_at) if place.synced_at else None,
        "segment": place.segment,
        "pending": bool(place.pending),
        "strangers": [] if place.is_vouched else sync_state.strangers(db, place.number),
        "refused": [] if place.is_vouched else sync_state.refused(db, place.number),
        "replicas": [
            {
                "replica": one.replica, "name": one.name or one.replica[:8],
                "segment": one.segment, "stopped": one.stopped,
            }
            for one in sync_state.streams_of(db, place.number).values()
        ],
    }  # fmt: skip


def _status_lines(session: Session, form: dict[str, Any]) -> list[str]:
    lines = [f"this machine\t{form['name']} ({form['replica'][:8]})"]
    for place in form["places"]:
        kind = "encrypted" if place["encrypted"] else "not encrypted"
        trust = "" if place["vouched"] else ", not vouched for"
        at = place["synced_at"]
        when = f"synced {time_words.ago(instant.parse(at), session.now)}" if at else "never synced"
        waits = ", a sync was cut short" if place["pending"] else ""
        lines.append(f"{place['address']}\t{kind}{trust}, {when}{waits}")
        for one in place["replicas"]:
            stopped = f", cannot be read further: {one['stopped']}" if one["stopped"] else ""
            lines.append(f"  {one['name']}\tread up to segment {one['segment']}{stopped}")
        for name, told in (("strangers", "taken as a stranger's"), ("refused", "not taken over")):
            if place[name]:
                shown = " ".join(place[name][:_MOST]) + (" …" if len(place[name]) > _MOST else "")
                lines.append(f"  {told}\t{len(place[name]):,}: {shown}")
        if place["strangers"] or place["refused"]:
            lines.append("  if they are yours\ttideline sync "
                         f"{shlex.quote(place['address'])} --trust")  # fmt: skip
    if form["conflicts"]:
        lines.append(f"conflicts\t{form['conflicts']:,}: `tideline contradictions`")
    lines += [f"reworded\t{text}: {hint}" for text, hint in
              status_lines.rewording_questions(session, form["reworded"])]  # fmt: skip
    return lines


_BEGINS = (
    "no machine has changed anything since its first sync: the log begins there, and lists nothing "
    "of what was before"
)


def _show_log(session: Session, *, limit: int) -> None:
    """Print the newest batches, the last one first: machine and number, when, what, whose."""
    db = session.reading()
    found = [] if db is None or not has_synced(db) else _log_rows(db, limit)
    if session.json:
        output.emit_json({"batches": found})
        return
    if not found:
        is_synced = db is not None and has_synced(db)
        session.note(_BEGINS if is_synced else "nothing was synced yet")
    output.emit_lines([
        f"{row['name']}:{row['batch']}\t{instant.local(instant.parse(row['at']))}\t{row['verb']}"
        + ("" if row["origin"] == "owner" else f"\t{row['origin']}")
        for row in found
    ])  # fmt: skip


def _log_rows(db: Connection, limit: int) -> list[dict[str, Any]]:
    names = sync_state.replicas(db)
    return [
        {
            "replica": names[replica][0],
            "name": names[replica][1] or names[replica][0][:8],
            "batch": number,
            "at": instant.iso(at),
            "verb": verb,
            "origin": origin,
        }
        for replica, number, origin, verb, at in sync_registers.newest_batches(db, limit)
    ]
