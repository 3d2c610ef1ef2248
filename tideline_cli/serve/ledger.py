"""What a conversation was given: a client keeps each block and sends it again with every turn, so a
fact is given once, and the block of its beginning once.

A ledger is a file that grows: an id a line, and a line for each beginning. After a compaction the
client has lost its blocks, so what stands before that line counts no longer.
"""

from __future__ import annotations

import os

from tideline_cli.model.instant import DAY_MS
from tideline_cli.model.record import record
from tideline_cli.serve import hook_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 200  # ids that are known of a conversation
FIRST = "startup"  # how a conversation begins that has had no block yet
_ID = 26  # letters of an id
_LONGEST = 2 * MOST * (_ID + 1)  # then the file is written anew
_KEPT_MS = 14 * DAY_MS
_TWICE_MS = 5_000  # within which a beginning that is told twice is one
_BEGINS = "begins"


@record
class _Beginning:
    """A line of a beginning: how, when, and the mark of who has noted it."""

    how: str
    at: int
    mark: str

    def line(self) -> str:
        return f"{_BEGINS} {self.how} {self.at} {self.mark}\n"


@record
class _Page:
    """What a ledger says: the beginning that counts, and what was given since."""

    beginning: _Beginning | None
    ids: tuple[str, ...]


def place(state: str, client: str, *names: str) -> str:
    """Return the file of a conversation with a client. Its `names` tell it from all others: whose
    memory, which conversation. Empty for one without a name."""
    if not names[-1]:
        return ""
    return os.path.join(hook_state.folder_of(state), f"{client}-{hook_state.mark_of(*names)}")


def given(path: str) -> tuple[str, ...]:
    """Return the ids that were given, the last `MOST` of them."""
    return _page(path).ids if path else ()


def add(path: str, ids: Sequence[str]) -> None:
    """Note ids as given; where that cannot be done, they may be given again."""
    if path and ids:
        _append(path, "".join(f"{one}\n" for one in ids))


def begin(path: str, how: str, *, now: int) -> bool:
    """Note that a conversation begins, and say whether it does. It begins once by `FIRST`, also
    where a prompt came before; by anything else anew, unless that is told twice in a row."""
    if not path:
        return True
    mine = _Beginning(how, now, os.urandom(4).hex())
    _append(path, mine.line())
    beginning = _page(path).beginning
    # None: nothing can be noted. Of two that are noted at once the first counts.
    return beginning is None or beginning.mark == mine.mark


def drop_old(state: str, *, clock: float) -> None:
    """Remove the files of conversations that nobody has gone on with for two weeks, and what ended
    processes have left."""
    try:
        with os.scandir(hook_state.folder_of(state)) as entries:
            for entry in entries:
                is_ledger = "-" in entry.name and "." not in entry.name
                is_left = hook_state.FRESH in entry.name
                if (is_ledger or is_left) and clock - entry.stat().st_mtime > _KEPT_MS / 1000:
                    os.unlink(entry.path)
    except OSError:
        return


def _append(path: str, text: str) -> None:
    try:
        if os.path.exists(path) and os.path.getsize(path) > _LONGEST:
            hook_state.put_text(path, _text(_page(path)))
        hook_state.append(path, text)
    except OSError:
        return


def _text(page: _Page) -> str:
    first = "" if page.beginning is None else page.beginning.line()
    return first + "".join(f"{one}\n" for one in page.ids)


def _page(path: str) -> _Page:
    beginning: _Beginning | None = None
    ids: list[str] = []
    for line in hook_state.read(path, most=2 * _LONGEST).split("\n"):
        found = _beginning(line)
        if found is None:
            ids += [line] if len(line) == _ID else []
        elif beginning is None or _is_another(found, beginning):
            ids = ids if found.how == FIRST else []
            beginning = found
    return _Page(beginning, tuple(ids[-MOST:]))


def _beginning(line: str) -> _Beginning | None:
    parts = line.split(" ")
    if len(parts) != 4 or parts[0] != _BEGINS or not parts[2].isdigit():
        return None
    return _Beginning(parts[1], int(parts[2]), parts[3])


def _is_another(one: _Beginning, before: _Beginning) -> bool:
    if one.how == FIRST:
        return False
    return one.how != before.how or not 0 <= one.at - before.at < _TWICE_MS
