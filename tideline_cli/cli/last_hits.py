"""The facts shown last in this terminal session, which `@1`, `@2` … stand for."""

from __future__ import annotations

import os

from tideline_cli import config
from tideline_cli.errors import NotFoundError
from tideline_cli.system import NOFOLLOW, is_root, session_number, set_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_DIGITS = 6


def keep(ids: Sequence[str]) -> None:
    """Write the ids down, best first; where that cannot be done, nothing is kept."""
    path = _path()
    folder = os.path.dirname(path)
    try:
        if not os.path.isdir(folder):
            from tideline_cli.store.folders import make_folder  # noqa: PLC0415  once

            make_folder(folder)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | NOFOLLOW
        handle = os.open(path, flags, 0o600)
    except OSError:
        return
    set_mode(handle, 0o600)  # whatever the umask
    if is_root():
        from tideline_cli.store.folders import hand_over  # noqa: PLC0415  root alone

        hand_over(handle, path, like=folder)
    with open(handle, "w", encoding="ascii", errors="replace", newline="\n") as file:
        file.write("\n".join(ids))


def exchange(old: str, new: str) -> None:
    """Let what stood for one fact stand for another; where none did, `@1` does."""
    ids = _kept()
    keep([new if one == old else one for one in ids] if old in ids else [new])


def id_of(text: str, *, on_terminal: bool) -> str:
    """Return the id that `@1`, `@2` … stands for; raise NotFoundError where there is none."""
    place = text[1:]
    ids = _kept() if on_terminal else []
    is_number = place.isascii() and place.isdigit() and len(place) <= _MOST_DIGITS
    if is_number and 0 < int(place) <= len(ids) and ids[0]:
        return ids[int(place) - 1]
    raise NotFoundError(
        f"no such id: {text}", hint="@1, @2 … are the facts shown last in this terminal"
    )


def _kept() -> list[str]:
    path = _path()
    if not os.path.isfile(path):
        return []
    with open(path, encoding="ascii", errors="replace") as file:
        return file.read().split("\n")


def _path() -> str:
    folder = os.path.join(config.state_folder(os.environ), "last-recall")
    return os.path.join(folder, str(session_number()))
