"""tideline sync."""

from __future__ import annotations

import os

from tideline_cli.cli.options import Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.errors import UsageError
from tideline_cli.model.record import record

HELP = """Join the memories of your machines, through a place that keeps files.

PLACE is a folder (also one that Syncthing, Dropbox or the like carries), ssh://HOST/FOLDER or
HOST:FOLDER by rsync, a git repository (git:ADDRESS, or one that ends with .git), or
rclone:REMOTE:FOLDER. Run it on each machine with the same place; without PLACE it goes to all
places of before. Every machine keeps a whole memory of its own, and works without the others.

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
    session.needs_owner("a sync takes all origins, so the owner runs it")
    match words:
        case ["status"]:
            from tideline_cli.cli import sync_status  # noqa: PLC0415  one action of five

            sync_status.show(session)
        case ["log"]:
            from tideline_cli.cli import sync_log  # noqa: PLC0415  one action of five

            sync_log.show(session, limit=options.limit)
        case ["key", *more]:
            from tideline_cli.cli import sync_key  # noqa: PLC0415  one action of five

            sync_key.run(session, more, options.key)
        case ["forget", address]:
            from tideline_cli.cli import sync_forget  # noqa: PLC0415  one action of five

            sync_forget.forget(session, address)
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
    from tideline_cli.cli import mistyped  # noqa: PLC0415  where a place is named

    for word in words:
        near = mistyped.nearest(word, _ACTIONS)
        if near and not os.path.lexists(word):
            raise UsageError(
                f"{word} is no place yet", hint=f"did you mean `tideline sync {near[0]}`? A new "
                f"folder is ./{word}",
            )  # fmt: skip


def _meet(session: Session, words: list[str], options: Options) -> int:
    from tideline_cli.cli import sync_meetings, sync_report  # noqa: PLC0415  no other action

    sealed = False if options.plain else True if options.encrypt else None
    asked = sync_meetings.asked(options.name, sealed, options.trust, options.key)
    done = sync_meetings.meet(session, words, asked)
    if done is None:
        return 0
    sync_report.report(session, done.reports)
    return done.exit_code
