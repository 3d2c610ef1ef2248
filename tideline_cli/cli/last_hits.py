"""The facts that were shown last in this terminal session, for which `@1`, `@2` … stand."""

from __future__ import annotations

import os

from tideline_cli import config
from tideline_cli.errors import NotFoundError
from tideline_cli.store import references
from tideline_cli.store.private_files import hand_over, make_folder
from tideline_cli.system import NOFOLLOW, is_root, session_number, set_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from apsw import Connection

    from tideline_cli.model.origin import Origin

_MOST_DIGITS = 6


class LastHits:
    """The ids of this terminal session; without one there are none."""

    def __init__(self, *, on_terminal: bool) -> None:
        self._on_terminal = on_terminal

    def keep(self, ids: Sequence[str]) -> None:
        """Write the ids down, best first; where that cannot be done, nothing is kept."""
        path = _path()
        folder = os.path.dirname(path)
        try:
            if not os.path.isdir(folder):
                make_folder(folder)
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | NOFOLLOW
            handle = os.open(path, flags, 0o600)
        except OSError:
            return
        set_mode(handle, 0o600)  # whatever the umask
        if is_root():
            hand_over(handle, path, like=folder)
        with open(handle, "w", encoding="ascii", errors="replace", newline="\n") as file:
            file.write("\n".join(ids))

    def replace(self, old: str, new: str) -> None:
        """Let what stood for one fact stand for another; where none did, `@1` does."""
        ids = self._kept()
        self.keep([new if one == old else one for one in ids] if old in ids else [new])

    def typed_id(
        self, text: str, reading: Callable[[], Connection | None], *, viewer: Origin
    ) -> str:
        """Return the id that `@1`, `@2` … stands for, or the id that a text ends; any other text as
        it is. `reading` opens the store. Raises NotFoundError for a `@1` that stands for nothing.
        """
        if text.startswith("@"):
            return self._id_of(text)
        db = reading() if references.is_part(text.removeprefix("…")) else None
        return text if db is None else references.whole(db, text, viewer=viewer)

    def _id_of(self, text: str) -> str:
        place, ids = text[1:], self._kept()
        is_number = place.isascii() and place.isdigit() and len(place) <= _MOST_DIGITS
        if is_number and 0 < int(place) <= len(ids) and ids[0]:
            return ids[int(place) - 1]
        raise NotFoundError(
            f"no such id: {text}", hint="@1, @2 … are the facts shown last in this terminal"
        )

    def _kept(self) -> list[str]:
        if not (self._on_terminal and os.path.isfile(_path())):
            return []
        with open(_path(), encoding="ascii", errors="replace") as file:
            return file.read().split("\n")


def _path() -> str:
    folder = os.path.join(config.state_folder(os.environ), "last-recall")
    return os.path.join(folder, str(session_number()))
