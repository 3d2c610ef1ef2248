"""The door for the hooks of agents: it answers, or says nothing; it always ends with 0.

A hook runs with every prompt. So nothing here loads Typer, rich or numpy, and what goes wrong is a
line in a file: a client shows what a hook prints to its model, or stops the user's prompt.
"""

from __future__ import annotations

import os
import sys
import time

from tideline_cli import config
from tideline_cli.errors import BusyError, CannotWriteError, StoreError, UsageError
from tideline_cli.model import codec, instant
from tideline_cli.model.record import record
from tideline_cli.serve import clients, deadline, hook_log, pause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from tideline_cli.cli.session import Session
    from tideline_cli.serve.clients import Event, HookCall

    Given = dict[str, Any]
    Parse = Callable[[Sequence[str]], tuple[str, Given] | None]

SWITCH = "TIDELINE_HOOKS"
_VALUED = ("--db", "--origin", "--now", "--color", "--scope")
_FOR_PEOPLE = ("-h", "--help", "--pause", "--resume")
_LARGEST = 64 * 1024 * 1024  # bytes of a call
_PATIENCE_MS = 200
_TOLD = (StoreError, BusyError, CannotWriteError)  # their messages hold a path at most


class _Silence(Exception):  # noqa: N818  why nothing is said is no error
    """A call that cannot be answered; its text says why."""


@record
class _Asking:
    """The command line of a client, and what reads it."""

    argv: Sequence[str]
    parse: Parse


def takes(argv: Sequence[str]) -> bool:
    """Say whether a command line is the call of a client: `hook` and a word, or an option that
    people do not give. `hook` alone, and its options, are for people."""
    words = _beside_values(argv)
    plain = [word for word in words if not word.startswith("-")]
    if plain[:1] != ["hook"]:
        return False
    if any(word.partition("=")[0] in _FOR_PEOPLE for word in words):
        return False
    from tideline_cli.cli.commands import options_of  # noqa: PLC0415  for this call alone
    from tideline_cli.cli.options import GLOBAL  # noqa: PLC0415  as above

    known = {flag for option in (*GLOBAL, *options_of("hook")) for flag in option.flags}
    strange = any(
        word.startswith("-") and word.partition("=")[0] not in known for word in words
    )
    return len(plain) > 1 or strange


def _beside_values(argv: Sequence[str]) -> list[str]:
    """Return the words of a command line without the values of global options."""
    return [word for word, before in zip(argv, ("", *argv), strict=False) if before not in _VALUED]


def run(argv: Sequence[str], parse: Parse) -> int:
    """Answer a client, and return 0. `parse` reads a command line."""
    told = any(word in ("-v", "--verbose") for word in argv)
    words = [word for word in _beside_values(argv) if not word.startswith("-")]
    client = words[1] if len(words) > 1 else ""

    def say(message: str) -> None:
        hook_log.note(
            config.state_folder(os.environ), client if client in clients.CLIENTS else "-",
            message, now=instant.now_ms(),
        )  # fmt: skip
        if told:
            sys.stderr.write(f"tideline: {message}\n")

    deadline.before_end(lambda: say(f"no answer within {deadline.SECONDS:g} s"))
    try:
        _answer(_Asking(argv, parse), client, words[2] if len(words) > 2 else "")
    except _Silence as reason:
        say(str(reason))
    except Exception as error:  # noqa: BLE001  a client must not fail with us
        say(_meaning(error))
    return 0


def _meaning(error: Exception) -> str:
    """Return what may be kept of an error: nothing that a prompt has said."""
    from tideline_cli.store.connection import DatabaseError  # noqa: PLC0415  after an error

    if isinstance(error, _TOLD):
        return error.message
    if isinstance(error, DatabaseError):
        return f"the memory cannot be read: {error}"
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = "" if place is None else (
        f" ({os.path.basename(place.tb_frame.f_code.co_filename)}:{place.tb_lineno})")  # fmt: skip
    code = f" {error.code}" if isinstance(error, UsageError) else ""
    return f"{type(error).__name__}{code}{where}"


