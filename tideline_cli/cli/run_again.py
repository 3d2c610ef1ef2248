"""Running a verb again, where a server has ended its transaction for the sake of another: by a
deadlock, or because what it read is not so any more.

A verb is run again while nothing of it is stored and it has neither answered nor asked: then it is
as if it began later.
"""

from __future__ import annotations

import sys
from time import sleep

from tideline_cli.store import opening
from tideline_cli.store.connection import DatabaseError, is_collision
from tideline_cli.store.patience import within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tideline_cli.cli.session import Session

_PROMPT_WAITS = 5.0  # seconds
_PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8)  # seconds before each try


class _Watched:
    """A stream of text that knows whether it was used."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.is_used = False

    def write(self, text: str) -> int:
        self.is_used = True
        return int(self.stream.write(text))

    def __getattr__(self, name: str) -> Any:
        self.is_used |= name in ("buffer", "read", "readline", "writelines")
        return getattr(self.stream, name)


class Watch:
    """The streams of this process while a verb on a server runs. `close` gives them back."""

    def __init__(self) -> None:
        self._kept = sys.stdin, sys.stdout
        self._stored = opening.commit_count()
        self._input, self._output = _Watched(sys.stdin), _Watched(sys.stdout)
        sys.stdin, sys.stdout = self._input, self._output

    def close(self) -> None:
        """Give the streams back, where nobody has put others in their place."""
        if sys.stdin is self._input:
            sys.stdin = self._kept[0]
        if sys.stdout is self._output:
            sys.stdout = self._kept[1]

    @property
    def is_untouched(self) -> bool:
        """Say whether the verb has stored nothing, and read and written nothing."""
        is_quiet = not (self._input.is_used or self._output.is_used)
        return is_quiet and opening.commit_count() == self._stored


def in_time(verb: Callable[[], int], session: Session) -> int:
    """Return what a verb returns; its server is waited for no longer than a prompt may wait."""
    with within(_PROMPT_WAITS):
        return until_done(verb, session)


def until_done(verb: Callable[[], int], session: Session) -> int:
    """Return what a verb returns, run again after collisions, with a growing pause.

    Raises the last collision where it is not to be run again, or has been often enough.
    """
    watch = Watch()
    try:
        for pause in _PAUSES:
            try:
                return verb()
            except DatabaseError as error:
                if not is_collision(error) or not watch.is_untouched:
                    raise
            session.close()
            if session.verbose:
                session.note("the server has ended the transaction for another's; run again")
            sleep(pause)
        return verb()
    finally:
        watch.close()
