"""The door for the hooks of agents: it answers, or says nothing; it always ends with 0.

A hook runs with every prompt. So nothing here loads Typer, rich or numpy, and what goes wrong is a
line in a file: a client shows what a hook prints to its model, or stops the user's prompt.
"""

from __future__ import annotations

import os
import sys
import time

from tideline_cli import config
from tideline_cli.cli import scopes
from tideline_cli.cli.commands import COMMANDS, options_of
from tideline_cli.cli.options import GLOBAL, GlobalOptions
from tideline_cli.cli.session import Session, values_in_call
from tideline_cli.errors import BusyError, CannotWriteError, StoreError, UsageError
from tideline_cli.model import codec, instant
from tideline_cli.model.record import record
from tideline_cli.serve import clients, deadline, hook_state, ledger, queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from tideline_cli.cli.session import Session
    from tideline_cli.serve.clients import Event, HookCall
    Given = dict[str, Any]
    Parse = Callable[[Sequence[str]], tuple[str, Given] | None]

SWITCH = "TIDELINE_HOOKS"
_LARGEST = 1024 * 1024  # bytes of a call: 60 MB of JSON take 7 s and 500 MB to read
_PIECE = 1024 * 1024
_PATIENCE_MS = 200
_TOLD = (StoreError, BusyError, CannotWriteError)  # their messages hold a path at most


class _Silence(Exception):  # noqa: N818  why nothing is said is no error
    """A call that cannot be answered; its text says why."""


class _Voice:
    """Where is told what goes wrong: in the log of the origin, once that is known, and on stderr
    for who tries a hook by hand."""

    def __init__(self, client: str, *, is_told: bool) -> None:
        self.state = config.state_folder(os.environ)
        self.log = hook_state.log_path(self.state, "owner")
        self._client = client if client in clients.CLIENTS else "-"
        self._is_told = is_told

    def say(self, message: str) -> None:
        hook_state.note_failure(self.log, self._client, message, now=instant.now_ms())
        if self._is_told:
            sys.stderr.write(f"tideline: {message}\n")


@record
class _Asking:
    """A call of a client whose memory is known: what was given on the command line, and what the
    client has sent."""

    session: Session
    given: Given
    call: HookCall
    event: Event
    voice: _Voice


def run(argv: Sequence[str], words: Sequence[str], parse: Parse) -> int:
    """Answer a client, and return 0. Its `words` are its name and an event; `parse` reads a command
    line."""
    client, event = [*words, "", ""][:2]
    voice = _Voice(client, is_told=any(word in ("-v", "--verbose") for word in argv))
    deadline.before_end(lambda: voice.say(f"no answer within {deadline.SECONDS:g} s"))
    try:
        if config.is_off(os.environ, SWITCH):
            return 0
        session, given = _session(argv, parse, voice)
        if hook_state.pause_end(voice.state, session.viewer.key, now=instant.now_ms()) is None:
            asking = _asking(session, given, voice, client, event)
            _answer(asking)
            _distil_soon(asking)
    except _Silence as reason:
        voice.say(str(reason))
    except Exception as error:  # noqa: BLE001  a client must not fail with us
        voice.say(_meaning(error))
    return 0


def _meaning(error: Exception) -> str:
    """Return what may be kept of an error: nothing that a prompt has said."""
    from tideline_cli.store.connection import DatabaseError  # noqa: PLC0415  after an error

    is_address = isinstance(error, UsageError) and error.code == "address"
    if isinstance(error, _TOLD) or is_address:
        return str(error)
    if isinstance(error, DatabaseError):
        return f"the memory cannot be read: {error}"
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = "" if place is None else (
        f" ({os.path.basename(place.tb_frame.f_code.co_filename)}:{place.tb_lineno})")  # fmt: skip
    code = f" {error.code}" if isinstance(error, UsageError) else ""
    why = f": {error.strerror}" if isinstance(error, OSError) and error.strerror else ""
    return f"{type(error).__name__}{code}{why}{where}"


def _session(argv: Sequence[str], parse: Parse, voice: _Voice) -> tuple[Session, Given]:
    """Return the session of a command line, before the client has said in which folder it is."""
    parsed = parse(argv)
    if parsed is None:
        raise _Silence("an option of the command line is unknown, or lacks its value")
    given = parsed[1]
    session = Session(values_in_call(GlobalOptions, given, instant.now_ms), is_door=True)
    session.usual_scope = scopes.AUTO  # so that one project does not hear of another
    voice.log = hook_state.log_path(voice.state, session.viewer.key)
    return session, given


def _asking(session: Session, given: Given, voice: _Voice, client: str, event: str) -> _Asking:
    if client not in clients.CLIENTS:
        raise _Silence(f"not a client: {client!r:.40}")
    call = clients.call_of(client, event, _payload())
    meant = call.meant()
    if meant is None:
        raise _Silence(f"not an event of {client}: {call.event!r:.60}")
    session.stand_in(call.folder)  # the scope and the limits are those of its project
    return _Asking(session, given, call, meant, voice)


