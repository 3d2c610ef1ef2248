"""Syncs of a call, with one place or all that are known; keys, what is given up, and the check of
the log that `doctor --deep` makes."""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import closing

from tideline_cli.cli import output, status_lines
from tideline_cli.config import state_folder
from tideline_cli.errors import TidelineError, UnavailableError, UsageError
from tideline_cli.model.finding import Finding, some
from tideline_cli.model.record import record
from tideline_cli.store import connection, locks, sync_state
from tideline_cli.store.connection import has_synced, writing
from tideline_cli.sync import keys, layout, meeting, places, verify
from tideline_cli.sync.operations import is_name
from tideline_cli.sync.places.addresses import understood

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.store.sync_state import PlaceRow
    from tideline_cli.sync.meeting import Report, SyncRequest
    from tideline_cli.sync.places import Place


@record
class Meetings:
    """What was done in each place, and the exit code: that of the first place that failed."""

    reports: tuple[Report, ...]
    exit_code: int


def asked(name: str | None, sealed: bool | None, trust: bool, key: str | None) -> SyncRequest:
    """Return what a call asks of a sync, by its options. Raises UsageError for a name that no
    machine can have."""
    if name is not None and not (name.strip() and is_name(name)):
        raise UsageError(
            "this cannot be the name of a machine",
            hint="--name takes up to 255 characters on one line",
        )
    return meeting.SyncRequest(name or "", sealed, trust, keys_file(key))


def keys_file(named: str | None) -> str:
    """Return the path of the file of keys."""
    if named:
        return os.path.abspath(os.path.expanduser(named))
    return keys.default_path(os.environ)


def meet(session: Session, words: Sequence[str], asked: SyncRequest) -> Meetings | None:
    """Sync with one place, or with all that are known; a place that fails keeps none from the
    others. None where another sync of this memory is at work."""
    if sys.platform == "win32":
        raise UnavailableError(
            "sync does not run on Windows yet", hint="tideline export, and import --merge there"
        )
    addresses = [whole_address(word) for word in words] or known(session)
    if not addresses:
        raise UsageError(
            "this memory has no place yet", hint="tideline sync FOLDER, and see tideline sync -h"
        )
    db = session.writing()
    lock = locks.attempt(db.filename, locks.SYNC)
    if lock is None:
        session.note("another sync of this memory is running: nothing was done")
        return None
    reports: list[Report] = []
    failed: TidelineError | None = None
    try:
        for address in addresses:
            try:
                place = opened_place(db, address)
                reports.append(meeting.Meeting(db, place, asked, now=session.now).run())
            except TidelineError as error:
                if len(addresses) == 1:
                    raise
                session.caution("sync", f"{address}: {error.message}", hint=error.hint)
                failed = failed or error
    finally:
        locks.release(lock)
    return Meetings(tuple(reports), failed.exit_code if failed else 0)


def known(session: Session) -> list[str]:
    """Return the addresses of the places that this memory knows."""
    db = session.reading()
    if db is None:
        session.check_memory_is_there()
        return []
    if not has_synced(db):
        return []
    return [place.address for place in sync_state.all_places(db)]


def opened_place(db: Connection, address: str) -> Place:
    """Return the place of an address."""
    own = sync_state.SyncState(db).own_id if has_synced(db) else ""
    mirror = places.mirror_folder(state_folder(os.environ), f"{db.filename}\n{address}")
    return places.open_place(address, mirror=mirror, replica=own, on_terminal=sys.stderr.isatty())


def whole_address(address: str) -> str:
    """Return an address as it is found from anywhere: of a folder its whole path."""
    found = understood(address)
    if found.kind != "folder":
        return address
    return os.path.abspath(os.path.expanduser(found.path))


def around_a_pass(session: Session) -> None:
    """Sync with all known places, as a pass asks for it: what fails is told, and the pass goes
    on."""
    if not known(session):
        return
    try:
        done = meet(session, (), asked(None, None, False, None))
    except TidelineError as error:
        session.caution(error.code, f"not synced: {error.message}", hint=error.hint)
        return
    if done is not None:
        tell_beside(session, done.reports)


def report(session: Session, reports: Sequence[Report]) -> None:
    """Print what was done in each place."""
    if session.json:
        output.emit_json({"places": [_report_form(one) for one in reports]})
    elif not session.quiet:
        output.emit_lines([meeting_line(one) for one in reports])
    tell_beside(session, reports)


