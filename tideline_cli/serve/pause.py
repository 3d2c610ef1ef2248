"""Until when the hooks are paused."""

from __future__ import annotations

import os

from tideline_cli.serve import state_files

_NAME = "paused"
_DIGITS = 15


def end_of(state: str, *, now: int) -> int | None:
    """Return when the pause ends, None where there is none."""
    said = state_files.read(_path(state), most=_DIGITS + 1).strip()
    if not (said.isascii() and said.isdigit() and len(said) <= _DIGITS):
        return None
    return int(said) if int(said) > now else None


def begin(state: str, end: int) -> None:
    """Let hooks do nothing until an instant."""
    state_files.put_text(_path(state), f"{end}\n")


def end(state: str) -> bool:
    """End a pause, and say whether there was one."""
    return state_files.remove(_path(state))


def _path(state: str) -> str:
    return os.path.join(state_files.folder_of(state), _NAME)