def _answer(asking: _Asking, client: str, event: str) -> None:
    if config.is_off(os.environ, SWITCH):
        return
    state = config.state_folder(os.environ)
    if pause.end_of(state, now=instant.now_ms()) is not None:
        return
    if client not in clients.CLIENTS:
        raise _Silence(f"not a client: {client!r:.40}")
    call = clients.call_of(client, event, _payload())
    meant = call.meant()
    if meant is None:
        raise _Silence(f"not an event of {client}: {call.event!r:.60}")
    session, given = _session(asking)
    if meant.deed == "end":
        _queue(session, call, state)
    elif meant.deed == "prompt" or not call.is_resumed:
        _say(session, call, meant, state, given)


def _payload() -> dict[str, Any]:
    """Return what the client sends on standard input."""
    if sys.stdin.isatty():
        raise _Silence("nothing on standard input: a client sends JSON there")
    raw = sys.stdin.buffer.read(_LARGEST + 1)
    try:
        value = codec.loads(raw.decode()) if len(raw) <= _LARGEST else None
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise _Silence(f"{len(raw):,} bytes on standard input are not one JSON object")
    return value


def _session(asking: _Asking) -> tuple[Session, Given]:
    from tideline_cli.cli.options import GLOBAL, GlobalOptions, completed  # noqa: PLC0415  not where it is off
    from tideline_cli.cli.session import Session  # noqa: PLC0415  as above

    parsed = asking.parse(asking.argv)
    if parsed is None:
        raise _Silence("an option of the command line is unknown, or lacks its value")
    given = parsed[1]
    if given.get("db"):  # the folder changes with the call
        given["db"] = os.path.abspath(os.path.expanduser(given["db"]))
    return Session(GlobalOptions(**completed(given, GLOBAL)), is_door=True), given


def _queue(session: Session, call: HookCall, state: str) -> None:
    """Let the conversation wait for `extract --pending`."""
    from tideline_cli.serve import queue  # noqa: PLC0415  at the end of a turn alone

    if not os.path.isabs(call.transcript):
        return
    one = queue.Waiting(
        call.client, call.session, call.transcript, call.folder, session.database,
        session.viewer.key, session.now,
    )  # fmt: skip
    if not queue.add(state, one):
        raise _Silence(f"{queue.MOST:,} conversations wait already; `tideline extract --pending`")


def _say(session: Session, call: HookCall, event: Event, state: str, given: Given) -> None:
    """Give the client the block for its event, and note what is in it."""
    from tideline_cli.cli import hook_block  # noqa: PLC0415  an end says nothing
    from tideline_cli.serve import ledger  # noqa: PLC0415  as above

    known = ledger.place(state, call.client, call.session)
    if event.deed == "start":
        if call.is_first and ledger.has_just_begun(known, clock=time.time()):
            return
        ledger.clear(known)
        ledger.drop_old(state, clock=time.time())
    if call.folder and os.path.isdir(call.folder):
        os.chdir(call.folder)  # the scope and the limits are those of its project
    asked = hook_block.Asked(
        call, event, _scopes(session, given), frozenset(ledger.given(known)), _PATIENCE_MS
    )
    said = hook_block.reply_for(session, asked)
    if said is not None:
        _print(said.text)
        ledger.add(known, said.ids)


def _scopes(session: Session, given: Given) -> tuple[str | None, ...] | None:
    """Return the scopes that are seen: by an option, by the setting, else those of the git
    repository, so that one project does not hear of another."""
    from tideline_cli.cli import scopes  # noqa: PLC0415  an end sees nothing

    if given.get("all_scopes"):
        return None
    return scopes.seen(given.get("scope"), session.setting("scope", scopes.AUTO))


def _print(text: str) -> None:
    """Print an answer whose letters are UTF-8 whatever the locale is."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode() + b"\n")
    sys.stdout.buffer.flush()