def tell_beside(session: Session, reports: Sequence[Report]) -> None:
    """Tell what a user should know beside the result."""
    for one in reports:
        for note in one.notes:
            session.note(note)
        if one.is_readable:
            session.caution("sync_readable", _readable(one))
        for halt in one.halts:
            session.caution(
                "sync_stopped",
                f"{halt.name} cannot be read further: segment {halt.number}: {halt.message}",
                hint=halt.advice,
            )
        if one.strangers or one.refused:
            session.caution(
                "sync_strangers", f"{one.address}: {_not_as_said(one)}, as others can write there; "
                "`tideline sync status` names them",
                hint=f"if they are yours: tideline sync {shlex.quote(one.address)} --trust",
            )  # fmt: skip
    if reports:
        for text, hint in status_lines.rewording_questions(
            session, status_lines.rewording_forms(reports[-1].reworded)
        ):
            session.caution("sync_reworded", text, hint=hint)
    conflicts = max((one.conflicts for one in reports), default=0)
    if conflicts:
        session.note(
            f"{conflicts:,} value{'s' * (conflicts > 1)} gave way to a later value of another "
            "machine: `tideline contradictions` shows both"
        )


def _readable(one: Report) -> str:
    return f"not encrypted: whoever can read {one.address} reads every fact"


def _not_as_said(one: Report) -> str:
    """Say how many facts were taken as a stranger's, and of how many a change was not taken."""
    told = []
    if one.strangers:
        facts = some(one.strangers, "fact")
        told.append(f"{facts} taken as a stranger's, without slot or standing")
    if one.refused:
        told.append(f"changes of {some(one.refused, 'fact')} not taken")
    return " and ".join(told)


def meeting_line(one: Report) -> str:
    """Return in one line what was done in a place."""
    took = "nothing new"
    if one.received:
        took = f"{some(one.received, 'fact')} received"
        if one.batches:
            numbers = [one.batches[0], one.batches[-1]]
            named = f"{numbers[0]}" if len(one.batches) == 1 else f"{numbers[0]} to {numbers[1]}"
            took += f" as batch{'es' * (len(one.batches) > 1)} {named}"
        if one.purged:
            took += f", {one.purged:,} purged"
    gave = "nothing to send"
    if one.sent:
        count = f"{one.segments} segment{'s' * (one.segments > 1)}"
        gave = f"{some(one.sent, 'fact')} sent in {count}, {one.octets:,} bytes"
    return f"{one.address}: {took}; {gave}"


def _report_form(one: Report) -> dict[str, Any]:
    return {
        "address": one.address,
        "place": one.place,
        "encrypted": one.is_sealed,
        "vouched": one.is_vouched,
        "received": one.received,
        "batches": list(one.batches),
        "purged": one.purged,
        "strangers": one.strangers,
        "refused": one.refused,
        "sent": one.sent,
        "segments": one.segments,
        "bytes": one.octets,
        "conflicts": one.conflicts,
        "reworded": status_lines.rewording_forms(one.reworded),
        "stopped": [
            {
                "replica": halt.replica, "name": halt.name, "reason": halt.reason,
                "segment": halt.number, "message": halt.message, "advice": halt.advice,
            }
            for halt in one.halts
        ],
        "notes": [*one.notes, *([_readable(one)] if one.is_readable else [])],
    }  # fmt: skip


def run_key(session: Session, words: Sequence[str], named: str | None) -> None:
    """Print the keys of this machine, a line each, or add those that standard input has. `named` is
    their file, where it is not the usual one."""
    ring = keys.KeyRing.load(keys_file(named))
    if list(words) == ["add"]:
        _add_key(session, ring)
    elif words:
        raise UsageError("sync key takes nothing, or add", hint="tideline sync key add < FILE")
    elif session.json:
        output.emit_json({"file": ring.path, "keys": [
            {"id": key.id, "place": key.place or None, "key": keys.written(key)}
            for key in ring.keys
        ]})  # fmt: skip
    else:
        if not ring.keys:
            session.note(
                f"there are no keys in {ring.path}: the first sync with an encrypted place makes "
                "one"
            )
        output.emit_exact([f"{keys.written(key)}\n" for key in ring.keys])
        if ring.keys:
            session.note(
                "who has a key can read and write its place: carry it by a way that you trust, to "
                "`tideline sync key add`"
            )


