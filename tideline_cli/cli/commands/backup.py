"""tideline backup."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.cli.options import Argument, OptionSet, flag
from tideline_cli.cli.session import Session
from tideline_cli.errors import UsageError
from tideline_cli.store import backup

HELP = """Copy the whole store into FILE, while others read and write it.

The copy holds every fact that was there when it began, of every origin, archived ones and history
included. It is a memory file of its own, readable by you alone, written to the disk and checked
before this ends; `tideline --db FILE recall` reads it, `tideline restore --from FILE` puts it
back. To copy tideline.db by other means loses what is in its log.

What you purge later stays in the copies made before: delete those too."""
EXAMPLES = (("memory-2026-02-01.db", ""), ("--force latest.db", ""))
ARGUMENTS = (Argument("words", "FILE", "Where to.", "file", False, 1),)


class Options(OptionSet):
    """The options of a call."""

    force = flag("Replace FILE; the old copy stays until the new is whole.", short="-f")


def run(session: Session, words: list[str], options: Options) -> int:
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
    made = backup.write(db, words[0], force=options.force)
    if session.json:
        output.emit_json({"file": made.path, "facts": made.facts, "bytes": made.bytes})
    elif not session.quiet:
        facts = "1 fact" if made.facts == 1 else f"{made.facts:,} facts"
        output.emit_lines([f"{made.path}: {facts}, {made.bytes:,} bytes"])
    return 0
