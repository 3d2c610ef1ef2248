"""The conversations that wait for `extract --pending`: a line each, in a file for each memory and
origin. Hooks write it, and read no transcript.

One process at a time changes a file, and each change replaces it whole. A hook cannot wait for
long: where it gets no turn, it leaves its line in a file beside, which the next one takes in. The
line of a conversation is another with each turn that ends, so that a turn which ends while the one
before is distilled goes on waiting.
"""

from __future__ import annotations

import os

from tideline_cli.errors import CannotWriteError
from tideline_cli.model import codec
from tideline_cli.model.record import record
from tideline_cli.serve import hook_state
from tideline_cli.store import locks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

SILENT_MS = 10 * 60_000
"""How long nothing was said in a conversation that has settled."""
MOST = 1000
"""Conversations of an origin that may wait."""
PATIENCE = 0.3
"""Seconds that a hook waits for others who change the file."""
_LONGEST = 16 * 1024 * 1024
_LONGEST_TEXT = 4096  # characters of a path or a name; no system has longer paths
_LEISURE = 10.0  # seconds that a command waits, for which nobody does
_LATE = ".late-"
_TAKEN = ".taken"
_BETWEEN = ', "session": '  # what a line says before it tells which conversation it is


@record
class Whose:
    """Which conversations: those for a memory file, of an origin."""

    database: str
    origin: str


@record
class Waiting:
    """A conversation to read: whose client, its file, for which memory; its name, its folder, the
    scope of what is stored of it (empty for none), and when its last turn has ended. `over`: it has
    ended, or is about to be made shorter. `line` is how it stands in the file."""

    client: str
    transcript: str
    whose: Whose
    session: str
    folder: str
    scope: str
    at: int
    line: str = ""
    over: bool = False

    def is_settled(self, now: int) -> bool:
        """Say whether it is over, or nothing was said in it for a while."""
        return self.over or now - self.at >= SILENT_MS


def add(state: str, one: Waiting) -> list[str]:
    """Let a conversation wait; return the transcripts that gave it room, since they are gone.
    Raises CannotWriteError where as many wait as may."""
    if len(one.transcript) > _LONGEST_TEXT:
        raise CannotWriteError("the path of the transcript is longer than any path", hint="")
    path, line = _path(state, one.whose), _line(one)
    lock = _lock(path, seconds=PATIENCE)
    if lock is None:
        _leave_beside(path, line)
        return []
    try:
        lines = _taken_in(path)
        gone = _make_room(lines) if _mark(line) not in lines else []
        lines[_mark(line)] = line
        if sum(map(len, lines.values())) > _LONGEST:
            raise _full("the queue of conversations has its full length")
        _put(path, lines)
        return gone
    finally:
        locks.release(lock)


def waiting(state: str, whose: Whose) -> list[Waiting]:
    """Return the conversations that wait, in the order in which they came."""
    forms = ((line, _form(line)) for line in _lines(_path(state, whose)).values())
    return [_waiting(form, line, whose) for line, form in forms if form is not None]


def length(state: str, whose: Whose) -> int:
    """Return how many conversations wait."""
    return len(waiting(state, whose))


def done(state: str, whose: Whose, lines: Collection[str]) -> bool:
    """Take lines out of the queue that were worked off, and say whether that could be done. What
    came meanwhile stays, and so does a conversation that has gone on."""
    path = _path(state, whose)
    lock = _lock(path, seconds=_LEISURE)
    if lock is None:
        return False
    try:
        held = _taken_in(path)
        left = {mark: line for mark, line in held.items() if line not in lines}
        if len(left) < len(held):
            _put(path, left)
        return True
    finally:
        locks.release(lock)


def tried(state: str, one: Waiting) -> int:
    """Note that a conversation was asked about in vain; return how often it was since its last
    turn, 0 where it has gone on meanwhile or nobody could wait for the queue."""
    path = _path(state, one.whose)
    lock = _lock(path, seconds=_LEISURE)
    if lock is None:
        return 0
    try:
        lines, form = _taken_in(path), _form(one.line)
        if form is None or lines.get(_mark(one.line)) != one.line:
            return 0
        form["tries"] = count = int(form.get("tries", 0)) + 1
        lines[_mark(one.line)] = codec.dumps(form)
        _put(path, lines)
        return count
    finally:
        locks.release(lock)


