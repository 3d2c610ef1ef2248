"""What a server tells of an error that nobody foresaw: a line on its stderr, once for each place,
without a word of the request or of the memory."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

_MOST = 100  # places that are told, whatever clients send


class ErrorTeller:
    """Tells errors on a stream. The stream is given, since commands inside the process may have
    another stderr meanwhile."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self._told: set[str] = set()

    def __call__(self, error: BaseException) -> None:
        """Tell the kind of an error and its place, if that was not told before."""
        where = f"{type(error).__name__}{_place(error)}"
        if where in self._told or len(self._told) >= _MOST or self._stream is None:
            return
        self._told.add(where)
        try:
            self._stream.write(f"tideline: internal error: {where}; please report it\n")
            self._stream.flush()
        except (OSError, ValueError):  # nobody reads it any more
            return


def _place(error: BaseException) -> str:
    """Return the innermost file and line of an error, with a blank before it."""
    place = error.__traceback__
    if place is None:
        return ""
    while place.tb_next is not None:
        place = place.tb_next
    return f" in {os.path.basename(place.tb_frame.f_code.co_filename)}:{place.tb_lineno}"
