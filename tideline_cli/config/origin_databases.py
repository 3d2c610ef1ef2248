"""The table `[origin_databases]` of the user's settings: which origins have databases of their own.

A name in it is that of one origin, a value the address of a server or the whole path of a file. No
error shows a value, since it may hold a password.
"""

from __future__ import annotations

import os

from tideline_cli.config.settings import TABLE
from tideline_cli.errors import UsageError
from tideline_cli.model.origin import OWNER, UNKNOWN, parse_origin
from tideline_cli.model.server_address import is_server

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ROW = '"channel:…" = "postgresql://…"'
_BY_COMMAND = "tideline config set database ADDRESS --origin ORIGIN"


def table_of(raw: Any) -> dict[str, str]:
    """Return the addresses of a table by the keys of their origins; raise UsageError for what is
    no such table, an origin that is there twice, and `owner`."""
    if not isinstance(raw, dict):
        raise UsageError(f"{TABLE} is a table", hint=_BY_COMMAND)
    found: dict[str, str] = {}
    for name, value in raw.items():
        key = origin_key(name)
        if key in found:
            raise UsageError(f"{name:.60} is there twice", hint="keep one of the lines")
        found[key] = checked_address(value, of=name)
    return found


def origin_key(name: str) -> str:
    """Return the key of an origin that may have a database of its own."""
    if "://" in name:
        raise UsageError(f"an address stands before the = in {TABLE}", hint=_ROW)
    try:
        origin = parse_origin(name)
    except UsageError as error:
        error.hint += f"; settings stand above [{TABLE}]"
        raise
    if origin in (OWNER, UNKNOWN):
        raise UsageError(
            f"{origin.key} has no database of its own: the owner's is the setting database",
            hint="tideline config set database PATH",
        )
    return origin.key


def checked_address(value: Any, *, of: str) -> str:
    """Return an address that can be opened from any folder; raise UsageError otherwise."""
    if isinstance(value, str) and "\x00" not in value:
        path = os.path.expanduser(value)
        if is_server(value) or (os.path.isabs(path) and not path.endswith(os.sep)):
            return value
    raise UsageError(
        f"{of:.60} has no address of a database",
        hint="say postgresql://…, or the whole path of a file",
    )
