"""Which facts a conversation was given: a client keeps each block and sends it again with every
turn, so a fact is given once."""

from __future__ import annotations

import os

from tideline_cli.model.instant import DAY_MS
from tideline_cli.model.lean import blake2b
from tideline_cli.serve import state_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 200  # ids that are known of a conversation
_ID = 27  # letters of an id, with the end of its line
_KEPT_MS = 14 * DAY_MS
_AGAIN_MS = 5_000  # within which a start that comes twice is one


def place(state: str, client: str, session: str) -> str:
    """Return the file of a conversation, empty for one without a name."""
    if not session:
        return ""
    name = blake2b(session.encode("utf-8", "replace"), digest_size=8).hexdigest()
    return os.path.join(state_files.folder_of(state), f"{client}-{name}")


def given(path: str) -> list[str]:
    """Return the ids that were given, the last `MOST` of them."""
    if not path:
        return []
    return state_files.read(path, most=MOST * _ID).split()[-MOST:]


def add(path: str, ids: Sequence[str]) -> None:
    """Note ids as given; where that cannot be done, they may be given again."""
    if not path or not ids:
        return
    try:
        if os.path.exists(path) and os.path.getsize(path) > 2 * MOST * _ID:
            state_files.put_text(path, "".join(f"{one}\n" for one in given(path)))
        state_files.append(path, "".join(f"{one}\n" for one in ids))
    except OSError:
        return


def clear(path: str) -> None:
    """Forget what was given, and note that the conversation begins."""
    try:
        if path:
            state_files.put_text(path, "")
    except OSError:
        return


def has_just_begun(path: str, *, clock: float) -> bool:
    """Say whether the same conversation began some seconds ago: some clients tell it twice."""
    try:
        return bool(path) and 0 <= clock - os.stat(path).st_mtime < _AGAIN_MS / 1000
    except OSError:
        return False


def drop_old(state: str, *, clock: float) -> None:
    """Remove the files of conversations that nobody has gone on with for two weeks."""
    try:
        with os.scandir(state_files.folder_of(state)) as entries:
            for entry in entries:
                is_ledger = "-" in entry.name and "." not in entry.name
                if is_ledger and clock - entry.stat().st_mtime > _KEPT_MS / 1000:
                    os.unlink(entry.path)
    except OSError:
        return
