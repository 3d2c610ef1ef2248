"""tideline restore and tideline backup."""

from __future__ import annotations

import os

from tideline_cli.cli import by_id, output
from tideline_cli.cli.options import Argument, OptionSet, file, flag
from tideline_cli.cli.session import Session
from tideline_cli.cli.verbs import Verb
from tideline_cli.errors import UsageError
from tideline_cli.memory import amend
from tideline_cli.model import instant

HELP = """Bring archived or pruned facts back, or, with --from, a whole backup.

A restored fact has the end that it had before, if that is still to come, and none otherwise.
Refused when another fact stands in its place at a time at which both would hold: one that replaced
it, or replaced what did, or one in the same slot. Several are restored together or not at all.

--from FILE puts a backup in the place of the whole store, after it has asked, checked the backup,
and copied the store to tideline.db.before-restore-TIME beside it. Facts that were purged after
the backup was made come back with it; purge them again. An argument that is a path to a file
(with a dot or a slash in it, which no id has) is the same as --from."""
EXAMPLES = (("01J9ZK6Q", ""), ("--from memory-2026-02-01.db", ""))
ARGUMENTS = (Argument("words", "ID", "Which facts.", "id", True, 0, completes=("archived",)),)


class Options(OptionSet):
    """The options of a call."""

    from_ = file("Put a backup back in place of the whole store.")
    yes = flag("With --from: do not ask.", short="-y")


def run(session: Session, words: list[str], options: Options) -> int:
    """Restore facts, or the store."""
    path = options.from_
    if path is None and len(words) == 1 and _is_path(words[0]):
        path, words = words[0], []
    if path is None:
        return _facts(session, words)
    if words:
        raise UsageError("--from takes no ids", hint="restore them afterwards")
    return _store(session, path, options.yes)


def _facts(session: Session, words: list[str]) -> int:
    done = by_id.change(session, words, amend.restore, "restored", "active")
    for fact_id, end in done.ends:
        session.note(f"{fact_id} had ended at {instant.iso(end)}, and has no end now")
    return 0


def _is_path(word: str) -> bool:
    return bool({".", os.sep} & set(word)) and "\x00" not in word and os.path.isfile(word)


def _store(session: Session, path: str, yes: bool) -> int:
    session.needs_file("restore --from", hint="`tideline import` takes an export of the backup")
    from tideline_cli.memory import doctor  # noqa: PLC0415  facts need none of it

    session.needs_owner("only the owner may put a backup back")
    path, database = os.path.abspath(os.path.expanduser(path)), session.database
    count = doctor.check_backup(path, database)
    facts = "1 fact" if count == 1 else f"{count:,} facts"
    question = f"Put {path} ({facts}) in the place of {database}, which is copied first?"
    if not session.confirmed(question, yes=yes, hint="repeat it with --yes"):
        session.note("nothing was changed")
        return 0
    done = doctor.restore_from(
        path, database, now=session.now, network_allowed=session.network_allowed,
        progress=lambda _: None,
    )  # fmt: skip
    if session.json:
        output.emit_json({"file": done.path, "facts": done.facts, "copy": done.kept})
    else:
        output.emit_lines([f"restored {facts} from {done.path}"])
        if done.kept is not None:
            output.emit_lines([f"what was there before: {done.kept}"])
    for message in done.wrong:
        session.note(f"{message}; see `tideline doctor`")
    return 0


class BackupOptions(OptionSet):
    """The options of a call."""

    force = flag("Replace FILE; the old copy stays until the new is whole.", short="-f")


def _backup(session: Session, words: list[str], options: BackupOptions) -> int:
    """Make a backup."""
    if len(words) != 1:
        raise UsageError("name one file", hint="tideline backup FILE")
    if not words[0] or "\x00" in words[0]:
        raise UsageError("the name of the file is none", hint="tideline backup FILE")
    session.needs_file("backup", hint="pg_dump copies a server; `tideline export` writes all facts")
    session.needs_owner("only the owner may copy the store")
    db = session.reading()
    if db is None:
        session.check_memory_is_there()
        raise UsageError(f"there is no store yet at {session.database}", hint="see --db")
    from tideline_cli.store import backup  # noqa: PLC0415  contextlib; no fact is restored by it

    made = backup.write(db, words[0], force=options.force)
    if session.json:
        output.emit_json({"file": made.path, "facts": made.facts, "bytes": made.bytes})
    elif not session.quiet:
        facts = "1 fact" if made.facts == 1 else f"{made.facts:,} facts"
        output.emit_lines([f"{made.path}: {facts}, {made.bytes:,} bytes"])
    return 0


BACKUP = Verb(
    """Copy the whole store into FILE, while others read and write it.

The copy holds every fact that was there when it began, of every origin, archived ones and history
included. It is a memory file of its own, readable by you alone, written to the disk and checked
before this ends; `tideline --db FILE recall` reads it, `tideline restore --from FILE` puts it
back. To copy tideline.db by other means loses what is in its log.

What you purge later stays in the copies made before: delete those too.""",
    (("memory-2026-02-01.db", ""), ("--force latest.db", "")),
    (Argument("words", "FILE", "Where to.", "file", False, 1),),
    BackupOptions, _backup,
)  # fmt: skip