def _waiting(form: dict[str, Any], line: str, whose: Whose) -> Waiting:
    texts = {name: str(form.get(name, "")) for name in _TEXTS}
    at = form.get("at")
    over = form.get("over") is True
    return Waiting(whose=whose, at=at if isinstance(at, int) else 0, line=line, over=over, **texts)


_TEXTS = ("client", "transcript", "session", "folder", "scope")


def _line(one: Waiting) -> str:
    """Return the line of a conversation, another one with each call. What it begins with tells
    which conversation it is."""
    form = {
        "client": one.client, "transcript": one.transcript, "database": one.whose.database,
        "origin": one.whose.origin, "session": one.session[:_LONGEST_TEXT],
        "folder": one.folder[:_LONGEST_TEXT], "scope": one.scope, "at": one.at,
        "turn": os.urandom(8).hex(), **({"over": True} if one.over else {}),
    }  # fmt: skip
    return codec.dumps(form)


def _mark(line: str) -> str:
    """Return what tells a conversation: its client, its file, its memory, its origin. No text in a
    line can hold what parts it, since a quote in a text is escaped."""
    return line.partition(_BETWEEN)[0]


def _form(line: str) -> dict[str, Any] | None:
    try:
        form = codec.loads(line)
    except ValueError:
        return None
    return form if isinstance(form, dict) else None


def _make_room(lines: dict[str, str]) -> list[str]:
    """Take out what is no longer there to be read, where there is no room, and return it."""
    gone: dict[str, str] = {}
    if len(lines) >= MOST:
        for mark, line in lines.items():
            path = str((_form(line) or {}).get("transcript"))
            if not os.path.lexists(path):
                gone[mark] = path
        for mark in gone:
            del lines[mark]
    _check_room(len(lines))
    return list(gone.values())


def _check_room(count: int) -> None:
    if count >= MOST:
        raise _full(f"{MOST:,} conversations wait already, and no more may")


def _full(why: str) -> CannotWriteError:
    work_off = "tideline extract --pending"
    return CannotWriteError(f"{why}: `{work_off}` makes room", hint=work_off)


def _put(path: str, lines: dict[str, str]) -> None:
    if lines:
        hook_state.put_text(path, "".join(f"{line}\n" for line in lines.values()))
    else:
        hook_state.remove(path)


def _lock(path: str, *, seconds: float) -> int | None:
    """Return the right to change a queue, None where it cannot be had in time."""
    handle = hook_state.opened_lock(path)
    if locks.take(handle, seconds=seconds):
        return handle
    os.close(handle)
    return None


def _leave_beside(path: str, line: str) -> None:
    """Keep a line where nobody else writes but the same conversation, which replaces it."""
    name = f"{path}{_LATE}{hook_state.mark_of(_mark(line))}"
    if not os.path.exists(name):
        _check_room(len(_beside(path)))
    hook_state.put_text(name, f"{line}\n")


def _beside(path: str) -> list[str]:
    """Return the files with lines that have found no turn; first the one that somebody was taking
    in who was ended."""
    folder, name = os.path.split(path)
    try:
        found = sorted(one for one in os.listdir(folder) if one.startswith(f"{name}{_LATE}"))
    except FileNotFoundError:
        return []
    late = [os.path.join(folder, one) for one in found if hook_state.FRESH not in one]
    return [path + _TAKEN, *late] if os.path.exists(path + _TAKEN) else late


def _taken_in(path: str) -> dict[str, str]:
    """Return the lines of a queue that is locked, and take in what lies beside it. A file that is
    read has another name, so that nobody replaces it meanwhile."""
    lines = _read(path)
    for name in _beside(path):
        if not name.endswith(_TAKEN):
            hook_state.rename(name, path + _TAKEN)
        lines |= _read(path + _TAKEN)
        _put(path, lines)
        hook_state.remove(path + _TAKEN)
    return lines


def _lines(path: str) -> dict[str, str]:
    """Return the lines of a queue with those beside it, as they are."""
    beside = [_read(name) for name in _beside(path)]  # first: others may take it in meanwhile
    lines = _read(path)
    for more in beside:
        lines |= more
    return lines


def _read(path: str) -> dict[str, str]:
    """Return the lines of a file, by what tells each conversation."""
    said = hook_state.read(path, most=_LONGEST + MOST).split("\n")
    return {_mark(line): line for line in said if _BETWEEN in line}


def _path(state: str, whose: Whose) -> str:
    name = f"queue-{hook_state.mark_of(whose.database, whose.origin)}.jsonl"
    return os.path.join(hook_state.folder_of(state), name)
