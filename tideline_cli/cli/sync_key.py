"""tideline sync key: the keys of encrypted places, to be carried to another machine."""

from __future__ import annotations

import sys

from tideline_cli.cli import output, sync_meetings
from tideline_cli.errors import UsageError
from tideline_cli.sync import keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tideline_cli.cli.session import Session


def run(session: Session, words: Sequence[str], named: str | None) -> None:
    """Print the keys of this machine, a line each, or add those that standard input has. `named` is
    their file, where it is not the usual one."""
    ring = keys.KeyRing.load(sync_meetings.keys_file(named))
    if list(words) == ["add"]:
        _add(session, ring)
    elif words:
        raise UsageError("sync key takes nothing, or add", hint="tideline sync key add < FILE")
    elif session.json:
        output.emit_json({"file": ring.path, "keys": [
            {"id": key.id, "place": key.place or None, "key": keys.written(key)}
            for key in ring.keys
        ]})  # fmt: skip
    else:
        if not ring.keys:
            session.note(
                f"there are no keys in {ring.path}: the first sync with an encrypted place makes "
                "one"
            )
        output.emit_exact([f"{keys.written(key)}\n" for key in ring.keys])
        if ring.keys:
            session.note(
                "who has a key can read and write its place: carry it by a way that you trust, to "
                "`tideline sync key add`"
            )


def _add(session: Session, ring: keys.KeyRing) -> None:
    """Add the keys on standard input."""
    if sys.stdin.isatty() and session.is_watched:
        session.note("paste the line of the key, then Ctrl-D")
    text = sys.stdin.buffer.read(1 << 20).decode("utf-8", "replace")
    found = [keys.parsed(line) for line in text.splitlines()
             if line.strip() and not line.startswith("#")]  # fmt: skip
    if not found:
        raise UsageError("no key on standard input", hint="tideline sync key add < FILE")
    ring.add(*found)
    if session.json:
        output.emit_json({"file": ring.path, "added": [key.id for key in found]})
    else:
        output.emit_lines([f"added {key.id} to {ring.path}" for key in found])