def _payload() -> dict[str, Any]:
    """Return what the client sends on standard input, which is read to its end: a client may fail
    where nobody hears it out."""
    if sys.stdin.isatty():
        raise _Silence("nothing on standard input: a client sends JSON there")
    raw = sys.stdin.buffer.read(_LARGEST + 1)
    if len(raw) > _LARGEST:
        while sys.stdin.buffer.read(_PIECE):
            continue
        raise _Silence("more than 1 MiB on standard input: the call is not read")
    try:
        value = codec.loads(raw.decode())
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise _Silence(f"{len(raw):,} bytes on standard input are not one JSON object")
    return value


def _answer(asking: _Asking) -> None:
    session, call = asking.session, asking.call
    known = ledger.place(
        asking.voice.state, call.client, session.real_database, session.viewer.key, call.agent,
        call.session,
    )  # fmt: skip
    if asking.event.loses_blocks:
        ledger.begin(known, "compaction", now=instant.now_ms())
    if asking.event.deed == "end":
        _queue(asking)
    elif asking.event.deed == "prompt":
        _say(asking, known)
    elif not call.is_resumed and ledger.begin(
        known, call.source or ledger.FIRST, now=instant.now_ms()
    ):
        ledger.drop_old(asking.voice.state, clock=time.time())
        _tell_ignored(asking)
        _say(asking, known)


def _queue(asking: _Asking) -> None:
    """Let the conversation wait for `extract --pending`, with the scope that it is held in."""
    session, call = asking.session, asking.call
    if not call.transcript:
        return  # a client keeps none of a conversation that is not to be kept
    transcript = os.path.join(call.folder, call.transcript)
    if not os.path.isabs(transcript) or "\0" in transcript:
        raise _Silence("the transcript of the conversation has no path that names a file")
    one = queue.Waiting(
        call.client, transcript, queue.Whose(session.real_database, session.viewer.key),
        call.session, call.folder, session.scope(asking.given.get("scope")) or "", session.now,
        over=asking.event.settles,
    )  # fmt: skip
    try:
        gone = queue.add(asking.voice.state, one)
    finally:
        if session.config.get("sessions") == "turns":
            from tideline_cli.cli import hook_turns  # noqa: PLC0415  who keeps sessions alone

            hook_turns.keep_end(session, one)
    if gone:
        asking.voice.say(f"{len(gone):,} conversations wait no more, since their files are gone, "
                         f"such as {gone[0]}")  # fmt: skip


def _distil_soon(asking: _Asking) -> None:
    """Have the conversations distilled that have settled, by a process of its own."""
    session = asking.session
    if session.config.get("extract_soon") != "on":
        return
    from tideline_cli.serve import soon  # noqa: PLC0415  who has it done alone

    whose = queue.Whose(session.real_database, session.viewer.key)
    memory = [f"--db={asking.given['db']}"] if asking.given.get("db") else []
    words = (*memory, f"--origin={session.viewer.key}", "extract", "--pending", "--settled", "-q")
    soon.start(asking.voice.state, whose, words, os.environ, now=session.now)


def _tell_ignored(asking: _Asking) -> None:
    """Tell once in a conversation that the scope of a project file is not taken."""
    offered = asking.session.config.offered
    if offered is not None and asking.session.scope_setting() != offered.value:
        asking.voice.say(f"{offered.message}; {offered.hint}")


def _say(asking: _Asking, known: str) -> None:
    """Give the client the block for its event, and note what is in it."""
    from tideline_cli.cli import hook_block  # noqa: PLC0415  an end says nothing

    given = asking.given
    seen = asking.session.scopes(given.get("scope"), everything=bool(given.get("all_scopes")))
    asked = hook_block.Asked(
        asking.call, asking.event, seen, frozenset(ledger.given(known)), _PATIENCE_MS,
        bool(given.get("show_secrets")),
    )  # fmt: skip
    said = hook_block.reply_for(asking.session, asked)
    if said is not None:
        _print(said.text)
        ledger.add(known, said.ids)


def _print(text: str) -> None:
    """Print an answer whose letters are UTF-8 whatever the locale is."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode() + b"\n")
    sys.stdout.buffer.flush()


_HOOK = "hook"
_VALUED = ("--db", "--origin", "--now", "--color", "--scope")
_FOR_PEOPLE = ("-h", "--help", "--pause", "--resume")


def after_hook(argv: Sequence[str]) -> list[str] | None:
    """Return the words of a client's call: the client and its event, as far as they are said. None
    for a command line that is none: `hook` alone, and its options for people, are for people."""
    words = [word for word, before in zip(argv, ("", *argv), strict=False) if before not in _VALUED]
    plain = [word for word in words if not word.startswith("-")]
    if _HOOK not in plain or any(word.partition("=")[0] in _FOR_PEOPLE for word in words):
        return None
    place = plain.index(_HOOK)
    options = [word for word in words if word.startswith("-")]
    if place and (not argv[0].startswith("-") or _is_command(plain[:place])):
        return None
    named = plain[place + 1 :]
    return named if named or _has_strange(options) else None


def _is_command(words: Iterable[str]) -> bool:
    """Say whether a word names a command, which takes what follows. Any other is the value of an
    option that nobody knows."""
    return any(word in COMMANDS for word in words)


def _has_strange(options: Iterable[str]) -> bool:
    """Say whether there is an option that people do not give."""
    known = {flag for option in (*GLOBAL, *options_of(_HOOK)) for flag in option.flags}
    return any(option.partition("=")[0] not in known for option in options)
