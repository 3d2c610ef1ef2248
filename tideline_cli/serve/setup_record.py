"""What `setup` has done: of each client when, what, and the bytes of the files before, so that it
can be taken back."""

from __future__ import annotations

import json
import os

from tideline_cli.serve import setup_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Rows = dict[str, dict[str, Any]]

_NAME = "set-up.json"


def path_of(data: str) -> str:
    """Return where it stands; there is a file only where a client is set up."""
    return os.path.join(data, "doors", _NAME)


def rows(data: str) -> Rows:
    """Return what was done, by client and project; nothing where the file cannot be read."""
    raw = setup_files.content(path_of(data))
    try:
        form = json.loads(raw or b"{}")
    except ValueError:
        return {}
    return form if isinstance(form, dict) else {}


def put_row(data: str, name: str, row: dict[str, Any] | None) -> None:
    """Store what was done for one client; None takes it out."""
    held = rows(data)
    held.pop(name, None)
    if row is not None:
        held[name] = row
    text = json.dumps(held, indent=1) + "\n"
    path = path_of(data)
    setup_files.put(path, text.encode() if held else None)
    folder = os.path.dirname(path)
    if not held and os.path.isdir(folder) and not os.listdir(folder):
        os.rmdir(folder)


def name_of(client: str, project: str) -> str:
    """Return the name of a row."""
    return f"{client} {project}" if project else client
