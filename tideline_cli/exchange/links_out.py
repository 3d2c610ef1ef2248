"""Links in a folder that lead out of it: who names the folder has not named what they lead to."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def is_below(folder: str, path: str) -> bool:
    """Say whether a file of a folder is in it, wherever links lead."""
    top = os.path.join(os.path.realpath(folder), "")
    return os.path.realpath(path).startswith(top)


def left_outside(names: Sequence[str]) -> str:
    """Return what is said of links that are left alone."""
    more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
    what = "links lead" if more else "a link leads"
    return f"{what} out of the folder; left alone: {names[0]}{more}"
