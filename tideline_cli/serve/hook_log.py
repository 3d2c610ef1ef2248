"""What hooks could not do: a line each, since nobody reads what a hook prints. It holds no prompt
and nothing of the environment."""

from __future__ import annotations

import os

from tideline_cli.errors import UsageError
from tideline_cli.model import instant
from tideline_cli.model.record import record
from tideline_cli.serve import state_files

_LONGEST = 256 * 1024  # then the file becomes the old one
_LAST = 4096
_NAME = "hook.log"


@record
class Failure:
    """The last thing that went wrong: when, for which client, and what."""

    at: int
    client: str
    message: str


def note(state: str, client: str, message: str, *, now: int) -> None:
    """Add a line; where that cannot be done, nothing is kept."""
    path = _path(state)
    said = " ".join(message.split())[:500]
    try:
        if os.path.exists(path) and os.path.getsize(path) > _LONGEST:
            os.replace(path, path + ".1")
        state_files.append(path, f"{instant.iso(now)}\t{client}\t{said}\n")
    except OSError:
        return


def last(state: str) -> Failure | None:
    """Return the last failure, None where nothing has failed yet."""
    lines = state_files.read(_path(state), most=_LAST).rstrip("\n").split("\n")
    at, _, rest = lines[-1].partition("\t")
    client, _, message = rest.partition("\t")
    if not message:
        return None
    try:
        return Failure(instant.parse(at), client, message)
    except UsageError:
        return None


def path_of(state: str) -> str:
    """Return where the lines stand."""
    return _path(state)


def _path(state: str) -> str:
    return os.path.join(state_files.folder_of(state), _NAME)
