"""What the hooks of an origin could not do: a line each, since nobody reads what a hook prints. It
holds no prompt and nothing of the environment."""

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


def note(path: str, client: str, message: str, *, now: int) -> None:
    """Add a line to a log; where that cannot be done, nothing is kept."""
    said = " ".join(message.split())[:500]
    try:
        if os.path.exists(path) and os.path.getsize(path) > _LONGEST:
            state_files.rename(path, path + ".1")
        state_files.append(path, f"{instant.iso(now)}\t{client}\t{said}\n")
    except OSError:
        return


def last(path: str) -> Failure | None:
    """Return the last failure of a log, None where nothing has failed yet."""
    lines = state_files.read(path, most=_LAST).rstrip("\n").split("\n")
    at, _, rest = lines[-1].partition("\t")
    client, _, message = rest.partition("\t")
    if not message:
        return None
    try:
        return Failure(instant.parse(at), client, message)
    except UsageError:
        return None


def path_of(state: str, origin: str) -> str:
    """Return where the lines of an origin stand."""
    return state_files.own_path(state, _NAME, origin)