def _add_key(session: Session, ring: keys.KeyRing) -> None:
    """Add the keys on standard input."""
    if sys.stdin.isatty() and session.is_watched:
        session.note("paste the line of the key, then Ctrl-D")
    text = sys.stdin.buffer.read(1 << 20).decode("utf-8", "replace")
    found = [keys.parsed(line) for line in text.splitlines()
             if line.strip() and not line.startswith("#")]  # fmt: skip
    if not found:
        raise UsageError("no key on standard input", hint="tideline sync key add < FILE")
    ring.add(*found)
    if session.json:
        output.emit_json({"file": ring.path, "added": [key.id for key in found]})
    else:
        output.emit_lines([f"added {key.id} to {ring.path}" for key in found])


_LEAST = 4  # digits of an id


def forget_named(session: Session, word: str) -> None:
    """Forget the place with this address, or the machine with this name or beginning of an id."""
    named = whole_address(word)
    if named in known(session):
        _forget_place(session, named)
        return
    db = session.reading()
    if db is None or not has_synced(db):
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


LOG_CHECK = "sync_log"
_NAMED = 5  # ids in a message
_OF_FILES = (
    "`tideline restore --from` a backup and sync: what it lacks comes from the place; or say anew "
    "what is wrong, by `tideline edit`"
)
_OF_SERVERS = (
    "say anew what is wrong, by `tideline edit`; who looks after the server can bring back its "
    "backup of before: sync then, and what that lacks comes from the place"
)


def log_findings(session: Session, progress: Callable[[str], None]) -> tuple[Finding, ...] | None:
    """Fold the log of each place whose files are on this machine, and compare it with the memory.
    None where the memory does not sync, or has no such place."""
    try:
        with closing(connection.open_for_inspection(session.database)) as db:
            if not has_synced(db):
                return None
            listed = [(row, _folder(db, row)) for row in sync_state.all_places(db)]
            near = [(row, folder) for row, folder in listed if folder is not None]
            if not near:
                return None
            progress(LOG_CHECK)
            return tuple(one for row, folder in near for one in _of_place(session, db, row, folder))
    except connection.DatabaseError:
        return None  # other checks say what is wrong with the file


def _folder(db: Connection, row: PlaceRow) -> str | None:
    """Return the folder with the files of a place, None where none is on this machine."""
    folder = row.address
    if understood(row.address).kind != "folder":
        mirror = places.mirror_folder(state_folder(os.environ), f"{db.filename}\n{row.address}")
        folder = os.path.join(mirror, "files")
    return folder if os.path.isdir(folder) else None


def _of_place(session: Session, db: Connection, row: PlaceRow, folder: str) -> Iterator[Finding]:
    try:
        held = layout.find_place(folder)
        if held is None or held.id != row.place:
            yield Finding(
                LOG_CHECK, "warning", f"{row.address} is not the place of before", "`tideline sync`"
            )
            return
        ring = keys.KeyRing.load(keys_file(None)) if row.is_sealed else None
        found = verify.fold(db, folder, row, ring, now=session.now)
    except (TidelineError, OSError) as error:
        hint = error.hint if isinstance(error, TidelineError) else ""
        yield Finding(LOG_CHECK, "warning", f"the log of {row.address} cannot be read: {error}",
                      hint or "check the disk and the folder")  # fmt: skip
        return
    if found.waits:
        session.note(f"{row.address} has news: its log is compared after the next `tideline sync`")
    for name, why, advice in found.stopped:
        yield Finding(
            LOG_CHECK, "warning", f"what {name} left in {row.address} cannot be read on: {why}",
            advice,
        )  # fmt: skip
    if found.differing:
        listed = ", ".join(found.differing[:_NAMED])
        more = len(found.differing) - _NAMED
        yield Finding(
            LOG_CHECK, "error", f"{some(len(found.differing), 'fact')} differ from what the log of "
            f"{row.address} says: {listed}" + (f" and {more:,} more" if more > 0 else ""),
            _OF_SERVERS if session.is_on_server else _OF_FILES,
        )  # fmt: skip
