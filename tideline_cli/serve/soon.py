"""Distilling soon: the next hook starts a process of its own for conversations that have settled,
one on a machine, which works at low priority until its time is over."""

from __future__ import annotations

import os
import sys
import time

from tideline_cli.serve import hook_state, queue
from tideline_cli.store import locks
from tideline_cli.system import processes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SECONDS = 600.0
"""How long one run may take."""
_EVERY = 30.0  # seconds from one start to the next
_AFTER_FAILURE = 600.0  # the same where the model did not answer


def start(
    state: str, whose: queue.Whose, words: Sequence[str], environ: Mapping[str, str], *, now: int
) -> bool:
    """Start a run for what has settled, if something has and none was begun of late; say whether
    one was started. It has no part in this process: no pipe, no terminal, no group."""
    path = _path(state)
    try:
        if os.stat(path).st_mtime > time.time():
            return False
    except OSError:
        pass  # the first one
    if not any(one.is_settled(now) for one in queue.waiting(state, whose)):
        return False
    hook_state.put_text(path, "")
    _wait_for(path, _EVERY)
    processes.start_alone([sys.executable, "-P", "-m", "tideline_cli", *words], environ)
    return True


def turn(state: str) -> int | None:
    """Return the right to be the one run of this machine, None where another has it; and work at
    low priority from now on."""
    handle = hook_state.opened_lock(_path(state))
    if not locks.take(handle, seconds=0):
        os.close(handle)
        return None
    processes.give_way()
    return handle


def put_off(state: str) -> None:
    """Let no hook start another run for a while: the model did not answer, or may not be asked."""
    hook_state.put_text(_path(state), "")
    _wait_for(_path(state), _AFTER_FAILURE)


def _wait_for(path: str, seconds: float) -> None:
    then = time.time() + seconds
    os.utime(path, (then, then))


def _path(state: str) -> str:
    return os.path.join(hook_state.folder_of(state), "soon")
