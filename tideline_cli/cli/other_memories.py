"""What is said where there is no memory at the usual place, and one lies at another."""

from __future__ import annotations

from tideline_cli.cli import next_call
from tideline_cli.config import places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from tideline_cli.cli.notices import Notices


def warn_of_others(session: Notices, path: str, environ: Mapping[str, str]) -> None:
    """Warn of each memory that is not the one at `path`, which is not there."""
    for other in places.other_memories(environ, path):
        session.caution(
            "other_memory",
            f"there was no memory at {path} yet; another one is at {other}",
            hint=f"take that one with --db, or for good with `{_for_good(other)}`",
        )


def _for_good(path: str) -> str:
    return next_call.line(["config", "set", "database", path], origin=None)
