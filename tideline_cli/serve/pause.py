"""Until when the hooks of an origin are paused."""

from __future__ import annotations

from tideline_cli.serve import state_files

_NAME = "paused"
_DIGITS = 15


def end_of(state: str, origin: str, *, now: int) -> int | None:
    """Return when the pause ends, None where there is none."""
    said = state_files.read(_path(state, origin), most=_DIGITS + 1).strip()
    if not (said.isascii() and said.isdigit() and len(said) <= _DIGITS):
        return None
    return int(said) if int(said) > now else None


def begin(state: str, origin: str, end: int) -> None:
    """Let hooks do nothing until an instant."""
    state_files.put_text(_path(state, origin), f"{end}\n")


def end(state: str, origin: str) -> bool:
    """End a pause, and say whether there was one."""
    return state_files.remove(_path(state, origin))


def _path(state: str, origin: str) -> str:
    return state_files.own_path(state, _NAME, origin)
